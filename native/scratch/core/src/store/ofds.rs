//! Open file descriptions and the descriptor tables that refer to them.

use super::index::Store;
use super::layout::*;
use super::txn::{slot_of, Txn};
use crate::sys::Result;
use core::sync::atomic::Ordering::*;

/// A served descriptor at the moment of a call; stale once its description was closed.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub ofd: u32,
    pub inode: u32,
    generation: u32,
}

/// What the last close of a description leaves to do outside the change.
#[derive(Clone, Copy, Default)]
pub struct Aftermath {
    /// Nothing refers to this inode any more.
    doomed: u32,
    /// The last writer is gone: pages reserved but not used can go back.
    trim: u32,
}

impl Store {
    /// What descriptor `fd` stands for, if it is a served one.
    #[inline]
    pub fn open_of(&self, fd: i32) -> Option<Open> {
        let slot = self.slot()?;
        if fd as u32 >= FIRST_PIN || fd as u32 >= self.r.proc(slot).fd_high.load(Relaxed) {
            return None;
        }
        self.entry(slot, fd as u32)
    }

    /// The file that a pin holds.
    pub fn pinned(&self, pin: u32) -> Option<Open> {
        self.entry(self.slot()?, pin)
    }

    #[inline]
    fn entry(&self, slot: u32, fd: u32) -> Option<Open> {
        let ofd = self.r.fd_entry(slot, fd).load(Acquire);
        if ofd == 0 {
            return None;
        }
        let o = self.r.ofd(ofd);
        Some(Open { ofd, generation: o.generation.load(Acquire), inode: o.inode.load(Acquire) })
    }

    /// EBADF if the description was closed, and its record perhaps reused, since `open_of`.
    #[inline]
    pub fn still(&self, h: &Open) -> Result<()> {
        let o = self.r.ofd(h.ofd);
        let same = o.generation.load(Acquire) == h.generation && o.refs.load(Relaxed) > 0;
        if same {
            Ok(())
        } else {
            Err(libc::EBADF)
        }
    }

    /// True if this process has any served descriptor.
    pub fn has_open(&self) -> bool {
        let Some(slot) = self.slot() else { return false };
        (0..self.r.proc(slot).fd_high.load(Relaxed)).any(|fd| self.r.fd_entry(slot, fd).load(Relaxed) != 0)
    }

    /// True if this process has any descriptor of a file.
    pub fn has_open_of(&self, inode: u32) -> bool {
        let Some(slot) = self.slot() else { return false };
        let is_of = |fd| self.entry(slot, fd).is_some_and(|h| h.inode == inode);
        (0..self.r.proc(slot).fd_high.load(Relaxed)).any(is_of)
    }

    pub fn flags(&self, h: &Open) -> i32 {
        self.r.ofd(h.ofd).flags.load(Relaxed) as i32
    }

    pub fn is_writable(flags: i32) -> bool {
        flags & libc::O_ACCMODE != libc::O_RDONLY && flags & libc::O_PATH == 0
    }

    pub fn is_readable(flags: i32) -> bool {
        flags & libc::O_ACCMODE != libc::O_WRONLY && flags & libc::O_PATH == 0
    }

    /// A new description of `inode`, with no descriptor yet.
    pub(super) fn new_ofd(&self, t: &Txn, inode: u32, flags: i32) -> Result<u32> {
        let head = self.r.head();
        let reused = head.ofd_free.load(Relaxed);
        let n = if reused != 0 { reused } else { head.ofd_high.load(Relaxed) };
        if n >= self.r.geo.max_ofds {
            return Err(libc::ENFILE);
        }
        let o = self.r.ofd(n);
        if reused != 0 {
            t.set(&head.ofd_free, o.next.load(Relaxed));
            t.set(&o.next, 0);
        } else {
            self.r.back(OFDS, o)?;
            t.set(&head.ofd_high, n + 1);
        }
        t.set(&o.refs, 1);
        o.inode.store(inode, Relaxed);
        o.flags.store(flags as u32, Relaxed);
        // Its lock stays: a thread that used the record before may hold it, and gives it back.
        o.pos.store(0, Release);
        let i = self.r.inode(inode);
        t.add(&i.opens, 1);
        if Self::is_writable(flags) {
            t.add(&i.writers, 1);
        }
        Ok(n)
    }

    /// Points this process's descriptor at a description.
    pub(super) fn set_entry(&self, t: &Txn, fd: u32, ofd: u32) -> Result<()> {
        if fd >= FIRST_PIN {
            return Err(libc::EMFILE);
        }
        self.point(t, fd, ofd)
    }

    /// Sets a table entry, be it of a descriptor or of a pin.
    fn point(&self, t: &Txn, fd: u32, ofd: u32) -> Result<()> {
        let slot = slot_of(self.me()?);
        self.r.back_fd(slot, fd)?;
        t.set(self.r.fd_entry(slot, fd), ofd);
        self.raise_high(t, slot, fd);
        Ok(())
    }

    pub(super) fn raise_high(&self, t: &Txn, slot: u32, fd: u32) {
        let p = self.r.proc(slot);
        let high = if fd < FIRST_PIN { &p.fd_high } else { &p.pin_high };
        if fd >= high.load(Relaxed) {
            t.set(high, fd + 1);
        }
    }

    /// Takes back what a table entry held of a description.
    fn drop_ref(&self, t: &Txn, ofd: u32, pinned: bool) -> Result<Aftermath> {
        let o = self.r.ofd(ofd);
        let (refs, inode) = (o.refs.load(Relaxed), o.inode.load(Relaxed));
        let i = self.r.inode(inode);
        let mut after = Aftermath::default();
        t.set(&o.refs, refs.saturating_sub(1));
        if pinned {
            t.add(&i.maps, -1);
            if !i.is_mapped() {
                after.trim = inode;
            }
        }
        if refs > 1 {
            return Ok(after);
        }
        t.add(&o.generation, 1);
        t.set(&o.next, self.r.head().ofd_free.load(Relaxed));
        t.set(&self.r.head().ofd_free, ofd);
        t.add(&i.opens, -1);
        if Self::is_writable(o.flags.load(Relaxed) as i32) {
            t.add(&i.writers, -1);
            if i.writers.load(Relaxed) == 0 {
                after.trim = inode;
            }
        }
        if self.doom(t, inode)? {
            after = Aftermath { doomed: inode, trim: NONE };
        }
        Ok(after)
    }

    /// Marks an inode that nothing refers to any more as this process's to clear away.
    pub(super) fn doom(&self, t: &Txn, inode: u32) -> Result<bool> {
        let i = self.r.inode(inode);
        if i.opens.load(Relaxed) != 0 || i.linked.load(Relaxed) != 0 || inode == ROOT {
            return Ok(false);
        }
        t.set(&i.flags, i.flags.load(Relaxed) | DOOMED);
        t.set(&i.sib_prev, self.me()?);
        Ok(true)
    }

    /// Does what a close left to do.
    pub(super) fn settle(&self, after: Aftermath) {
        if after.doomed != NONE {
            let _ = self.reap(after.doomed);
        }
        if after.trim != NONE {
            let _ = self.trim(after.trim);
        }
    }

    /// Clears a table entry of any process.
    pub(super) fn drop_entry(&self, slot: u32, fd: u32) -> Result<()> {
        self.drop_entry_if(slot, fd, || true)
    }

    /// Clears a table entry of any process, if it still is to go now that nobody else changes the table.
    pub(super) fn drop_entry_if(&self, slot: u32, fd: u32, gone: impl Fn() -> bool) -> Result<()> {
        let t = self.txn()?;
        let word = self.r.fd_entry(slot, fd);
        let ofd = word.load(Relaxed);
        if ofd == 0 || !gone() {
            return Ok(());
        }
        t.set(word, 0);
        let after = self.drop_ref(&t, ofd, fd >= FIRST_PIN)?;
        t.commit()?;
        self.settle(after);
        Ok(())
    }

    /// The program closes `fd`; the kernel's descriptor is the caller's business.
    pub fn close(&self, fd: i32) -> Result<()> {
        match self.slot() {
            Some(slot) if self.open_of(fd).is_some() => self.drop_entry(slot, fd as u32),
            _ => Ok(()),
        }
    }

    /// `new` became a copy of `old`, whatever it was before.
    pub fn duplicated(&self, old: i32, new: i32) -> Result<()> {
        if old == new {
            return Ok(());
        }
        self.close(new)?;
        let Some(h) = self.open_of(old) else { return Ok(()) };
        let t = self.txn()?;
        self.still(&h)?;
        t.add(&self.r.ofd(h.ofd).refs, 1);
        self.set_entry(&t, new as u32, h.ofd)?;
        t.commit()
    }

    /// Keeps a file and its pages where they are while it is mapped; answers the pin.
    pub fn pin(&self, h: &Open) -> Result<u32> {
        let slot = slot_of(self.me()?);
        let t = self.txn()?;
        self.still(h)?;
        let high = self.r.proc(slot).pin_high.load(Relaxed);
        let free = |f: &u32| *f >= high || self.r.fd_entry(slot, *f).load(Relaxed) == 0;
        let pin = (FIRST_PIN..MAX_FDS).find(free).ok_or(libc::ENFILE)?;
        t.add(&self.r.ofd(h.ofd).refs, 1);
        t.add(&self.r.inode(h.inode).maps, 1);
        self.point(&t, pin, h.ofd)?;
        t.commit()?;
        Ok(pin)
    }

    /// The mapping is gone.
    pub fn unpin(&self, pin: u32) {
        if let Some(slot) = self.slot() {
            let _ = self.drop_entry(slot, pin);
        }
    }
}
