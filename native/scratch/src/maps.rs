//! Which addresses map which served file: a mapped file lives until it is unmapped, closed and unlinked or not.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};

/// Mappings remembered; a file mapped beyond that lives as long as the process.
const MAX_MAPS: usize = 4096;

struct Map {
    start: AtomicUsize,
    len: AtomicUsize,
    /// 0 while the record is free, 1 while it is being filled.
    pin: AtomicU32,
}

static MAPS: [Map; MAX_MAPS] =
    [const { Map { start: AtomicUsize::new(0), len: AtomicUsize::new(0), pin: AtomicU32::new(0) } }; MAX_MAPS];
/// Records at and above this were never used.
static HIGH: AtomicUsize = AtomicUsize::new(0);

/// Remembers that a mapping holds a pin.
pub fn remember(at: usize, len: usize, pin: u32) {
    let free = |m: &Map| m.pin.load(Relaxed) == 0 && m.pin.compare_exchange(0, 1, AcqRel, Relaxed).is_ok();
    let Some(n) = MAPS.iter().position(free) else { return };
    MAPS[n].start.store(at, Relaxed);
    MAPS[n].len.store(len.next_multiple_of(4096), Relaxed);
    MAPS[n].pin.store(pin, Release);
    HIGH.fetch_max(n + 1, AcqRel);
}

/// Pins of the mappings that an unmapping covers whole; partly unmapped files stay pinned.
pub fn unmapped(at: usize, len: usize, mut unpin: impl FnMut(u32)) {
    let end = at + len.next_multiple_of(4096);
    for m in &MAPS[..HIGH.load(Acquire)] {
        let pin = m.pin.load(Acquire);
        let start = m.start.load(Relaxed);
        let inside = pin > 1 && start >= at && start + m.len.load(Relaxed) <= end;
        if inside && m.pin.compare_exchange(pin, 1, AcqRel, Relaxed).is_ok() {
            m.start.store(0, Relaxed);
            m.pin.store(0, Release);
            unpin(pin);
        }
    }
}

/// True if there may be anything to unpin.
#[inline]
pub fn any() -> bool {
    HIGH.load(Relaxed) > 0
}
