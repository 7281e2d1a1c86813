//! TeraGen's records: sampled, divided into ranges of keys, and sorted.

use crate::agreement::agree;
use crate::channel::{number, share, Channel, Chunk};
use crate::files::{Input, Piece};
use crate::ranges::Ranges;
use timely::worker::Worker;

/// Bytes of a record.
pub const SIZE: usize = 100;
const KEY: usize = 10;
/// Records read at one place of a sample: about a page.
const BLOCK: u64 = 40;
const KEYS_PER_RANGE: usize = 1000;
const MOST_KEYS: usize = 1_000_000;
/// Records of a chunk at most; chunks of all ranges together have at most `CHUNKS` bytes, if each can hold 4.
const LARGEST: usize = 640;
const CHUNKS: usize = 16 << 20;
/// Bytes read at a time.
const READ: usize = 10_000 * SIZE;
/// Bytes that a worker reads in a step.
const STEP: usize = 4 * READ;

/// The first 8 bytes of a key.
pub fn prefix(record: &[u8]) -> u64 {
    u64::from_be_bytes(record[..8].try_into().expect("a record is longer"))
}

/// An input of whole records.
pub fn input(path: &std::path::Path) -> Result<Input, String> {
    let input = Input::list(path)?;
    match input.broken(SIZE as u64) {
        None => Ok(input),
        Some((file, bytes)) => Err(format!(
            "The input file {} has {bytes} bytes, which is no multiple of the record length 100.",
            file.display()
        )),
    }
}

/// A worker's part of the input.
pub fn part(input: &Input, worker: &Worker) -> Vec<Piece> {
    let (index, peers) = (worker.index() as u64, worker.peers() as u64);
    let rows = input.bytes() / SIZE as u64;
    let edge = |i: u64| (u128::from(rows) * u128::from(i) / u128::from(peers)) as u64 * SIZE as u64;
    input.pieces(edge(index), edge(index + 1))
}

/// The worker that has a range; each has consecutive ones.
pub fn owner(ranges: usize, peers: usize) -> impl Fn(u32) -> usize + 'static {
    move |range| range as usize * peers / ranges
}

/// Ranges of about equal size, from keys at evenly spread places of the input; the same on all workers.
pub fn ranges(worker: &mut Worker, input: &Input, count: usize) -> Result<Ranges, String> {
    let wanted = (count * KEYS_PER_RANGE).min(MOST_KEYS) / worker.peers();
    let own = sample(input, worker, wanted as u64 / BLOCK + 1);
    let mut keys = Vec::new();
    let own = agree(worker, own)?;
    for bytes in share(worker, own) {
        keys.extend(bytes.chunks_exact(8).map(prefix));
    }
    Ok(Ranges::of(keys, count))
}

/// Keys of `blocks` places of a worker's part, 8 bytes each.
fn sample(input: &Input, worker: &Worker, blocks: u64) -> Result<Vec<u8>, String> {
    let (index, peers) = (worker.index() as u64, worker.peers() as u64);
    let rows = input.bytes() / SIZE as u64;
    let edge = |i: u64| (u128::from(rows) * u128::from(i) / u128::from(blocks * peers)) as u64;
    let mut keys = Vec::new();
    for block in index * blocks..(index + 1) * blocks {
        let (from, end) = (edge(block), edge(block + 1));
        let to = end.min(from + BLOCK);
        for piece in input.pieces(from * SIZE as u64, to * SIZE as u64) {
            piece.read(READ, |bytes| {
                for record in bytes.chunks_exact(SIZE) {
                    keys.extend_from_slice(&record[..8]);
                }
            })?;
        }
    }
    Ok(keys)
}

/// Read a worker's part and send each record to its range; `arrived` is called with what has come here meanwhile.
pub fn scatter(
    worker: &mut Worker,
    channel: &mut Channel,
    pieces: &[Piece],
    ranges: &Ranges,
    count: usize,
    mut arrived: impl FnMut(Vec<Chunk>),
) -> Result<(), String> {
    let most = LARGEST.min(CHUNKS / SIZE / count).max(4) * SIZE;
    let mut chunks: Vec<Vec<u8>> = vec![Vec::new(); count];
    let mut since = 0;
    let mut result = Ok(());
    for piece in pieces {
        result = result.and_then(|()| {
            piece.read(READ, |bytes| {
                for record in bytes.chunks_exact(SIZE) {
                    let range = ranges.of_key(prefix(record));
                    let chunk = &mut chunks[range];
                    if chunk.capacity() == 0 {
                        chunk.reserve_exact(most);
                    }
                    chunk.extend_from_slice(record);
                    if chunk.len() == most {
                        channel.send(number(range), std::mem::take(chunk));
                    }
                }
                since += bytes.len();
                if since >= STEP {
                    since = 0;
                    channel.step(worker);
                    arrived(channel.take());
                }
            })
        });
    }
    for (range, chunk) in chunks.into_iter().enumerate() {
        if !chunk.is_empty() {
            channel.send(number(range), chunk);
        }
    }
    arrived(channel.finish(worker));
    result
}

/// The records of chunks in the order of their keys, given to `use_` one by one.
pub fn sorted<E>(
    chunks: &[Vec<u8>],
    mut use_: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut entries: Vec<(u64, u64)> =
        Vec::with_capacity(chunks.iter().map(Vec::len).sum::<usize>() / SIZE);
    for (place, chunk) in chunks.iter().enumerate() {
        for (row, record) in chunk.chunks_exact(SIZE).enumerate() {
            let rest = u64::from(u16::from_be_bytes([record[8], record[KEY - 1]]));
            entries.push((
                prefix(record),
                rest << 48 | (place as u64) << 16 | row as u64,
            ));
        }
    }
    entries.sort_unstable();
    for (_, entry) in entries {
        let (place, row) = (
            (entry >> 16 & 0xffff_ffff) as usize,
            (entry & 0xffff) as usize,
        );
        use_(&chunks[place][row * SIZE..(row + 1) * SIZE])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{owner, sorted, SIZE};

    #[test]
    fn records_come_out_in_the_order_of_all_ten_bytes_of_their_keys() {
        let mut chunks = Vec::new();
        let mut dice = 1_u64;
        for length in [3, 0, 640, 1] {
            let mut chunk = Vec::new();
            for _ in 0..length {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mut record = vec![0; SIZE];
                // few first bytes, so that the last two decide
                record[7] = (dice >> 60) as u8;
                record[8..10].copy_from_slice(&(dice >> 40).to_be_bytes()[6..]);
                record[50..58].copy_from_slice(&dice.to_be_bytes());
                chunk.extend(record);
            }
            chunks.push(chunk);
        }
        let mut found: Vec<Vec<u8>> = Vec::new();
        sorted::<()>(&chunks, |record| {
            found.push(record.to_vec());
            Ok(())
        })
        .unwrap();
        assert!(found.windows(2).all(|pair| pair[0][..10] <= pair[1][..10]));
        let mut given: Vec<Vec<u8>> = chunks
            .iter()
            .flat_map(|chunk| chunk.chunks(SIZE).map(<[u8]>::to_vec))
            .collect();
        given.sort();
        found.sort();
        assert_eq!(found, given);
    }

    #[test]
    fn every_worker_has_consecutive_ranges() {
        for (ranges, peers) in [(8, 3), (3, 8), (1, 4), (5, 5)] {
            let owner = owner(ranges, peers);
            let found: Vec<usize> = (0..ranges).map(|range| owner(range as u32)).collect();
            assert!(found.is_sorted() && found.iter().all(|worker| *worker < peers));
        }
    }
}
