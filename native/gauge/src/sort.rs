//! A sort of records by all threads: each divides a part of the input by ranges of keys, so small that the entries of one
//! fit into a processor's cache; then ranges are sorted, and their records copied to where they belong.

use crate::record::{prefix, rest, SIZE};
use std::ops::Range;
use std::thread;

/// A key, and below it the number of its record: the order of entries is that of keys.
type Entry = u128;
const NUMBER: u32 = 48;
/// Records of a range, and at most ranges.
const EACH: usize = 8192;
const MOST: usize = 1024;

/// The entries of an input, divided by ranges of keys.
struct Divided {
    /// By part of the input, by range.
    parts: Vec<Vec<Vec<Entry>>>,
    ranges: usize,
}

impl Divided {
    /// Divide records in memory, into at least so many ranges.
    fn of(input: &[u8], threads: usize, least: usize) -> Self {
        let ranges = ranges_of(input.len(), least);
        let parts = thread::scope(|scope| {
            let running: Vec<_> = edges(input.len(), threads)
                .map(|range| scope.spawn(move || part(input, range, ranges)))
                .collect();
            let joined = running
                .into_iter()
                .map(|one| one.join().expect("no part panics"));
            joined.collect()
        });
        Self { parts, ranges }
    }

    /// The ranges of one of `count` shares, in order.
    fn share(&self, number: usize, count: usize) -> Range<usize> {
        self.ranges * number / count..self.ranges * (number + 1) / count
    }

    /// Records of some ranges.
    fn rows(&self, ranges: Range<usize>) -> usize {
        self.parts
            .iter()
            .flat_map(|part| &part[ranges.clone()])
            .map(Vec::len)
            .sum()
    }

    /// Give away the records of some ranges in the order of their keys.
    fn sorted(&self, input: &[u8], ranges: Range<usize>, mut take: impl FnMut(&[u8])) {
        let mut entries: Vec<Entry> = Vec::with_capacity(2 * EACH);
        for range in ranges {
            entries.clear();
            self.parts
                .iter()
                .for_each(|part| entries.extend_from_slice(&part[range]));
            entries.sort_unstable();
            for entry in &entries {
                let at = (entry & ((1 << NUMBER) - 1)) as usize * SIZE;
                take(&input[at..at + SIZE]);
            }
        }
    }
}

/// Sort whole records of `input` to `output`, which must be as long.
pub fn sort(input: &[u8], output: &mut [u8], threads: usize) {
    assert_eq!(input.len(), output.len());
    let divided = Divided::of(input, threads, threads);
    let mut left = output;
    thread::scope(|scope| {
        for number in 0..threads {
            let ranges = divided.share(number, threads);
            let (place, more) = left.split_at_mut(divided.rows(ranges.clone()) * SIZE);
            left = more;
            let divided = &divided;
            scope.spawn(move || {
                let mut places = place.chunks_exact_mut(SIZE);
                divided.sorted(input, ranges, |record| {
                    places
                        .next()
                        .expect("as many places as records")
                        .copy_from_slice(record);
                });
            });
        }
    });
}

/// A power of two, so that the range of a key is its highest bits.
fn ranges_of(bytes: usize, least: usize) -> usize {
    (bytes / SIZE / EACH)
        .min(MOST)
        .max(least)
        .next_power_of_two()
}

/// The bytes of each thread's part.
fn edges(bytes: usize, threads: usize) -> impl Iterator<Item = Range<usize>> {
    let count = bytes / SIZE;
    (0..threads).map(move |part| count * part / threads * SIZE..count * (part + 1) / threads * SIZE)
}

fn part(input: &[u8], of: Range<usize>, ranges: usize) -> Vec<Vec<Entry>> {
    let expected = of.len() / SIZE / ranges;
    let mut found: Vec<Vec<Entry>> = (0..ranges)
        .map(|_| Vec::with_capacity(expected + expected / 8 + 16))
        .collect();
    let first = (of.start / SIZE) as Entry;
    let shift = 64 - ranges.trailing_zeros();
    for (number, record) in (first..).zip(input[of].chunks_exact(SIZE)) {
        let prefix = prefix(record);
        let key = Entry::from(prefix) << 64 | Entry::from(rest(record)) << NUMBER;
        found[prefix.checked_shr(shift).unwrap_or(0) as usize].push(key | number);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::sort;
    use crate::record::{generate, sorted, SIZE};

    #[test]
    fn records_come_out_in_order_and_none_is_lost() {
        for threads in [1, 2, 7] {
            for count in [0, 1, 5, 1000, 30_000] {
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

    #[test]
    fn equal_and_skewed_keys_are_sorted_by_all_their_bytes() {
        let mut input = generate(5000, 3);
        for (row, record) in input.chunks_exact_mut(SIZE).enumerate() {
            record[..9].fill(if row % 3 == 0 { 0xff } else { 0 });
        }
        let mut output = vec![0; input.len()];
        sort(&input, &mut output, 2);
        assert!(sorted(&output));
    }
}
