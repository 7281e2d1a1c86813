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
/// Only for the constructor, and both must be null-terminated arrays of C strings.
pub unsafe fn load(argv: *const *const c_char, envp: *const *const c_char) -> bool {
    // SAFETY: the constructor runs once, before any hook reads the configuration.
    let config = unsafe { &mut *CONFIG.0.get() };
    // SAFETY: passed on from the caller.
    config.load(|name| unsafe { look(envp, name) }, |fits| unsafe { each(argv).any(fits) });
    if config.node.is_empty() {
        let _ = name_node(config);
    }
    !config.count_dir.is_empty() || !config.prefix.is_empty() || config.pool_count > 0
}

/// The strings of a null-terminated array.
unsafe fn each<'e>(array: *const *const c_char) -> impl Iterator<Item = &'e [u8]> {
    // SAFETY: the caller vouches for the array, whose end is a null, and for the strings in it.
    let string = move |n| unsafe {
        let p = *array.add(n);
        (!p.is_null()).then(|| real::bytes(p))
    };
    (0..).map_while(string)
}

unsafe fn look<'e>(envp: *const *const c_char, name: &[u8]) -> Option<&'e [u8]> {
    // SAFETY: passed on from the caller.
    unsafe { each(envp) }.find_map(|entry| entry.strip_prefix(name)?.strip_prefix(b"="))
}

fn name_node(config: &mut Config) -> sys::Result<()> {
    let mut buf = [0u8; 63];
    let n = sys::slurp(sys::CPath::new(b"/proc/sys/kernel/hostname\0"), &mut buf)?;
    let name = buf[..n].split(|&c| c == b'\n' || c == b'/').next().unwrap_or(b"node");
    config.node = weft_scratch_core::text::Text::of(&[name])?;
    Ok(())
}
