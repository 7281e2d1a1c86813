//! Resizing, gathering and giving back the space of files.

use super::extents::{self, Run, Stretch};
use super::index::{Reason, Store};
use super::io::{page_up, touch};
use super::layout::*;
use super::names;
use super::ofds::Open;
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
        if len >= i.size.load(Relaxed) {
            self.clean_tail(i, len)?;
            i.size.store(len, Release);
            touch(i);
            return Ok(());
        }
        touch(i);
        loop {
            let mut freed = Batch::new();
            let t = self.txn()?;
            t.set_wide(&i.size, len);
            if len % PAGE != 0 {
                t.set(&i.flags, i.flags.load(Relaxed) | DIRTY_TAIL);
            }
            let whole = extents::cut(&t, i, page_up(len), BATCH as u32, |run| {
                self.bury(&t, &run);
                freed.push(run);
            })?;
            t.commit()?;
            freed.runs[..freed.n].iter().for_each(|run| self.return_space(run));
            if whole {
                return Ok(());
            }
        }
    }

    /// After the last writer: gives back pages that were reserved ahead and never written.
    pub(super) fn trim(&self, inode: u32) -> Result<()> {
        let i = self.r.inode(inode);
        let _held = self.hold(&i.lock)?;
        let end = page_up(i.size.load(Relaxed));
        if extents::last(&self.r, i).is_none_or(|l| l.end() <= end) {
            return Ok(());
        }
        let t = self.txn()?;
        let mapped = i.flags.load(Relaxed) & WRITE_MAPPED != 0;
        if i.kind.load(Relaxed) != FILE || i.writers.load(Relaxed) != 0 || mapped {
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
        loop {
            let mut freed = Batch::new();
            let t = self.txn()?;
            if i.kind.load(Relaxed) == FREE || i.flags.load(Relaxed) & DOOMED == 0 {
                return Ok(());
            }
            let whole = extents::cut(&t, i, 0, BATCH as u32, |run| {
                self.bury(&t, &run);
                freed.push(run);
            })?;
            if whole {
                self.remove_external(i);
                names::release(&t, inode);
            }
            t.commit()?;
            freed.runs[..freed.n].iter().for_each(|run| self.return_space(run));
            if whole {
                return Ok(());
            }
        }
    }

    /// Brings a file together into one extent of at least `len` bytes; the caller holds the inode.
    pub(super) fn gather(&self, i: &Inode, len: u64) -> Result<()> {
        let bytes = page_up(len.max(i.size.load(Relaxed))).max(PAGE);
        let run = self.reserve_run(Medium::Store, 0, bytes, |_, _| Ok(()))?;
        if let Err(e) = self.copy_run(i, &run) {
            let t = self.txn()?;
            self.bury(&t, &run);
            t.commit()?;
            self.abandon_segments()?;
            return Err(e);
        }
        let mut old = [Run::default(); SCATTERED as usize + 8];
        let n = (extents::count(i) as usize).min(old.len());
        old.iter_mut().take(n).enumerate().for_each(|(k, o)| *o = extents::get(&self.r, i, k as u32));
        let t = self.txn()?;
        old[..n].iter().for_each(|o| self.bury(&t, o));
        extents::become_one(&t, i, run);
        t.commit()?;
        old[..n].iter().for_each(|o| self.return_space(o));
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
        let n = sys::pread(from, buf.as_mut_ptr(), buf.len(), off)?;
        let mut done = 0;
        while done < n {
            done += sys::pwrite(to, buf[done..].as_ptr(), n - done, at + done as u64)?;
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
