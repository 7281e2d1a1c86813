//! One change at a time of the descriptor table and its descriptions, and none during a fork: what was counted for the child
//! is what it gets.

use super::lock::{Held, Lock};
use core::cell::Cell;

static CHANGES: Lock = Lock::new();

thread_local! {
    /// Set while this thread forks with the lock held: handlers of pthread_atfork(3) may open files meanwhile.
    static FORKS: Cell<bool> = const { Cell::new(false) };
}

/// Held during a change; this thread has it already if it forks.
pub fn one() -> Option<Held<'static>> {
    (!held()).then(|| CHANGES.hold())
}

/// Keeps others from changes until `free`: this thread forks.
pub fn hold() {
    core::mem::forget(CHANGES.hold());
    FORKS.set(true);
}

/// Whether this thread forks with the lock held.
pub fn held() -> bool {
    FORKS.get()
}

/// Lets others go on; in a child, its other threads, which may have had it, are no more.
pub fn free() {
    CHANGES.free();
}

/// The fork of this thread is over.
pub fn settled() {
    FORKS.set(false);
}
