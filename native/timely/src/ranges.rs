//! Ranges of keys by their first 8 bytes, as the other engines divide them: the range of a key is the number of
//! splitters that are not above it.

/// Leading bits by which the table is indexed.
const BITS: u32 = 12;

/// Divides keys into ranges.
pub struct Ranges {
    splitters: Vec<u64>,
    /// For each value of the leading bits: the number of splitters below it.
    below: Vec<u32>,
}

impl Ranges {
    /// Ranges that hold about equally many of the sampled keys; equal keys may leave some of them empty.
    pub fn of(mut sample: Vec<u64>, count: usize) -> Self {
        sample.sort_unstable();
        let splitters: Vec<u64> = if sample.is_empty() {
            Vec::new()
        } else {
            (1..count)
                .map(|i| sample[i * sample.len() / count])
                .collect()
        };
        let below = (0..=1_u64 << BITS)
            .map(|bucket| {
                let under = |splitter: &u64| splitter >> (u64::BITS - BITS) < bucket;
                u32::try_from(splitters.partition_point(under)).expect("fewer than 2^32 ranges")
            })
            .collect();
        Self { splitters, below }
    }

    /// The range of a key, from 0.
    pub fn of_key(&self, prefix: u64) -> usize {
        let bucket = (prefix >> (u64::BITS - BITS)) as usize;
        let (low, high) = (self.below[bucket] as usize, self.below[bucket + 1] as usize);
        low + self.splitters[low..high].partition_point(|splitter| *splitter <= prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn the_range_of_a_key_is_the_number_of_splitters_not_above_it() {
        let sample: Vec<u64> = (0..1000_u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let ranges = Ranges::of(sample.clone(), 7);
        for key in sample
            .iter()
            .flat_map(|key| [*key, key.wrapping_add(1), key.wrapping_sub(1)])
        {
            let slow = ranges
                .splitters
                .iter()
                .filter(|splitter| **splitter <= key)
                .count();
            assert_eq!(ranges.of_key(key), slow);
        }
        assert_eq!(ranges.of_key(0), 0);
        assert_eq!(ranges.of_key(u64::MAX), 6);
    }

    #[test]
    fn equal_keys_and_no_keys_are_one_range() {
        assert_eq!(Ranges::of(vec![5; 100], 4).of_key(4), 0);
        assert_eq!(Ranges::of(vec![5; 100], 4).of_key(5), 3);
        assert_eq!(Ranges::of(Vec::new(), 4).of_key(9), 0);
    }
}
