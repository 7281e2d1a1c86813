//! Positions, sending and mapping of files.

use super::extents::{self, Stretch};
use super::index::{Reason, Store};
use super::io::{page_up, ZEROES};
use super::layout::*;
use super::ofds::Open;
use crate::sys::{self, Fd, Result};
use core::sync::atomic::Ordering::*;

impl Store {
    /// Moves the position.
    pub fn seek(&self, h: &Open, off: i64, whence: i32) -> Result<u64> {
        let o = self.r.ofd(h.ofd);
        let _held = self.hold(&o.lock)?;
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

    /// Maps a file; the answer is the address and the pin that keeps the file alive.
    pub fn map(&self, h: &Open, addr: usize, len: usize, prot: i32, flags: i32, off: u64) -> Result<(usize, u32)> {
        let access = self.flags(h);
        let shared_write = flags & libc::MAP_PRIVATE == 0 && prot & libc::PROT_WRITE != 0;
        if !Self::is_readable(access) || shared_write && access & libc::O_ACCMODE != libc::O_RDWR {
            return Err(libc::EACCES);
        }
        let i = self.r.inode(h.inode);
        if len == 0 || off % PAGE != 0 || i.kind.load(Relaxed) != FILE {
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
        if i.is_external() {
            return self.map_external(i, addr, len, prot, flags, off);
        }
        let size = i.size.load(Relaxed);
        let backed = page_up(size).min(page_up(off + len as u64)).saturating_sub(off);
        self.clean_tail(i, page_up(size).max(size + 1))?;
        if backed > 0 && (shared_write && self.one_run(i, off, backed).is_none() || self.has_hole(i, off, backed)) {
            self.gather(i, size)?;
        }
        if shared_write {
            let t = self.txn()?;
            t.set(&i.flags, i.flags.load(Relaxed) | WRITE_MAPPED);
            t.commit()?;
        }
        if let Some((segment, from)) = self.one_run(i, off, backed).filter(|_| backed >= len as u64) {
            let fd = self.segment_fd(segment)?;
            reach(fd, from + backed)?;
            return sys::mmap(addr, len, prot, flags, fd, from).map(|at| at as usize);
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

    /// Where a stretch of a file lies, if it lies in one piece.
    fn one_run(&self, i: &Inode, at: u64, len: u64) -> Option<(u32, u64)> {
        match extents::find(&self.r, i, at, len) {
            Stretch::Data { segment, off, len: l } if l == len => Some((segment, off)),
            _ => None,
        }
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
