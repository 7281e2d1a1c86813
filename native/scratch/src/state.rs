//! What this process has switched on, and how it starts over in a forked child.

use crate::{count, real, serve};
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};
use weft_scratch_core::config::Config;
use weft_scratch_core::sys;

/// Written once by the constructor, read-only afterwards.
struct Once(UnsafeCell<Config>);
// SAFETY: the only write happens in the constructor, before `ALIVE` is set and hooks act.
unsafe impl Sync for Once {}

static CONFIG: Once = Once(UnsafeCell::new(Config::new()));
/// A page the kernel zeroes in a forked child: null while the library is off, 0 right after a fork.
static ALIVE: AtomicPtr<AtomicU32> = AtomicPtr::new(core::ptr::null_mut());

/// What the environment asked for.
pub fn config() -> &'static Config {
    // SAFETY: see `Once`.
    unsafe { &*CONFIG.0.get() }
}

/// True once started; the first call in a forked child starts it anew.
#[inline]
pub fn on() -> bool {
    let page = ALIVE.load(Relaxed);
    if page.is_null() {
        return false;
    }
    // SAFETY: a non-null ALIVE is a mapped page that stays for the life of the process.
    if unsafe { &*page }.load(Relaxed) == 0 {
        forked();
    }
    true
}

/// Starts over in a forked child: its own counter file, its own place in the index.
#[cold]
pub fn forked() {
    // SAFETY: only reached with ALIVE set.
    unsafe { &*ALIVE.load(Relaxed) }.store(1, Relaxed);
    count::forked();
    serve::forked();
}

extern "C" fn start(_argc: c_int, _argv: *const *const c_char, envp: *const *const c_char) {
    real::resolve_all();
    // SAFETY: the constructor runs once, before any hook reads the configuration.
    let config = unsafe { &mut *CONFIG.0.get() };
    // SAFETY: the loader passes a null-terminated array of NUL-terminated strings.
    config.load(|name| unsafe { look(envp, name) });
    if config.node.is_empty() {
        let _ = name_node(config);
    }
    let wanted = !config.count_dir.is_empty() || !config.prefix.is_empty() || config.pool_count > 0;
    if !wanted {
        return;
    }
    let prot = libc::PROT_READ | libc::PROT_WRITE;
    let Ok(page) = sys::mmap(0, 4096, prot, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0) else { return };
    // Kernels before 4.14 refuse; there only the fork hook tells a child from its parent.
    let _ = sys::madvise(page, 4096, libc::MADV_WIPEONFORK);
    let page = page.cast::<AtomicU32>();
    // SAFETY: the page was just mapped.
    unsafe { &*page }.store(1, Relaxed);
    std::panic::set_hook(Box::new(|_| ()));
    count::start();
    serve::start();
    ALIVE.store(page, Release);
}

unsafe fn look<'e>(envp: *const *const c_char, name: &[u8]) -> Option<&'e [u8]> {
    let mut at = envp;
    loop {
        // SAFETY: the caller vouches for the array, whose end is a null.
        let p = unsafe { *at };
        if p.is_null() {
            return None;
        }
        // SAFETY: as above, each entry is a C string.
        let entry = unsafe { real::bytes(p) };
        if entry.len() > name.len() && entry.starts_with(name) && entry[name.len()] == b'=' {
            return Some(&entry[name.len() + 1..]);
        }
        // SAFETY: the null was not reached.
        at = unsafe { at.add(1) };
    }
}

fn name_node(config: &mut Config) -> sys::Result<()> {
    let mut buf = [0u8; 63];
    let n = sys::slurp(sys::CPath::new(b"/proc/sys/kernel/hostname\0"), &mut buf)?;
    let name = buf[..n].split(|&c| c == b'\n' || c == b'/').next().unwrap_or(b"node");
    config.node = weft_scratch_core::text::Text::of(&[name])?;
    Ok(())
}

/// At a normal end the segment is given up, so that an empty one is removed at once, and the kernel's sums are kept.
extern "C" fn end() {
    if !ALIVE.load(Relaxed).is_null() {
        crate::gate::safely((), serve::end);
        crate::gate::safely((), count::end);
    }
}

#[used]
#[link_section = ".fini_array"]
static END: extern "C" fn() = end;

#[used]
#[link_section = ".init_array"]
static START: extern "C" fn(c_int, *const *const c_char, *const *const c_char) = start;
