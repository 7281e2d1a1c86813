//! TeraCount: TeraSort's shuffle without its sort; every record is counted where it arrives.

use super::hashing::crc32;
use super::outcome::Outcome;
use super::records::{self, SIZE};
use crate::agreement::agree;
use crate::channel::{share, Channel};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;
use timely::worker::Worker;

#[derive(Args, Debug)]
pub struct TeraCount {
    #[arg(long)]
    input: PathBuf,
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    partitions: u32,
    /// The sum of the CRC-32 of all records, in hex.
    #[arg(long, default_value = "")]
    checksum: String,
    #[arg(long, hide = true)]
    executors: Option<u32>,
}

/// What arrived.
#[derive(Clone, Copy, Default)]
struct Tally {
    rows: u128,
    misplaced: u128,
    checksum: u128,
}

impl TeraCount {
    pub fn run(&self, worker: &mut Worker, outcome: &mut Outcome) -> Result<(), String> {
        let begun = Instant::now();
        let count = self.partitions as usize;
        let input = agree(worker, records::input(&self.input))?;
        let ranges = records::ranges(worker, &input, count)?;
        let summed = !self.checksum.is_empty();
        let mut channel = Channel::open(worker, records::owner(count, worker.peers()));
        let pieces = records::part(&input, worker);
        let mut tally = Tally::default();
        let scattered = records::scatter(worker, &mut channel, &pieces, &ranges, count, |chunks| {
            for chunk in chunks {
                for record in chunk.bytes.chunks_exact(SIZE) {
                    let right = ranges.of_key(records::prefix(record)) == chunk.range as usize;
                    tally.rows += 1;
                    tally.misplaced += u128::from(!right);
                    tally.checksum += u128::from(if summed { crc32(record) } else { 0 });
                }
            }
        });
        agree(worker, scattered)?;
        let all = total(worker, tally);
        let seconds = begun.elapsed().as_secs_f64();
        outcome.same(
            "row count",
            &all.rows,
            &u128::from(input.bytes() / SIZE as u64),
        );
        outcome.same("number of records in a wrong partition", &all.misplaced, &0);
        if summed {
            let checksum = format!("{:x}", all.checksum);
            outcome.same("checksum", &checksum, &self.checksum);
            outcome.put("checksum", checksum);
        }
        outcome
            .put("rows", all.rows as u64)
            .put("misplaced", all.misplaced as u64)
            .put("partitions", count)
            .put("bytes_in", input.bytes())
            .put("seconds", seconds);
        Ok(())
    }
}

/// The sum of all workers' tallies.
fn total(worker: &mut Worker, own: Tally) -> Tally {
    let bytes: Vec<u8> = [own.rows, own.misplaced, own.checksum]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let mut all = Tally::default();
    for bytes in share(worker, bytes) {
        let number = |i: usize| {
            u128::from_le_bytes(bytes[16 * i..16 * (i + 1)].try_into().expect("16 bytes"))
        };
        all.rows += number(0);
        all.misplaced += number(1);
        all.checksum = all.checksum.wrapping_add(number(2));
    }
    all
}
