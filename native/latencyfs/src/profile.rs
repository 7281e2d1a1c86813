//! Profiles: named values, each with its source, read from TOML.

use crate::delay::{Cost, Nanos, Params};
use crate::op::Op;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use toml::Value;

/// One value and where it comes from.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sourced {
    pub value: Value,
    pub source: String,
}

/// A profile as written: every key of `defaults.toml`, some with values of its own.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub name: String,
    pub summary: String,
    pub values: BTreeMap<String, Sourced>,
}

const DEFAULTS: &str = include_str!("../profiles/defaults.toml");

/// The built-in profiles by name.
pub const BUILT_IN: [(&str, &str); 13] = [
    ("lustre", include_str!("../profiles/lustre.toml")),
    ("lustre-slow", include_str!("../profiles/lustre-slow.toml")),
    ("lustre-fast", include_str!("../profiles/lustre-fast.toml")),
    ("lustre-2014", include_str!("../profiles/lustre-2014.toml")),
    ("gpfs", include_str!("../profiles/gpfs.toml")),
    ("beegfs", include_str!("../profiles/beegfs.toml")),
    ("daos", include_str!("../profiles/daos.toml")),
    ("gekkofs", include_str!("../profiles/gekkofs.toml")),
    ("datawarp", include_str!("../profiles/datawarp.toml")),
    ("burstbuffer", include_str!("../profiles/burstbuffer.toml")),
    ("orangefs", include_str!("../profiles/orangefs.toml")),
    ("ssd", include_str!("../profiles/ssd.toml")),
    ("zero", include_str!("../profiles/zero.toml")),
];

impl Profile {
    /// A built-in profile by name, or one from a file when the name ends in `.toml`.
    pub fn load(name: &str) -> Result<Profile, String> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return Profile::parse(text);
        }
        if Path::new(name).extension().is_some_and(|ext| ext == "toml") {
            let text = std::fs::read_to_string(name)
                .map_err(|e| format!("cannot read profile {name}: {e}"))?;
            return Profile::parse(&text).map_err(|e| format!("{name}: {e}"));
        }
        let known = BUILT_IN.map(|(name, _)| name);
        Err(format!(
            "unknown profile {name:?}{}; built in: {}; a file must end in .toml",
            nearest(name, known.iter().copied()),
            known.join(", ")
        ))
    }

    pub fn parse(text: &str) -> Result<Profile, String> {
        let read = |text| toml::from_str::<Profile>(text).map_err(|e| e.message().to_string());
        let own = read(text)?;
        let mut profile = read(DEFAULTS)?;
        profile.name = own.name;
        profile.summary = own.summary;
        for (key, sourced) in own.values {
            profile.put(&key, sourced)?;
        }
        Ok(profile)
    }

    /// Changes one value by `key=value` from the command line.
    pub fn set(&mut self, assignment: &str) -> Result<(), String> {
        let (key, text) = assignment
            .split_once('=')
            .ok_or_else(|| format!("--set {assignment:?} must be key=value"))?;
        let value = toml::from_str::<BTreeMap<String, Value>>(&format!("v = {text}"))
            .ok()
            .and_then(|mut table| table.remove("v"))
            .ok_or_else(|| {
                format!("--set {key}: {text:?} is not a number, true, false or a list")
            })?;
        let source = "set on the command line".to_string();
        self.put(key, Sourced { value, source })
    }

    fn put(&mut self, key: &str, sourced: Sourced) -> Result<(), String> {
        let op = key.strip_prefix("op.").and_then(Op::from_name);
        if !self.values.contains_key(key) && op.is_none_or(|op| !op.is_metadata()) {
            let near = nearest(key, self.values.keys().map(String::as_str));
            return Err(format!("unknown key {key:?}{near}"));
        }
        self.values.insert(key.to_string(), sourced);
        Ok(())
    }

    pub fn settings(&self) -> Result<Settings, String> {
        Settings::new(self)
    }

    fn number(&self, key: &str) -> Result<f64, String> {
        let value = self.values.get(key).map(|sourced| &sourced.value);
        let number = value.and_then(as_number).filter(|n| n.is_finite());
        number
            .filter(|n| *n >= 0.0)
            .ok_or_else(|| format!("{key} must be a number of at least 0"))
    }

    fn flag(&self, key: &str) -> Result<bool, String> {
        let value = self.values.get(key).and_then(|s| s.value.as_bool());
        value.ok_or_else(|| format!("{key} must be true or false"))
    }

    fn cost(&self, op: Op) -> Result<Cost, String> {
        let key = format!("op.{}", op.name());
        let key = match self.values.contains_key(&key) {
            true => key.as_str(),
            false => "op.default",
        };
        let pair = self.values.get(key).and_then(|s| s.value.as_array());
        let pair: Option<Vec<f64>> = pair.and_then(|p| p.iter().map(as_number).collect());
        let found = match pair.as_deref() {
            Some(&[round_trips, work]) => Some((round_trips, work, 0.0)),
            Some(&[round_trips, work, directory]) => Some((round_trips, work, directory)),
            _ => None,
        };
        match found {
            Some((round_trips, work, directory)) if round_trips.min(work).min(directory) >= 0.0 => {
                Ok(Cost {
                    round_trips,
                    work,
                    directory,
                })
            }
            _ => Err(format!(
                "{key} must be [round trips, work] or [round trips, work, work on its directory], each at least 0"
            )),
        }
    }
}

fn as_number(value: &Value) -> Option<f64> {
    value
        .as_float()
        .or_else(|| value.as_integer().map(|n| n as f64))
}

fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    known
        .min_by_key(|candidate| strsim::levenshtein(word, candidate))
        .map_or(String::new(), |near| format!(", did you mean {near:?}?"))
}

/// A profile checked and in the units the daemon works in.
#[derive(Clone, Debug)]
pub struct Settings {
    pub params: Params,
    pub costs: [Cost; Op::COUNT],
    pub page_cache: bool,
    pub attr_timeout: Nanos,
    pub cpu_per_entry: Nanos,
    pub shared_mmap: bool,
    pub intents: bool,
    pub async_close: bool,
    pub readdirplus: bool,
    pub readdir_batch: u64,
    pub passthrough: bool,
}

impl Settings {
    fn new(profile: &Profile) -> Result<Settings, String> {
        let micros = |key| profile.number(key).map(|n| (n * 1e3).round() as Nanos);
        let whole = |key| profile.number(key).map(|n| n.round() as u64);
        let mut costs = [Cost::FREE; Op::COUNT];
        for op in Op::all().filter(|op| op.is_metadata()) {
            costs[op.index()] = profile.cost(op)?;
        }
        let params = Params {
            servers: whole("metadata.servers")?.clamp(1, 4096) as usize,
            rate: profile.number("metadata.rate")?,
            directory_rate: profile.number("directory.rate")?,
            metadata_round_trip: micros("metadata.round_trip_us")?,
            data_round_trip: micros("data.round_trip_us")?,
            request_bytes: whole("data.request_bytes")?.max(1),
            parallel: whole("data.parallel_requests")?.max(1),
            request_bandwidth: whole("data.request_bandwidth")?,
            shared_bandwidth: whole("data.shared_bandwidth")?,
            client_bandwidth: whole("data.client_bandwidth")?,
            dirty_bytes: whole("client.dirty_bytes")?,
        };
        Ok(Settings {
            params,
            costs,
            page_cache: profile.flag("client.page_cache")?,
            attr_timeout: micros("client.attr_timeout_us")?,
            cpu_per_entry: micros("client.cpu_per_entry_us")?,
            shared_mmap: profile.flag("client.shared_mmap")?,
            intents: profile.flag("client.intents")?,
            async_close: profile.flag("client.async_close")?,
            readdirplus: profile.flag("client.readdirplus")?,
            readdir_batch: whole("client.readdir_batch")?.max(1),
            passthrough: profile.flag("client.passthrough")?,
        })
    }

    pub fn cost(&self, op: Op) -> Cost {
        self.costs[op.index()]
    }

    /// Kernel passthrough hides data operations from the model, so only a model that would not
    /// delay them may use it.
    pub fn may_pass_through(&self) -> bool {
        let params = &self.params;
        let free = params.data_round_trip == 0
            && params.request_bandwidth == 0
            && params.shared_bandwidth == 0
            && params.client_bandwidth == 0;
        self.passthrough && self.page_cache && free
    }
}

#[cfg(test)]
#[path = "clemson_tests.rs"]
mod clemson;

#[cfg(test)]
#[path = "published_tests.rs"]
mod published;

#[cfg(test)]
mod tests {
    use super::{Profile, BUILT_IN};
    use crate::op::Op;

    #[test]
    fn every_built_in_profile_is_complete_and_sourced() {
        for (name, text) in BUILT_IN {
            let profile = Profile::parse(text).unwrap();
            assert_eq!(profile.name, name);
            profile.settings().unwrap();
            for (key, sourced) in &profile.values {
                assert!(sourced.source.len() > 9, "{name}: {key} has no source");
            }
        }
    }

    #[test]
    fn an_operation_may_have_work_on_its_directory() {
        let mut profile = Profile::load("zero").unwrap();
        profile.set("directory.rate=50").unwrap();
        profile.set("op.create=[1, 0.5, 2]").unwrap();
        let settings = profile.settings().unwrap();
        assert_eq!(settings.params.directory_rate, 50.0);
        assert_eq!(settings.cost(Op::Create).directory, 2.0);
        assert_eq!(settings.cost(Op::Open).directory, 0.0);
        for wrong in ["[1]", "[1, 1, -1]", "[1, 1, 1, 1]"] {
            profile.set(&format!("op.create={wrong}")).unwrap();
            assert!(profile.settings().unwrap_err().contains("op.create"));
        }
    }

    #[test]
    fn zero_delays_nothing() {
        let settings = Profile::load("zero").unwrap().settings().unwrap();
        assert!(settings.may_pass_through());
        assert_eq!(settings.params.metadata_round_trip, 0);
        assert_eq!(settings.params.rate, 0.0);
    }

    #[test]
    fn a_value_can_be_set() {
        let mut profile = Profile::load("lustre").unwrap();
        profile.set("metadata.rate=123.5").unwrap();
        profile.set("op.open=[2, 3]").unwrap();
        assert_eq!(profile.settings().unwrap().params.rate, 123.5);
    }

    #[test]
    fn mistakes_are_named() {
        let mut profile = Profile::load("lustre").unwrap();
        let message = profile.set("metadata.rat=1").unwrap_err();
        assert!(
            message.contains("did you mean \"metadata.rate\""),
            "{message}"
        );
        profile.set("metadata.rate=true").unwrap();
        assert!(profile.settings().unwrap_err().contains("metadata.rate"));
        assert!(Profile::load("lustra").unwrap_err().contains("lustre"));
    }
}
