//! Opening, closing and duplicating descriptors.

use super::route::{by_fd, fd_call, finish, path_call};
use crate::process::gate::{self, hook};
use crate::{count, pool, serve};
use core::ffi::{c_char, c_int, c_uint};
use libc::{mode_t, off64_t, AT_FDCWD, O_CREAT, O_TRUNC, O_WRONLY};
use weft_scratch_core::ops::Op::*;

/// A flag of close_range(2).
const CLOSE_RANGE_CLOEXEC: c_int = 4;

unsafe fn open_at(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t, real: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the hook's caller passed a C string.
    let class = unsafe { count::noted_class(Open, dir, path) };
    let otherwise = || {
        // SAFETY: as above.
        let fd = unsafe { gate::exclusive(|| serve::open_again(path, flags).or_else(|| pool::open(dir, path, flags))) };
        fd.map_or_else(|| fresh(real()), finish)
    };
    // SAFETY: as above.
    let fd = count::timed(Open, || class, || unsafe { path_call(dir, path, otherwise, |s| s.open(flags, mode)) });
    real_where_standard(fd);
    remember(fd, class)
}

/// The kernel gave out a number: what we knew of it is out of date.
fn fresh(fd: c_int) -> c_int {
    serve::fresh(fd);
    fd
}

fn remember(fd: c_int, class: u8) -> c_int {
    if fd >= 0 {
        count::set_fd_class(fd, class);
    }
    fd
}

hook! {
    fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int |real| { open_at(AT_FDCWD, path, flags, mode, real) }
    fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int |real| { open_at(AT_FDCWD, path, flags, mode, real) }
    fn __open_2(path: *const c_char, flags: c_int) -> c_int |real| { open_at(AT_FDCWD, path, flags, 0, real) }
    fn __open64_2(path: *const c_char, flags: c_int) -> c_int |real| { open_at(AT_FDCWD, path, flags, 0, real) }
    fn openat(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int |real| { open_at(dir, path, flags, mode, real) }
    fn openat64(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int |real| { open_at(dir, path, flags, mode, real) }
    fn __openat_2(dir: c_int, path: *const c_char, flags: c_int) -> c_int |real| { open_at(dir, path, flags, 0, real) }
    fn __openat64_2(dir: c_int, path: *const c_char, flags: c_int) -> c_int |real| { open_at(dir, path, flags, 0, real) }
    fn creat(path: *const c_char, mode: mode_t) -> c_int |real| { open_at(AT_FDCWD, path, O_CREAT | O_TRUNC | O_WRONLY, mode, real) }
    fn creat64(path: *const c_char, mode: mode_t) -> c_int |real| { open_at(AT_FDCWD, path, O_CREAT | O_TRUNC | O_WRONLY, mode, real) }
    fn mkstemp(name: *mut c_char) -> c_int |real| { temporary(name, 0, real) }
    fn mkstemp64(name: *mut c_char) -> c_int |real| { temporary(name, 0, real) }
    fn mkostemp(name: *mut c_char, flags: c_int) -> c_int |real| { temporary(name, flags, real) }
    fn mkostemp64(name: *mut c_char, flags: c_int) -> c_int |real| { temporary(name, flags, real) }
    fn mkdtemp(name: *mut c_char) -> *mut c_char |real| {
        let class = count::path_class(AT_FDCWD, name);
        count::timed(Mkdir, || class, || match serve::invent(name, |path| serve::mkdir_at(path, 0o700)) {
            None => real(),
            Some(r) => finish(r.map(|_| name as usize)),
        })
    }
}

/// openat2(2) on a served path; names below the prefix have no links and no mounts, but one root.
pub(super) unsafe fn openat2(dir: c_int, path: *const c_char, how: *const libc::open_how, n: usize) -> Option<c_int> {
    // SAFETY: the hook's caller passed a C string, and a record of `n` bytes.
    unsafe {
        if how.is_null() || n < size_of::<libc::open_how>() || !serve::covers(dir, path) {
            return None;
        }
        Some(match (*how).resolve & (libc::RESOLVE_BENEATH | libc::RESOLVE_IN_ROOT) {
            0 => openat64(dir, path, (*how).flags as c_int, (*how).mode as mode_t),
            _ => finish(Err(libc::EOPNOTSUPP)),
        })
    }
}

/// glibc opens temporary files without passing any hook, so served ones are invented here.
unsafe fn temporary(name: *mut c_char, flags: c_int, real: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the hook's caller passed a writable C string.
    unsafe {
        let class = count::path_class(AT_FDCWD, name);
        let flags = flags | libc::O_RDWR | O_CREAT | libc::O_EXCL;
        let made = || serve::invent(name, |path| serve::open_at(path, flags, 0o600)).map_or_else(real, finish);
        remember(count::timed(Open, || class, made), class)
    }
}

hook! {
    fn close(fd: c_int) -> c_int |real| {
        let class = count::fd_class(fd);
        count::timed(Close, || class, || {
            if serve::is_ours(fd) {
                return finish(Err(libc::EBADF));
            }
            count::set_fd_class(fd, 0);
            gate::exclusive(|| { serve::dropped(fd); Some(()) });
            real()
        })
    }
    fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int |real| {
        if flags & CLOSE_RANGE_CLOEXEC != 0 { return real(); }
        each_open_fd(first, last, |fd| { close(fd); });
        0
    }
    fn closefrom(first: c_int) -> () |real| {
        let _ = &real;
        each_open_fd(first.max(0) as c_uint, c_uint::MAX, |fd| { close(fd); });
    }
    fn dup(fd: c_int) -> c_int |real| { duplicate(fd, real) }
    fn dup2(old: c_int, new: c_int) -> c_int |real| { onto(old, new, 0, real) }
    fn dup3(old: c_int, new: c_int, flags: c_int) -> c_int |real| { onto(old, new, flags, real) }
    fn fcntl(fd: c_int, cmd: c_int, arg: usize) -> c_int |real| { control(fd, cmd, arg, real) }
    fn fcntl64(fd: c_int, cmd: c_int, arg: usize) -> c_int |real| { control(fd, cmd, arg, real) }
    fn flock(fd: c_int, op: c_int) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| h.flock(op)) }
    fn lockf(fd: c_int, cmd: c_int, len: off64_t) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| h.lockf(cmd, len)) }
    fn lockf64(fd: c_int, cmd: c_int, len: off64_t) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| h.lockf(cmd, len)) }
}

/// The kernel copies the placeholder, then the copy is registered as the same file.
fn duplicate(fd: c_int, real: impl FnOnce() -> c_int) -> c_int {
    let class = count::fd_class(fd);
    count::timed(
        Dup,
        || class,
        || {
            let new = real();
            if new >= 0 {
                count::set_fd_class(new, class);
                let done = gate::exclusive(|| Some(serve::duplicated(fd, new)));
                if let Some(Err(e)) = done {
                    let _ = weft_scratch_core::sys::close(new);
                    return finish(Err(e));
                }
                real_where_standard(new);
            }
            new
        },
    )
}

/// Failing leaves a descriptor that libc's own streams cannot use; hooked calls still can.
fn real_where_standard(fd: c_int) {
    if (0..=2).contains(&fd) {
        gate::exclusive(|| serve::standard(fd).ok());
    }
}

fn onto(old: c_int, new: c_int, _flags: c_int, real: impl FnOnce() -> c_int) -> c_int {
    if serve::is_ours(new) || serve::is_ours(old) {
        return finish(Err(libc::EBADF));
    }
    if new <= 2 && old != new {
        let made = gate::exclusive(|| Some(serve::standard(old)));
        if let Some(Err(e)) = made {
            return finish(Err(e));
        }
    }
    duplicate(old, real)
}

fn control(fd: c_int, cmd: c_int, arg: usize, real: impl FnOnce() -> c_int) -> c_int {
    match cmd {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => duplicate(fd, real),
        libc::F_GETFD | libc::F_SETFD => real(),
        _ => fd_call(fd, real, |h| h.control(cmd, arg)),
    }
}

/// Calls `f` for the open descriptors of a range, as the kernel lists them.
fn each_open_fd(first: c_uint, last: c_uint, f: impl Fn(c_int)) {
    use weft_scratch_core::sys;
    let path = sys::CPath::new(b"/proc/self/fd\0");
    let Ok(dir) = sys::openat(AT_FDCWD, path, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC, 0) else { return };
    sys::each_entry(dir, |name| {
        let fd = weft_scratch_core::text::number(name).unwrap_or(u64::MAX);
        let ours = fd == dir as u64 || serve::is_ours(fd as c_int);
        if fd >= first as u64 && fd <= (last as u64).min(c_int::MAX as u64) && !ours {
            f(fd as c_int);
        }
    });
    let _ = sys::close(dir);
}
