//! Log2 histograms: bucket `b` holds values from `2^b` up to `2^(b+1)`, the last one all above.

/// Buckets of a latency histogram (1 ns to over an hour).
pub const NS_BUCKETS: usize = 42;
/// Buckets of a size histogram (1 byte to over 8 GiB).
pub const SIZE_BUCKETS: usize = 34;

/// The bucket that `value` falls into, out of `buckets`; zero shares the first one.
#[inline]
pub fn bucket(value: u64, buckets: usize) -> usize {
    let b = 63 - (value | 1).leading_zeros() as usize;
    if b < buckets {
        b
    } else {
        buckets - 1
    }
}

/// The smallest value of a bucket, as reports print it.
pub fn floor(bucket: usize) -> u64 {
    if bucket == 0 {
        0
    } else {
        1 << bucket
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_power_of_two_opens_a_bucket() {
        for b in 1..41 {
            assert_eq!(bucket(1 << b, NS_BUCKETS), b);
            assert_eq!(bucket((1 << b) - 1, NS_BUCKETS), b - 1);
            assert_eq!(bucket(floor(b), NS_BUCKETS), b);
        }
    }

    #[test]
    fn ends_are_clamped() {
        assert_eq!(bucket(0, SIZE_BUCKETS), 0);
        assert_eq!(bucket(1, SIZE_BUCKETS), 0);
        assert_eq!(bucket(u64::MAX, SIZE_BUCKETS), SIZE_BUCKETS - 1);
    }
}
