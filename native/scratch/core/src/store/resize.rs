//! Resizing, moving and giving back the space of files.

use super::extents::{self, Run, Stretch};
use super::index::{Reason, Store};
use super::io::{page_up, touch};
use super::layout::*;
use super::names;
use super::ofds::Open;
use super::txn::Txn;
use crate::sys::{self, Fd, Result};
use core::sync::atomic::Ordering::*;

/// Runs freed in one change.
const BATCH: usize = 64;

/// Runs collected inside a change, for what must wait until it is final.
struct Batch {
    runs: [Run; BATCH],
    n: usize,
}

impl Batch {
    fn new() -> Batch {
        Batch { runs: [Run::default(); BATCH], n: 0 }
    }

    fn push(&mut self, run: Run) {
        if self.n < BATCH {
            self.runs[self.n] = run;
            self.n += 1;
        }
    }
}

impl Store {
    /// Sets the length of a file.
    pub fn set_len(&self, inode: u32, len: u64, valid: impl Fn() -> Result<()>) -> Result<()> {
        let i = self.r.inode(inode);
        let _held = self.hold(&i.lock)?;
        valid()?;
        if len > i64::MAX as u64 - PAGE {
            return Err(libc::EFBIG);
        }
        if i.is_external() {
            return self.with_external(i, |fd| sys::ftruncate(fd, len));
        }
        let old = i.size.load(Relaxed);
        if len >= old {
            self.clean_tail(i, len)?;
            i.size.store(len, Release);
            touch(i);
            return Ok(());
        }
        touch(i);
        let shorten = |t: &Txn| {
            t.set_wide(&i.size, len);
            t.set_wide(&i.stale, i.stale.load(Relaxed).max(page_up(old)));
            true
        };
        if i.is_mapped() {
            let t = self.txn()?;
            shorten(&t);
            return t.commit();
        }
        self.cut(i, page_up(len), shorten, |t| t.set_wide(&i.stale, page_up(len)))
    }

    /// Gives back a file's pages from `end` on, in steps: `step` joins each change and may call it off, `last` joins
    /// the last one. The caller holds the inode.
    fn cut(&self, i: &Inode, end: u64, step: impl Fn(&Txn) -> bool, last: impl Fn(&Txn)) -> Result<()> {
        loop {
            let mut freed = Batch::new();
            let t = self.txn()?;
            if !step(&t) {
                return Ok(());
            }
            let whole = extents::cut(&t, i, end, BATCH as u32, |run| {
                self.bury(&t, &run);
                freed.push(run);
            })?;
            if whole {
                last(&t);
            }
            t.commit()?;
            freed.runs[..freed.n].iter().for_each(|run| self.return_space(run));
            if whole {
                return Ok(());
            }
        }
    }

    /// After the last writer or mapping: gives back pages behind the end, most of which were only reserved.
    pub(super) fn trim(&self, inode: u32) -> Result<()> {
        let i = self.r.inode(inode);
        let _held = self.hold(&i.lock)?;
        let end = page_up(i.size.load(Relaxed));
        if extents::last(&self.r, i).is_none_or(|l| l.end() <= end) {
            return Ok(());
        }
        let idle = || i.kind.load(Relaxed) == FILE && i.writers.load(Relaxed) == 0 && !i.is_mapped();
        if i.stale.load(Relaxed) > end {
            return self.cut(i, end, |_| idle(), |t| t.set_wide(&i.stale, end));
        }
        let t = self.txn()?;
        if !idle() {
            return Ok(());
        }
        let me = self.me()?;
        extents::cut(&t, i, end, BATCH as u32, |run| self.unreserve(&t, me, &run))?;
        t.commit()
    }

    /// Returns the space of a file that nothing refers to, and its inode.
    pub(super) fn reap(&self, inode: u32) -> Result<()> {
        let i = self.r.inode(inode);
        let _held = self.hold(&i.lock)?;
        let doomed = |_: &Txn| i.kind.load(Relaxed) != FREE && i.flags.load(Relaxed) & DOOMED != 0;
        self.cut(i, 0, doomed, |t| {
            self.remove_external(i);
            names::release(t, inode);
        })
    }

    /// Moves a file into one extent of the store; the caller holds the inode. EBUSY while it is mapped: what is written
    /// through a mapping would be lost.
    pub(super) fn gather(&self, i: &Inode) -> Result<()> {
        if i.is_mapped() {
            self.refuse(Reason::Mapping);
            return Err(libc::EBUSY);
        }
        let bytes = page_up(i.size.load(Relaxed)).max(PAGE);
        let run = self.reserve_run(Medium::Store, 0, bytes, |_, _| Ok(()))?;
        if let Err(e) = self.copy_run(i, &run) {
            let t = self.txn()?;
            self.bury(&t, &run);
            t.commit()?;
            self.abandon_segments()?;
            return Err(e);
        }
        let mut old = Batch::new();
        let t = self.txn()?;
        for k in 0..extents::count(i) {
            let run = extents::get(&self.r, i, k);
            self.bury(&t, &run);
            // Of more runs the space comes back with their segments.
            old.push(run);
        }
        extents::become_one(&t, i, run);
        t.commit()?;
        old.runs[..old.n].iter().for_each(|run| self.return_space(run));
        Ok(())
    }

    fn copy_run(&self, i: &Inode, to: &Run) -> Result<()> {
        self.copy_to(i, self.segment_fd(to.segment)?, to.off)
    }

    /// Copies a file's bytes to `base` of another; holes stay holes.
    pub(super) fn copy_to(&self, i: &Inode, target: Fd, base: u64) -> Result<()> {
        let size = i.size.load(Relaxed);
        let mut buf = [0u8; 32768];
        let mut at = 0;
        while at < size {
            at += match extents::find(&self.r, i, at, (size - at).min(buf.len() as u64)) {
                Stretch::Hole { len } => len,
                Stretch::Data { segment, off, len } => {
                    self.move_piece(self.segment_fd(segment)?, off, target, base + at, &mut buf[..len as usize])?;
                    len
                }
            };
        }
        Ok(())
    }

    fn move_piece(&self, from: Fd, off: u64, to: Fd, at: u64, buf: &mut [u8]) -> Result<()> {
        let (bytes, room) = (buf.as_mut_ptr(), buf.len());
        let n = sys::uninterrupted(|| sys::pread(from, bytes, room, off))?;
        let mut done = 0;
        while done < n {
            let rest = &buf[done..n];
            done += sys::uninterrupted(|| sys::pwrite(to, rest.as_ptr(), rest.len(), at + done as u64))?;
        }
        if n > 0 && n < buf.len() {
            return self.move_piece(from, off + n as u64, to, at + n as u64, &mut buf[n..]);
        }
        Ok(())
    }

    /// fallocate(2): plain, keep-size and punching; the rest is refused.
    pub fn allocate(&self, h: &Open, mode: i32, off: u64, len: u64) -> Result<()> {
        if !Self::is_writable(self.flags(h)) {
            return Err(libc::EBADF);
        }
        let end = off.checked_add(len).filter(|&e| e <= i64::MAX as u64 - PAGE).ok_or(libc::EFBIG)?;
        let i = self.r.inode(h.inode);
        let _held = self.hold(&i.lock)?;
        self.still(h)?;
        if i.is_external() {
            return self.with_external(i, |fd| sys::fallocate(fd, mode, off, len));
        }
        match mode {
            0 => {
                self.cover(i, off, end)?;
                if end > i.size.load(Relaxed) {
                    self.clean_tail(i, end)?;
                    i.size.store(end, Release);
                }
                touch(i);
                Ok(())
            }
            libc::FALLOC_FL_KEEP_SIZE => Ok(()),
            m if m == libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE => self.punch(i, off, end),
            _ => {
                self.refuse(Reason::FallocateMode);
                Err(libc::EOPNOTSUPP)
            }
        }
    }

    fn punch(&self, i: &Inode, off: u64, end: u64) -> Result<()> {
        let mut at = off;
        while at < end {
            at += match extents::find(&self.r, i, at, end - at) {
                Stretch::Hole { len } => len,
                Stretch::Data { segment, off, len } => {
                    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                    sys::fallocate(self.segment_fd(segment)?, mode, off, len)?;
                    len
                }
            };
        }
        touch(i);
        Ok(())
    }
}
