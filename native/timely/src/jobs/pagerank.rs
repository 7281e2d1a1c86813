//! PageRank by the definition of all engines: each vertex begins with 1/N, and a round gives it (1 - damping)/N + damping
//! times what comes along its in-edges.

use super::outcome::Outcome;
use super::rankpart::{Part, Spec};
use super::records::owner;
use super::text;
use crate::agreement::{agree, sum};
use crate::channel::{number, Channel};
use crate::files::{Input, Output, Piece};
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use timely::worker::Worker;

/// Bytes of a chunk of edges.
const CHUNK: usize = 1 << 16;

#[derive(Args, Debug)]
pub struct PageRank {
    #[arg(long)]
    input: PathBuf,
    #[arg(long)]
    output: PathBuf,
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    vertices: u32,
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    #[arg(long, default_value_t = 0.85)]
    damping: f64,
    #[arg(long, default_value = "spread")]
    dangling: Dangling,
    #[arg(long, default_value = "keep")]
    edges: Edges,
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    partitions: u32,
    #[arg(long, default_value = "own")]
    method: Method,
    #[arg(long, hide = true)]
    executors: Option<u32>,
}

/// What becomes of the ranks of vertices without out-edges.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Dangling {
    Spread,
    Leak,
}

/// What edges with the same ends count.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Edges {
    Keep,
    Merge,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Method {
    Own,
}

impl PageRank {
    pub fn run(&self, worker: &mut Worker, outcome: &mut Outcome) -> Result<(), String> {
        let begun = Instant::now();
        let opened = Input::list(&self.input)
            .and_then(|input| Output::new(&self.output).map(|output| (input, output)));
        let (input, output) = agree(worker, opened)?;
        let blocks = self.partitions as usize;
        let bounds = self.bounds(worker.peers());
        let (index, peers, bytes) = (worker.index() as u64, worker.peers() as u64, input.bytes());
        let edge = |i: u64| (u128::from(bytes) * u128::from(i) / u128::from(peers)) as u64;
        let mut channel = Channel::open(worker, |to| to as usize);
        let pieces = input.pieces(edge(index), edge(index + 1));
        let sent = self.send(&mut channel, &pieces, &bounds);
        let arrived = channel.finish(worker);
        agree(worker, sent)?;
        let (from, to) = (bounds[worker.index()], bounds[worker.index() + 1]);
        let mut part = Part::build(
            self.spec(),
            from,
            to,
            arrived.iter().map(|chunk| &chunk.bytes[..]),
        );
        drop(arrived);
        let loaded = begun.elapsed();
        for _ in 0..self.rounds {
            for other in 0..worker.peers() {
                channel.send(
                    number(other),
                    part.message(bounds[other], bounds[other + 1]),
                );
            }
            let messages = channel.finish(worker);
            part.next(messages.iter().map(|chunk| &chunk.bytes[..]));
        }
        let ranked = begun.elapsed();
        let written = self.write(worker, &output, &part, blocks);
        let written = agree(worker, written).map(|bytes| sum(worker, bytes));
        if worker.index() == 0 {
            output.tidy();
        }
        let seconds = begun.elapsed();
        let phases = serde_json::json!({
            "load": loaded.as_secs_f64(),
            "rounds": (ranked - loaded).as_secs_f64(),
            "write": (seconds - ranked).as_secs_f64(),
        });
        outcome
            .put("method", "own")
            .put("vertices", self.vertices)
            .put("rounds", self.rounds)
            .put("partitions", blocks)
            .put("bytes_in", bytes)
            .put("bytes_out", written?)
            .put("phases", phases)
            .put("seconds", seconds.as_secs_f64());
        Ok(())
    }

    fn spec(&self) -> Spec {
        Spec {
            vertices: self.vertices,
            damping: self.damping,
            spread: self.dangling == Dangling::Spread,
            merge: self.edges == Edges::Merge,
        }
    }

    /// The first vertex of a block.
    fn first(&self, block: usize) -> u32 {
        let width = (self.vertices as usize).div_ceil(self.partitions as usize);
        number((width * block).min(self.vertices as usize))
    }

    /// The first vertex of each worker, and the end of the last one's.
    fn bounds(&self, peers: usize) -> Vec<u32> {
        let blocks = self.partitions as usize;
        let owner = owner(blocks, peers);
        let before = |worker: usize| {
            (0..blocks)
                .take_while(|block| owner(number(*block)) < worker)
                .count()
        };
        (0..=peers)
            .map(|worker| self.first(before(worker)))
            .collect()
    }

    /// Read edges, lines of a source, a tab and a target, and send each to the worker of its source.
    fn send(&self, channel: &mut Channel, pieces: &[Piece], bounds: &[u32]) -> Result<(), String> {
        let mut chunks: Vec<Vec<u8>> = vec![Vec::new(); bounds.len() - 1];
        let mut result = Ok(());
        for piece in pieces {
            result = result.and(text::lines(piece, |line| {
                let (source, target) = self.edge(line)?;
                let to = bounds.partition_point(|first| *first <= source) - 1;
                chunks[to].extend_from_slice(&source.to_le_bytes());
                chunks[to].extend_from_slice(&target.to_le_bytes());
                if chunks[to].len() >= CHUNK {
                    channel.send(number(to), std::mem::take(&mut chunks[to]));
                }
                Ok(())
            }));
        }
        for (to, chunk) in chunks.into_iter().enumerate() {
            channel.send(number(to), chunk);
        }
        result
    }

    fn edge(&self, line: &[u8]) -> Result<(u32, u32), String> {
        let vertex = |digits: &[u8]| {
            let text = std::str::from_utf8(digits).ok()?;
            text.parse()
                .ok()
                .filter(|vertex: &u32| *vertex < self.vertices)
        };
        line.iter()
            .position(|byte| *byte == b'\t')
            .and_then(|tab| Some((vertex(&line[..tab])?, vertex(&line[tab + 1..])?)))
            .ok_or_else(|| {
                format!(
                    "A line is no edge between two of {} vertices: {}",
                    self.vertices,
                    String::from_utf8_lossy(line)
                )
            })
    }

    /// Write this worker's blocks, also empty ones; returns the number of bytes.
    fn write(
        &self,
        worker: &Worker,
        output: &Output,
        part: &Part,
        blocks: usize,
    ) -> Result<u64, String> {
        let owner = owner(blocks, worker.peers());
        let mut bytes = 0;
        for block in (0..blocks).filter(|block| owner(number(*block)) == worker.index()) {
            let mut lines = Vec::new();
            for vertex in self.first(block)..self.first(block + 1) {
                lines.extend_from_slice(format!("{vertex}\t{:e}\n", part.rank(vertex)).as_bytes());
            }
            output.part(block, |file| file.write_all(&lines))?;
            bytes += lines.len() as u64;
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use crate::jobs::tests::outcome;
    use std::fs;

    /// Parallel edges from 0 to 1; 3 has no out-edge.
    const EDGES: &[(usize, usize)] = &[(0, 1), (0, 1), (0, 2), (1, 2), (2, 0), (2, 3), (4, 3)];

    fn reference(spread: bool, merge: bool) -> Vec<f64> {
        let mut edges = EDGES.to_vec();
        if merge {
            edges.sort_unstable();
            edges.dedup();
        }
        let mut ranks = vec![0.2; 5];
        for _ in 0..4 {
            let out = |vertex: usize| edges.iter().filter(|edge| edge.0 == vertex).count();
            let mut came = [0.0; 5];
            for (source, target) in &edges {
                came[*target] += ranks[*source] / out(*source) as f64;
            }
            let lost: f64 = (0..5)
                .filter(|vertex| out(*vertex) == 0)
                .map(|vertex| ranks[vertex])
                .sum();
            let all = if spread { lost / 5.0 } else { 0.0 };
            ranks = came
                .iter()
                .map(|came| 0.15 / 5.0 + 0.85 * (came + all))
                .collect();
        }
        ranks
    }

    fn run(lines: &str, options: &str) -> (serde_json::Value, Vec<f64>) {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        fs::write(&input, lines).unwrap();
        let line = format!(
            "PageRank --input {} --output {} --vertices 5 --rounds 4 --damping 0.85 {options}",
            input.display(),
            output.display()
        );
        let outcome = outcome(3, &line);
        let mut ranks = Vec::new();
        for part in 0.. {
            let Ok(text) = fs::read_to_string(output.join(format!("part-{part:05}"))) else {
                break;
            };
            for line in text.lines() {
                let (vertex, rank) = line.split_once('\t').unwrap();
                assert_eq!(vertex, ranks.len().to_string());
                ranks.push(rank.parse().unwrap());
            }
        }
        (outcome, ranks)
    }

    #[test]
    fn ranks_are_those_of_the_definition() {
        let lines: String = EDGES
            .iter()
            .map(|(from, to)| format!("{from}\t{to}\n"))
            .collect();
        for (dangling, edges) in [("spread", "keep"), ("leak", "keep"), ("spread", "merge")] {
            for partitions in [1, 2, 5, 7] {
                let options =
                    format!("--dangling {dangling} --edges {edges} --partitions {partitions}");
                let (outcome, ranks) = run(&lines, &options);
                assert_eq!(outcome["valid"], true, "{outcome}");
                let right = reference(dangling == "spread", edges == "merge");
                let distance: f64 = ranks
                    .iter()
                    .zip(&right)
                    .map(|(one, other)| (one - other).abs())
                    .sum();
                assert!(
                    ranks.len() == 5 && distance < 1e-12,
                    "{options}: {ranks:?} {right:?}"
                );
            }
        }
    }

    #[test]
    fn a_line_that_is_no_edge_is_named() {
        for line in ["0\t5", "1", "a\tb", "-1\t0"] {
            let (outcome, _) = run(&format!("0\t1\n{line}\n"), "--partitions 2");
            let reason = outcome["reason"].as_str().unwrap();
            assert!(
                reason.contains("no edge") && reason.ends_with(line),
                "{reason}"
            );
        }
    }
}
