//! Ties the lives of served descriptors to that of the process.

use super::handle::handle;
use crate::process::{gate, handshake};
use crate::scratch::{forked_away, locks, mapped, maps};
use crate::{count, pool};
use core::cell::Cell;
use core::ffi::c_int;
use weft_scratch_core::store::procs::Fork;
use weft_scratch_core::store::{Reason, Store};
use weft_scratch_core::sys::Result;

thread_local! {
    /// Set while this thread forks with the index's lock held: handlers of pthread_atfork(3) may fork too.
    static LOCKED: Cell<bool> = const { Cell::new(false) };
}

/// True for descriptors the library holds for itself.
#[inline]
pub fn is_ours(fd: c_int) -> bool {
    mapped().is_some_and(|s| s.private.is_ours(fd)) || pool::is_ours(fd)
}

/// The program closes `fd`: forgets it before the kernel can give the number out again.
pub fn dropped(fd: c_int) {
    if let Some(s) = mapped() {
        let_go(s, fd);
    }
    pool::close(fd);
}

fn let_go(s: &Store, fd: c_int) {
    if let Some(h) = s.open_of(fd) {
        locks::release(s, &h);
        let _ = s.close(fd);
        locks::closed(s, &h);
    }
}

/// A new descriptor of the kernel's: whatever we knew of its number is out of date.
#[inline]
pub fn fresh(fd: c_int) {
    if fd >= 0 && handle(fd).is_some() {
        gate::exclusive(|| {
            dropped(fd);
            Some(())
        });
    }
}

/// `new` became a copy of `old`.
pub fn duplicated(old: c_int, new: c_int) -> Result<()> {
    if let Some(s) = mapped() {
        if old != new {
            let_go(s, new);
        }
        s.duplicated(old, new)?;
    }
    pool::duplicated(old, new)
}

/// libc itself reads and writes standard streams, past all hooks: a served file there becomes a real one.
pub fn standard(fd: c_int) -> Result<()> {
    if let Some(s) = mapped() {
        s.make_real(fd)?;
    }
    pool::standard(fd)
}

/// True if a child should be a whole process: a vfork child could not turn served files into real ones.
pub fn prefers_fork() -> bool {
    mapped().is_some_and(|s| s.has_open())
}

/// Counts something that could not be served.
pub fn refused(reason: Reason) {
    if let Some(s) = mapped() {
        s.refuse(reason);
    }
}

/// The process ends normally.
pub fn end() {
    gate::exclusive(|| mapped()?.leave().ok());
}

pub fn before_fork() -> Option<Fork<'static>> {
    pool::before_fork();
    if LOCKED.get() {
        // It would wait for this thread's own lock: this child has none of the served files that are open.
        return None;
    }
    let fork = mapped()?.before_fork();
    LOCKED.set(fork.is_some());
    fork
}

/// What this process prepared: where a handler's child goes on with its parent's fork, that is its parent's.
fn own(fork: Option<Fork<'_>>) -> Option<Fork<'_>> {
    if fork.is_some() && !LOCKED.replace(false) {
        core::mem::forget(fork);
        return None;
    }
    fork
}

pub fn in_child(fork: Option<Fork<'_>>) {
    pool::in_child();
    let fork = own(fork);
    LOCKED.set(false);
    if let Some(s) = mapped() {
        s.in_child(fork);
    }
    settle_in_child();
}

/// What another pid namespace cannot be served is reported, as by a program that starts there.
fn settle_in_child() {
    if forked_away() {
        let jobs = [(b'c', count::on()), (b'p', pool::on())];
        handshake::started(handshake::letters(jobs).as_bytes());
    }
}

pub fn in_parent(fork: Option<Fork<'_>>, pid: libc::pid_t) {
    pool::after_fork(pid < 0);
    if let Some(s) = mapped() {
        s.in_parent(own(fork), pid);
    }
}

/// In a child, whether a fork hook saw it come or not.
pub fn forked() {
    pool::forked();
    if let Some(s) = mapped() {
        s.forked_unseen();
    }
    maps::forked(mapped().is_some_and(|s| s.slot().is_some()));
    settle_in_child();
}
