//! A lock between processes that survives the death of its holder.

use crate::sys::{futex_wait, futex_wake};
use core::sync::atomic::{AtomicU32, Ordering::*};

const WAITERS: u32 = 1 << 31;
const SPINS: u32 = 200;

/// How a lock was come by.
#[derive(PartialEq, Eq, Debug)]
pub enum Taken {
    Clean,
    /// The holder had ended: what it was doing must be put right.
    FromTheDead,
}

/// Takes the lock in the name of `me` (never 0); `alive` answers for a holder.
pub fn take(word: &AtomicU32, me: u32, alive: impl Fn(u32) -> bool) -> Taken {
    if word.compare_exchange(0, me, Acquire, Relaxed).is_ok() {
        return Taken::Clean;
    }
    contended(word, me, alive)
}

#[cold]
fn contended(word: &AtomicU32, me: u32, alive: impl Fn(u32) -> bool) -> Taken {
    for _ in 0..SPINS {
        core::hint::spin_loop();
        if word.load(Relaxed) == 0 && word.compare_exchange(0, me, Acquire, Relaxed).is_ok() {
            return Taken::Clean;
        }
    }
    let mut wait_ms = 5;
    loop {
        let seen = word.load(Relaxed);
        if seen == 0 {
            // Others may still sleep, so the lock is taken as one that has waiters.
            if word.compare_exchange(0, me | WAITERS, Acquire, Relaxed).is_ok() {
                return Taken::Clean;
            }
            continue;
        }
        if seen & WAITERS == 0 && word.compare_exchange(seen, seen | WAITERS, Relaxed, Relaxed).is_err() {
            continue;
        }
        futex_wait(word, seen | WAITERS, wait_ms);
        wait_ms = (wait_ms * 2).min(100);
        let now = word.load(Relaxed);
        let stuck = now == seen | WAITERS;
        if stuck && !alive(now & !WAITERS) && word.compare_exchange(now, me | WAITERS, Acquire, Relaxed).is_ok() {
            return Taken::FromTheDead;
        }
    }
}

/// Gives the lock back.
pub fn give(word: &AtomicU32) {
    if word.swap(0, Release) & WAITERS != 0 {
        futex_wake(word, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn a_dead_holder_is_replaced_and_a_live_one_is_not() {
        let w = AtomicU32::new(7);
        assert_eq!(take(&w, 3, |_| false), Taken::FromTheDead);
        give(&w);
        assert_eq!(w.load(Relaxed), 0);
        w.store(7, Relaxed);
        std::thread::scope(|s| {
            let waiting = s.spawn(|| take(&w, 3, |_| true));
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert_eq!(w.load(Relaxed) & !WAITERS, 7);
            give(&w);
            assert_eq!(waiting.join().unwrap(), Taken::Clean);
        });
    }

    #[test]
    fn threads_exclude_each_other() {
        let (w, plain) = (AtomicU32::new(0), AtomicU64::new(0));
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for _ in 0..20_000 {
                        take(&w, 1, |_| true);
                        let v = plain.load(Relaxed);
                        plain.store(v + 1, Relaxed);
                        give(&w);
                    }
                });
            }
        });
        assert_eq!(plain.load(Relaxed), 80_000);
    }
}
