//! Files that had to become real ones: standard streams are written by libc itself, past every hook.
//!
//! Such a file keeps its name in the index; its bytes and its length are those of a file of its own in the
//! store. That is slow (an open per call from our side) and right; it is meant for redirected output.

use super::extents;
use super::index::{Reason, Store};
use super::io::Held;
use super::layout::*;
use super::ofds::Open;
use super::txn::slot_of;
use super::view::Wanted;
use crate::sys::{self, Fd, Result};
use crate::text::PathText;
use core::sync::atomic::Ordering::*;

impl Store {
    pub(super) fn external_path(&self, i: &Inode) -> Result<PathText> {
        let mut p = self.store_prefix()?;
        p.push_num(i.generation.load(Relaxed) as u64)?;
        p.push(b".file")?;
        Ok(p)
    }

    /// Runs `f` on the real file of an external one.
    pub(super) fn with_external<T>(&self, i: &Inode, f: impl FnOnce(Fd) -> Result<T>) -> Result<T> {
        let path = self.external_path(i)?;
        let fd = sys::openat(libc::AT_FDCWD, path.c_path(), libc::O_RDWR | libc::O_NOFOLLOW | libc::O_CLOEXEC, 0)?;
        let answer = f(fd);
        sys::close(fd)?;
        answer
    }

    pub(super) fn external_size(&self, i: &Inode) -> Result<u64> {
        let st = sys::fstatat(libc::AT_FDCWD, self.external_path(i)?.c_path(), 0)?;
        Ok(st.st_size as u64)
    }

    /// Replaces a served descriptor, and every other one of the same description, by a real one.
    pub fn make_real(&self, fd: i32) -> Result<()> {
        let Some(h) = self.open_of(fd) else { return Ok(()) };
        let i = self.r.inode(h.inode);
        if i.kind.load(Relaxed) != FILE {
            return Ok(());
        }
        self.refuse(Reason::StandardStream);
        {
            let held = self.hold(&i.lock)?;
            self.still(&h)?;
            self.externalise(i, &held)?;
        }
        let flags = self.flags(&h) & !libc::O_NOFOLLOW;
        let real = sys::openat(libc::AT_FDCWD, self.external_path(i)?.c_path(), flags | libc::O_CLOEXEC, 0)?;
        let real = self.private.lift(real)?;
        let done = sys::lseek(real, self.r.ofd(h.ofd).pos.load(Relaxed) as i64, libc::SEEK_SET)
            .and_then(|_| self.swap_all(h.ofd, real));
        self.private.close(real);
        done
    }

    fn swap_all(&self, ofd: u32, real: Fd) -> Result<()> {
        let slot = slot_of(self.me()?);
        for fd in 0..self.r.proc(slot).fd_high.load(Relaxed) {
            if self.r.fd_entry(slot, fd).load(Relaxed) == ofd {
                let cloexec = sys::fcntl(fd as i32, libc::F_GETFD, 0)? & libc::FD_CLOEXEC != 0;
                sys::dup3(real, fd as i32, if cloexec { libc::O_CLOEXEC } else { 0 })?;
                self.drop_entry(slot, fd)?;
            }
        }
        Ok(())
    }

    /// Copies a file's bytes out of the segments; the caller holds the inode.
    fn externalise(&self, i: &Inode, _held: &Held) -> Result<()> {
        if i.is_external() {
            return Ok(());
        }
        if i.is_mapped() {
            self.refuse(Reason::Mapping);
            return Err(libc::EBUSY);
        }
        let size = i.size.load(Relaxed);
        let path = self.external_path(i)?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        let fd = sys::openat(libc::AT_FDCWD, path.c_path(), flags, 0o600)?;
        let copied = sys::ftruncate(fd, size).and_then(|()| self.copy_to(i, fd, 0));
        sys::close(fd)?;
        copied?;
        let mut whole = false;
        let mut marked = false;
        while !whole {
            let t = self.txn()?;
            t.disturb(&i.seq);
            if !marked {
                t.set(&i.flags, i.flags.load(Relaxed) | EXTERNAL);
                marked = true;
            }
            whole = extents::cut(&t, i, 0, 64, |run| self.bury(&t, &run))?;
            t.commit()?;
        }
        Ok(())
    }

    /// The real file goes with the last reference to its name and descriptions.
    pub(super) fn remove_external(&self, i: &Inode) {
        if i.is_external() {
            if let Ok(path) = self.external_path(i) {
                let _ = sys::unlinkat(libc::AT_FDCWD, path.c_path(), 0);
            }
        }
    }

    /// Maps an external file: the kernel does all.
    pub(super) fn map_external(&self, i: &Inode, want: &Wanted) -> Result<usize> {
        let map = |fd| sys::mmap(want.addr, want.len, want.prot, want.flags, fd, want.off).map(|at| at as usize);
        self.with_external(i, map)
    }

    /// True if transfers have to go through a buffer.
    pub fn needs_copying(&self, h: &Open) -> bool {
        self.r.inode(h.inode).is_external()
    }
}
