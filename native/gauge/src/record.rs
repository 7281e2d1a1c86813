//! Records as TeraGen makes them: a random key of 10 bytes, a row number, filler; and their order.

use crate::dice::Dice;

pub const SIZE: usize = 100;
const KEY: usize = 10;

/// `count` records whose keys are uniform.
pub fn generate(count: usize, seed: u64) -> Vec<u8> {
    let mut dice = Dice::new(seed);
    let mut bytes = vec![b'.'; count * SIZE];
    for (row, record) in bytes.chunks_exact_mut(SIZE).enumerate() {
        record[..8].copy_from_slice(&dice.roll().to_be_bytes());
        record[8..KEY].copy_from_slice(&dice.roll().to_be_bytes()[..2]);
        record[KEY..KEY + 8].copy_from_slice(&(row as u64).to_be_bytes());
    }
    bytes
}

/// The first 8 bytes of a key, which decide nearly every comparison.
pub fn prefix(record: &[u8]) -> u64 {
    u64::from_be_bytes(record[..8].try_into().expect("a record is longer"))
}

/// The last 2 bytes of a key.
pub fn rest(record: &[u8]) -> u16 {
    u16::from_be_bytes(record[8..KEY].try_into().expect("a record is longer"))
}

/// Whether records are in the order of their keys.
pub fn sorted(bytes: &[u8]) -> bool {
    bytes
        .chunks_exact(SIZE)
        .zip(bytes.chunks_exact(SIZE).skip(1))
        .all(|(one, next)| one[..KEY] <= next[..KEY])
}
