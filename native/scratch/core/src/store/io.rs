//! Reading and writing files.
//!
//! Writers of one file hold its lock. Readers hold nothing: they look at the inode's sequence word before and
//! after the copy and start again if extents were removed meanwhile.

use super::extents::{self, Run, Stretch};
use super::index::Store;
use super::layout::*;
use super::lock;
use super::ofds::Open;
use super::txn::{holder_alive, Txn};
use crate::clock;
use crate::sys::{self, Result};
use core::sync::atomic::{fence, AtomicU32, Ordering::*};

/// First reservation of a growing file.
const CHUNK: u64 = 1 << 20;
pub(super) static ZEROES: [u8; 65536] = [0; 65536];

/// A stretch of the program's memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Buf {
    pub at: *mut u8,
    pub len: usize,
}

/// Why a write ended early, and whether it was in memory.
#[derive(Clone, Copy)]
struct Failed {
    error: i32,
    in_memory: bool,
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
        if i.is_external() {
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
                    let fd = self.segment_fd(segment)?;
                    match sys::uninterrupted(|| sys::pread(fd, to, len as usize, off))? {
                        // Reserved pages behind the segment's end were never written.
                        0 => zero(to, len),
                        got => got as u64,
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
        // If it was closed meanwhile, the record may be another's by now.
        if self.still(h).is_ok() {
            o.pos.store(pos + n as u64, Relaxed);
        }
        Ok(n)
    }

    fn write_at(&self, h: &Open, from: &[Buf], pos: Option<u64>) -> Result<(u64, usize)> {
        let i = self.r.inode(h.inode);
        let _held = self.hold(&i.lock)?;
        self.still(h)?;
        if i.is_external() {
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
        let (n, failed) = self.put(i, from, pos, end)?;
        if n > 0 {
            i.size.fetch_max(pos + n, Release);
            touch(i);
        }
        match failed {
            None => Ok((pos, n as usize)),
            Some(Failed { error, .. }) => {
                self.abandon_segments()?;
                i.stale.fetch_max(page_up(end), Relaxed);
                if n > 0 {
                    Ok((pos, n as usize))
                } else {
                    Err(error)
                }
            }
        }
    }

    /// Covers a stretch with pages and fills it; where room is short, tries what may give more.
    fn put(&self, i: &Inode, from: &[Buf], pos: u64, end: u64) -> Result<(u64, Option<Failed>)> {
        self.cover(i, pos, end)?;
        self.clean_tail(i, pos)?;
        let moved = self.copy_in(i, from, pos);
        let again = match moved {
            (_, Some(f)) if f.in_memory && self.leave_memory(i, f.error) => true,
            (0, Some(f)) => self.found_room(f.error),
            _ => false,
        };
        if !again {
            return Ok(moved);
        }
        self.cover(i, pos, end)?;
        Ok(self.copy_in(i, from, pos))
    }

    /// Whether an error says that space is short, and some that was held back has been given back.
    pub(super) fn found_room(&self, error: i32) -> bool {
        matches!(error, libc::ENOSPC | libc::EDQUOT) && self.return_pending(Medium::Store)
    }

    fn copy_in(&self, i: &Inode, from: &[Buf], pos: u64) -> (u64, Option<Failed>) {
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

    fn store(&self, i: &Inode, buf: &Buf, pos: u64) -> (u64, Option<Failed>) {
        let mut done = 0;
        while done < buf.len as u64 {
            let here = extents::find(&self.r, i, pos + done, buf.len as u64 - done);
            let Stretch::Data { segment, off, len } = here else {
                return (done, Some(Failed { error: libc::EIO, in_memory: false }));
            };
            let failed = |error| Some(Failed { error, in_memory: self.r.segment(segment).is_memory() });
            // SAFETY: `done` is below the length of the caller's buffer.
            let at = unsafe { buf.at.add(done as usize) };
            let fill = &ZEROES[..self.fill_of(i, segment, pos + done, len)];
            let write = |fd| sys::uninterrupted(|| sys::pwrite_two(fd, at, len as usize, fill, off));
            match self.segment_fd(segment).and_then(write) {
                Ok(0) => return (done, failed(libc::ENOSPC)),
                Ok(n) => done += (n as u64).min(len),
                Err(e) => return (done, failed(e)),
            }
        }
        (done, None)
    }

    /// Zeroes to write behind a stretch, so that a fresh last page is written whole: a client of a network file
    /// system has to ask for a page that it knows in part before it can read it.
    fn fill_of(&self, i: &Inode, segment: u32, pos: u64, len: u64) -> usize {
        let end = pos + len;
        let fresh = page_down(end) >= pos && end >= i.size.load(Relaxed);
        match fresh && !self.r.segment(segment).is_memory() {
            true => (page_up(end) - end) as usize,
            false => 0,
        }
    }

    /// Makes extents for every page from `pos` to `end`; the caller holds the inode.
    pub(super) fn cover(&self, i: &Inode, pos: u64, end: u64) -> Result<()> {
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
        let (at, needed) = if extents::count(i) < SCATTERED { (at, needed) } else { self.whole_hole(i, at, needed) };
        if self.reserve_memory(i, at, needed) {
            return Ok(());
        }
        let room = extents::last(&self.r, i).map_or(0, |l| l.end());
        let growing = at >= room;
        let ahead = room.clamp(CHUNK, (self.segment_bytes / 4).max(CHUNK));
        // A writer through the end reserves ahead, so that most files are one extent.
        let bytes = if growing { needed.max(ahead) } else { needed };
        self.reserve_run(Medium::Store, at, bytes, |t, run| extents::insert(t, i, run)).map(drop)
    }

    /// Enlarges a piece of a hole to all of it, up to the piece's end if nothing follows.
    fn whole_hole(&self, i: &Inode, at: u64, needed: u64) -> (u64, u64) {
        let (start, end) = extents::hole(&self.r, i, at);
        (start, end.unwrap_or(at + needed) - start)
    }

    pub(super) fn reserve_run(
        &self,
        medium: Medium,
        at: u64,
        bytes: u64,
        then: impl Fn(&Txn, Run) -> Result<()>,
    ) -> Result<Run> {
        let pages = u32::try_from(bytes / PAGE).map_err(|_| libc::EFBIG)?;
        loop {
            self.ready_segment(medium, bytes)?;
            let t = self.txn()?;
            let (segment, off) = match self.reserve(&t, self.me()?, medium, pages) {
                Err(libc::EAGAIN) => continue,
                other => other?,
            };
            let run = Run { at, off, segment, pages };
            then(&t, run)?;
            t.commit()?;
            return Ok(run);
        }
    }

    /// Zeroes old bytes behind the file's end before it grows to `end` or beyond.
    pub(super) fn clean_tail(&self, i: &Inode, end: u64) -> Result<()> {
        let stop = end.min(i.stale.load(Relaxed));
        let mut at = i.size.load(Relaxed);
        while at < stop {
            at += match extents::find(&self.r, i, at, (stop - at).min(ZEROES.len() as u64)) {
                Stretch::Hole { len } => len,
                Stretch::Data { segment, off, len } => {
                    let fd = self.segment_fd(segment)?;
                    sys::uninterrupted(|| sys::pwrite(fd, ZEROES.as_ptr(), len as usize, off))? as u64
                }
            };
        }
        Ok(())
    }

    /// Flushes the segments a file lies in.
    pub fn sync(&self, h: &Open) -> Result<()> {
        let i = self.r.inode(h.inode);
        if i.is_external() {
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
