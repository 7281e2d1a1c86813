//! Which paths the pool is concerned with.

use crate::process::settings::config;
use crate::process::{cwd, real};
use core::ffi::{c_char, c_int};
use weft_scratch_core::path::{is_plain, is_under, resolve, trimmed};
use weft_scratch_core::sys::{self, Result};
use weft_scratch_core::text::{PathText, Text, PATH_MAX};

fn prefixes() -> impl Iterator<Item = &'static [u8]> {
    let c = config();
    c.pool[..c.pool_count].iter().map(|p| p.as_bytes())
}

/// The absolute path, if it lies under a pooled prefix and needs no resolving.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn pooled(dir: c_int, path: *const c_char) -> Option<PathText> {
    // SAFETY: passed on from the caller.
    let path = unsafe { real::bytes(path) };
    let whole = match path.first() {
        Some(b'/') => PathText::of(&[path]),
        Some(_) if dir == libc::AT_FDCWD => PathText::of(&[cwd::get(), b"/", path]),
        _ => return None,
    }
    .ok()?;
    let bytes = whole.as_bytes();
    let under = prefixes().any(|p| is_under(bytes, p));
    (under && is_plain(bytes)).then_some(whole)
}

/// What a path names, if files of the pool may lie there or below it.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn concerned(dir: c_int, path: *const c_char) -> Option<PathText> {
    // SAFETY: passed on from the caller.
    let path = unsafe { real::bytes(path) };
    let whole = match path.first()? {
        b'/' => resolve(b"", path),
        _ if dir == libc::AT_FDCWD => resolve(cwd::get(), path),
        _ => within(dir, path),
    };
    let mut whole = whole.ok()?;
    whole.truncate(trimmed(whole.as_bytes()).len());
    let name = whole.as_bytes();
    prefixes().any(|p| is_under(name, p) || is_under(p, name)).then_some(whole)
}

/// The path of a name in a directory that is open.
fn within(dir: c_int, name: &[u8]) -> Result<PathText> {
    let mut link = Text::<32>::of(&[b"/proc/self/fd/"])?;
    link.push_num(u64::try_from(dir).map_err(|_| libc::EBADF)?)?;
    let mut base = [0u8; PATH_MAX];
    let n = sys::readlinkat(libc::AT_FDCWD, link.c_path(), &mut base)?;
    resolve(&base[..n], name)
}
