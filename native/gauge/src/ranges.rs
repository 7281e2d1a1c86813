//! Ranges of keys into which records are divided, and the parts of an input that threads divide.

use crate::record::{prefix, SIZE};
use std::ops::Range;

/// Records of a range, few enough for a processor's cache.
pub const EACH: usize = 8192;
const MOST: usize = 1024;

/// Equal ranges of keys: a power of two of them, so that the range of a key is its highest bits.
#[derive(Clone, Copy)]
pub struct Ranges {
    pub count: usize,
}

impl Ranges {
    /// Ranges for so many bytes of records, and at least so many.
    pub fn of(bytes: usize, least: usize) -> Self {
        let count = (bytes / SIZE / EACH)
            .min(MOST)
            .max(least)
            .next_power_of_two();
        Self { count }
    }

    /// The range of a record's key.
    pub fn of_record(self, record: &[u8]) -> usize {
        let shift = 64 - self.count.trailing_zeros();
        prefix(record).checked_shr(shift).unwrap_or(0) as usize
    }

    /// The ranges of one of `count` shares, in order.
    pub fn share(self, number: usize, count: usize) -> Range<usize> {
        self.count * number / count..self.count * (number + 1) / count
    }
}

/// The bytes of each thread's part.
pub fn parts(bytes: usize, threads: usize) -> impl Iterator<Item = Range<usize>> {
    let count = bytes / SIZE;
    (0..threads).map(move |part| count * part / threads * SIZE..count * (part + 1) / threads * SIZE)
}

#[cfg(test)]
mod tests {
    use super::{parts, Ranges};
    use crate::record::SIZE;

    #[test]
    fn the_range_of_a_key_is_its_highest_bits() {
        let ranges = Ranges::of(0, 3);
        assert_eq!(ranges.count, 4);
        let of_byte = |byte| ranges.of_record(&[byte; SIZE]);
        assert_eq!([0, 63, 64, 191, 255].map(of_byte), [0, 0, 1, 2, 3]);
        assert_eq!(Ranges::of(0, 1).of_record(&[255; SIZE]), 0);
        let shares: Vec<_> = (0..3).map(|number| ranges.share(number, 3)).collect();
        assert_eq!(shares, [0..1, 1..2, 2..4]);
    }

    #[test]
    fn parts_are_whole_records_and_all_of_them() {
        let found: Vec<_> = parts(7 * SIZE, 3).collect();
        assert_eq!(found, [0..2 * SIZE, 2 * SIZE..4 * SIZE, 4 * SIZE..7 * SIZE]);
    }
}
