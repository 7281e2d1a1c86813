//! Hashes: one for tables of short strings, and the checksums of the other engines' programs.

use std::hash::{BuildHasherDefault, Hasher};

/// CRC-32 as zlib has it (polynomial 0xedb88320), eight bytes at a time.
const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            };
            bit += 1;
        }
        tables[0][i] = crc;
        i += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut i = 0;
        while i < 256 {
            let before = tables[table - 1][i];
            tables[table][i] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            i += 1;
        }
        table += 1;
    }
    tables
}

/// The CRC-32 of bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0_u32;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let low = u32::from_le_bytes([word[0], word[1], word[2], word[3]]) ^ crc;
        crc = TABLES[7][(low & 0xff) as usize]
            ^ TABLES[6][(low >> 8 & 0xff) as usize]
            ^ TABLES[5][(low >> 16 & 0xff) as usize]
            ^ TABLES[4][(low >> 24) as usize]
            ^ TABLES[3][word[4] as usize]
            ^ TABLES[2][word[5] as usize]
            ^ TABLES[1][word[6] as usize]
            ^ TABLES[0][word[7] as usize];
    }
    for byte in words.remainder() {
        crc = crc >> 8 ^ TABLES[0][((crc ^ u32::from(*byte)) & 0xff) as usize];
    }
    !crc
}

/// Mixes all bits; the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
pub fn mix(value: u64) -> u64 {
    let x = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The hash of a key with a number, whose sums are the checksum of pairs.
pub fn of_key(key: u32, number: u64) -> u64 {
    mix(mix(u64::from(key).wrapping_add(0x9e37_79b9_7f4a_7c15)).wrapping_add(number))
}

/// For tables whose keys nobody chose to collide: a multiplication for each eight bytes.
#[derive(Default)]
pub struct Quick(u64);

pub type BuildQuick = BuildHasherDefault<Quick>;

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut whole = [0; 8];
            whole[..word.len()].copy_from_slice(word);
            self.write_u64(u64::from_le_bytes(whole));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::{crc32, mix};

    #[test]
    fn checksums_are_the_published_ones() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(
            crc32(b"The quick brown fox jumps over the lazy dog"),
            0x414f_a339
        );
        // the first output of SplitMix64 with seed 0
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0xe220_a839_7b1d_cdaf);
    }
}
