//! Which addresses map which served file: its pages stay where they are until the last of them is unmapped.

use super::mapped;
use core::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use weft_scratch_core::store::lock;
use weft_scratch_core::store::ofds::Open;
use weft_scratch_core::store::view::Wanted;
use weft_scratch_core::store::{Reason, Store};
use weft_scratch_core::sys::{self, Result};

/// Mappings remembered; a file mapped beyond that is pinned as long as the process lives.
const MAX_MAPS: usize = 4096;
const PAGE: usize = 4096;

/// A stretch of memory that maps a file. Changed under the lock; read without it where a caller may not be there to change.
struct Map {
    start: AtomicUsize,
    len: AtomicUsize,
    off: AtomicU64,
    prot: AtomicI32,
    flags: AtomicI32,
    /// 0 while the record is free.
    pin: AtomicU32,
}

static MAPS: [Map; MAX_MAPS] = [const {
    Map {
        start: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        off: AtomicU64::new(0),
        prot: AtomicI32::new(0),
        flags: AtomicI32::new(0),
        pin: AtomicU32::new(0),
    }
}; MAX_MAPS];
/// Records at and above this were never used.
static HIGH: AtomicUsize = AtomicUsize::new(0);
/// Held from an unmapping until the records say so: meanwhile another thread may get the same addresses.
static LOCK: AtomicU32 = AtomicU32::new(0);

impl Map {
    fn set(&self, want: &Wanted, pin: u32) {
        self.start.store(want.addr, Relaxed);
        self.len.store(want.len.next_multiple_of(PAGE), Relaxed);
        self.off.store(want.off, Relaxed);
        self.prot.store(want.prot, Relaxed);
        self.flags.store(want.flags & !(libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE), Relaxed);
        self.pin.store(pin, Release);
    }

    /// The part from `at` on.
    fn part(&self, at: usize, len: usize) -> Wanted {
        let off = self.off.load(Relaxed) + (at - self.start.load(Relaxed)) as u64;
        Wanted { addr: at, len, prot: self.prot.load(Relaxed), flags: self.flags.load(Relaxed), off }
    }

    fn end(&self) -> usize {
        self.start.load(Relaxed) + self.len.load(Relaxed)
    }
}

fn locked<R>(work: impl FnOnce() -> R) -> R {
    lock::take(&LOCK, 1, |_| true);
    let r = work();
    lock::give(&LOCK);
    r
}

/// In a forked child: the thread that held the lock is not there, and perhaps none of the pins are.
pub fn forked(has_pins: bool) {
    LOCK.store(0, Relaxed);
    if !has_pins {
        records().for_each(|m| m.pin.store(0, Relaxed));
    }
}

fn records() -> impl Iterator<Item = &'static Map> {
    MAPS[..HIGH.load(Acquire)].iter().filter(|m| m.pin.load(Acquire) != 0)
}

fn touching(at: usize, len: usize) -> impl Iterator<Item = &'static Map> {
    let end = at.saturating_add(len.next_multiple_of(PAGE));
    records().filter(move |m| m.start.load(Relaxed) < end && at < m.end())
}

/// Whether a range has pages of served files.
#[inline]
pub fn touches(at: usize, len: usize) -> bool {
    HIGH.load(Relaxed) > 0 && touching(at, len).next().is_some()
}

/// Maps a served file.
pub fn map(s: &Store, h: &Open, want: &Wanted) -> Result<usize> {
    let (addr, pin) = s.map(h, want)?;
    locked(|| {
        // Whatever was mapped here is gone.
        forget(s, addr, want.len);
        remember(&Wanted { addr, ..*want }, pin);
    });
    Ok(addr)
}

/// Makes a call that unmaps a range if it succeeds.
pub fn replace<R>(at: usize, len: usize, real: impl FnOnce() -> R, succeeded: impl FnOnce(&R) -> bool) -> R {
    locked(|| {
        let r = real();
        if let Some(s) = mapped().filter(|_| succeeded(&r)) {
            forget(s, at, len);
        }
        r
    })
}

fn remember(want: &Wanted, pin: u32) {
    let Some(n) = MAPS.iter().position(|m| m.pin.load(Relaxed) == 0) else { return };
    MAPS[n].set(want, pin);
    HIGH.fetch_max(n + 1, AcqRel);
}

/// Takes a range out of the records, and the pins of those of which nothing is left.
fn forget(s: &Store, at: usize, len: usize) {
    let end = at + len.next_multiple_of(PAGE);
    for m in touching(at, len) {
        let (start, pin) = (m.start.load(Relaxed), m.pin.load(Relaxed));
        let behind = (m.end() > end).then(|| m.part(end, m.end() - end));
        match (start < at, behind) {
            (true, None) => m.len.store(at - start, Relaxed),
            (false, Some(rest)) => m.set(&rest, pin),
            (false, None) => {
                m.pin.store(0, Release);
                s.unpin(pin);
            }
            // Without a second pin the record stays whole: the file is pinned for longer than it has to be.
            (true, Some(rest)) => {
                if let Some(second) = s.pinned(pin).and_then(|h| s.pin(&h).ok()) {
                    m.len.store(at - start, Relaxed);
                    remember(&rest, second);
                }
            }
        }
    }
}

fn unmap(at: usize, len: usize) -> Result<()> {
    replace(at, len, || sys::munmap(at as *mut u8, len), |r| r.is_ok())
}

/// mremap(2) of a range with pages of a served file. The kernel's own would grow over the pages of the next file. A shared
/// mapping is mapped again; a private one would lose what was written to it, so that it does not grow.
pub fn remap(s: &Store, old: usize, old_len: usize, len: usize, flags: i32, new: usize) -> Result<usize> {
    let fixed = flags & libc::MREMAP_FIXED != 0;
    let (old_len, len) = (old_len.next_multiple_of(PAGE), len.next_multiple_of(PAGE));
    let overlap = fixed && new < old + old_len && old < new.saturating_add(len);
    if old % PAGE != 0 || len == 0 || overlap {
        return Err(libc::EINVAL);
    }
    if len <= old_len && !fixed {
        return if len < old_len { unmap(old + len, old_len - len) } else { Ok(()) }.map(|()| old);
    }
    let m = touching(old, 1).find(|m| old + old_len <= m.end()).ok_or(libc::EFAULT)?;
    let mut want = m.part(old, len);
    if flags & !libc::MREMAP_FIXED != libc::MREMAP_MAYMOVE || !want.is_shared() || old_len == 0 {
        s.refuse(Reason::Mapping);
        return Err(libc::ENOMEM);
    }
    (want.addr, want.flags) = if fixed { (new, want.flags | libc::MAP_FIXED) } else { (0, want.flags) };
    let h = s.pinned(m.pin.load(Relaxed)).ok_or(libc::EFAULT)?;
    let at = map(s, &h, &want)?;
    unmap(old, old_len).map(|()| at)
}
