//! Just enough JSON to print: objects and arrays in order, strings escaped.

use std::fmt::Write;

/// A JSON text under construction.
#[derive(Default)]
pub struct Json {
    text: String,
    comma: bool,
}

impl Json {
    fn separate(&mut self) {
        if self.comma {
            self.text.push(',');
        }
        self.comma = true;
    }

    /// `{ ... }` or, with a key, `"key": { ... }`.
    pub fn object(&mut self, key: Option<&str>, body: impl FnOnce(&mut Json)) {
        self.nest(key, '{', '}', body);
    }

    pub fn array(&mut self, key: Option<&str>, body: impl FnOnce(&mut Json)) {
        self.nest(key, '[', ']', body);
    }

    fn nest(&mut self, key: Option<&str>, open: char, close: char, body: impl FnOnce(&mut Json)) {
        self.label(key);
        self.text.push(open);
        self.comma = false;
        body(self);
        self.text.push(close);
        self.comma = true;
    }

    fn label(&mut self, key: Option<&str>) {
        self.separate();
        if let Some(k) = key {
            self.quote(k);
            self.text.push(':');
        }
    }

    pub fn number(&mut self, key: Option<&str>, n: u64) {
        self.label(key);
        let _ = write!(self.text, "{n}");
    }

    pub fn flag(&mut self, key: &str, yes: bool) {
        self.label(Some(key));
        self.text.push_str(if yes { "true" } else { "false" });
    }

    pub fn string(&mut self, key: Option<&str>, s: &str) {
        self.label(key);
        self.quote(s);
    }

    fn quote(&mut self, s: &str) {
        self.text.push('"');
        for c in s.chars() {
            match c {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                c if (c as u32) < 32 => drop(write!(self.text, "\\u{:04x}", c as u32)),
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }

    pub fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_commas_and_escapes() {
        let mut j = Json::default();
        j.object(None, |j| {
            j.number(Some("a"), 1);
            j.array(Some("b"), |j| (0..2).for_each(|n| j.number(None, n)));
            j.object(Some("c"), |_| ());
            j.string(Some("d"), "x\"\\\n");
            j.flag("e", true);
        });
        assert_eq!(j.into_text(), r#"{"a":1,"b":[0,1],"c":{},"d":"x\"\\\u000a","e":true}"#);
    }
}
