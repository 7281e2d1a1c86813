//! Words of text, separated by white space, and lines; each belongs to the piece in which it begins.

use crate::files::Piece;

/// Bytes read at a time.
const READ: usize = 1 << 20;
/// The same behind the end of a piece, for the rest of its last word.
const REST: usize = 1 << 10;

fn blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 12 | b'\r')
}

/// Give each word that begins in a piece to `use_`.
pub fn words(piece: &Piece, mut use_: impl FnMut(&[u8])) -> Result<(), String> {
    separated(piece, blank, |word| {
        use_(word);
        Ok(())
    })
}

/// Give each line that begins in a piece to `use_`, without its end; empty ones are left out.
pub fn lines(piece: &Piece, use_: impl FnMut(&[u8]) -> Result<(), String>) -> Result<(), String> {
    separated(piece, |byte| byte == b'\n', use_)
}

fn separated(
    piece: &Piece,
    ends: impl Fn(u8) -> bool,
    mut use_: impl FnMut(&[u8]) -> Result<(), String>,
) -> Result<(), String> {
    // something begins here only if what is before it has ended
    let mut skipping = piece.before()?.is_some_and(|byte| !ends(byte));
    let mut begun: Vec<u8> = Vec::new();
    let mut result = Ok(());
    piece.read(READ, |bytes| {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| ends(*byte)) {
            let found = &rest[..end];
            rest = &rest[end + 1..];
            if skipping {
                skipping = false;
            } else if !begun.is_empty() {
                begun.extend_from_slice(found);
                result = result.clone().and_then(|()| use_(&begun));
                begun.clear();
            } else if !found.is_empty() && result.is_ok() {
                result = use_(found);
            }
        }
        if !skipping {
            begun.extend_from_slice(rest);
        }
    })?;
    if begun.is_empty() {
        return result;
    }
    piece.after(REST, |bytes| {
        let end = bytes.iter().position(|byte| ends(*byte));
        begun.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
        end.is_none()
    })?;
    result.and_then(|()| use_(&begun))
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::files::Input;
    use std::fs;

    #[test]
    fn every_word_is_in_one_piece_whatever_their_number() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("part-0"), "one two  three\nfour\n").unwrap();
        fs::write(folder.path().join("part-1"), "five six\tseven\n\n").unwrap();
        fs::write(folder.path().join("part-2"), "unended").unwrap();
        let input = Input::list(folder.path()).unwrap();
        for count in 1..50 {
            let mut found = Vec::new();
            for i in 0..count {
                for piece in
                    input.pieces(input.bytes() * i / count, input.bytes() * (i + 1) / count)
                {
                    words(&piece, |word| {
                        found.push(String::from_utf8(word.to_vec()).unwrap())
                    })
                    .unwrap();
                }
            }
            assert_eq!(
                found,
                ["one", "two", "three", "four", "five", "six", "seven", "unended"],
                "{count}"
            );
        }
    }
}
