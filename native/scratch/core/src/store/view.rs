//! Positions, sending and mapping of files.

use super::extents::{self, Stretch};
use super::index::{Reason, Store};
use super::io::{page_up, ZEROES};
use super::layout::*;
use super::ofds::Open;
use crate::sys::{self, Fd, Result};
use core::sync::atomic::Ordering::*;

/// The arguments of mmap(2), but for the descriptor.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub addr: usize,
    pub len: usize,
    pub prot: i32,
    pub flags: i32,
    pub off: u64,
}

impl Wanted {
    pub fn is_shared(&self) -> bool {
        self.flags & libc::MAP_TYPE != libc::MAP_PRIVATE
    }
}

impl Store {
    /// Moves the position.
    pub fn seek(&self, h: &Open, off: i64, whence: i32) -> Result<u64> {
        let o = self.r.ofd(h.ofd);
        let _held = self.hold(&o.lock)?;
        self.still(h)?;
        let i = self.r.inode(h.inode);
        if i.kind.load(Relaxed) == DIR && whence != libc::SEEK_SET && whence != libc::SEEK_CUR {
            return Err(libc::EINVAL);
        }
        let size = if i.is_external() { self.external_size(i)? } else { i.size.load(Acquire) } as i64;
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

    /// Maps a file; the answer is the address and the pin that keeps its pages where they are.
    pub fn map(&self, h: &Open, want: &Wanted) -> Result<(usize, u32)> {
        let access = self.flags(h);
        let shared_write = want.is_shared() && want.prot & libc::PROT_WRITE != 0;
        if !Self::is_readable(access) || shared_write && access & libc::O_ACCMODE != libc::O_RDWR {
            return Err(libc::EACCES);
        }
        let i = self.r.inode(h.inode);
        if i.kind.load(Relaxed) != FILE {
            return Err(libc::ENODEV);
        }
        let end = want.off.checked_add(want.len as u64).filter(|&end| end < i64::MAX as u64 - PAGE);
        let end = page_up(end.filter(|_| want.len > 0 && want.off % PAGE == 0).ok_or(libc::EINVAL)?);
        // Later it may be made writable, by mprotect.
        let writable = want.is_shared() && access & libc::O_ACCMODE == libc::O_RDWR;
        self.map_whole(h, i, want, end, writable).inspect_err(|_| self.refuse(Reason::Mapping))
    }

    fn map_whole(&self, h: &Open, i: &Inode, want: &Wanted, end: u64, writable: bool) -> Result<(usize, u32)> {
        let pin = self.pin(h)?;
        match self.map_pinned(i, want, end, writable) {
            Ok(at) => Ok((at, pin)),
            Err(e) => {
                self.unpin(pin);
                Err(e)
            }
        }
    }

    /// Maps the pages of the file themselves, also those that it may grow over, so that no later change needs to move one.
    fn map_pinned(&self, i: &Inode, want: &Wanted, end: u64, writable: bool) -> Result<usize> {
        let _held = self.hold(&i.lock)?;
        if i.is_external() {
            return self.map_external(i, want);
        }
        let filled = page_up(i.size.load(Relaxed));
        self.clean_tail(i, filled)?;
        self.cover(i, want.off, end)?;
        if writable && i.stale.load(Relaxed) < end {
            let t = self.txn()?;
            t.set_wide(&i.stale, end);
            t.commit()?;
        }
        match extents::find(&self.r, i, want.off, end - want.off) {
            Stretch::Data { len, .. } if len == end - want.off => self.map_piece(i, want, filled),
            _ => self.map_pieces(i, want, end, filled),
        }
    }

    fn map_pieces(&self, i: &Inode, want: &Wanted, end: u64, filled: u64) -> Result<usize> {
        let place = libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE;
        let empty = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | want.flags & place;
        let base = sys::mmap(want.addr, want.len, libc::PROT_NONE, empty, -1, 0)? as usize;
        let flags = want.flags & !libc::MAP_FIXED_NOREPLACE | libc::MAP_FIXED;
        let mut off = want.off;
        while off < end {
            let Stretch::Data { len, .. } = extents::find(&self.r, i, off, end - off) else { return Err(libc::EIO) };
            let addr = base + (off - want.off) as usize;
            if let Err(e) = self.map_piece(i, &Wanted { addr, len: len as usize, flags, off, ..*want }, filled) {
                sys::munmap(base as *mut u8, want.len)?;
                return Err(e);
            }
            off += len;
        }
        Ok(base)
    }

    /// Maps pages that lie in one extent; up to `filled` the file has them.
    fn map_piece(&self, i: &Inode, want: &Wanted, filled: u64) -> Result<usize> {
        let Stretch::Data { segment, off, len } = extents::find(&self.r, i, want.off, page_up(want.len as u64)) else {
            return Err(libc::EIO);
        };
        let fd = self.segment_fd(segment)?;
        match filled.saturating_sub(want.off).min(len) {
            0 if self.r.segment(segment).is_memory() => {}
            // Touching a page for which the node has no memory would be SIGBUS.
            bytes if self.r.segment(segment).is_memory() => sys::fallocate(fd, 0, off, bytes)?,
            _ => reach(fd, off + len)?,
        }
        sys::mmap(want.addr, want.len, want.prot, want.flags, fd, off).map(|at| at as usize)
    }
}

/// A mapping of pages wholly behind a file's end cannot be touched: makes the segment reach `end`.
fn reach(fd: Fd, end: u64) -> Result<()> {
    if (sys::fstat(fd)?.st_size as u64) < end {
        sys::pwrite(fd, ZEROES.as_ptr(), 1, end - 1)?;
    }
    Ok(())
}
