//! Injected faults: what was asked for, and the decision for each operation.
//!
//! A decision depends only on the seed, the number of the fault and how many operations of the
//! matching kind came before, so the same sequence of operations meets the same faults.

use crate::delay::{Nanos, Target};
use crate::op::Op;

/// When an error fault strikes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// Each operation with this probability.
    Chance(f64),
    /// Every operation once this many bytes were moved by operations of the kind.
    AfterBytes(u64),
    /// Only the n-th operation of the kind, from 1.
    Nth(u64),
    /// Every n-th operation of the kind.
    Every(u64),
}

/// One fault as the user wrote it.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    /// Answer `op` (or any operation) with this error number.
    Error {
        errno: i32,
        op: Option<Op>,
        when: When,
    },
    /// Nothing of the target is served in a span, in nanoseconds after the fault is switched on.
    Stall {
        target: Target,
        at: Nanos,
        length: Nanos,
    },
}

const ERRNOS: [(&str, i32); 12] = [
    ("eio", libc::EIO),
    ("enospc", libc::ENOSPC),
    ("edquot", libc::EDQUOT),
    ("eacces", libc::EACCES),
    ("eperm", libc::EPERM),
    ("enoent", libc::ENOENT),
    ("estale", libc::ESTALE),
    ("etimedout", libc::ETIMEDOUT),
    ("eintr", libc::EINTR),
    ("eagain", libc::EAGAIN),
    ("emfile", libc::EMFILE),
    ("erofs", libc::EROFS),
];

impl Spec {
    pub fn parse(text: &str) -> Result<Spec, String> {
        let parts: Vec<&str> = text.splitn(3, ':').collect();
        let [kind, what, when] = parts[..] else {
            return Err(format!(
                "fault {text:?} must be ERROR:OPERATION:WHEN or stall:mds|data:at=T,for=T"
            ));
        };
        match kind {
            "stall" => parse_stall(what, when),
            _ => parse_error(kind, what, when),
        }
        .map_err(|why| format!("fault {text:?}: {why}"))
    }
}

fn parse_stall(what: &str, when: &str) -> Result<Spec, String> {
    let target = match what {
        "mds" => Target::Metadata,
        "data" => Target::Data,
        other => return Err(format!("can stall mds or data, not {other:?}")),
    };
    let (mut at, mut length) = (0, None);
    for part in when.split(',') {
        match part.split_once('=') {
            Some(("at", time)) => at = parse_time(time)?,
            Some(("for", time)) => length = Some(parse_time(time)?),
            _ => return Err(format!("{part:?} is neither at=TIME nor for=TIME")),
        }
    }
    let length = length.ok_or("for=TIME is missing")?;
    Ok(Spec::Stall { target, at, length })
}

fn parse_error(kind: &str, what: &str, when: &str) -> Result<Spec, String> {
    let known = || ERRNOS.map(|(name, _)| name).join(", ");
    let errno = ERRNOS
        .iter()
        .find(|(name, _)| *name == kind)
        .ok_or_else(|| format!("unknown error {kind:?}; known: stall, {}", known()))?
        .1;
    let op = match what {
        "any" => None,
        name => Some(Op::from_name(name).ok_or_else(|| format!("unknown operation {name:?}"))?),
    };
    let when = parse_when(when)?;
    Ok(Spec::Error { errno, op, when })
}

fn parse_when(text: &str) -> Result<When, String> {
    let count = |n: &str| match n.parse::<u64>() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(format!("{n:?} is not a whole number above 0")),
    };
    match text.split_once('=') {
        Some(("after", bytes)) => Ok(When::AfterBytes(parse_bytes(bytes)?)),
        Some(("nth", n)) => Ok(When::Nth(count(n)?)),
        Some(("every", n)) => Ok(When::Every(count(n)?)),
        Some((other, _)) => Err(format!("{other:?} is none of after=, nth=, every=")),
        None => match text.parse::<f64>() {
            Ok(chance) if (0.0..=1.0).contains(&chance) => Ok(When::Chance(chance)),
            _ => Err(format!("{text:?} is not a probability between 0 and 1")),
        },
    }
}

/// A whole number and one of the units, the first of which has no name.
fn parse_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(split);
    let factor = units.iter().find(|(name, _)| *name == unit)?.1;
    Some((number.parse::<f64>().ok()? * factor as f64).round() as u64)
}

fn parse_time(text: &str) -> Result<Nanos, String> {
    let units = [
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1),
    ];
    parse_unit(text, &units).ok_or_else(|| format!("{text:?} is not a time such as 3s or 250ms"))
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let units = [
        ("B", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
    ];
    parse_unit(text, &units)
        .or_else(|| text.parse().ok())
        .ok_or_else(|| format!("{text:?} is not a size such as 100MB or 64KiB"))
}

/// A fault and what it has done so far.
#[derive(Clone, Debug)]
pub struct Fault {
    pub text: String,
    spec: Spec,
    number: u64,
    pub seen: u64,
    bytes: u64,
    pub injected: u64,
}

impl Fault {
    /// `number` distinguishes faults of one run, so that two of the same text do not strike together.
    pub fn new(text: &str, number: u64) -> Result<Fault, String> {
        Ok(Fault {
            text: text.to_string(),
            spec: Spec::parse(text)?,
            number,
            seen: 0,
            bytes: 0,
            injected: 0,
        })
    }

    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The error for this operation, if the fault strikes it.
    pub fn strike(&mut self, seed: u64, op: Op, bytes: u64) -> Option<i32> {
        let Spec::Error {
            errno,
            op: which,
            when,
        } = self.spec
        else {
            return None;
        };
        if which.is_some_and(|which| which != op) {
            return None;
        }
        self.seen += 1;
        let strikes = match when {
            When::Chance(chance) => draw(seed, self.number, self.seen) < chance,
            When::AfterBytes(limit) => self.bytes + bytes > limit,
            When::Nth(n) => self.seen == n,
            When::Every(n) => self.seen % n == 0,
        };
        if !strikes {
            self.bytes += bytes;
            return None;
        }
        self.injected += 1;
        Some(errno)
    }
}

/// A number in `[0, 1)` that depends on nothing but its arguments (SplitMix64 finaliser).
fn draw(seed: u64, fault: u64, ordinal: u64) -> f64 {
    let mut z = seed
        .wrapping_add(fault.wrapping_mul(0xD1B5_4A32_D192_ED03))
        .wrapping_add(ordinal.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
