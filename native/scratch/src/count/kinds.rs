//! The kind of the calling thread, kept with it until it gets another name.

use crate::process::settings::config;
use core::cell::Cell;
use core::ffi::c_int;
use weft_scratch_core::sys;
use weft_scratch_core::threads::{NAME_BYTES, OTHER};

/// Calls after which the name is looked at again: another thread may have changed it.
const KEPT: u16 = 256;

thread_local! {
    /// The kind, and for how many calls it holds.
    static KIND: Cell<(u8, u16)> = const { Cell::new((OTHER, 0)) };
}

/// The kind of this thread.
#[inline]
pub fn kind() -> u8 {
    match KIND.get() {
        (_, 0) => look(),
        (kind, left) => {
            KIND.set((kind, left - 1));
            kind
        }
    }
}

/// This thread may have another name now.
pub fn renamed() {
    KIND.set((OTHER, 0));
}

#[cold]
fn look() -> u8 {
    let threads = &config().threads;
    let kind = if threads.differ() { threads.of(name(&mut [0; NAME_BYTES])) } else { OTHER };
    KIND.set((kind, KEPT));
    kind
}

fn name(buffer: &mut [u8; NAME_BYTES]) -> &[u8] {
    // SAFETY: the kernel writes at most 16 bytes, its NUL included.
    let done =
        unsafe { sys::raw(libc::SYS_prctl, [libc::PR_GET_NAME as usize, buffer.as_mut_ptr() as usize, 0, 0, 0, 0]) };
    let len = buffer.iter().position(|&c| c == 0).unwrap_or(0);
    if done as c_int == 0 {
        &buffer[..len]
    } else {
        b""
    }
}
