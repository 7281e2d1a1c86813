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

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut one = Dice::new(7);
        let mut other = Dice::new(7);
        assert_eq!(one.roll(), other.roll());
        assert_ne!(one.roll(), Dice::new(8).roll());
    }
}
