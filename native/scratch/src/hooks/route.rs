//! The common way of a call: find its class, see whether we serve it, else make the real call.

use crate::count;
use crate::process::gate::{self, Ret};
use crate::process::real;
use crate::serve::{self, Handle, Spot};
use core::ffi::{c_char, c_int};
use weft_scratch_core::ops::Op;
use weft_scratch_core::sys::Result;

/// Turns a result into what C expects.
#[inline]
pub fn finish<R: Ret>(r: Result<usize>) -> R {
    match r {
        Ok(v) => R::done(v),
        Err(e) => {
            real::set_errno(e);
            R::FAILED
        }
    }
}

/// Counts and routes a call on a descriptor.
#[inline]
pub fn by_fd<R: Ret>(op: Op, fd: c_int, real: impl FnOnce() -> R, served: impl FnOnce(Handle) -> Result<usize>) -> R {
    count::timed(op, || count::fd_class(fd), || fd_call(fd, real, served))
}

/// Routes a call on a descriptor without counting it.
#[inline]
pub fn fd_call<R: Ret>(fd: c_int, real: impl FnOnce() -> R, served: impl FnOnce(Handle) -> Result<usize>) -> R {
    match serve::handle(fd) {
        None => real(),
        Some(h) => answered(gate::exclusive(|| Some(Some(served(h)))), real, || true),
    }
}

/// Answers a call, `real` makes it if none of it is served. A signal handler that interrupts our work in its own thread
/// has no answer: its call must not reach the real files that have the names of served ones.
pub fn answered<R: Ret>(
    answer: Option<Option<Result<usize>>>,
    real: impl FnOnce() -> R,
    covered: impl FnOnce() -> bool,
) -> R {
    match answer {
        Some(Some(r)) => finish(r),
        None if covered() => finish(Err(libc::EDEADLK)),
        _ => real(),
    }
}

/// Counts and routes a call on a path.
///
/// # Safety
/// `path` must be null or a C string.
#[inline]
pub unsafe fn by_path<R: Ret>(
    op: Op,
    dir: c_int,
    path: *const c_char,
    real: impl FnOnce() -> R,
    served: impl FnOnce(&Spot) -> Result<usize>,
) -> R {
    // SAFETY: passed on from the caller.
    count::timed(op, || unsafe { count::noted_class(op, dir, path) }, || unsafe { path_call(dir, path, real, served) })
}

/// Routes a call on a path without counting it.
///
/// # Safety
/// `path` must be null or a C string.
#[inline]
pub unsafe fn path_call<R: Ret>(
    dir: c_int,
    path: *const c_char,
    real: impl FnOnce() -> R,
    served: impl FnOnce(&Spot) -> Result<usize>,
) -> R {
    // SAFETY: passed on from the caller.
    let answer = gate::exclusive(|| Some(unsafe { serve::spot(dir, path, served) }));
    // SAFETY: as above.
    answered(answer, real, || unsafe { serve::covers(dir, path) })
}
