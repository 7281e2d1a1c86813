//! What a job found: named values and the problems that make it wrong, as one JSON object.

use serde_json::{Map, Value};

#[derive(Default)]
pub struct Outcome {
    values: Map<String, Value>,
    problems: Vec<String>,
}

impl Outcome {
    /// Set a value; the unit of a time or size belongs in the key.
    pub fn put(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.values.insert(key.to_string(), value.into());
        self
    }

    /// The result is wrong, and why.
    pub fn problem(&mut self, reason: String) {
        self.problems.push(reason);
    }

    /// The result is wrong unless two values are equal.
    pub fn same<T: PartialEq + std::fmt::Display>(&mut self, what: &str, found: &T, expected: &T) {
        if found != expected {
            self.problem(format!("{what} is {found}, expected {expected}"));
        }
    }

    pub fn json(self) -> Value {
        let mut all = Map::new();
        all.insert("valid".to_string(), self.problems.is_empty().into());
        if !self.problems.is_empty() {
            all.insert("reason".to_string(), self.problems.join("; ").into());
        }
        all.extend(self.values);
        Value::Object(all)
    }
}
