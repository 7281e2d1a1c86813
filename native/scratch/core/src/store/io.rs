//! Reading, writing and resizing files.
//!
//! Writers of one file hold its lock. Readers hold nothing: they look at the inode's sequence word before and
//! after the copy and start again if extents were removed meanwhile.

use super::extents::{self, Run, Stretch};
use super::external::is_external;
use super::layout::*;
use super::lock;
use super::names;
use super::ofds::Open;
use super::txn::{holder_alive, Txn};
use super::{Reason, Store};
use crate::clock;
use crate::sys::{self, Fd, Result};
use core::sync::atomic::{fence, AtomicU32, Ordering::*};

/// First reservation of a growing file.
const CHUNK: u64 = 1 << 20;
/// Extents before a file is brought together into one.
const SCATTERED: u32 = 200;
/// Runs freed in one change.
const BATCH: usize = 64;
static ZEROES: [u8; 65536] = [0; 65536];

/// A stretch of the program's memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Buf {
    pub at: *mut u8,
    pub len: usize,
}

pub(super) fn page_up(v: u64) -> u64 {
    v.next_multiple_of(PAGE)
}

fn page_down(v: u64) -> u64 {
    v & !(PAGE - 1)
}

/// Holds a lock word in the index until dropped.
pub(super) struct Held<'r>(&'r AtomicU32);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        lock::give(self.0);
    }
}

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
    /// Takes a lock word of the index; a dead holder's half-done work is harmless under these.
    pub(super) fn hold<'r>(&'r self, word: &'r AtomicU32) -> Result<Held<'r>> {
        lock::take(word, self.me()?, |h| holder_alive(&self.r, h));
        Ok(Held(word))
    }

    /// Reads at `at`, or at the description's position and moves it.
    pub fn read(&self, h: &Open, to: &[Buf], at: Option<u64>) -> Result<usize> {
        if !Self::is_readable(self.flags(h)) {
            return Err(libc::EBADF);
        }
        if self.r.inode(h.inode).kind.load(Relaxed) != FILE {
            return Err(libc::EISDIR);
        }
        if let Some(pos) = at {
            return self.read_at(h, to, pos);
        }
        let o = self.r.ofd(h.ofd);
        let _held = self.hold(&o.lock)?;
        let pos = o.pos.load(Relaxed);
        let n = self.read_at(h, to, pos)?;
        o.pos.store(pos + n as u64, Relaxed);
        Ok(n)
    }

    fn read_at(&self, h: &Open, to: &[Buf], pos: u64) -> Result<usize> {
        let i = self.r.inode(h.inode);
        loop {
            let before = i.seq.load(Acquire);
            if before & 1 == 1 {
                // A change is under way or its maker died: its lock settles both.
                drop(self.txn()?);
                continue;
            }
            let got = self.copy_out(i, to, pos);
            fence(Acquire);
            if i.seq.load(Relaxed) == before {
                self.still(h)?;
                return got;
            }
        }
    }

    fn copy_out(&self, i: &Inode, to: &[Buf], mut pos: u64) -> Result<usize> {
        if is_external(i) {
            return self.with_external(i, |fd| each(to, |b, done| sys::pread(fd, b.at, b.len, pos + done)));
        }
        let size = i.size.load(Acquire);
        let start = pos;
        for buf in to {
            let n = (buf.len as u64).min(size.saturating_sub(pos));
            match self.fill(i, buf.at, n, pos) {
                Ok(()) => pos += n,
                Err(e) if pos == start => return Err(e),
                Err(_) => break,
            }
        }
        Ok((pos - start) as usize)
    }

    fn fill(&self, i: &Inode, at: *mut u8, n: u64, pos: u64) -> Result<()> {
        let mut done = 0;
        while done < n {
            // SAFETY: the caller's buffer holds `n` bytes and `done` is below that.
            let to = unsafe { at.add(done as usize) };
            done += match extents::find(&self.r, i, pos + done, n - done) {
                Stretch::Hole { len } => zero(to, len),
                Stretch::Data { segment, off, len } => {
                    match sys::pread(self.segment_fd(segment)?, to, len as usize, off) {
                        // Reserved pages behind the segment's end were never written.
                        Ok(0) => zero(to, len),
                        Ok(got) => got as u64,
                        Err(libc::EINTR) => 0,
                        Err(e) => return Err(e),
                    }
                }
            };
        }
        Ok(())
    }

    /// Writes at `at`, or at the description's position and moves it; O_APPEND always means the end.
    pub fn write(&self, h: &Open, from: &[Buf], at: Option<u64>) -> Result<usize> {
        let flags = self.flags(h);
        if !Self::is_writable(flags) {
            return Err(libc::EBADF);
        }
        let append = flags & libc::O_APPEND != 0;
        if let Some(pos) = at {
            return self.write_at(h, from, if append { None } else { Some(pos) }).map(|(_, n)| n);
        }
        let o = self.r.ofd(h.ofd);
        let _held = self.hold(&o.lock)?;
        let pos = if append { None } else { Some(o.pos.load(Relaxed)) };
        let (pos, n) = self.write_at(h, from, pos)?;
        o.pos.store(pos + n as u64, Relaxed);
        Ok(n)
    }

    fn write_at(&self, h: &Open, from: &[Buf], pos: Option<u64>) -> Result<(u64, usize)> {
        let i = self.r.inode(h.inode);
        let _held = self.hold(&i.lock)?;
        self.still(h)?;
        if is_external(i) {
            let pos = pos.map_or_else(|| self.external_size(i), Ok)?;
            let n = self.with_external(i, |fd| each(from, |b, done| sys::pwrite(fd, b.at, b.len, pos + done)))?;
            return Ok((pos, n));
        }
        let pos = pos.unwrap_or(i.size.load(Relaxed));
        let total: u64 = from.iter().map(|b| b.len as u64).sum();
        let end = pos.checked_add(total).filter(|&e| e <= i64::MAX as u64 - PAGE).ok_or(libc::EFBIG)?;
        if total == 0 {
            return Ok((pos, 0));
        }
        self.cover(i, pos, end)?;
        self.clean_tail(i, end)?;
        let mut moved = self.copy_in(i, from, pos);
        if moved == (0, Some(libc::ENOSPC)) && self.return_pending() {
            moved = self.copy_in(i, from, pos);
        }
        let (n, failed) = moved;
        if n > 0 {
            i.size.fetch_max(pos + n, Release);
            touch(i);
        }
        match failed {
            None => Ok((pos, n as usize)),
            Some(e) => {
                self.abandon_segment()?;
                if n > 0 {
                    Ok((pos, n as usize))
                } else {
                    Err(e)
                }
            }
        }
    }

    fn copy_in(&self, i: &Inode, from: &[Buf], pos: u64) -> (u64, Option<i32>) {
        let mut total = 0;
        for buf in from {
            let (n, failed) = self.store(i, buf, pos + total);
            total += n;
            if failed.is_some() {
                return (total, failed);
            }
        }
        (total, None)
    }

    fn store(&self, i: &Inode, buf: &Buf, pos: u64) -> (u64, Option<i32>) {
        let mut done = 0;
        while done < buf.len as u64 {
            let here = extents::find(&self.r, i, pos + done, buf.len as u64 - done);
            let Stretch::Data { segment, off, len } = here else { return (done, Some(libc::EIO)) };
            // SAFETY: `done` is below the length of the caller's buffer.
            let at = unsafe { buf.at.add(done as usize) };
            match self.segment_fd(segment).and_then(|fd| sys::pwrite(fd, at, len as usize, off)) {
                Ok(0) => return (done, Some(libc::ENOSPC)),
                Ok(n) => done += n as u64,
                Err(libc::EINTR) => {}
                Err(e) => return (done, Some(e)),
            }
        }
        (done, None)
    }

    /// Makes extents for every page from `pos` to `end`; the caller holds the inode.
    fn cover(&self, i: &Inode, pos: u64, end: u64) -> Result<()> {
        let mut at = page_down(pos);
        while at < end {
            match extents::find(&self.r, i, at, end - at) {
                Stretch::Data { len, .. } => at = page_up(at + len),
                Stretch::Hole { len } => {
                    self.add_run(i, at, page_up(at + len) - at)?;
                }
            }
        }
        Ok(())
    }

    fn add_run(&self, i: &Inode, at: u64, needed: u64) -> Result<()> {
        if extents::count(i) >= SCATTERED {
            self.gather(i, i.size.load(Relaxed))?;
            if !matches!(extents::find(&self.r, i, at, needed), Stretch::Hole { .. }) {
                return Ok(());
            }
        }
        let room = extents::last(&self.r, i).map_or(0, |l| l.end());
        let growing = at >= room;
        let ahead = room.clamp(CHUNK, (self.segment_bytes / 4).max(CHUNK));
        // A writer through the end reserves ahead, so that most files are one extent.
        let bytes = if growing { needed.max(ahead) } else { needed };
        self.reserve_run(at, bytes, |t, run| extents::insert(t, i, run)).map(drop)
    }

    fn reserve_run(&self, at: u64, bytes: u64, then: impl Fn(&Txn, Run) -> Result<()>) -> Result<Run> {
        let pages = u32::try_from(bytes / PAGE).map_err(|_| libc::EFBIG)?;
        loop {
            self.ready_segment(bytes)?;
            let t = self.txn()?;
            let (segment, off) = match self.reserve(&t, self.me()?, pages) {
                Err(libc::EAGAIN) => continue,
                other => other?,
            };
            let run = Run { at, off, segment, pages };
            then(&t, run)?;
            t.commit()?;
            return Ok(run);
        }
    }

    /// Zeroes old bytes behind the end before a write or resize up to `end` makes them visible.
    fn clean_tail(&self, i: &Inode, end: u64) -> Result<()> {
        let flags = i.flags.load(Relaxed);
        let size = i.size.load(Relaxed);
        if flags & (DIRTY_TAIL | WRITE_MAPPED) == 0 || end <= size {
            return Ok(());
        }
        // Through a writable mapping any page of the extent may have been written.
        let stop = if flags & WRITE_MAPPED != 0 { end } else { page_up(size) };
        let mut at = size;
        while at < stop {
            at += match extents::find(&self.r, i, at, (stop - at).min(ZEROES.len() as u64)) {
                Stretch::Hole { len } => len,
                Stretch::Data { segment, off, len } => {
                    sys::pwrite(self.segment_fd(segment)?, ZEROES.as_ptr(), len as usize, off)? as u64
                }
            };
        }
        let t = self.txn()?;
        t.set(&i.flags, i.flags.load(Relaxed) & !DIRTY_TAIL);
        t.commit()
    }

    /// Sets the length of a file.
    pub fn set_len(&self, inode: u32, len: u64, valid: impl Fn() -> Result<()>) -> Result<()> {
        let i = self.r.inode(inode);
        let _held = self.hold(&i.lock)?;
        valid()?;
        if len > i64::MAX as u64 - PAGE {
            return Err(libc::EFBIG);
        }
        if is_external(i) {
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
            if !len.is_multiple_of(PAGE) {
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
        let run = self.reserve_run(0, bytes, |_, _| Ok(()))?;
        if let Err(e) = self.copy_run(i, &run) {
            let t = self.txn()?;
            self.bury(&t, &run);
            t.commit()?;
            self.abandon_segment()?;
            return Err(e);
        }
        let mut old = [Run::default(); SCATTERED as usize + 8];
        let n = (extents::count(i) as usize).min(old.len());
        old.iter_mut().take(n).enumerate().for_each(|(k, o)| *o = extents::get(&self.r, i, k as u32));
        let t = self.txn()?;
        old[..n].iter().for_each(|o| self.bury(&t, o));
        extents::become_one(&t, i, run)?;
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
        if is_external(i) {
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

    /// Flushes the segments a file lies in.
    pub fn sync(&self, h: &Open) -> Result<()> {
        let i = self.r.inode(h.inode);
        if is_external(i) {
            return self.with_external(i, sys::fdatasync);
        }
        let mut last = u32::MAX;
        for k in 0..extents::count(i) {
            let run = extents::get(&self.r, i, k);
            if run.segment != last {
                sys::fdatasync(self.segment_fd(run.segment)?)?;
                last = run.segment;
            }
        }
        Ok(())
    }

    /// Moves the position.
    pub fn seek(&self, h: &Open, off: i64, whence: i32) -> Result<u64> {
        let o = self.r.ofd(h.ofd);
        let _held = self.hold(&o.lock)?;
        let i = self.r.inode(h.inode);
        if i.kind.load(Relaxed) == DIR && whence != libc::SEEK_SET && whence != libc::SEEK_CUR {
            return Err(libc::EINVAL);
        }
        let size = if is_external(i) { self.external_size(i)? } else { i.size.load(Acquire) } as i64;
        let to = match whence {
            libc::SEEK_SET => Some(off),
            libc::SEEK_CUR => off.checked_add(o.pos.load(Relaxed) as i64),
            libc::SEEK_END => off.checked_add(size),
            // All of a file counts as data, as on file systems without holes.
            libc::SEEK_DATA if (0..size).contains(&off) => Some(off),
            libc::SEEK_HOLE if (0..size).contains(&off) => Some(size),
            libc::SEEK_DATA | libc::SEEK_HOLE => return Err(libc::ENXIO),
            _ => return Err(libc::EINVAL),
        };
        let to = to.filter(|&v| v >= 0).ok_or(libc::EINVAL)? as u64;
        o.pos.store(to, Relaxed);
        Ok(to)
    }

    /// Where a stretch of a file can be read from directly, for sendfile and splice.
    pub fn locate(&self, h: &Open, pos: u64, len: u64) -> Result<Option<(Fd, u64, u64)>> {
        let i = self.r.inode(h.inode);
        let len = len.min(i.size.load(Acquire).saturating_sub(pos));
        match extents::find(&self.r, i, pos, len) {
            Stretch::Data { segment, off, len } if len > 0 => Ok(Some((self.segment_fd(segment)?, off, len))),
            _ => Ok(None),
        }
    }

    /// Whether bytes may be transferred from a file, as sendfile and its kin judge.
    pub fn may_send(&self, h: &Open) -> Result<()> {
        match self.r.inode(h.inode).kind.load(Relaxed) {
            _ if !Self::is_readable(self.flags(h)) => Err(libc::EBADF),
            FILE => Ok(()),
            _ => Err(libc::EINVAL),
        }
    }

    /// Whether bytes may be transferred to a file; `append` is what its callers answer for O_APPEND.
    pub fn may_receive(&self, h: &Open, append: i32) -> Result<()> {
        match self.flags(h) {
            f if !Self::is_writable(f) => Err(libc::EBADF),
            f if f & libc::O_APPEND != 0 => Err(append),
            _ => Ok(()),
        }
    }

    /// Maps a file; the answer is the address and the pin that keeps the file alive.
    pub fn map(&self, h: &Open, addr: usize, len: usize, prot: i32, flags: i32, off: u64) -> Result<(usize, u32)> {
        let access = self.flags(h);
        let shared_write = flags & libc::MAP_PRIVATE == 0 && prot & libc::PROT_WRITE != 0;
        if !Self::is_readable(access) || shared_write && access & libc::O_ACCMODE != libc::O_RDWR {
            return Err(libc::EACCES);
        }
        let i = self.r.inode(h.inode);
        if len == 0 || !off.is_multiple_of(PAGE) || i.kind.load(Relaxed) != FILE {
            return Err(if i.kind.load(Relaxed) == FILE { libc::EINVAL } else { libc::ENODEV });
        }
        let pin = self.pin(h)?;
        let mapped = self.map_pinned(i, addr, len, prot, flags, off, shared_write);
        match mapped {
            Ok(at) => Ok((at, pin)),
            Err(e) => {
                self.unpin(pin);
                self.refuse(Reason::Mapping);
                Err(e)
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn map_pinned(
        &self,
        i: &Inode,
        addr: usize,
        len: usize,
        prot: i32,
        flags: i32,
        off: u64,
        shared_write: bool,
    ) -> Result<usize> {
        let _held = self.hold(&i.lock)?;
        if is_external(i) {
            return self.map_external(i, addr, len, prot, flags, off);
        }
        let size = i.size.load(Relaxed);
        let backed = page_up(size).min(page_up(off + len as u64)).saturating_sub(off);
        self.clean_tail(i, page_up(size).max(size + 1))?;
        if backed > 0 && (shared_write && !self.is_one_run(i, off, backed) || self.has_hole(i, off, backed)) {
            self.gather(i, size)?;
        }
        if shared_write {
            let t = self.txn()?;
            t.set(&i.flags, i.flags.load(Relaxed) | WRITE_MAPPED);
            t.commit()?;
        }
        // Behind the file's last page the kernel would raise SIGBUS; here there are zeroes.
        let anonymous =
            (flags & !libc::MAP_SHARED & !libc::MAP_SHARED_VALIDATE) | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let base = sys::mmap(addr, len, prot, anonymous, -1, 0)? as usize;
        let mut at = 0;
        while at < backed {
            let Stretch::Data { segment, off: from, len } = extents::find(&self.r, i, off + at, backed - at) else {
                return Err(libc::EIO);
            };
            let fd = self.segment_fd(segment)?;
            reach(fd, from + len)?;
            let fixed = (flags & !libc::MAP_FIXED_NOREPLACE) | libc::MAP_FIXED;
            sys::mmap(base + at as usize, len as usize, prot, fixed, fd, from)?;
            at += len;
        }
        Ok(base)
    }

    fn is_one_run(&self, i: &Inode, off: u64, len: u64) -> bool {
        matches!(extents::find(&self.r, i, off, len), Stretch::Data { len: l, .. } if l == len)
    }

    fn has_hole(&self, i: &Inode, off: u64, len: u64) -> bool {
        let mut at = 0;
        while at < len {
            match extents::find(&self.r, i, off + at, len - at) {
                Stretch::Hole { .. } => return true,
                Stretch::Data { len, .. } => at += len,
            }
        }
        false
    }
}

/// A mapping of pages wholly behind a file's end cannot be touched: makes the segment reach `end`.
fn reach(fd: Fd, end: u64) -> Result<()> {
    if (sys::fstat(fd)?.st_size as u64) < end {
        sys::pwrite(fd, ZEROES.as_ptr(), 1, end - 1)?;
    }
    Ok(())
}

/// Moves one buffer after another until one comes back short.
fn each(bufs: &[Buf], mv: impl Fn(&Buf, u64) -> Result<usize>) -> Result<usize> {
    let mut done = 0;
    for b in bufs {
        match mv(b, done as u64) {
            Ok(n) if n < b.len => return Ok(done + n),
            Ok(n) => done += n,
            Err(e) if done == 0 => return Err(e),
            Err(_) => break,
        }
    }
    Ok(done)
}

fn zero(at: *mut u8, len: u64) -> u64 {
    // SAFETY: callers pass room for `len` bytes.
    unsafe { core::ptr::write_bytes(at, 0, len as usize) };
    len
}

pub(super) fn touch(i: &Inode) {
    let now = clock::wall();
    i.mtime.store(now, Relaxed);
    i.ctime.store(now, Relaxed);
}
