//! Which directories the calls outside all configured prefixes went to: a bounded table in the counter file.

use crate::counters::{Counters, Directory};
use crate::ops::Op;
use core::sync::atomic::{AtomicU64, Ordering::*};

const FREE: u32 = 0;
const WRITING: u32 = 1;
const READY: u32 = 2;
/// Places looked at for a directory; when all have others, the call is only counted as lost.
const PROBES: usize = 16;
/// Bytes of a directory's name that are kept.
pub const NAME_BYTES: usize = 40;
type Words = [u64; NAME_BYTES / 8];

/// Counts an open or a stat below the first two components of an absolute path's directory.
pub fn note(c: &Counters, op: Op, path: &[u8]) {
    let name = pack(path);
    let hash = name.iter().fold(0u64, |h, w| (h ^ w).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29));
    let all = c.directories();
    for n in 0..PROBES {
        let d = &all[(hash as usize).wrapping_add(n) % all.len()];
        if d.state.load(Acquire) == FREE && d.state.compare_exchange(FREE, WRITING, AcqRel, Acquire).is_ok() {
            d.name.iter().zip(name).for_each(|(to, w)| to.store(w, Relaxed));
            d.state.store(READY, Release);
        }
        if d.state.load(Acquire) == READY && d.name.iter().zip(name).all(|(a, b)| a.load(Relaxed) == b) {
            counter(d, op).fetch_add(1, Relaxed);
            return;
        }
    }
    lost(c);
}

/// Counts a call whose directory has no place in the table, or is not known.
pub fn lost(c: &Counters) {
    c.header().directories_lost.fetch_add(1, Relaxed);
}

fn counter(d: &Directory, op: Op) -> &AtomicU64 {
    if op == Op::Open {
        &d.opens
    } else {
        &d.stats
    }
}

/// `/usr/lib` of `/usr/lib/jvm/release`, `/etc` of `/etc/passwd`; a number, such as a pid, is a `#`.
fn pack(path: &[u8]) -> Words {
    let mut bytes = [0u8; NAME_BYTES];
    let mut len = 0;
    let dir = &path[..path.iter().rposition(|&c| c == b'/').unwrap_or(0)];
    let components = dir.split(|&c| c == b'/').filter(|name| !name.is_empty() && *name != b".");
    for name in components.take(2) {
        let name = if name.iter().all(u8::is_ascii_digit) { b"#" } else { name };
        for &byte in b"/".iter().chain(name) {
            if len < NAME_BYTES {
                bytes[len] = byte;
                len += 1;
            }
        }
    }
    if len == 0 {
        bytes[0] = b'/';
    }
    let mut words = [0; NAME_BYTES / 8];
    words
        .iter_mut()
        .zip(bytes.chunks_exact(8))
        .for_each(|(w, b)| *w = b.iter().rev().fold(0, |w, &c| w << 8 | u64::from(c)));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &[u8]) -> Vec<u8> {
        let bytes: Vec<u8> = pack(path).iter().flat_map(|w| w.to_le_bytes()).collect();
        bytes.into_iter().take_while(|&c| c != 0).collect()
    }

    #[test]
    fn two_components_of_the_directory_are_kept() {
        let kept = [
            (&b"/usr/lib/jvm/release"[..], &b"/usr/lib"[..]),
            (b"/etc/passwd", b"/etc"),
            (b"/vmlinuz", b"/"),
            (b"//usr/./lib//x", b"/usr/lib"),
            (b"/proc/4711/stat", b"/proc/#"),
        ];
        for (path, directory) in kept {
            assert_eq!(name(path), directory);
        }
        let long = [&b"/"[..], &[b'x'; 90], b"/y"].concat();
        assert_eq!(name(&long).len(), NAME_BYTES);
    }
}
