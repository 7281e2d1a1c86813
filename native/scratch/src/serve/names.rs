//! Which paths are served, and the calls on two names or on names yet to be found.

use super::spot::Spot;
use crate::process::real::bytes;
use crate::process::settings::config;
use crate::process::{cwd, gate};
use crate::scratch;
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicU32, Ordering::*};
use weft_scratch_core::path::{is_plain, is_under, resolve, stays_inside};
use weft_scratch_core::store::layout::ROOT;
use weft_scratch_core::store::ops::Place;
use weft_scratch_core::sys::{self, Result};

/// Calls `f` with the place below the prefix that a path means, if it lies there.
unsafe fn locate<R>(dir: c_int, path: *const c_char, f: impl FnOnce(Result<Place>) -> R) -> Option<R> {
    if !scratch::on() || path.is_null() {
        return None;
    }
    // SAFETY: the caller passes a C string.
    let path = unsafe { bytes(path) };
    let prefix = config().prefix.as_bytes();
    if path.first() == Some(&b'/') {
        if is_under(path, prefix) && stays_inside(&path[prefix.len()..]) {
            return Some(f(Ok(Place { base: ROOT, path: &path[prefix.len()..] })));
        }
        if is_plain(path) {
            return None;
        }
        let whole = resolve(b"", path).ok()?;
        let rest = whole.as_bytes().strip_prefix(prefix).filter(|r| r.is_empty() || r[0] == b'/')?;
        return Some(f(Ok(Place { base: ROOT, path: rest })));
    }
    if dir != libc::AT_FDCWD {
        let base = scratch::mapped()?.open_of(dir)?.inode;
        return Some(f(if path.is_empty() { Err(libc::ENOENT) } else { Ok(Place { base, path }) }));
    }
    let here = cwd::get();
    if !is_under(here, prefix) && !is_under(prefix, here) && !path.windows(2).any(|w| w == b"..") {
        return None;
    }
    if path.is_empty() {
        return None;
    }
    let whole = resolve(here, path).ok()?;
    let rest = whole.as_bytes().strip_prefix(prefix).filter(|r| r.is_empty() || r[0] == b'/')?;
    Some(f(Ok(Place { base: ROOT, path: rest })))
}

/// Runs a served call on a path, if the path is served.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn spot(dir: c_int, path: *const c_char, f: impl FnOnce(&Spot) -> Result<usize>) -> Option<Result<usize>> {
    // SAFETY: passed on from the caller.
    unsafe { locate(dir, path, |place| f(&Spot { store: scratch::store()?, place: place? })) }
}

/// True if the path is served.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn covers(dir: c_int, path: *const c_char) -> bool {
    // SAFETY: passed on from the caller.
    unsafe { locate(dir, path, |_| ()) }.is_some()
}

/// A name and the directory it is relative to.
pub type Named = (c_int, *const c_char);

/// Renames inside the prefix; across its border it is another file system.
///
/// # Safety
/// Both paths must be C strings.
pub unsafe fn rename(old: Named, new: Named, flags: u32) -> Option<Result<usize>> {
    // SAFETY: passed on from the caller.
    unsafe {
        if !covers(old.0, old.1) && !covers(new.0, new.1) {
            return None;
        }
        let both = spot(old.0, old.1, |from| {
            let to = spot(new.0, new.1, |to| from.store.rename(&from.place, &to.place, flags).map(|()| 0));
            to.unwrap_or(Err(libc::EXDEV))
        });
        Some(both.unwrap_or(Err(libc::EXDEV)))
    }
}

/// Fills the XXXXXX of a template until `make` succeeds; None if the template is not served.
///
/// # Safety
/// `name` must be a writable C string.
pub unsafe fn invent(name: *mut c_char, make: impl Fn(*const c_char) -> Result<usize>) -> Option<Result<usize>> {
    // SAFETY: passed on from the caller.
    if !unsafe { covers(libc::AT_FDCWD, name) } {
        return None;
    }
    // SAFETY: as above.
    let len = unsafe { bytes(name) }.len();
    // SAFETY: the template is writable for its whole length.
    let all = unsafe { core::slice::from_raw_parts_mut(name.cast::<u8>(), len) };
    if !all.ends_with(b"XXXXXX") {
        return Some(Err(libc::EINVAL));
    }
    static COUNT: AtomicU32 = AtomicU32::new(0);
    for _ in 0..1000 {
        let turn = COUNT.fetch_add(1, Relaxed) as u64;
        let mut seed = (weft_scratch_core::clock::wall() ^ turn << 32 ^ (sys::getpid() as u64) << 13)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for c in &mut all[len - 6..] {
            *c = b"abcdefghijklmnopqrstuvwxyz0123456789"[(seed >> 33) as usize % 36];
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        }
        match make(name) {
            Err(libc::EEXIST) => {}
            other => return Some(other),
        }
    }
    Some(Err(libc::EEXIST))
}

/// Opens a served path.
pub fn open_at(path: *const c_char, flags: c_int, mode: libc::mode_t) -> Result<usize> {
    // SAFETY: only called with the template of `invent`.
    let made = gate::exclusive(|| unsafe { spot(libc::AT_FDCWD, path, |s| s.open(flags, mode)) });
    made.unwrap_or(Err(libc::EINVAL))
}

/// Makes a served directory.
pub fn mkdir_at(path: *const c_char, mode: libc::mode_t) -> Result<usize> {
    // SAFETY: only called with the template of `invent`.
    let made = gate::exclusive(|| unsafe { spot(libc::AT_FDCWD, path, |s| s.mkdir(mode)) });
    made.unwrap_or(Err(libc::EINVAL))
}
