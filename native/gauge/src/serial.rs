//! Records encoded to bytes and decoded again, with numbers of variable length, as serialisers of engines do it.

use crate::dice::Dice;

#[derive(Debug, PartialEq, Eq, Clone, Default)]
pub struct Row {
    pub id: u64,
    pub key: String,
    pub text: String,
    pub counts: [u32; 4],
}

/// `count` rows of about 100 bytes.
pub fn rows(count: usize, seed: u64) -> Vec<Row> {
    let mut dice = Dice::new(seed);
    (0..count)
        .map(|_| Row {
            id: dice.roll() >> (dice.roll() % 64),
            key: format!("{:010x}", dice.roll() >> 24),
            text: "t".repeat(32 + (dice.roll() % 64) as usize),
            counts: [0; 4].map(|_: u32| (dice.roll() >> 40) as u32),
        })
        .collect()
}

/// Append a row.
pub fn encode(row: &Row, to: &mut Vec<u8>) {
    number(row.id, to);
    for text in [&row.key, &row.text] {
        number(text.len() as u64, to);
        to.extend_from_slice(text.as_bytes());
    }
    row.counts
        .iter()
        .for_each(|count| number(u64::from(*count), to));
}

/// The next row; None at the end, or where bytes are no row.
pub fn decode(from: &mut &[u8]) -> Option<Row> {
    let id = next(from)?;
    let key = string(from)?;
    let text = string(from)?;
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = u32::try_from(next(from)?).ok()?;
    }
    Some(Row {
        id,
        key,
        text,
        counts,
    })
}

fn number(mut value: u64, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn next(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = from.split_first()?;
        *from = rest;
        value |= u64::from(first & 0x7F) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn string(from: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(next(from)?).ok()?;
    if length > from.len() {
        return None;
    }
    let (text, rest) = from.split_at(length);
    *from = rest;
    Some(std::str::from_utf8(text).ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, rows};

    #[test]
    fn what_is_encoded_is_decoded() {
        let all = rows(500, 1);
        let mut bytes = Vec::new();
        all.iter().for_each(|row| encode(row, &mut bytes));
        let mut left = bytes.as_slice();
        let again: Vec<_> = std::iter::from_fn(|| decode(&mut left)).collect();
        assert_eq!(again, all);
        assert_eq!(decode(&mut [0x85, 0x01].as_slice()), None);
    }
}
