//! Segments, in files of the store and in memory: each has one process that appends; space in them is never given
//! out twice once written.

use super::extents::Run;
use super::index::Store;
use super::layout::*;
use super::lock;
use super::owned;
use super::txn::{holder_alive, slot_of, Txn};
use crate::sys::{self, Fd, Result};
use crate::text::PathText;
use core::sync::atomic::{AtomicI32, Ordering::*};

const PUNCH: i32 = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;

impl Store {
    /// What the names of all our files in the store begin with.
    pub(super) fn store_prefix(&self) -> Result<PathText> {
        let mut p = PathText::of(&[self.store.as_bytes(), b"/weft-", self.node.as_bytes(), b"-"])?;
        p.push_num(self.r.head().id.load(Relaxed))?;
        p.push(b"-")?;
        Ok(p)
    }

    /// The file that all segments in memory are stretches of.
    fn open_memory(&self) -> Result<Fd> {
        owned::open(self.memory.c_path(), true)
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
        let fd = match self.r.segment(n).is_memory() {
            true => return self.memory_fd(n),
            false => {
                let flags = flags | libc::O_NOFOLLOW | libc::O_CLOEXEC;
                sys::openat(libc::AT_FDCWD, self.segment_path(n)?.c_path(), flags, 0o600)?
            }
        };
        self.keep(fd, self.private.segment(n))
    }

    /// One descriptor serves all segments in memory.
    fn memory_fd(&self, n: u32) -> Result<Fd> {
        let fd = match self.private.memory.load(Acquire) {
            0 => self.keep(self.open_memory()?, &self.private.memory)?,
            fd => fd - 1,
        };
        self.private.segment(n).store(fd + 1, Release);
        Ok(fd)
    }

    /// Keeps a descriptor in `word`, plus one, unless another thread was faster.
    fn keep(&self, fd: Fd, word: &AtomicI32) -> Result<Fd> {
        let fd = self.private.lift(fd)?;
        match word.compare_exchange(0, fd + 1, AcqRel, Acquire) {
            Ok(_) => Ok(fd),
            Err(other) => {
                self.private.close(fd);
                Ok(other - 1)
            }
        }
    }

    /// Makes sure this process has a segment with `bytes` to spare; opens it outside the index lock.
    pub fn ready_segment(&self, medium: Medium, bytes: u64) -> Result<()> {
        let me = self.me()?;
        let p = self.r.proc(slot_of(me));
        lock::take(&p.segment_lock, me, |h| holder_alive(&self.r, h));
        let done = if self.has_room(me, medium, bytes) { Ok(()) } else { self.new_segment(me, medium) };
        lock::give(&p.segment_lock);
        done
    }

    /// The segment this process appends to.
    fn current(&self, me: u32, medium: Medium) -> Option<u32> {
        self.r.proc(slot_of(me)).segment[medium as usize].load(Acquire).checked_sub(1)
    }

    fn has_room(&self, me: u32, medium: Medium, bytes: u64) -> bool {
        let Some(n) = self.current(me, medium) else { return false };
        let tail = self.r.segment(n).tail.load(Relaxed);
        match medium {
            Medium::Store => tail == 0 || tail + bytes <= self.segment_bytes,
            Medium::Memory => tail + bytes <= (n as u64 + 1) * MEMORY_SEGMENT,
        }
    }

    fn new_segment(&self, me: u32, medium: Medium) -> Result<()> {
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
        if medium == Medium::Memory {
            t.set(&s.medium, medium as u32);
            t.set_wide(&s.tail, n as u64 * MEMORY_SEGMENT);
            self.lengthen_memory(n)?;
        }
        t.commit()?;
        self.open_segment(n, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL)?;
        let t = self.txn()?;
        let old = self.give_up(&t, me, medium);
        t.set(&self.r.proc(slot_of(me)).segment[medium as usize], n + 1);
        t.commit()?;
        if let Some(old) = old {
            self.drop_if_empty(old);
        }
        Ok(())
    }

    /// What lies behind the memory file's end could not be mapped. The caller holds the index.
    fn lengthen_memory(&self, n: u32) -> Result<()> {
        let (fd, end) = (self.memory_fd(n)?, (n as u64 + 1) * MEMORY_SEGMENT);
        match (sys::fstat(fd)?.st_size as u64) < end {
            true => sys::ftruncate(fd, end),
            false => Ok(()),
        }
    }

    /// Ends appending to the current segment of a medium; answers which it was.
    fn give_up(&self, t: &Txn, me: u32, medium: Medium) -> Option<u32> {
        let n = self.current(me, medium)?;
        t.set(&self.r.proc(slot_of(me)).segment[medium as usize], 0);
        t.set(&self.r.segment(n).owner, 0);
        Some(n)
    }

    /// Ends appending to either segment.
    pub(super) fn give_up_both(&self, t: &Txn, me: u32) -> [Option<u32>; 2] {
        Medium::ALL.map(|medium| self.give_up(t, me, medium))
    }

    /// Takes `pages` from the end of this process's segment; EAGAIN asks for `ready_segment`.
    pub fn reserve(&self, t: &Txn, me: u32, medium: Medium, pages: u32) -> Result<(u32, u64)> {
        let bytes = pages as u64 * PAGE;
        let n = self.current(me, medium).ok_or(libc::EAGAIN)?;
        if !self.has_room(me, medium, bytes) {
            return Err(libc::EAGAIN);
        }
        let s = self.r.segment(n);
        let off = s.tail.load(Relaxed);
        t.set_wide(&s.tail, off + bytes);
        t.add_wide(&s.live, bytes as i64);
        if medium == Medium::Memory {
            self.account(t, s, bytes as i64);
        }
        Ok((n, off))
    }

    /// Counts memory that is taken or has come back.
    fn account(&self, t: &Txn, s: &Segment, bytes: i64) {
        t.add_wide(&s.held, bytes);
        t.add_wide(&self.r.head().memory_used, bytes);
    }

    /// Gives back pages that were never written; the segment shrinks if they are its last.
    pub fn unreserve(&self, t: &Txn, me: u32, run: &Run) {
        let s = self.r.segment(run.segment);
        t.add_wide(&s.live, -(run.bytes() as i64));
        if s.is_memory() {
            self.account(t, s, -(run.bytes() as i64));
        }
        let mine = s.owner.load(Relaxed) == me;
        if mine && s.tail.load(Relaxed) == run.off + run.bytes() {
            t.set_wide(&s.tail, run.off);
        }
    }

    /// Accounts for pages that are gone permanently.
    pub fn bury(&self, t: &Txn, run: &Run) {
        t.add_wide(&self.r.segment(run.segment).live, -(run.bytes() as i64));
    }

    /// After the change is final: returns the space, sooner or later.
    pub fn return_space(&self, run: &Run) {
        if self.drop_if_empty(run.segment) {
            return;
        }
        let medium = self.r.segment(run.segment).is_memory() as usize;
        if let Some(due) = self.private.pending[medium].add(*run) {
            self.punch_out(&due);
        }
    }

    fn punch_out(&self, run: &Run) {
        let s = self.r.segment(run.segment);
        if s.state.load(Relaxed) != 1 {
            return;
        }
        // Failing only costs space: the pages are never read or given out again.
        let punched = self.segment_fd(run.segment).and_then(|fd| sys::fallocate(fd, PUNCH, run.off, run.bytes()));
        if s.is_memory() && punched.is_ok() {
            let _ = self.uncount(s, run.bytes());
        }
    }

    /// Memory came back to the node.
    fn uncount(&self, s: &Segment, bytes: u64) -> Result<()> {
        let t = self.txn()?;
        // The process that removed the segment meanwhile has accounted for all of it.
        if s.state.load(Relaxed) == 1 {
            self.account(&t, s, -(bytes as i64));
        }
        t.commit()
    }

    /// Returns the space of one medium that is held back; false if there was none.
    pub fn return_pending(&self, medium: Medium) -> bool {
        let mut any = false;
        while let Some(run) = self.private.pending[medium as usize].take() {
            self.punch_out(&run);
            any = true;
        }
        any
    }

    /// Stops appending to the current segments: a failed write may have left bytes behind their end.
    pub fn abandon_segments(&self) -> Result<()> {
        let me = self.me()?;
        let t = self.txn()?;
        self.give_up_both(&t, me);
        t.commit()
    }

    /// Removes a segment once nothing lives in it and nobody appends.
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
        match s.is_memory() {
            true => drop(self.remove_memory(n)),
            false => self.remove_file_of(n),
        }
        true
    }

    fn remove_file_of(&self, n: u32) {
        let Ok(path) = self.segment_path(n) else { return };
        // Descriptors stay open for readers in flight, also those of other processes; its blocks must not.
        match self.private.segment(n).load(Acquire) {
            0 => {
                let flags = libc::O_WRONLY | libc::O_TRUNC | libc::O_NOFOLLOW | libc::O_CLOEXEC;
                let _ = sys::openat(libc::AT_FDCWD, path.c_path(), flags, 0).and_then(sys::close);
            }
            fd => drop(sys::ftruncate(fd - 1, 0)),
        }
        let _ = sys::unlinkat(libc::AT_FDCWD, path.c_path(), 0);
    }

    fn remove_memory(&self, n: u32) -> Result<()> {
        sys::fallocate(self.segment_fd(n)?, PUNCH, n as u64 * MEMORY_SEGMENT, MEMORY_SEGMENT)?;
        let s = self.r.segment(n);
        let t = self.txn()?;
        self.account(&t, s, -(s.held.load(Relaxed) as i64));
        t.commit()
    }
}
