//! What was counted of one operation on one class, and sums of it.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use weft_scratch_core::histogram::floor;

/// One operation on one class.
#[derive(Default, Clone)]
pub struct Sum {
    pub errors: u64,
    pub bytes: u64,
    pub ns: u64,
    pub ns_hist: Vec<u64>,
    pub size_hist: Vec<u64>,
}

impl Figures for Sum {
    fn count(&self) -> u64 {
        self.ns_hist.iter().sum()
    }

    fn add(&mut self, o: &Sum) {
        self.errors += o.errors;
        self.bytes += o.bytes;
        self.ns += o.ns;
        add_each(&mut self.ns_hist, &o.ns_hist);
        add_each(&mut self.size_hist, &o.size_hist);
    }
}

fn add_each(to: &mut Vec<u64>, from: &[u64]) {
    to.resize(to.len().max(from.len()), 0);
    to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(6))?;
        map.serialize_entry("count", &self.count())?;
        map.serialize_entry("errors", &self.errors)?;
        map.serialize_entry("bytes", &self.bytes)?;
        map.serialize_entry("ns", &self.ns)?;
        map.serialize_entry("ns_hist", &Buckets(&self.ns_hist))?;
        map.serialize_entry("size_hist", &Buckets(&self.size_hist))?;
        map.end()
    }
}

/// `[floor, count]` of the buckets that hold something.
struct Buckets<'h>(&'h [u64]);

impl Serialize for Buckets<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(None)?;
        for (b, &n) in self.0.iter().enumerate().filter(|(_, &n)| n > 0) {
            list.serialize_element(&[floor(b), n])?;
        }
        list.end()
    }
}

/// What threads of one kind did.
#[derive(Default, Clone, Serialize)]
pub struct Part {
    pub count: u64,
    pub errors: u64,
    pub bytes: u64,
    pub ns: u64,
}

/// What can be added up.
pub trait Figures: Default {
    fn count(&self) -> u64;
    fn add(&mut self, other: &Self);
}

impl Figures for Part {
    fn count(&self) -> u64 {
        self.count
    }

    fn add(&mut self, o: &Part) {
        self.count += o.count;
        self.errors += o.errors;
        self.bytes += o.bytes;
        self.ns += o.ns;
    }
}

/// Class, then operation.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Sums<F = Sum>(pub BTreeMap<String, BTreeMap<String, F>>);

/// Kind of thread, class, then operation.
pub type ByKind = BTreeMap<String, Sums<Part>>;

impl<F> Default for Sums<F> {
    fn default() -> Self {
        Sums(BTreeMap::new())
    }
}

impl<F: Figures> Sums<F> {
    pub fn add(&mut self, class: &str, op: &str, sum: &F) {
        self.0.entry(class.into()).or_default().entry(op.into()).or_default().add(sum);
    }

    pub fn add_all(&mut self, other: &Sums<F>) {
        other.each().for_each(|(class, op, sum)| self.add(class, op, sum));
    }

    pub fn each(&self) -> impl Iterator<Item = (&str, &str, &F)> {
        self.0.iter().flat_map(|(class, ops)| ops.iter().map(move |(op, sum)| (class.as_str(), op.as_str(), sum)))
    }

    /// Without what never happened.
    pub fn without_zeroes(mut self) -> Sums<F> {
        self.0.values_mut().for_each(|ops| ops.retain(|_, sum| sum.count() > 0));
        self.0.retain(|_, ops| !ops.is_empty());
        self
    }
}
