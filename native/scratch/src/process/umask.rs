//! The process's umask, kept because reading it means changing it.

use core::sync::atomic::{AtomicU32, Ordering::*};
use weft_scratch_core::sys::{self, CPath};

const UNKNOWN: u32 = u32::MAX;
static MASK: AtomicU32 = AtomicU32::new(UNKNOWN);

/// The program set a new mask.
pub fn set(mask: u32) {
    MASK.store(mask & 0o777, Relaxed);
}

/// Takes the masked bits out of a mode.
pub fn apply(mode: u32) -> u32 {
    let mut mask = MASK.load(Relaxed);
    if mask == UNKNOWN {
        mask = from_kernel().unwrap_or(0o022);
        set(mask);
    }
    mode & !mask
}

fn from_kernel() -> Option<u32> {
    let mut buf = [0u8; 512];
    let n = sys::slurp(CPath::new(b"/proc/self/status\0"), &mut buf).ok()?;
    let line = buf[..n].split(|&c| c == b'\n').find(|l| l.starts_with(b"Umask:"))?;
    let digits = line.iter().filter(|c| c.is_ascii_digit());
    Some(digits.fold(0, |m, c| m * 8 + (c - b'0') as u32))
}
