//! Rates of a node's cores and memory, all threads at the same time.

use crate::{record, serial, sort};
use serde::Serialize;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

#[derive(Serialize)]
pub struct Rates {
    pub threads: usize,
    /// Bytes per second read and written by a copy, of all threads; one value per repetition.
    pub memory: Vec<f64>,
    /// Bytes per second sorted, of all threads.
    pub sort: Vec<f64>,
    /// Bytes per second encoded and decoded, of all threads.
    pub serialize: Vec<f64>,
}

const ARRAY: usize = 64 << 20;
const ROWS: usize = 100_000;

/// Measure `repeat` times each; the sort has `bytes` of records.
pub fn measure(threads: usize, bytes: usize, repeat: usize) -> Rates {
    Rates {
        threads,
        memory: copied(threads, repeat),
        sort: sorted(threads, bytes, repeat),
        serialize: serialized(threads, repeat),
    }
}

fn copied(threads: usize, repeat: usize) -> Vec<f64> {
    let passes = 4;
    let seconds = together(threads, repeat, |_| {
        let source = vec![1_u8; ARRAY];
        let mut target = vec![0_u8; ARRAY];
        move || {
            for _ in 0..passes {
                target.copy_from_slice(black_box(&source));
                black_box(&mut target);
            }
        }
    });
    let bytes = (2 * ARRAY * passes * threads) as f64;
    seconds.iter().map(|took| bytes / took).collect()
}

fn sorted(threads: usize, bytes: usize, repeat: usize) -> Vec<f64> {
    let input = record::generate(bytes / record::SIZE, 1);
    let mut output = vec![0; input.len()];
    let rates = (0..repeat)
        .map(|_| {
            let begin = Instant::now();
            sort::sort(black_box(&input), &mut output, threads);
            input.len() as f64 / begin.elapsed().as_secs_f64()
        })
        .collect();
    assert!(record::sorted(&output), "the sort has an error");
    rates
}

fn serialized(threads: usize, repeat: usize) -> Vec<f64> {
    let size = bytes_of(&serial::rows(ROWS, 0)).len();
    let seconds = together(threads, repeat, |_| {
        let rows = serial::rows(ROWS, 0);
        move || {
            let bytes = bytes_of(black_box(&rows));
            let mut left = bytes.as_slice();
            let decoded = std::iter::from_fn(|| serial::decode(&mut left))
                .map(black_box)
                .count();
            assert_eq!(decoded, ROWS);
        }
    });
    seconds
        .iter()
        .map(|took| (size * threads) as f64 / took)
        .collect()
}

fn bytes_of(rows: &[serial::Row]) -> Vec<u8> {
    let mut bytes = Vec::new();
    rows.iter().for_each(|row| serial::encode(row, &mut bytes));
    bytes
}

/// Seconds of each repetition of what every thread does between two barriers; a first one warms up.
fn together<Work: FnMut()>(
    threads: usize,
    repeat: usize,
    prepare: impl Fn(usize) -> Work + Sync,
) -> Vec<f64> {
    let barrier = Barrier::new(threads);
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|number| {
                let (barrier, prepare) = (&barrier, &prepare);
                scope.spawn(move || {
                    let mut work = prepare(number);
                    work();
                    (0..repeat)
                        .map(|_| {
                            barrier.wait();
                            let begin = Instant::now();
                            work();
                            barrier.wait();
                            begin.elapsed().as_secs_f64()
                        })
                        .collect::<Vec<f64>>()
                })
            })
            .collect();
        let all: Vec<Vec<f64>> = running
            .into_iter()
            .map(|one| one.join().expect("no thread panics"))
            .collect();
        (0..repeat)
            .map(|turn| all.iter().map(|one| one[turn]).fold(0.0, f64::max))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::measure;

    #[test]
    fn every_rate_is_measured_as_often_as_asked() {
        let rates = measure(2, 1 << 20, 2);
        for found in [rates.memory, rates.sort, rates.serialize] {
            assert_eq!(found.len(), 2);
            assert!(found.iter().all(|rate| *rate > 0.0));
        }
    }
}
