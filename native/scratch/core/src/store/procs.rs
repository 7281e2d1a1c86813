//! Processes attached to the index: joining, forking, exec, and clearing up after those that died.

use super::index::Store;
use super::layout::*;
use super::txn::{slot_of, Txn};
use crate::identity::Identity;
use crate::sys::Result;
use core::sync::atomic::Ordering::*;

/// Children have slots below this one. The others are left for processes that join: only who has a slot can clear those of
/// processes that have ended.
const FORKED: u32 = MAX_PROCS - 64;

/// A place in the index made ready for a child before it exists; the index lock is held meanwhile, so that
/// no other thread changes the descriptor table between the copy and the fork.
pub struct Fork<'s> {
    lock: Txn<'s>,
    name: u32,
}

impl Store {
    /// Joins the index in a slot of its own.
    pub(super) fn attach(&self) -> Result<u32> {
        // Without a slot it can clear none: that takes a name for the lock.
        let me = self.claim(Identity::own(), MAX_PROCS)?;
        match self.me.compare_exchange(0, me, AcqRel, Acquire) {
            Ok(_) => {
                self.bury_the_gone(me, slot_of(me) >= FORKED);
                Ok(me)
            }
            Err(other) => {
                self.r.proc(slot_of(me)).state.store(UNUSED, Release);
                Ok(other)
            }
        }
    }

    /// A free slot for a child; where there is none, those of processes that have ended are cleared first.
    fn claim_for_child(&self, id: Identity) -> Result<u32> {
        self.claim(id, FORKED).or_else(|_| {
            self.bury_the_gone(self.me()?, true);
            self.claim(id, FORKED)
        })
    }

    /// A free slot below `end`.
    pub(super) fn claim(&self, id: Identity, end: u32) -> Result<u32> {
        let free = |n: &u32| {
            let state = &self.r.proc(*n).state;
            state.load(Relaxed) == UNUSED && state.compare_exchange(UNUSED, CLAIMED, AcqRel, Relaxed).is_ok()
        };
        let n = (0..end).find(free).ok_or(libc::EUSERS)?;
        let p = self.r.proc(n);
        let generation = (p.generation.load(Relaxed) + 1) & ((1 << (31 - SLOT_BITS)) - 1);
        p.generation.store(generation.max(1), Relaxed);
        p.start.store(id.start, Relaxed);
        p.pid.store(id.pid, Relaxed);
        for w in [&p.fd_high, &p.segment[0], &p.segment[1], &p.segment_lock] {
            w.store(0, Relaxed);
        }
        p.pin_high.store(FIRST_PIN, Relaxed);
        self.r.head().proc_high.fetch_max(n + 1, Relaxed);
        p.state.store(USED, Release);
        Ok(generation.max(1) << SLOT_BITS | n)
    }

    /// After exec the process has the same pid, and perhaps descriptors that survived: takes its slot again.
    pub fn resume(&self) {
        let id = Identity::own();
        let own = |n: &u32| {
            let p = self.r.proc(*n);
            p.state.load(Acquire) == USED && p.pid.load(Relaxed) == id.pid && p.start.load(Relaxed) == id.start
        };
        let Some(n) = (0..self.r.head().proc_high.load(Relaxed)).find(own) else { return };
        let p = self.r.proc(n);
        // Locks that threads of the old program held are now held by a name that is no more.
        let generation = (p.generation.load(Relaxed) + 1) & ((1 << (31 - SLOT_BITS)) - 1);
        p.generation.store(generation.max(1), Release);
        let me = generation.max(1) << SLOT_BITS | n;
        self.me.store(me, Release);
        let _ = self.release_segments(me);
        self.close_where(n, |fd| fd >= FIRST_PIN || !self.private.is_placeholder(fd as i32));
    }

    /// At the end of the process: other threads may still run, so descriptors are left to the next to join.
    pub fn leave(&self) -> Result<()> {
        match self.me.load(Acquire) {
            0 => Ok(()),
            me => {
                self.release_segments(me)?;
                for medium in Medium::ALL {
                    self.return_pending(medium);
                }
                Ok(())
            }
        }
    }

    /// A killed thread may have written behind the end of a segment, so nobody appends to it again.
    fn release_segments(&self, me: u32) -> Result<()> {
        let t = self.txn()?;
        let old = self.give_up_both(&t, me);
        t.commit()?;
        self.drop_empty(old);
        Ok(())
    }

    fn drop_empty(&self, segments: [Option<u32>; 2]) {
        for n in segments.into_iter().flatten() {
            self.drop_if_empty(n);
        }
    }

    /// Drops the table entries of slot `n` that `gone` points out.
    pub(super) fn close_where(&self, n: u32, gone: impl Fn(u32) -> bool) {
        for fd in self.entries(n) {
            if self.r.fd_entry(n, fd).load(Relaxed) != 0 && gone(fd) {
                let _ = self.drop_entry_if(n, fd, || gone(fd));
            }
        }
    }

    /// The part of a process's table that may be in use.
    pub(super) fn entries(&self, n: u32) -> impl Iterator<Item = u32> {
        let p = self.r.proc(n);
        (0..p.fd_high.load(Relaxed)).chain(FIRST_PIN..p.pin_high.load(Relaxed))
    }

    /// Clears up after processes that ended without closing; `thorough` also sees zombies and reused pids.
    fn bury_the_gone(&self, me: u32, thorough: bool) {
        for n in 0..self.r.head().proc_high.load(Relaxed) {
            let p = self.r.proc(n);
            let id = Identity { pid: p.pid.load(Relaxed), start: p.start.load(Relaxed) };
            let gone = || if thorough { !id.alive() } else { id.surely_gone() };
            if n != slot_of(me) && p.state.load(Acquire) == USED && gone() {
                let _ = self.bury_process(n, id);
            }
        }
    }

    /// Closes what a dead process left open and frees its slot; several processes may try at once.
    pub(super) fn bury_process(&self, n: u32, id: Identity) -> Result<()> {
        let p = self.r.proc(n);
        let same = || p.pid.load(Relaxed) == id.pid && p.start.load(Relaxed) == id.start;
        let name = p.generation.load(Relaxed) << SLOT_BITS | n;
        self.close_where(n, |_| same());
        self.finish_doomed(name)?;
        let t = self.txn()?;
        if p.state.load(Relaxed) != USED || !same() || p.generation.load(Relaxed) << SLOT_BITS | n != name {
            return Ok(());
        }
        let segments = self.give_up_both(&t, name);
        t.set(&p.pid, 0);
        t.set(&p.state, UNUSED);
        t.commit()?;
        self.drop_empty(segments);
        Ok(())
    }

    /// Returns the space of files whose last close was cut short by their process's death.
    fn finish_doomed(&self, name: u32) -> Result<()> {
        for at in ROOT + 1..self.r.head().inode_high.load(Relaxed) {
            let i = self.r.inode(at);
            let doomed = i.kind.load(Relaxed) != FREE && i.flags.load(Relaxed) & DOOMED != 0;
            if doomed && i.sib_prev.load(Relaxed) == name {
                self.reap(at)?;
            }
        }
        Ok(())
    }

    /// Before a fork: a slot for the child with a copy of the descriptor table.
    pub fn before_fork(&self) -> Option<Fork<'_>> {
        let slot = self.slot()?;
        if self.entries(slot).all(|fd| self.r.fd_entry(slot, fd).load(Relaxed) == 0) {
            return None;
        }
        // Until the child has named itself the slot lives and dies with its parent; start 0 fits any.
        let name = self.claim_for_child(Identity { start: 0, ..Identity::own() }).ok()?;
        let lock = self.txn().ok()?;
        match self.copy_table(&lock, slot, slot_of(name)) {
            Ok(()) => Some(Fork { lock, name }),
            Err(_) => {
                drop(lock);
                self.abandon(name);
                None
            }
        }
    }

    fn copy_table(&self, t: &Txn, from: u32, to: u32) -> Result<()> {
        let mut noted = 0;
        for fd in self.entries(from) {
            let ofd = self.r.fd_entry(from, fd).load(Relaxed);
            if ofd == 0 {
                continue;
            }
            self.r.back_fd(to, fd)?;
            t.set(self.r.fd_entry(to, fd), ofd);
            t.add(&self.r.ofd(ofd).refs, 1);
            if fd >= FIRST_PIN {
                t.add(&self.r.inode(self.r.ofd(ofd).inode.load(Relaxed)).maps, 1);
            }
            self.raise_high(t, to, fd);
            noted += 4;
            if noted > MAX_UNDO - 8 {
                t.checkpoint()?;
                noted = 0;
            }
        }
        t.checkpoint()
    }

    /// In the child: its slot becomes its own; without one it joins again when it needs to.
    pub fn in_child(&self, fork: Option<Fork>) {
        match fork {
            None => self.me.store(0, Release),
            // Its slot stays in the name of the pid that the parent knows.
            Some(f) if self.is_foreign() => {
                self.me.store(0, Release);
                core::mem::forget(f.lock);
            }
            Some(f) => {
                let id = Identity::own();
                let p = self.r.proc(slot_of(f.name));
                p.pid.store(id.pid, Release);
                p.start.store(id.start, Release);
                self.me.store(f.name, Release);
                // The lock is the parent's to give back.
                core::mem::forget(f.lock);
            }
        }
    }

    /// In the parent: lets go of the lock, and of the child's slot if there is no child.
    pub fn in_parent(&self, fork: Option<Fork>, pid: i32) {
        let Some(f) = fork else { return };
        drop(f.lock);
        if pid < 0 {
            return self.abandon(f.name);
        }
        let own = Identity::own().pid;
        let _ = self.r.proc(slot_of(f.name)).pid.compare_exchange(own, pid as u32, AcqRel, Relaxed);
    }

    fn abandon(&self, name: u32) {
        let p = self.r.proc(slot_of(name));
        let id = Identity { pid: p.pid.load(Relaxed), start: p.start.load(Relaxed) };
        let _ = self.bury_process(slot_of(name), id);
    }

    /// A child that no fork hook saw must not use its parent's slot.
    pub fn forked_unseen(&self) {
        let owner = self.slot().map(|n| self.r.proc(n).pid.load(Relaxed));
        if owner.is_some_and(|pid| pid != crate::sys::getpid()) {
            self.me.store(0, Release);
        }
    }
}
