//! Which pages of a file are kept in memory: those of small files, and the first ones of longer files while there is
//! room. The rest is the store's, and so is everything once memory has run out.

use super::extents::{self, Run};
use super::index::Store;
use super::layout::*;
use core::sync::atomic::Ordering::*;

/// First and largest reservation of a growing file.
const AHEAD: (u64, u64) = (PAGE, 1 << 20);
/// Files up to this length may use all of the memory; longer ones leave them half of it.
const SMALL: u64 = 64 << 10;
/// The part of the memory that one file may use.
const SHARE: u64 = 16;

impl Store {
    /// Reserves memory for a hole of a file; false if these pages belong into the store.
    pub(super) fn reserve_memory(&self, i: &Inode, at: u64, needed: u64) -> bool {
        let limit = self.r.head().memory_limit.load(Relaxed);
        let last = extents::last(&self.r, i);
        if at + needed > (limit / SHARE).max(SMALL).min(limit) || last.is_some_and(|l| !self.is_in_memory(&l)) {
            return false;
        }
        let room = last.map_or(0, |l| l.end());
        let bytes = if at >= room { needed.max(room.clamp(AHEAD.0, AHEAD.1)) } else { needed };
        // No segment in memory would ever have room for it.
        if bytes > MEMORY_SEGMENT {
            return false;
        }
        let most = if at + needed <= SMALL { limit } else { limit / 2 };
        let used = || self.r.head().memory_used.load(Relaxed);
        let fits = || used() + bytes <= most || self.return_pending(Medium::Memory) && used() + bytes <= most;
        fits()
            && self
                .reserve_run(Medium::Memory, at, bytes, |t, run| match used() > most {
                    // Another was faster.
                    true => Err(libc::ENOSPC),
                    false => extents::insert(t, i, run),
                })
                .is_ok()
    }

    fn is_in_memory(&self, run: &Run) -> bool {
        self.r.segment(run.segment).is_memory()
    }

    /// The node has less memory than was thought: uses no more of it, and moves a file that met this to the store.
    pub(super) fn leave_memory(&self, i: &Inode, error: i32) -> bool {
        let short = matches!(error, libc::ENOSPC | libc::ENOMEM);
        let any = || (0..extents::count(i)).any(|n| self.is_in_memory(&extents::get(&self.r, i, n)));
        if !short || !any() {
            return false;
        }
        self.r.head().memory_limit.store(0, Relaxed);
        self.gather(i).is_ok()
    }
}
