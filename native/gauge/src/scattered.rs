//! Records that are divided by ranges of keys while they are read: those of a range lie in few large pieces, and all of them fit
//! into a processor's cache, where they are then sorted and given away. Memory is only ever walked through in order.

use crate::ranges::{parts, Ranges, EACH};
use crate::record::{prefix, rest, SIZE};
use std::io;
use std::ops::Range;
use std::thread;

/// A key, and below it where its record is: the order of entries is that of keys.
type Entry = u128;
const PLACE: u32 = 48;
/// Of a place: the part whose memory it is in, above the number of records before it there. A node may have hundreds of threads.
const PART: u32 = 34;
/// Bytes that are read at once, and that a range is given at once.
const STEP: usize = 655 * SIZE;
const PIECE: usize = 160 * SIZE;

pub struct Scattered {
    parts: Vec<Part>,
    ranges: Ranges,
}

/// What one thread has read.
struct Part {
    memory: Vec<u8>,
    /// By range: the pieces that are full.
    full: Vec<Vec<u32>>,
    /// By range: the end of its records in its last piece, and that of the piece.
    last: Vec<Range<usize>>,
}

impl Scattered {
    /// Bytes of memory that so many bytes of records need.
    pub fn room(bytes: usize, threads: usize, least: usize) -> usize {
        bytes + threads * Ranges::of(bytes, least).count * PIECE
    }

    /// Read records by all threads: `load` is given a place and the bytes of input before it.
    pub fn read(
        bytes: usize,
        threads: usize,
        least: usize,
        load: impl Fn(&mut [u8], usize) -> io::Result<()> + Sync,
    ) -> io::Result<Self> {
        let (ranges, load) = (Ranges::of(bytes, least), &load);
        let parts = thread::scope(|scope| {
            let running: Vec<_> = parts(bytes, threads)
                .map(|own| scope.spawn(move || Part::read(own, ranges, load)))
                .collect();
            let joined = running
                .into_iter()
                .map(|one| one.join().expect("no part panics"));
            joined.collect::<io::Result<_>>()
        })?;
        Ok(Self { parts, ranges })
    }

    /// The ranges of one of `count` shares, in order.
    pub fn share(&self, number: usize, count: usize) -> Range<usize> {
        self.ranges.share(number, count)
    }

    /// Give away the records of some ranges in the order of their keys; returns their number.
    pub fn sorted(
        &self,
        ranges: Range<usize>,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<usize> {
        let (mut entries, mut rows) = (Vec::with_capacity(2 * EACH), 0);
        for range in ranges {
            entries.clear();
            for (number, part) in self.parts.iter().enumerate() {
                part.list(range, (number as Entry) << PART, &mut entries);
            }
            entries.sort_unstable();
            rows += entries.len();
            for entry in &entries {
                let place = entry & ((1 << PLACE) - 1);
                let at = (place & ((1 << PART) - 1)) as usize * SIZE;
                take(&self.parts[(place >> PART) as usize].memory[at..at + SIZE])?;
            }
        }
        Ok(rows)
    }
}

impl Part {
    fn read(
        own: Range<usize>,
        ranges: Ranges,
        load: &(impl Fn(&mut [u8], usize) -> io::Result<()> + Sync),
    ) -> io::Result<Self> {
        let mut part = Self {
            // large pages would save misses, but a kernel whose memory is in pieces takes seconds to find them
            memory: vec![0; own.len() + ranges.count * PIECE],
            full: vec![Vec::new(); ranges.count],
            last: vec![0..0; ranges.count],
        };
        let (mut free, mut from) = (0, own.start);
        let mut buffer = vec![0; STEP];
        while from < own.end {
            let piece = &mut buffer[..STEP.min(own.end - from)];
            load(piece, from)?;
            from += piece.len();
            for record in piece.chunks_exact(SIZE) {
                let range = ranges.of_record(record);
                let last = &mut part.last[range];
                if last.start == last.end {
                    if last.end > 0 {
                        part.full[range].push(((last.end - PIECE) / PIECE) as u32);
                    }
                    *last = free..free + PIECE;
                    free += PIECE;
                }
                part.memory[last.start..last.start + SIZE].copy_from_slice(record);
                last.start += SIZE;
            }
        }
        Ok(part)
    }

    /// Append the entries of a range.
    fn list(&self, range: usize, part: Entry, entries: &mut Vec<Entry>) {
        let full = self.full[range].iter().map(|piece| {
            let begin = *piece as usize * PIECE;
            begin..begin + PIECE
        });
        let last = &self.last[range];
        let unfinished = last.end.saturating_sub(PIECE)..last.start;
        for piece in full.chain([unfinished]) {
            let records = self.memory[piece.clone()].chunks_exact(SIZE);
            entries.extend(piece.step_by(SIZE).zip(records).map(|(at, record)| {
                let key = Entry::from(prefix(record)) << 64 | Entry::from(rest(record)) << PLACE;
                key | part | (at / SIZE) as Entry
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Scattered, PIECE};
    use crate::record::{generate, SIZE};
    use std::io;

    fn of(input: &[u8], threads: usize, least: usize) -> Vec<u8> {
        let read = Scattered::read(input.len(), threads, least, |place, from| {
            place.copy_from_slice(&input[from..from + place.len()]);
            Ok(())
        });
        let (read, mut found) = (read.unwrap(), Vec::new());
        let mut rows = 0;
        for share in 0..3 {
            let take = |record: &[u8]| {
                found.extend_from_slice(record);
                Ok(())
            };
            rows += read.sorted(read.share(share, 3), take).unwrap();
        }
        assert_eq!(rows * SIZE, input.len());
        found
    }

    #[test]
    fn all_records_come_out_in_the_order_of_their_keys() {
        for threads in [1, 2, 7, 300] {
            for count in [0, 1, 5, 159, 160, 161, 1000, 30_000] {
                let input = generate(count, 3);
                let mut expected: Vec<&[u8]> = input.chunks(SIZE).collect();
                expected.sort_unstable();
                assert_eq!(of(&input, threads, 5), expected.concat());
            }
        }
    }

    #[test]
    fn pieces_of_one_range_and_equal_keys_are_kept_apart_by_their_other_bytes() {
        let mut input = generate(5000, 3);
        for (row, record) in input.chunks_exact_mut(SIZE).enumerate() {
            record[..9].fill(if row % 3 == 0 { 0xff } else { 0 });
        }
        let mut found: Vec<Vec<u8>> = of(&input, 2, 4).chunks(SIZE).map(<[u8]>::to_vec).collect();
        assert!(found.windows(2).all(|two| two[0][..10] <= two[1][..10]));
        let mut expected: Vec<Vec<u8>> = input.chunks(SIZE).map(<[u8]>::to_vec).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_error_of_reading_is_reported_and_room_is_what_is_needed() {
        let failed = Scattered::read(3000 * SIZE, 2, 3, |_, _| Err(io::Error::other("broken")));
        assert_eq!(failed.err().unwrap().to_string(), "broken");
        assert_eq!(Scattered::room(0, 2, 3), 2 * 4 * PIECE);
    }
}
