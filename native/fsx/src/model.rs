//! What the file must contain: a byte vector with the rules of POSIX.

#[derive(Default)]
pub struct Model {
    bytes: Vec<u8>,
}

impl Model {
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// What a read of `len` bytes at `at` must return: short at the end of the file.
    pub fn slice(&self, at: usize, len: usize) -> &[u8] {
        let start = at.min(self.len());
        let end = (at + len).min(self.len());
        &self.bytes[start..end]
    }

    pub fn write(&mut self, at: usize, data: &[u8]) {
        self.extend_to(at + data.len());
        self.bytes[at..at + data.len()].copy_from_slice(data);
    }

    pub fn truncate(&mut self, size: usize) {
        self.bytes.resize(size, 0);
    }

    pub fn extend_to(&mut self, size: usize) {
        if size > self.len() {
            self.truncate(size);
        }
    }

    pub fn punch(&mut self, at: usize, len: usize) {
        let start = at.min(self.len());
        let end = (at + len).min(self.len());
        self.bytes[start..end].fill(0);
    }

    pub fn copy(&mut self, from: usize, to: usize, len: usize) {
        let data = self.slice(from, len).to_vec();
        self.write(to, &data);
    }

    /// The first byte that differs from `seen`, which was read at `at`.
    pub fn difference(&self, at: usize, len: usize, seen: &[u8]) -> Option<String> {
        let want = self.slice(at, len);
        if want.len() != seen.len() {
            return Some(format!("{} bytes instead of {}", seen.len(), want.len()));
        }
        let first = want.iter().zip(seen).position(|(w, s)| w != s)?;
        Some(format!(
            "byte {} is {:#04x} instead of {:#04x}",
            at + first,
            seen[first],
            want[first]
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::Model;

    #[test]
    fn a_write_past_the_end_leaves_zeros_between() {
        let mut model = Model::default();
        model.write(3, b"ab");
        assert_eq!(model.slice(0, 100), b"\0\0\0ab");
    }

    #[test]
    fn growing_after_a_cut_shows_zeros_not_old_bytes() {
        let mut model = Model::default();
        model.write(0, b"abcdef");
        model.truncate(2);
        model.extend_to(4);
        assert_eq!(model.slice(0, 100), b"ab\0\0");
    }

    #[test]
    fn a_hole_keeps_the_size() {
        let mut model = Model::default();
        model.write(0, b"abcdef");
        model.punch(4, 100);
        assert_eq!(model.slice(0, 100), b"abcd\0\0");
    }

    #[test]
    fn a_difference_names_the_byte() {
        let mut model = Model::default();
        model.write(0, b"abc");
        assert!(model.difference(0, 3, b"abc").is_none());
        assert!(model
            .difference(1, 2, b"bX")
            .is_some_and(|d| d.starts_with("byte 2 is 0x58")));
    }
}
