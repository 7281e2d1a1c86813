//! Segment files: each has one process that appends; space in them is never given out twice once written.

use super::extents::Run;
use super::layout::*;
use super::lock;
use super::txn::{holder_alive, slot_of, Txn};
use super::Store;
use crate::sys::{self, Fd, Result};
use crate::text::PathText;
use core::sync::atomic::Ordering::*;

const PUNCH: i32 = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;

impl Store {
    /// What the names of all our files in the store begin with.
    pub(super) fn store_prefix(&self) -> Result<PathText> {
        let mut p = PathText::of(&[self.store.as_bytes(), b"/weft-", self.node.as_bytes(), b"-"])?;
        p.push_num(self.r.head().id.load(Relaxed))?;
        p.push(b"-")?;
        Ok(p)
    }

    fn segment_path(&self, n: u32) -> Result<PathText> {
        let mut p = self.store_prefix()?;
        p.push_num(n as u64)?;
        p.push(b".segment")?;
        Ok(p)
    }

    /// The pooled descriptor of a segment: one open per process and segment.
    pub fn segment_fd(&self, n: u32) -> Result<Fd> {
        let word = self.private.segment(n);
        match word.load(Acquire) {
            0 => self.open_segment(n, libc::O_RDWR),
            fd => Ok(fd - 1),
        }
    }

    fn open_segment(&self, n: u32, flags: i32) -> Result<Fd> {
        let fd = sys::openat(libc::AT_FDCWD, self.segment_path(n)?.c_path(), flags | libc::O_CLOEXEC, 0o600)?;
        let fd = self.private.lift(fd)?;
        match self.private.segment(n).compare_exchange(0, fd + 1, AcqRel, Acquire) {
            Ok(_) => Ok(fd),
            Err(other) => {
                self.private.close(fd);
                Ok(other - 1)
            }
        }
    }

    /// Makes sure this process has a segment with `bytes` to spare; opens it outside the index lock.
    pub fn ready_segment(&self, bytes: u64) -> Result<()> {
        let me = self.me()?;
        let p = self.r.proc(slot_of(me));
        lock::take(&p.segment_lock, me, |h| holder_alive(&self.r, h));
        let done = if self.has_room(me, bytes) { Ok(()) } else { self.new_segment(me) };
        lock::give(&p.segment_lock);
        done
    }

    fn has_room(&self, me: u32, bytes: u64) -> bool {
        let Some(n) = self.r.proc(slot_of(me)).segment.load(Acquire).checked_sub(1) else { return false };
        let tail = self.r.segment(n).tail.load(Relaxed);
        tail == 0 || tail + bytes <= self.segment_bytes
    }

    fn new_segment(&self, me: u32) -> Result<()> {
        let t = self.txn()?;
        let high = &self.r.head().segment_high;
        let n = high.load(Relaxed);
        if n >= MAX_SEGMENTS {
            return Err(libc::ENOSPC);
        }
        let s = self.r.segment(n);
        self.r.back(SEGMENTS, s)?;
        t.set(high, n + 1);
        t.set(&s.state, 1);
        t.set(&s.owner, me);
        t.commit()?;
        self.open_segment(n, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL)?;
        let t = self.txn()?;
        let old = self.r.proc(slot_of(me)).segment.load(Relaxed);
        t.set(&self.r.proc(slot_of(me)).segment, n + 1);
        if let Some(old) = old.checked_sub(1) {
            t.set(&self.r.segment(old).owner, 0);
        }
        t.commit()?;
        if let Some(old) = old.checked_sub(1) {
            self.drop_if_empty(old);
        }
        Ok(())
    }

    /// Takes `pages` from the end of this process's segment; EAGAIN asks for `ready_segment`.
    pub fn reserve(&self, t: &Txn, me: u32, pages: u32) -> Result<(u32, u64)> {
        let n = self.r.proc(slot_of(me)).segment.load(Relaxed).checked_sub(1).ok_or(libc::EAGAIN)?;
        if !self.has_room(me, pages as u64 * PAGE) {
            return Err(libc::EAGAIN);
        }
        let s = self.r.segment(n);
        let off = s.tail.load(Relaxed);
        t.set_wide(&s.tail, off + pages as u64 * PAGE);
        t.add_wide(&s.live, (pages as u64 * PAGE) as i64);
        Ok((n, off))
    }

    /// Gives back pages that were never written; the segment shrinks if they are its last.
    pub fn unreserve(&self, t: &Txn, me: u32, run: &Run) {
        let s = self.r.segment(run.segment);
        t.add_wide(&s.live, -(run.bytes() as i64));
        let mine = s.owner.load(Relaxed) == me;
        if mine && s.tail.load(Relaxed) == run.off + run.bytes() {
            t.set_wide(&s.tail, run.off);
        }
    }

    /// Accounts for pages that are gone for good.
    pub fn bury(&self, t: &Txn, run: &Run) {
        t.add_wide(&self.r.segment(run.segment).live, -(run.bytes() as i64));
    }

    /// After the change is final: returns the space to the file system, sooner or later.
    pub fn return_space(&self, run: &Run) {
        if self.drop_if_empty(run.segment) {
            return;
        }
        if let Some(due) = self.private.pending.add(*run) {
            self.punch_out(&due);
        }
    }

    fn punch_out(&self, run: &Run) {
        if self.r.segment(run.segment).state.load(Relaxed) == 1 {
            // Failing only costs space: the pages are never read or given out again.
            let _ = self.segment_fd(run.segment).and_then(|fd| sys::fallocate(fd, PUNCH, run.off, run.bytes()));
        }
    }

    /// Returns all space held back; false if there was none.
    pub fn return_pending(&self) -> bool {
        let mut any = false;
        while let Some(run) = self.private.pending.take() {
            self.punch_out(&run);
            any = true;
        }
        any
    }

    /// Stops appending to the current segment: a failed write may have left bytes behind its end.
    pub fn abandon_segment(&self) -> Result<()> {
        let me = self.me()?;
        let t = self.txn()?;
        if let Some(n) = self.r.proc(slot_of(me)).segment.load(Relaxed).checked_sub(1) {
            t.set(&self.r.proc(slot_of(me)).segment, 0);
            t.set(&self.r.segment(n).owner, 0);
        }
        t.commit()
    }

    /// Removes a segment's file once nothing lives in it and nobody appends.
    pub fn drop_if_empty(&self, n: u32) -> bool {
        let s = self.r.segment(n);
        if s.live.load(Relaxed) != 0 || s.owner.load(Relaxed) != 0 {
            return false;
        }
        let Ok(t) = self.txn() else { return false };
        if s.live.load(Relaxed) != 0 || s.owner.load(Relaxed) != 0 || s.state.load(Relaxed) != 1 {
            return s.state.load(Relaxed) == 2;
        }
        t.set(&s.state, 2);
        if t.commit().is_err() {
            return false;
        }
        if let Ok(path) = self.segment_path(n) {
            let _ = sys::unlinkat(libc::AT_FDCWD, path.c_path(), 0);
        }
        let fd = self.private.segment(n).load(Acquire);
        if fd > 0 {
            // The descriptor stays open for readers in flight; its blocks must not.
            let _ = sys::ftruncate(fd - 1, 0);
        }
        true
    }
}
