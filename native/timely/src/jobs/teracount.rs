//! TeraCount: TeraSort's shuffle without its sort; every record is counted where it arrives.

use super::hashing::{crc32, mix};
use super::outcome::Outcome;
use super::records::{self, SIZE};
use crate::agreement::agree;
use crate::channel::{share, Channel};
use crate::files;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;
use timely::worker::Worker;

#[derive(Args, Debug)]
pub struct TeraCount {
    #[arg(long)]
    input: PathBuf,
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    partitions: u32,
    /// The file for what arrived in each partition.
    #[arg(long)]
    answer: PathBuf,
    #[arg(long, hide = true)]
    executors: Option<u32>,
}

/// What arrived in a partition: records, the sum of their hashes, and the first 8 bytes of the lowest and the highest key.
#[derive(Clone, Copy)]
struct Tally {
    rows: u64,
    hash: u64,
    lowest: u64,
    highest: u64,
}

impl Tally {
    const NOTHING: Self = Self {
        rows: 0,
        hash: 0,
        lowest: u64::MAX,
        highest: 0,
    };

    fn add(&mut self, record: &[u8]) {
        let prefix = records::prefix(record);
        let hash = mix(mix(prefix).wrapping_add(u64::from(crc32(record))));
        self.rows += 1;
        self.hash = self.hash.wrapping_add(hash);
        self.lowest = self.lowest.min(prefix);
        self.highest = self.highest.max(prefix);
    }
}

impl TeraCount {
    pub fn run(&self, worker: &mut Worker, outcome: &mut Outcome) -> Result<(), String> {
        let begun = Instant::now();
        let count = self.partitions as usize;
        let input = agree(worker, records::input(&self.input))?;
        let ranges = records::ranges(worker, &input, count)?;
        let owner = records::owner(count, worker.peers());
        let mut channel = Channel::open(worker, records::owner(count, worker.peers()));
        let pieces = records::part(&input, worker);
        let mut tallies = vec![Tally::NOTHING; count];
        let scattered = records::scatter(worker, &mut channel, &pieces, &ranges, count, |chunks| {
            for chunk in chunks {
                let tally = &mut tallies[chunk.range as usize];
                for record in chunk.bytes.chunks_exact(SIZE) {
                    tally.add(record);
                }
            }
        });
        agree(worker, scattered)?;
        let mut own = String::new();
        for (partition, tally) in (0..self.partitions).zip(&tallies) {
            if owner(partition) == worker.index() {
                own += &line(partition, tally);
            }
        }
        let all = share(worker, own.into_bytes()).concat();
        let seconds = begun.elapsed().as_secs_f64();
        let written = if worker.index() == 0 {
            let lines = format!("lines\t{count}\n").into_bytes();
            files::whole(&self.answer, &[lines, all].concat())
        } else {
            Ok(())
        };
        let problem = |error| format!("{} could not be written: {error}", self.answer.display());
        agree(worker, written.map_err(problem))?;
        outcome
            .put("partitions", count)
            .put("bytes_in", input.bytes())
            .put("seconds", seconds);
        Ok(())
    }
}

/// The line of a partition in an answer.
fn line(partition: u32, tally: &Tally) -> String {
    let Tally {
        rows,
        hash,
        lowest,
        highest,
    } = tally;
    let mut text = format!("partition {partition}\t{rows}");
    let _ = writeln!(text, " {hash:x} {lowest:x} {highest:x}");
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::outcome;
    use super::{line, Tally};
    use std::fs;

    #[test]
    fn a_record_has_the_hash_of_the_other_engines_programs() {
        let mut tally = Tally::NOTHING;
        assert_eq!(line(3, &tally), "partition 3\t0 0 ffffffffffffffff 0\n");
        let record: Vec<u8> = (0..100).collect();
        tally.add(&record);
        assert_eq!(
            line(3, &tally),
            "partition 3\t1 8e2e98d69d3790b2 1020304050607 1020304050607\n"
        );
    }

    #[test]
    fn every_partition_has_a_line_whatever_the_number_of_workers() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("part-00000");
        let records: Vec<u8> = (0..=u8::MAX).flat_map(|first| [first; 100]).collect();
        fs::write(&input, records).unwrap();
        let mut answers = Vec::new();
        for workers in 1..4 {
            let answer = folder.path().join(format!("answer-{workers}"));
            let words = format!(
                "TeraCount --input {} --partitions 5 --answer {}",
                input.display(),
                answer.display()
            );
            assert_eq!(outcome(workers, &words)["valid"], true);
            answers.push(fs::read_to_string(answer).unwrap());
        }
        let lines: Vec<&str> = answers[0].lines().collect();
        assert_eq!((lines.len(), lines[0]), (6, "lines\t5"));
        let rows = |line: &&str| {
            line.split(['\t', ' '])
                .nth(2)
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        assert_eq!(lines[1..].iter().map(rows).sum::<u64>(), 256);
    }
}
