//! GroupBy: the pairs of Spark's GroupByTest, seeded and checked. Grouping alone is measured.

use super::hashing::{crc32, mix, of_key};
use super::outcome::Outcome;
use super::records::owner;
use super::room::Room;
use crate::agreement::{agree, sum};
use crate::channel::{number, Channel, Chunk};
use clap::Args;
use std::collections::BTreeMap;
use std::time::Instant;
use timely::worker::Worker;

/// Bytes of a chunk at least, if there are as many.
const CHUNK: usize = 1 << 16;
/// Pairs after which a step ends.
const STEP: usize = 4096;

#[derive(Args, Debug)]
pub struct GroupBy {
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    mappers: u32,
    #[arg(long)]
    pairs: u32,
    #[arg(long)]
    value_bytes: u32,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    reducers: u32,
    #[arg(long, hide = true)]
    executors: Option<u32>,
}

impl GroupBy {
    pub fn run(
        &self,
        worker: &mut Worker,
        room: Room,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        let total = u64::from(self.mappers) * u64::from(self.pairs);
        let payload = total * (4 + u64::from(self.value_bytes));
        // made pairs stay, as those that Spark caches, beside those that arrive
        agree(worker, room.holds(2 * payload))?;
        let (index, peers) = (worker.index(), worker.peers());
        let own = (0..self.mappers).filter(|mapper| *mapper as usize % peers == index);
        let made: Vec<Vec<u8>> = own.map(|mapper| self.made(mapper)).collect();
        let made_pairs = made.iter().map(Vec::len).sum::<usize>() / self.size();
        let generated = sum(worker, made_pairs as u64);
        let begun = Instant::now();
        let reducers = self.reducers as usize;
        let mut channel = Channel::open(worker, owner(reducers, peers));
        let mut own: BTreeMap<u32, Vec<Chunk>> = BTreeMap::new();
        for chunk in self.send(worker, &mut channel, &made) {
            own.entry(chunk.range).or_default().push(chunk);
        }
        let (mut groups, mut pairs, mut checksum) = (0, 0, 0_u64);
        for chunks in own.values() {
            let found = self.grouped(chunks);
            groups += found.0;
            pairs += found.1;
            checksum = checksum.wrapping_add(found.2);
        }
        let (groups, pairs) = (sum(worker, groups), sum(worker, pairs));
        let checksum = format!("{:x}", sum(worker, checksum));
        let seconds = begun.elapsed().as_secs_f64();
        outcome.same("number of generated pairs", &generated, &total);
        outcome.same("pair count", &pairs, &total);
        outcome
            .put("groups", groups)
            .put("pairs", pairs)
            .put("checksum", checksum)
            .put("mappers", self.mappers)
            .put("reducers", self.reducers)
            .put(
                "shuffle_blocks",
                u64::from(self.mappers) * u64::from(self.reducers),
            )
            .put("payload_bytes", payload)
            .put("phases", serde_json::json!({"group": seconds}))
            .put("seconds", seconds);
        Ok(())
    }

    /// Bytes of a pair: key and value.
    fn size(&self) -> usize {
        4 + self.value_bytes as usize
    }

    /// The pairs of a mapper, one after another.
    fn made(&self, mapper: u32) -> Vec<u8> {
        let own = of_key(mapper, self.seed);
        let (mut keys, mut values) = (Dice(own), Dice(mix(own.wrapping_add(1))));
        let mut bytes = Vec::with_capacity(self.pairs as usize * self.size());
        for _ in 0..self.pairs {
            bytes.extend_from_slice(&keys.key().to_le_bytes());
            values.bytes(self.value_bytes as usize, &mut bytes);
        }
        bytes
    }

    /// Send each pair to the reducer of its key; returns what came here.
    fn send(&self, worker: &mut Worker, channel: &mut Channel, made: &[Vec<u8>]) -> Vec<Chunk> {
        let mut arrived = Vec::new();
        let mut chunks: Vec<Vec<u8>> = vec![Vec::new(); self.reducers as usize];
        for (count, pair) in made
            .iter()
            .flat_map(|pairs| pairs.chunks_exact(self.size()))
            .enumerate()
        {
            let reducer = (key(pair) % self.reducers) as usize;
            let chunk = &mut chunks[reducer];
            chunk.extend_from_slice(pair);
            if chunk.len() >= CHUNK {
                channel.send(number(reducer), std::mem::take(chunk));
            }
            if count % STEP == STEP - 1 {
                channel.step(worker);
                arrived.append(&mut channel.take());
            }
        }
        for (reducer, chunk) in chunks.into_iter().enumerate() {
            if !chunk.is_empty() {
                channel.send(number(reducer), chunk);
            }
        }
        arrived.append(&mut channel.finish(worker));
        arrived
    }

    /// Groups and pairs of a reducer, and the sum of the pairs' hashes.
    fn grouped(&self, chunks: &[Chunk]) -> (u64, u64, u64) {
        let mut pairs: Vec<&[u8]> = chunks
            .iter()
            .flat_map(|chunk| chunk.bytes.chunks_exact(self.size()))
            .collect();
        pairs.sort_unstable_by_key(|pair| key(pair));
        let groups = pairs.chunk_by(|one, next| key(one) == key(next)).count();
        let checksum = pairs.iter().fold(0_u64, |sum, pair| {
            let value = u64::from(crc32(&pair[4..])) << 32 | u64::from(self.value_bytes);
            sum.wrapping_add(of_key(key(pair), value))
        });
        (groups as u64, pairs.len() as u64, checksum)
    }
}

fn key(pair: &[u8]) -> u32 {
    u32::from_le_bytes(pair[..4].try_into().expect("a pair is longer"))
}

/// Java's SplittableRandom.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0
    }

    /// `nextInt(Integer.MAX_VALUE)`.
    fn key(&mut self) -> u32 {
        loop {
            let z = self.roll();
            let z = (z ^ z >> 33).wrapping_mul(0x62a9_d9ed_7997_05f5);
            let z = (z ^ z >> 28).wrapping_mul(0xcb24_d0a5_c88c_35b3);
            let half = (z >> 33) as u32;
            if half < i32::MAX as u32 {
                return half;
            }
        }
    }

    /// `nextBytes`, for so many.
    fn bytes(&mut self, count: usize, to: &mut Vec<u8>) {
        for at in (0..count).step_by(8) {
            let word = mix(self.roll()).to_le_bytes();
            to.extend_from_slice(&word[..(count - at).min(8)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GroupBy;
    use crate::jobs::tests::outcome;

    fn run(workers: usize, reducers: u32) -> serde_json::Value {
        let line = format!(
            "GroupBy --mappers 3 --pairs 500 --value-bytes 21 --seed 4 --reducers {reducers} --executors 1"
        );
        outcome(workers, &line)
    }

    #[test]
    fn the_answer_is_that_of_the_other_engines_whatever_the_number_of_workers() {
        for (workers, reducers) in [(1, 1), (3, 2), (2, 7)] {
            let outcome = run(workers, reducers);
            assert_eq!(outcome["valid"], true, "{outcome}");
            assert_eq!(outcome["pairs"], 1500);
            assert_eq!(outcome["groups"], GROUPS);
            assert_eq!(outcome["checksum"], CHECKSUM);
        }
    }

    #[test]
    fn a_changed_value_changes_the_checksum() {
        let job = GroupBy {
            mappers: 1,
            pairs: 5,
            value_bytes: 21,
            seed: 4,
            reducers: 1,
            executors: None,
        };
        let chunk = |bytes| crate::channel::Chunk { range: 0, bytes };
        let made = job.made(0);
        let mut other = made.clone();
        *other.last_mut().unwrap() ^= 1;
        assert_ne!(
            job.grouped(&[chunk(made)]).2,
            job.grouped(&[chunk(other)]).2
        );
    }

    /// As io.weft.core.GroupByAnswer has them.
    const GROUPS: u64 = 1500;
    const CHECKSUM: &str = "dab731737c3c12a1";
}
