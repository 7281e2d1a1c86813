//! What workers send each other: chunks of bytes, through one timely dataflow per channel.

use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

/// Steps that a worker can be ahead of the slowest: bounds what is on its way.
const AHEAD: u64 = 4;
/// Steps of one round.
const STEPS: u64 = 1 << 32;

/// Bytes for a range of keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    pub range: u32,
    #[serde(with = "whole")]
    pub bytes: Vec<u8>,
}

/// One way between all workers; chunks go to the worker that the route names for their range.
pub struct Channel {
    input: InputHandle<u64, timely::container::CapacityContainerBuilder<Vec<Chunk>>>,
    probe: ProbeHandle<u64>,
    /// By round: what has arrived and was not taken. A worker that is ahead has begun the next round.
    arrived: Rc<RefCell<BTreeMap<u64, Vec<Chunk>>>>,
    round: u64,
}

impl Channel {
    /// Every worker must open the same channels in the same order.
    pub fn open(worker: &mut Worker, route: impl Fn(u32) -> usize + 'static) -> Self {
        let arrived: Rc<RefCell<BTreeMap<u64, Vec<Chunk>>>> = Rc::default();
        let inbox = Rc::clone(&arrived);
        let (input, probe) = worker.dataflow::<u64, _, _>(|scope| {
            let (input, chunks) = scope.new_input::<Vec<Chunk>>();
            let pact = Exchange::new(move |chunk: &Chunk| route(chunk.range) as u64);
            let (probe, _) = chunks
                .unary(pact, "arrive", move |_, _| {
                    move |input, output| {
                        input.for_each(|time, chunks| {
                            let mut inbox = inbox.borrow_mut();
                            inbox.entry(time.time() / STEPS).or_default().append(chunks);
                        });
                        let _: &mut timely::dataflow::operators::generic::OutputBuilderSession<
                            '_,
                            u64,
                            timely::container::CapacityContainerBuilder<Vec<()>>,
                        > = output;
                    }
                })
                .probe();
            (input, probe)
        });
        Self {
            input,
            probe,
            arrived,
            round: 0,
        }
    }

    /// Give a chunk to the channel; it leaves at the next step.
    pub fn send(&mut self, range: u32, bytes: Vec<u8>) {
        self.input.send(Chunk { range, bytes });
    }

    /// End a step: what was sent leaves, and this worker waits while it is too far ahead of the slowest.
    pub fn step(&mut self, worker: &mut Worker) {
        let next = *self.input.time() + 1;
        self.input.advance_to(next);
        worker.step();
        let behind = next.saturating_sub(AHEAD).max(self.round * STEPS);
        while self.probe.less_than(&behind) {
            worker.step_or_park(None);
        }
    }

    /// End the round: wait until everything that any worker sent in it has arrived; returns what came here.
    pub fn finish(&mut self, worker: &mut Worker) -> Vec<Chunk> {
        let next = (self.round + 1) * STEPS;
        self.input.advance_to(next);
        while self.probe.less_than(&next) {
            worker.step_or_park(None);
        }
        let arrived = self.take();
        self.round += 1;
        arrived
    }

    /// What has arrived here in this round since the last call.
    pub fn take(&mut self) -> Vec<Chunk> {
        let arrived = self.arrived.borrow_mut().remove(&self.round);
        arrived.unwrap_or_default()
    }
}

/// Send one value of each worker to all workers; returns them in the order of their workers.
pub fn share(worker: &mut Worker, value: Vec<u8>) -> Vec<Vec<u8>> {
    let (index, peers) = (worker.index(), worker.peers());
    let mut channel = Channel::open(worker, move |range| range as usize % peers);
    for to in 0..peers {
        channel.send(number(index * peers + to), value.clone());
    }
    let mut found = channel.finish(worker);
    found.sort_by_key(|chunk| chunk.range);
    found.into_iter().map(|chunk| chunk.bytes).collect()
}

/// A count of ranges or workers as a chunk has it.
pub fn number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 ranges")
}

/// Bytes as a whole, which serde otherwise encodes one by one.
mod whole {
    use serde::de::Visitor;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Vec<u8>;
            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
                Ok(bytes)
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{share, Channel};
    use timely::execute::Config;

    #[test]
    fn every_worker_gets_every_value_in_order() {
        let guards = timely::execute(Config::process(3), |worker| {
            let own = vec![u8::try_from(worker.index()).unwrap(); 2];
            share(worker, own)
        });
        for found in guards.unwrap().join() {
            assert_eq!(found.unwrap(), [vec![0; 2], vec![1; 2], vec![2; 2]]);
        }
    }

    #[test]
    fn a_round_ends_when_all_of_it_is_there_and_steps_need_not_be_as_many() {
        let guards = timely::execute(Config::process(2), |worker| {
            let mut channel = Channel::open(worker, |range| range as usize % 2);
            let mut found = Vec::new();
            for round in 0..3_u8 {
                for _ in 0..=worker.index() * 20 {
                    channel.send(0, vec![round]);
                    channel.send(1, vec![round]);
                    channel.step(worker);
                }
                let arrived = channel.finish(worker);
                let own = arrived
                    .iter()
                    .filter(|chunk| chunk.bytes == [round])
                    .count();
                found.push((own, arrived.len()));
            }
            found
        });
        for found in guards.unwrap().join() {
            assert_eq!(found.unwrap(), [(22, 22); 3]);
        }
    }
}
