//! Time: one monotonic clock in nanoseconds, and burning processor time.

use crate::delay::Nanos;

fn read(clock: libc::clockid_t) -> Nanos {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: time outlives the call; both clocks exist on every supported kernel.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as Nanos * 1_000_000_000 + time.tv_nsec as Nanos
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub fn now() -> Nanos {
    read(libc::CLOCK_MONOTONIC)
}

/// Really uses the processor for this long, as a client library in user space would.
pub fn burn(duration: Nanos) {
    let end = read(libc::CLOCK_THREAD_CPUTIME_ID) + duration;
    while read(libc::CLOCK_THREAD_CPUTIME_ID) < end {
        std::hint::spin_loop();
    }
}

/// Lets the calling thread wake within a nanosecond of its deadline instead of the default 50 us,
/// and before ordinary threads where the process may ask for that: a job that keeps all processors
/// busy does not slow a file server down.
pub fn wake_precisely() {
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: changes only the calling thread; the parameters outlive the call.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0);
        libc::sched_setscheduler(0, libc::SCHED_RR, &priority);
    }
}
