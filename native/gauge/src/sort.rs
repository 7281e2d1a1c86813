//! A sort of records by all threads: each divides a part of the input by ranges of keys, so small that the entries of one
//! fit into a processor's cache; then ranges are sorted, and their records copied to where they belong.

use crate::ranges::{parts, Ranges, EACH};
use crate::record::{prefix, rest, SIZE};
use std::ops::Range;
use std::thread;

/// A key, and below it the number of its record: the order of entries is that of keys.
type Entry = u128;
const NUMBER: u32 = 48;

/// The entries of an input, divided by ranges of keys.
struct Divided {
    /// By part of the input, by range.
    parts: Vec<Vec<Vec<Entry>>>,
    ranges: Ranges,
}

impl Divided {
    /// Divide records in memory, into at least so many ranges.
    fn of(input: &[u8], threads: usize, least: usize) -> Self {
        let ranges = Ranges::of(input.len(), least);
        let parts = thread::scope(|scope| {
            let running: Vec<_> = parts(input.len(), threads)
                .map(|range| scope.spawn(move || part(input, range, ranges)))
                .collect();
            let joined = running
                .into_iter()
                .map(|one| one.join().expect("no part panics"));
            joined.collect()
        });
        Self { parts, ranges }
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
            let ranges = divided.ranges.share(number, threads);
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

fn part(input: &[u8], of: Range<usize>, ranges: Ranges) -> Vec<Vec<Entry>> {
    let expected = of.len() / SIZE / ranges.count;
    let mut found: Vec<Vec<Entry>> = (0..ranges.count)
        .map(|_| Vec::with_capacity(expected + expected / 8 + 16))
        .collect();
    let first = (of.start / SIZE) as Entry;
    for (number, record) in (first..).zip(input[of].chunks_exact(SIZE)) {
        let key = Entry::from(prefix(record)) << 64 | Entry::from(rest(record)) << NUMBER;
        found[ranges.of_record(record)].push(key | number);
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
