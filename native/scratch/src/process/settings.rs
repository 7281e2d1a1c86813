//! What the environment asked for.

use super::real;
use core::cell::UnsafeCell;
use core::ffi::c_char;
use weft_scratch_core::config::Config;
use weft_scratch_core::sys;

/// Written once by the constructor, read-only afterwards.
struct Once(UnsafeCell<Config>);
// SAFETY: the only write happens in the constructor, before the library is alive and hooks act.
unsafe impl Sync for Once {}

static CONFIG: Once = Once(UnsafeCell::new(Config::new()));

/// What the environment asked for.
pub fn config() -> &'static Config {
    // SAFETY: see `Once`.
    unsafe { &*CONFIG.0.get() }
}

/// Reads the environment of the program; true if anything is wanted of the library.
///
/// # Safety
/// Only for the constructor, and `envp` must be a null-terminated array of C strings.
pub unsafe fn load(envp: *const *const c_char) -> bool {
    // SAFETY: the constructor runs once, before any hook reads the configuration.
    let config = unsafe { &mut *CONFIG.0.get() };
    // SAFETY: passed on from the caller.
    config.load(|name| unsafe { look(envp, name) });
    if config.node.is_empty() {
        let _ = name_node(config);
    }
    !config.count_dir.is_empty() || !config.prefix.is_empty() || config.pool_count > 0
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
