//! WordCount: how often each word of a text occurs.

use super::hashing::BuildQuick;
use super::outcome::Outcome;
use super::records::owner;
use super::text;
use crate::agreement::{agree, sum};
use crate::channel::{number, Channel, Chunk};
use crate::files::{Input, Output, Piece};
use clap::Args;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use timely::worker::Worker;

/// Bytes of a chunk at least, if there are as many.
const CHUNK: usize = 1 << 16;

type Counts = HashMap<Box<[u8]>, u64, BuildQuick>;

#[derive(Args, Debug)]
pub struct WordCount {
    #[arg(long)]
    input: PathBuf,
    #[arg(long)]
    output: PathBuf,
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    partitions: u32,
    #[arg(long, hide = true)]
    executors: Option<u32>,
}

impl WordCount {
    pub fn run(&self, worker: &mut Worker, outcome: &mut Outcome) -> Result<(), String> {
        let begun = Instant::now();
        let count = self.partitions as usize;
        let opened = Input::list(&self.input)
            .and_then(|input| Output::new(&self.output).map(|output| (input, output)));
        let (input, output) = agree(worker, opened)?;
        let (index, peers, bytes) = (worker.index() as u64, worker.peers() as u64, input.bytes());
        let edge = |i: u64| (u128::from(bytes) * u128::from(i) / u128::from(peers)) as u64;
        let counted = counts(&input.pieces(edge(index), edge(index + 1)));
        let counted = agree(worker, counted)?;
        let mut channel = Channel::open(worker, owner(count, worker.peers()));
        send(&mut channel, counted, count);
        let counted = channel.finish(worker);
        let written = self.write(worker, &output, counted);
        let written = agree(worker, written).map(|bytes| sum(worker, bytes));
        if worker.index() == 0 {
            output.tidy();
        }
        outcome
            .put("partitions", count)
            .put("bytes_in", bytes)
            .put("bytes_out", written?)
            .put("seconds", begun.elapsed().as_secs_f64());
        Ok(())
    }

    /// Add up and write this worker's partitions, also empty ones; returns the number of bytes.
    fn write(&self, worker: &Worker, output: &Output, chunks: Vec<Chunk>) -> Result<u64, String> {
        let count = self.partitions as usize;
        let mut own: HashMap<u32, Counts> = HashMap::new();
        for chunk in chunks {
            let counts = own.entry(chunk.range).or_default();
            for (word, number) in Entries(&chunk.bytes) {
                add(counts, word, number);
            }
        }
        let owner = owner(count, worker.peers());
        let mut bytes = 0;
        for partition in 0..self.partitions {
            if owner(partition) != worker.index() {
                continue;
            }
            let mut lines = Vec::new();
            for (word, number) in own.remove(&partition).unwrap_or_default() {
                lines.extend_from_slice(&word);
                lines.extend_from_slice(format!("\t{number}\n").as_bytes());
            }
            output.part(partition as usize, |file| file.write_all(&lines))?;
            bytes += lines.len() as u64;
        }
        Ok(bytes)
    }
}

fn counts(pieces: &[Piece]) -> Result<Counts, String> {
    let mut counts = Counts::default();
    for piece in pieces {
        text::words(piece, |word| add(&mut counts, word, 1))?;
    }
    Ok(counts)
}

fn add(counts: &mut Counts, word: &[u8], number: u64) {
    match counts.get_mut(word) {
        Some(count) => *count += number,
        None => {
            counts.insert(word.into(), number);
        }
    }
}

/// Send each word with its count to the partition of its hash.
fn send(channel: &mut Channel, counts: Counts, partitions: usize) {
    let hashes = BuildQuick::default();
    let mut chunks: Vec<Vec<u8>> = vec![Vec::new(); partitions];
    for (word, count) in counts {
        // other bits than those that tables use
        let partition = (hashes.hash_one(&word).rotate_left(20) % partitions as u64) as usize;
        let chunk = &mut chunks[partition];
        chunk.extend_from_slice(&(word.len() as u64).to_le_bytes());
        chunk.extend_from_slice(&count.to_le_bytes());
        chunk.extend_from_slice(&word);
        if chunk.len() >= CHUNK {
            channel.send(number(partition), std::mem::take(chunk));
        }
    }
    for (partition, chunk) in chunks.into_iter().enumerate() {
        if !chunk.is_empty() {
            channel.send(number(partition), chunk);
        }
    }
}

/// The words and counts of a chunk.
struct Entries<'a>(&'a [u8]);

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a [u8], u64);

    fn next(&mut self) -> Option<Self::Item> {
        let whole = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let (head, rest) = self.0.split_at_checked(16)?;
        let (word, rest) = rest.split_at(whole(&head[..8]) as usize);
        self.0 = rest;
        Some((word, whole(&head[8..])))
    }
}

#[cfg(test)]
mod tests {
    use crate::jobs::tests::outcome;
    use std::collections::BTreeMap;
    use std::fs;

    #[test]
    fn every_word_is_counted_once_in_all_parts() {
        for partitions in [1, 5] {
            let folder = tempfile::tempdir().unwrap();
            let (input, output) = (folder.path().join("in"), folder.path().join("out"));
            fs::create_dir(&input).unwrap();
            let text: String = (1..300)
                .map(|i: u32| format!("w{} common\n", i % 37))
                .collect();
            fs::write(input.join("part-0"), &text).unwrap();
            fs::write(input.join("part-1"), "common once\n").unwrap();
            let line = format!(
                "WordCount --input {} --output {} --partitions {partitions}",
                input.display(),
                output.display()
            );
            let outcome = outcome(3, &line);
            assert_eq!(outcome["valid"], true, "{outcome}");
            let found: String = (0..partitions)
                .map(|part| fs::read_to_string(output.join(format!("part-{part:05}"))).unwrap())
                .collect();
            assert_eq!(outcome["bytes_out"], found.len());
            let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
            for word in text.split_whitespace().chain(["common", "once"]) {
                *expected.entry(word).or_default() += 1;
            }
            let mut lines: Vec<&str> = found.lines().collect();
            lines.sort_unstable();
            let expected: Vec<String> = expected
                .iter()
                .map(|(word, count)| format!("{word}\t{count}"))
                .collect();
            assert_eq!(lines, expected);
        }
    }
}
