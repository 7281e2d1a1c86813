//! A sort of records by all threads, from one buffer to another: each thread divides its part of the input by
//! ranges of keys, then sorts one range of all parts and copies its records to their place.

use crate::record::{prefix, rest, SIZE};
use std::thread;

/// A key and where its record is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    prefix: u64,
    rest: u16,
    index: u32,
}

/// Sort whole records of `input` to `output`, which must be as long.
pub fn sort(input: &[u8], output: &mut [u8], threads: usize) {
    assert_eq!(input.len(), output.len());
    let ranges = divided(input, threads);
    let sizes =
        (0..threads).map(|range| ranges.iter().map(|part| part[range].len()).sum::<usize>());
    let mut places = Vec::with_capacity(threads);
    let mut left = output;
    for size in sizes {
        let (place, more) = left.split_at_mut(size * SIZE);
        places.push(place);
        left = more;
    }
    thread::scope(|scope| {
        for (range, place) in places.into_iter().enumerate() {
            let ranges = &ranges;
            scope.spawn(move || gather(input, ranges, range, place));
        }
    });
}

/// By part of the input, by range of keys: the entries.
fn divided(input: &[u8], threads: usize) -> Vec<Vec<Vec<Entry>>> {
    let count = input.len() / SIZE;
    let each = count.div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> = (0..threads)
            .map(|part| {
                let (from, to) = ((part * each).min(count), ((part + 1) * each).min(count));
                scope.spawn(move || part_of(input, from, to, threads))
            })
            .collect();
        parts
            .into_iter()
            .map(|part| part.join().expect("no part panics"))
            .collect()
    })
}

fn part_of(input: &[u8], from: usize, to: usize, threads: usize) -> Vec<Vec<Entry>> {
    let expected = (to - from) / threads + (to - from) / 16;
    let mut ranges: Vec<Vec<Entry>> = (0..threads).map(|_| Vec::with_capacity(expected)).collect();
    for (offset, record) in input[from * SIZE..to * SIZE].chunks_exact(SIZE).enumerate() {
        let prefix = prefix(record);
        let range = ((u128::from(prefix) * threads as u128) >> 64) as usize;
        let index = u32::try_from(from + offset).expect("at most 2^32 records");
        ranges[range].push(Entry {
            prefix,
            rest: rest(record),
            index,
        });
    }
    ranges
}

fn gather(input: &[u8], ranges: &[Vec<Vec<Entry>>], range: usize, place: &mut [u8]) {
    let mut entries: Vec<Entry> = ranges
        .iter()
        .flat_map(|part| part[range].iter().copied())
        .collect();
    entries.sort_unstable();
    for (entry, record) in entries.iter().zip(place.chunks_exact_mut(SIZE)) {
        let at = entry.index as usize * SIZE;
        record.copy_from_slice(&input[at..at + SIZE]);
    }
}

#[cfg(test)]
mod tests {
    use super::sort;
    use crate::record::{generate, sorted, SIZE};

    #[test]
    fn records_come_out_in_order_and_none_is_lost() {
        for threads in [1, 2, 7] {
            for count in [0, 1, 5, 1000] {
                let input = generate(count, 3);
                let mut output = vec![0; input.len()];
                sort(&input, &mut output, threads);
                assert!(sorted(&output));
                let mut both: [Vec<&[u8]>; 2] =
                    [input.chunks(SIZE).collect(), output.chunks(SIZE).collect()];
                both.iter_mut().for_each(|one| one.sort_unstable());
                assert_eq!(both[0], both[1]);
            }
        }
    }
}
