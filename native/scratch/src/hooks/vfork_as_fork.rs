//! vfork(2) of a compiler without naked functions: POSIX lets it be a fork.

use super::proc::fork;
use libc::pid_t;

/// # Safety
/// As for vfork(2).
#[no_mangle]
pub unsafe extern "C-unwind" fn vfork() -> pid_t {
    // SAFETY: passed on from the caller.
    unsafe { fork() }
}
