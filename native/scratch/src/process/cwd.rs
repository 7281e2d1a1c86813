//! The working directory, kept so that relative paths cost no system call.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering::*};
use weft_scratch_core::sys;
use weft_scratch_core::text::PathText;

/// Readers may still hold an older text while a chdir writes the next one.
const KEPT: usize = 8;

struct Ring(UnsafeCell<[PathText; KEPT]>);
// SAFETY: a text is written before the cursor points to it and only reused KEPT changes later.
unsafe impl Sync for Ring {}
static RING: Ring = Ring(UnsafeCell::new([const { PathText::new() }; KEPT]));
static CURSOR: AtomicUsize = AtomicUsize::new(0);
static KNOWN: AtomicUsize = AtomicUsize::new(0);

/// Asks the kernel again at the next use.
pub fn changed() {
    KNOWN.store(0, Release);
}

/// The absolute path of the working directory, without trailing slash; empty if unknown.
pub fn get() -> &'static [u8] {
    if KNOWN.load(Acquire) == 0 {
        refresh();
    }
    // SAFETY: see `Ring`.
    let ring = unsafe { &*RING.0.get() };
    ring[CURSOR.load(Acquire) % KEPT].as_bytes()
}

#[cold]
fn refresh() {
    let mut buf = [0u8; 4095];
    let n = sys::getcwd(&mut buf).unwrap_or(1).saturating_sub(1);
    let path = if &buf[..n] == b"/" { &buf[..0] } else { &buf[..n] };
    let next = CURSOR.load(Relaxed) + 1;
    // SAFETY: see `Ring`.
    let ring = unsafe { &mut *RING.0.get() };
    ring[next % KEPT] = PathText::of(&[path]).unwrap_or_default();
    CURSOR.store(next, Release);
    KNOWN.store(1, Release);
}
