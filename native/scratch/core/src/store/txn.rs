//! Changes to the index that happen wholly or not at all, even if their process is killed half-way.
//!
//! One lock; every word is noted in the index before it is overwritten. The process that next takes the lock from a
//! dead holder puts the noted words back. Release stores keep each note before its change.

use super::layout::*;
use super::lock::{self, Taken};
use super::region::Region;
use crate::identity::Identity;
use crate::sys::Result;
use core::cell::Cell;
use core::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering::*};

const NARROW: u64 = 1 << 62;
const SEQUENCE: u64 = 1 << 63;
const WHERE: u64 = NARROW - 1;

/// A change in progress; dropped without `commit` it is taken back.
pub struct Txn<'r> {
    pub r: &'r Region,
    full: Cell<bool>,
    open: Cell<bool>,
}

/// Answers whether the process named in a lock word still lives as that process.
pub fn holder_alive(r: &Region, holder: u32) -> bool {
    let p = r.proc(slot_of(holder));
    let id = Identity { pid: p.pid.load(Relaxed), start: p.start.load(Relaxed) };
    p.state.load(Relaxed) == USED && p.generation.load(Relaxed) == holder >> SLOT_BITS && id.alive()
}

/// The slot in a process's name.
pub fn slot_of(me: u32) -> u32 {
    me & (MAX_PROCS - 1)
}

impl<'r> Txn<'r> {
    /// Waits for the lock in the name of process `me`.
    pub fn begin(r: &'r Region, me: u32) -> Txn<'r> {
        let word = &r.head().lock;
        if lock::take(word, me, |h| holder_alive(r, h)) == Taken::FromTheDead {
            roll_back(r);
        }
        Txn { r, full: Cell::new(false), open: Cell::new(true) }
    }

    fn note(&self, at: u64, old: u64) {
        #[cfg(test)]
        death::approach();
        let n = self.r.head().undo_len.load(Relaxed);
        if n >= MAX_UNDO {
            self.full.set(true);
            return;
        }
        let u = self.r.undo(n);
        u.at.store(at, Relaxed);
        u.old.store(old, Relaxed);
        self.r.head().undo_len.store(n + 1, Release);
    }

    /// Overwrites a word.
    pub fn set(&self, word: &AtomicU32, value: u32) {
        self.note(self.r.offset(word) | NARROW, word.load(Relaxed) as u64);
        if !self.full.get() {
            word.store(value, Release);
        }
    }

    /// Overwrites a wide word.
    pub fn set_wide(&self, word: &AtomicU64, value: u64) {
        self.note(self.r.offset(word), word.load(Relaxed));
        if !self.full.get() {
            word.store(value, Release);
        }
    }

    pub fn add(&self, word: &AtomicU32, by: i32) {
        self.set(word, word.load(Relaxed).wrapping_add(by as u32));
    }

    pub fn add_wide(&self, word: &AtomicU64, by: i64) {
        self.set_wide(word, word.load(Relaxed).wrapping_add(by as u64));
    }

    /// Makes readers behind a sequence word try again until the change is over.
    pub fn disturb(&self, seq: &AtomicU32) {
        let v = seq.load(Relaxed);
        if v & 1 == 0 {
            self.note(self.r.offset(seq) | SEQUENCE, v as u64);
            if !self.full.get() {
                seq.store(v + 1, Release);
            }
        }
    }

    /// As `disturb`, for readers of names.
    pub fn disturb_names(&self) {
        self.disturb(&self.r.head().seq);
    }

    /// Makes the change so far final and keeps the lock for more.
    pub fn checkpoint(&self) -> Result<()> {
        if self.full.get() {
            return Err(libc::ENOMEM);
        }
        settle(self.r);
        self.r.head().undo_len.store(0, Release);
        Ok(())
    }

    /// Makes the change final.
    pub fn commit(self) -> Result<()> {
        self.checkpoint()?;
        self.open.set(false);
        Ok(())
    }
}

impl Drop for Txn<'_> {
    fn drop(&mut self) {
        #[cfg(test)]
        if death::came() {
            // As a killed process leaves it: half done and locked.
            return;
        }
        if self.open.get() {
            roll_back(self.r);
        }
        lock::give(&self.r.head().lock);
    }
}

/// Sequence words named by the log.
fn sequences(r: &Region) -> impl Iterator<Item = &AtomicU32> {
    let n = r.head().undo_len.load(Relaxed).min(MAX_UNDO);
    // SAFETY: only `disturb` sets the SEQUENCE bit, with the offset of such a word.
    let seq = |u: &Undo| unsafe { r.word::<AtomicU32>(u.at.load(Relaxed) & WHERE) };
    (0..n).map(|i| r.undo(i)).filter(|u| u.at.load(Relaxed) & SEQUENCE != 0).map(seq)
}

/// Ends the disturbance: an odd word moves on to the next even value, never back to an old one.
fn settle(r: &Region) {
    fence(SeqCst);
    for s in sequences(r) {
        let v = s.load(Relaxed);
        s.store(v + (v & 1), Release);
    }
}

/// Puts every noted word back. May itself be interrupted and run again: the log is only cleared at the end.
fn roll_back(r: &Region) {
    for s in sequences(r) {
        s.store(s.load(Relaxed) | 1, Release);
    }
    fence(SeqCst);
    for i in (0..r.head().undo_len.load(Relaxed).min(MAX_UNDO)).rev() {
        let (at, old) = (r.undo(i).at.load(Relaxed), r.undo(i).old.load(Relaxed));
        // SAFETY: the offsets were noted for words of just these widths.
        unsafe {
            match (at & SEQUENCE != 0, at & NARROW != 0) {
                (true, _) => {}
                (_, true) => r.word::<AtomicU32>(at & WHERE).store(old as u32, Release),
                _ => r.word::<AtomicU64>(at & WHERE).store(old, Release),
            }
        }
    }
    settle(r);
    r.head().undo_len.store(0, Release);
}

/// Stands for a kill at a chosen word of a change.
#[cfg(test)]
pub(super) mod death {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    }

    /// The `words`-th word from now on is not written any more.
    pub fn after(words: u32) {
        LEFT.set(Some(words));
    }

    pub fn approach() {
        match LEFT.get() {
            Some(0) => panic!("killed"),
            Some(n) => LEFT.set(Some(n - 1)),
            None => {}
        }
    }

    pub fn came() -> bool {
        LEFT.get() == Some(0) && std::thread::panicking()
    }

    pub fn cancel() {
        LEFT.set(None);
    }
}
