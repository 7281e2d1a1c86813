//! Deterministic numbers for records and offsets (SplitMix64).

pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Bytes that no file system makes smaller, as many do with equal ones.
pub fn noise(length: usize) -> Vec<u8> {
    let mut dice = Dice::new(1);
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        bytes.extend_from_slice(&dice.roll().to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

#[cfg(test)]
mod tests {
    use super::{noise, Dice};
    use std::collections::HashSet;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut one = Dice::new(7);
        let mut other = Dice::new(7);
        assert_eq!(one.roll(), other.roll());
        assert_ne!(one.roll(), Dice::new(8).roll());
    }

    #[test]
    fn nothing_of_noise_comes_twice() {
        let bytes = noise((1 << 20) + 3);
        let words: HashSet<&[u8]> = bytes.chunks_exact(8).collect();
        assert_eq!((bytes.len(), words.len()), ((1 << 20) + 3, 1 << 17));
    }
}
