//! What happened outside the hooks, noted in the counter file: numbers without it would look complete.

use crate::counters::{Counters, Note};
use core::sync::atomic::Ordering::*;

/// Why calls may be missing from the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Missed {
    /// A file call made through `syscall(2)` that no hook took over; `number` is the call.
    RawSyscall = 1,
    /// An io_uring was set up: its reads and writes are not seen.
    IoUring = 2,
    /// A program without a dynamic loader was started.
    StaticProgram = 3,
    /// A setuid program was started: the loader ignores preload libraries there.
    PrivilegedProgram = 4,
    /// A file of a configured class was opened as a stdio stream: what that reads and writes is not seen.
    Stdio = 5,
}

impl Missed {
    pub fn name(kind: u32) -> &'static str {
        match kind {
            1 => "raw_syscall",
            2 => "io_uring",
            3 => "static_program",
            4 => "privileged_program",
            5 => "stdio_stream",
            _ => "unknown",
        }
    }
}

const FREE: u32 = 0;
const WRITING: u32 = 1;
const READY: u32 = 2;

/// Counts one occurrence; the same kind, number and text share an entry.
pub fn note(c: &Counters, kind: Missed, number: u64, text: &[u8]) {
    let words = pack(text);
    for n in c.notes() {
        let mut state = n.state.load(Acquire);
        if state == FREE {
            match n.state.compare_exchange(FREE, WRITING, AcqRel, Acquire) {
                Ok(_) => return fill(n, kind, number, &words),
                Err(s) => state = s,
            }
        }
        if state == READY && same(n, kind, number, &words) {
            n.count.fetch_add(1, Relaxed);
            return;
        }
    }
    c.header().notes_lost.fetch_add(1, Relaxed);
}

fn fill(n: &Note, kind: Missed, number: u64, words: &[u64; 29]) {
    n.kind.store(kind as u32, Relaxed);
    n.number.store(number, Relaxed);
    n.count.store(1, Relaxed);
    n.text.iter().zip(words).for_each(|(to, &w)| to.store(w, Relaxed));
    n.state.store(READY, Release);
}

fn same(n: &Note, kind: Missed, number: u64, words: &[u64; 29]) -> bool {
    n.kind.load(Relaxed) == kind as u32
        && n.number.load(Relaxed) == number
        && n.text.iter().zip(words).all(|(t, &w)| t.load(Relaxed) == w)
}

/// The last bytes of a path say most, so long ones lose their head.
fn pack(text: &[u8]) -> [u64; 29] {
    let mut words = [0u64; 29];
    let tail = &text[text.len().saturating_sub(29 * 8)..];
    for (w, piece) in words.iter_mut().zip(tail.chunks(8)) {
        let mut b = [0u8; 8];
        b[..piece.len()].copy_from_slice(piece);
        *w = u64::from_le_bytes(b);
    }
    words
}
