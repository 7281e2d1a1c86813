//! The directories of calls that no class is for.

use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Directories that are named; the others are added up.
const NAMED: usize = 16;

#[derive(Clone, Copy, Default, Serialize)]
pub struct Visits {
    pub opens: u64,
    pub stats: u64,
}

/// Of one process, or of all.
#[derive(Default)]
pub struct Directories {
    /// The same directory may be listed twice.
    pub named: Vec<(String, Visits)>,
    /// Calls whose directory was not kept.
    pub elsewhere: u64,
}

/// What is reported of them.
#[derive(Serialize)]
pub struct Report {
    top: Vec<Visited>,
    /// Opens and stats of all other directories.
    elsewhere: u64,
}

#[derive(Serialize)]
pub struct Visited {
    directory: String,
    #[serde(flatten)]
    visits: Visits,
}

/// The directories with most opens and stats, of all processes together.
pub fn top<'d>(all: impl Iterator<Item = &'d Directories>) -> Report {
    let (mut sums, mut elsewhere) = (BTreeMap::<&str, Visits>::new(), 0);
    for one in all {
        elsewhere += one.elsewhere;
        for (directory, visits) in &one.named {
            let sum = sums.entry(directory).or_default();
            sum.opens += visits.opens;
            sum.stats += visits.stats;
        }
    }
    let mut sorted: Vec<_> = sums.into_iter().collect();
    sorted.sort_by_key(|(_, v)| Reverse(v.opens + v.stats));
    let rest = sorted.split_off(sorted.len().min(NAMED));
    elsewhere += rest.iter().map(|(_, v)| v.opens + v.stats).sum::<u64>();
    let top = sorted.into_iter().map(|(directory, visits)| Visited { directory: directory.into(), visits });
    Report { top: top.collect(), elsewhere }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_are_named_and_the_rest_is_counted() {
        let visits = |n| Visits { opens: n, stats: 1 };
        let one = Directories { named: (0..20).map(|n| (format!("/{n}"), visits(n))).collect(), elsewhere: 5 };
        let two = Directories { named: vec![("/3".into(), visits(100))], elsewhere: 1 };
        let reported = serde_json::to_value(top([one, two].iter())).unwrap();
        assert_eq!(reported["top"][0], serde_json::json!({"directory": "/3", "opens": 103, "stats": 2}));
        assert_eq!(reported["top"].as_array().unwrap().len(), NAMED);
        assert_eq!(reported["elsewhere"], 6 + (1 + 2 + 4) + 4);
    }
}
