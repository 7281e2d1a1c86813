//! Which addresses map which served file: a mapped file lives until it is unmapped, closed and unlinked or not.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};

/// Mappings remembered; a file mapped beyond that lives as long as the process.
const MAX_MAPS: usize = 4096;

/// Set in the pin of a mapping that is about to go; pins are numbers below it.
const LEAVING: u32 = 1 << 31;

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

/// Marks the mappings that an unmapping covers whole, before it happens: an instant later another thread may have the
/// same addresses. Partly unmapped files stay pinned.
pub fn leaving(at: usize, len: usize) {
    for (m, pin) in inside(at, len) {
        let _ = m.pin.compare_exchange(pin, pin | LEAVING, AcqRel, Relaxed);
    }
}

/// Pins of the marked mappings, which are gone now.
pub fn unmapped(at: usize, len: usize, mut unpin: impl FnMut(u32)) {
    for (m, pin) in inside(at, len).filter(|(_, pin)| pin & LEAVING != 0) {
        if m.pin.compare_exchange(pin, 1, AcqRel, Relaxed).is_ok() {
            m.start.store(0, Relaxed);
            m.pin.store(0, Release);
            unpin(pin & !LEAVING);
        }
    }
}

fn inside(at: usize, len: usize) -> impl Iterator<Item = (&'static Map, u32)> {
    let end = at + len.next_multiple_of(4096);
    MAPS[..HIGH.load(Acquire)].iter().map(|m| (m, m.pin.load(Acquire))).filter(move |(m, pin)| {
        let start = m.start.load(Relaxed);
        *pin > 1 && start >= at && start + m.len.load(Relaxed) <= end
    })
}

/// True if there may be anything to unpin.
#[inline]
pub fn any() -> bool {
    HIGH.load(Relaxed) > 0
}
