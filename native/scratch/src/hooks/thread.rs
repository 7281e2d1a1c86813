//! Threads that get another name: pools name them after what they do next.

use crate::count;
use crate::process::gate::hook;
use core::ffi::{c_char, c_int};
use libc::pthread_t;

hook! {
    fn pthread_setname_np(thread: pthread_t, name: *const c_char) -> c_int |real| {
        let _ = name;
        let answer = real();
        // SAFETY: always succeeds.
        if thread == unsafe { libc::pthread_self() } {
            count::renamed();
        }
        answer
    }
}
