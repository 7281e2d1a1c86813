//! One change at a time of the descriptor table and its descriptions, and none during a fork: what was counted for the child
//! is what it gets.

use super::lock::{Held, Lock};
use core::cell::Cell;

static CHANGES: Lock = Lock::new();

thread_local! {
    /// How many forks this thread is in, with the lock held: handlers of pthread_atfork(3) may open files meanwhile.
    static FORKS: Cell<u32> = const { Cell::new(0) };
}

/// Held during a change; this thread has it already if it forks.
pub fn one() -> Option<Held<'static>> {
    (!held()).then(|| CHANGES.hold())
}

/// Keeps others from changes until `free`: this thread forks.
pub fn hold() {
    if !held() {
        core::mem::forget(CHANGES.hold());
    }
    FORKS.set(FORKS.get() + 1);
}

/// Whether this thread forks with the lock held.
pub fn held() -> bool {
    FORKS.get() > 0
}

/// A fork of this thread is over: after the outermost one, others go on.
pub fn free() {
    FORKS.set(FORKS.get().saturating_sub(1));
    if !held() {
        CHANGES.free();
    }
}

/// In a child, its other threads, which may have had it, are no more.
pub fn free_in_child() {
    CHANGES.free();
}

/// In a child: the forks that its parent's thread was in are not its own.
pub fn settled() {
    FORKS.set(0);
}
