//! A lock between the threads of one process.

use core::sync::atomic::{AtomicU32, Ordering::*};
use weft_scratch_core::sys;

/// 1 while a thread holds it.
pub struct Lock(AtomicU32);

/// Gives the lock back at its end.
pub struct Held<'l>(&'l Lock);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.free();
    }
}

impl Lock {
    pub const fn new() -> Lock {
        Lock(AtomicU32::new(0))
    }

    pub fn hold(&self) -> Held<'_> {
        while self.0.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            sys::futex_wait(&self.0, 1, 10);
        }
        Held(self)
    }

    /// Gives it back, also if another thread has it.
    pub fn free(&self) {
        self.0.store(0, Release);
        sys::futex_wake(&self.0, 1);
    }
}
