//! TeraSort: records of TeraGen in total order over numbered parts.

use super::outcome::Outcome;
use super::records;
use super::room::Room;
use crate::agreement::{agree, sum};
use crate::channel::Channel;
use crate::files::Output;
use clap::{Args, ValueEnum};
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;
use timely::worker::Worker;

const BUFFER: usize = 1 << 20;

#[derive(Args, Debug)]
pub struct TeraSort {
    #[arg(long)]
    input: PathBuf,
    #[arg(long)]
    output: PathBuf,
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    partitions: u32,
    #[arg(long, default_value = "stock")]
    method: Method,
    /// Whether the records of a part must be in order; otherwise only in the part of their range.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    sort: bool,
    #[arg(long, hide = true)]
    executors: Option<u32>,
}

/// Whose sort it is: timely has no sort of its own, so that both are this program's.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Method {
    Stock,
    Raw,
}

impl TeraSort {
    pub fn run(
        &self,
        worker: &mut Worker,
        room: Room,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        let begun = Instant::now();
        let count = self.partitions as usize;
        let opened = records::input(&self.input)
            .and_then(|input| room.holds(input.bytes()).map(|()| input))
            .and_then(|input| Output::new(&self.output).map(|output| (input, output)));
        let (input, output) = agree(worker, opened)?;
        let ranges = records::ranges(worker, &input, count)?;
        let sampled = begun.elapsed();
        let mut channel = Channel::open(worker, records::owner(count, worker.peers()));
        let mut own: BTreeMap<usize, Vec<Vec<u8>>> = BTreeMap::new();
        let pieces = records::part(&input, worker);
        let scattered = records::scatter(worker, &mut channel, &pieces, &ranges, count, |chunks| {
            for chunk in chunks {
                own.entry(chunk.range as usize)
                    .or_default()
                    .push(chunk.bytes);
            }
        });
        agree(worker, scattered)?;
        let moved = begun.elapsed();
        let written = self.write(worker, &output, own);
        let rows = agree(worker, written).map(|rows| sum(worker, rows));
        if worker.index() == 0 {
            output.tidy();
        }
        let (rows, expected) = (rows?, input.bytes() / records::SIZE as u64);
        let seconds = begun.elapsed();
        outcome.same("rows written", &rows, &expected);
        let phases = serde_json::json!({
            "sample": sampled.as_secs_f64(),
            "shuffle": (moved - sampled).as_secs_f64(),
            "sort": (seconds - moved).as_secs_f64(),
        });
        outcome
            .put("method", format!("{:?}", self.method).to_lowercase())
            .put("sort", self.sort)
            .put("partitions", count)
            .put("rows_in", expected)
            .put("rows_out", rows)
            .put("bytes_in", input.bytes())
            .put("bytes_out", rows * records::SIZE as u64)
            .put("phases", phases)
            .put("seconds", seconds.as_secs_f64());
        Ok(())
    }

    /// Sort and write this worker's ranges, also empty ones; returns the number of rows.
    fn write(
        &self,
        worker: &Worker,
        output: &Output,
        mut own: BTreeMap<usize, Vec<Vec<u8>>>,
    ) -> Result<u64, String> {
        let count = self.partitions as usize;
        let owner = records::owner(count, worker.peers());
        let mut rows = 0;
        for range in 0..count {
            if owner(crate::channel::number(range)) != worker.index() {
                continue;
            }
            let chunks = own.remove(&range).unwrap_or_default();
            output.part(range, |file| {
                let mut out = BufWriter::with_capacity(BUFFER, file);
                rows += chunks
                    .iter()
                    .map(|chunk| chunk.len() / records::SIZE)
                    .sum::<usize>() as u64;
                if self.sort {
                    records::sorted(&chunks, |record| out.write_all(record))?;
                } else {
                    chunks.iter().try_for_each(|chunk| out.write_all(chunk))?;
                }
                out.flush()
            })?;
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use crate::jobs::tests::outcome;
    use std::fs;
    use std::path::Path;

    fn run(input: &Path, output: &Path, partitions: usize) -> serde_json::Value {
        run_with(input, output, partitions, true)
    }

    fn run_with(input: &Path, output: &Path, partitions: usize, sort: bool) -> serde_json::Value {
        let line = format!(
            "TeraSort --input {} --output {} --partitions {partitions} --method stock --executors 2 --sort {sort}",
            input.display(),
            output.display()
        );
        outcome(3, &line)
    }

    fn records(count: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        for row in 0..count {
            let mut record = vec![b'.'; 100];
            let key = u64::from(row).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            record[..8].copy_from_slice(&key.to_be_bytes());
            record[8..10].copy_from_slice(&(row as u16).to_be_bytes());
            record[20..24].copy_from_slice(&row.to_be_bytes());
            bytes.extend(record);
        }
        bytes
    }

    #[test]
    fn parts_hold_all_records_in_order_whatever_their_number() {
        for (rows, partitions) in [(5000, 7), (5000, 1), (2, 5), (0, 2)] {
            let folder = tempfile::tempdir().unwrap();
            let (input, output) = (folder.path().join("in"), folder.path().join("out"));
            fs::create_dir(&input).unwrap();
            let bytes = records(rows);
            fs::write(input.join("part-0"), &bytes[..bytes.len() / 300 * 100]).unwrap();
            fs::write(input.join("part-1"), &bytes[bytes.len() / 300 * 100..]).unwrap();
            let outcome = run(&input, &output, partitions);
            assert_eq!(outcome["valid"], true, "{outcome}");
            assert_eq!(outcome["rows_out"], rows);
            let found: Vec<u8> = (0..partitions)
                .flat_map(|part| fs::read(output.join(format!("part-{part:05}"))).unwrap())
                .collect();
            let mut expected: Vec<&[u8]> = bytes.chunks(100).collect();
            expected.sort();
            assert_eq!(found, expected.concat());
            assert!(!output.join("_temporary").exists());
        }
    }

    #[test]
    fn without_the_sort_every_record_is_in_the_part_of_its_range() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        let bytes = records(5000);
        fs::write(&input, &bytes).unwrap();
        let outcome = run_with(&input, &output, 4, false);
        assert_eq!(
            (&outcome["valid"], &outcome["sort"]),
            (&true.into(), &false.into()),
            "{outcome}"
        );
        let parts: Vec<Vec<u8>> = (0..4)
            .map(|part| fs::read(output.join(format!("part-{part:05}"))).unwrap())
            .collect();
        let all = parts.concat();
        let (mut found, mut given): (Vec<&[u8]>, Vec<&[u8]>) =
            (all.chunks(100).collect(), bytes.chunks(100).collect());
        assert!(!found.is_sorted());
        for pair in parts.windows(2) {
            assert!(pair[0].chunks(100).max() < pair[1].chunks(100).min());
        }
        found.sort_unstable();
        given.sort_unstable();
        assert_eq!(found, given);
    }

    #[test]
    fn a_broken_record_a_full_output_and_too_little_memory_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        fs::write(&input, vec![0; 150]).unwrap();
        let reason = |outcome: serde_json::Value| outcome["reason"].as_str().unwrap().to_string();
        assert!(reason(run(&input, &output, 2)).contains("no multiple of the record length"));
        fs::write(&input, vec![0; 200]).unwrap();
        fs::create_dir(&output).unwrap();
        fs::write(output.join("part-00000"), "").unwrap();
        assert!(reason(run(&input, &output, 2)).contains("is not empty"));
        fs::File::create(&input)
            .unwrap()
            .set_len(2_000_000_000)
            .unwrap();
        assert!(reason(run(&input, &folder.path().join("new"), 2)).contains("in memory"));
    }
}
