//! A byte string of fixed capacity, for paths built without allocation.

use crate::sys::{CPath, Result};

/// Longest path the kernel takes, with its NUL.
pub const PATH_MAX: usize = 4096;

/// A growable string on the stack.
#[derive(Clone)]
pub struct Text<const N: usize> {
    len: usize,
    bytes: [u8; N],
}

/// A path buffer.
pub type PathText = Text<PATH_MAX>;

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Text::new()
    }
}

impl<const N: usize> Text<N> {
    pub const fn new() -> Self {
        Text { len: 0, bytes: [0; N] }
    }

    /// A string of these parts, or ENAMETOOLONG.
    pub fn of(parts: &[&[u8]]) -> Result<Self> {
        let mut t = Text::new();
        for p in parts {
            t.push(p)?;
        }
        Ok(t)
    }

    /// Adds bytes; one byte always stays free for the NUL.
    pub fn push(&mut self, more: &[u8]) -> Result<()> {
        let end = self.len + more.len();
        if end >= N {
            return Err(libc::ENAMETOOLONG);
        }
        self.bytes[self.len..end].copy_from_slice(more);
        self.len = end;
        self.bytes[end] = 0;
        Ok(())
    }

    /// Adds a number in decimal.
    pub fn push_num(&mut self, mut n: u64) -> Result<()> {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                return self.push(&digits[at..]);
            }
        }
    }

    /// Cuts the string to `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len {
            self.len = len;
            self.bytes[len] = 0;
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn c_path(&self) -> CPath {
        CPath::new(&self.bytes[..self.len + 1])
    }
}

/// The decimal number that `s` is, if it is one.
pub fn number(s: &[u8]) -> Option<u64> {
    if s.is_empty() {
        return None;
    }
    s.iter().try_fold(0u64, |n, &c| match c {
        b'0'..=b'9' => n.checked_mul(10)?.checked_add((c - b'0') as u64),
        _ => None,
    })
}

/// A size such as `4096`, `64k`, `16m` or `1g`.
pub fn size(s: &[u8]) -> Option<u64> {
    let (head, shift) = match s.last()? {
        b'k' | b'K' => (&s[..s.len() - 1], 10),
        b'm' | b'M' => (&s[..s.len() - 1], 20),
        b'g' | b'G' => (&s[..s.len() - 1], 30),
        _ => (s, 0),
    };
    number(head)?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_join_and_overflow_is_an_error() {
        let mut t = Text::<8>::of(&[b"ab", b"cd"]).unwrap();
        t.push_num(12).unwrap();
        assert_eq!(t.as_bytes(), b"abcd12");
        assert_eq!(t.push(b"xy"), Err(libc::ENAMETOOLONG));
        assert_eq!(t.as_bytes(), b"abcd12");
    }

    #[test]
    fn sizes_have_suffixes() {
        assert_eq!(size(b"64k"), Some(65536));
        assert_eq!(size(b"1g"), Some(1 << 30));
        assert_eq!(size(b"7"), Some(7));
        assert_eq!(size(b"k"), None);
        assert_eq!(size(b"99999999999999999999"), None);
    }
}
