//! Whether the library works in this process, and that a forked child is a process of its own.

use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};
use weft_scratch_core::sys::{self, Result};

/// A page the kernel zeroes in a forked child: null while the library is off, 0 right after a fork.
static ALIVE: AtomicPtr<AtomicU32> = AtomicPtr::new(core::ptr::null_mut());
/// What starts over in a forked child: the layers above, which this one does not know.
static START_OVER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// From now on hooks act; `start_over` is called first of all in each forked child.
pub fn begin(start_over: fn(), start: impl FnOnce()) -> Result<()> {
    let prot = libc::PROT_READ | libc::PROT_WRITE;
    let page = sys::mmap(0, 4096, prot, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)?;
    // Kernels before 4.14 refuse; there only the fork hook distinguishes a child from its parent.
    let _ = sys::madvise(page, 4096, libc::MADV_WIPEONFORK);
    let page = page.cast::<AtomicU32>();
    // SAFETY: the page was just mapped.
    unsafe { &*page }.store(1, Relaxed);
    START_OVER.store(start_over as *mut (), Release);
    start();
    ALIVE.store(page, Release);
    Ok(())
}

/// True once started, without looking whether this is a forked child.
pub fn begun() -> bool {
    !ALIVE.load(Relaxed).is_null()
}

/// True once started; the first call in a forked child starts it again.
#[inline]
pub fn on() -> bool {
    let page = ALIVE.load(Relaxed);
    if page.is_null() {
        return false;
    }
    // SAFETY: a non-null ALIVE is a mapped page that stays for the life of the process.
    let page = unsafe { &*page };
    if page.load(Relaxed) == 0 {
        forked(page);
    }
    true
}

#[cold]
fn forked(page: &AtomicU32) {
    page.store(1, Relaxed);
    // SAFETY: `begin` stored a function of this type before it set ALIVE.
    let start_over = unsafe { core::mem::transmute::<*mut (), fn()>(START_OVER.load(Acquire)) };
    start_over();
}
