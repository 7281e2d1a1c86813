//! The profiles of published rates give back, in computed time, the rates and times that they are made of.

use super::{Profile, Settings};
use crate::delay::{Model, Nanos, Request};
use crate::op::Op;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NAMES: [&str; 7] = [
    "lustre-slow",
    "lustre",
    "lustre-fast",
    "gpfs",
    "beegfs",
    "daos",
    "gekkofs",
];
const SECOND: f64 = 1e9;
/// Enough to keep the fastest server busy during its round trips.
const CALLERS: u64 = 2000;

fn settings(name: &str) -> Settings {
    Profile::load(name).unwrap().settings().unwrap()
}

/// Callers that each do these operations again and again, in the directory that `within` gives them: rounds a second.
fn rate(settings: &Settings, callers: u64, ops: &[Op], within: impl Fn(u64) -> u64) -> f64 {
    const ROUNDS: u64 = 40;
    let mut model = Model::new(settings.params.clone(), 1);
    let mut waiting: BinaryHeap<Reverse<(Nanos, u64, usize)>> =
        (0..callers).map(|caller| Reverse((0, caller, 0))).collect();
    let mut last = 0;
    while let Some(Reverse((now, caller, done))) = waiting.pop() {
        let op = ops[done % ops.len()];
        // a file that is closed is no entry of a directory any more
        let directory = (op != Op::Close).then(|| within(caller));
        let request = Request::Metadata(settings.cost(op), directory);
        let at = model.complete(0, request, now);
        last = last.max(at);
        if done + 1 < ops.len() * ROUNDS as usize {
            waiting.push(Reverse((at, caller, done + 1)));
        }
    }
    (callers * ROUNDS) as f64 / (last as f64 / SECOND)
}

fn near(seen: f64, published: f64, what: &str) {
    let ratio = seen / published;
    // the first round trip and the last one are not shared
    assert!((0.9..1.01).contains(&ratio), "{what}: {seen} {published}");
}

const CREATE: [Op; 2] = [Op::Create, Op::Close];

#[test]
fn creates_in_many_directories_reach_the_rate_of_all_servers() {
    for name in NAMES {
        let one = settings(name);
        near(rate(&one, CALLERS, &CREATE, |n| n), one.params.rate, name);
    }
}

#[test]
fn creates_in_one_directory_reach_the_rate_of_a_directory() {
    for name in NAMES {
        let one = settings(name);
        let seen = rate(&one, CALLERS, &CREATE, |_| 7);
        near(seen, one.params.directory_rate, name);
        assert!(seen < 0.9 * rate(&one, CALLERS, &CREATE, |n| n), "{name}");
    }
}

#[test]
fn stats_and_unlinks_have_the_ratio_of_their_phases() {
    for name in NAMES {
        let one = settings(name);
        for op in [Op::Getattr, Op::Unlink] {
            let published = one.params.rate / one.cost(op).work;
            near(rate(&one, CALLERS, &[op], |n| n), published, name);
        }
    }
}

#[test]
fn a_create_alone_takes_two_round_trips_and_its_service() {
    for name in NAMES {
        let one = settings(name);
        let took = SECOND / rate(&one, 1, &CREATE, |n| n);
        let work = SECOND / one.params.rate;
        let in_directory = SECOND / one.params.directory_rate;
        let trips = 2.0 * one.params.metadata_round_trip as f64;
        // the entry in the directory may take longer than the server's part of the create
        assert!(took >= trips + work - 2.0, "{name}: {took}");
        assert!(
            took <= trips + work.max(in_directory) + work + 2.0,
            "{name}: {took}"
        );
    }
}
