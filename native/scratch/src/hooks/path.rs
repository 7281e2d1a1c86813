//! Names: rename, remove, directories, links, canonical paths, owners, modes, times, attributes.

use super::route::{answered, by_fd, by_path, path_call};
use crate::process::gate::{self, hook};
use crate::process::{cwd, real, umask};
use crate::scratch::attributes::Times;
use crate::{count, pool, serve};
use core::ffi::{c_char, c_int, c_uint, c_void};
use libc::{gid_t, mode_t, size_t, ssize_t, timespec, timeval, uid_t, AT_FDCWD};
use weft_scratch_core::ops::Op::*;

unsafe fn rename_at(
    od: c_int,
    old: *const c_char,
    nd: c_int,
    new: *const c_char,
    flags: c_uint,
    real: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: the hook's caller passed C strings.
    unsafe {
        pool::forget(od, old);
        pool::forget(nd, new);
        let served = || gate::exclusive(|| Some(serve::rename((od, old), (nd, new), flags)));
        let covered = || serve::covers(od, old) || serve::covers(nd, new);
        count::timed(Rename, || count::path_class(nd, new), || answered(served(), real, covered))
    }
}

unsafe fn unlink_at(dir: c_int, path: *const c_char, flags: c_int, real: impl FnOnce() -> c_int) -> c_int {
    let rmdir = flags & libc::AT_REMOVEDIR != 0;
    // SAFETY: the hook's caller passed a C string.
    unsafe {
        pool::forget(dir, path);
        by_path(if rmdir { Rmdir } else { Unlink }, dir, path, real, |s| if rmdir { s.rmdir() } else { s.unlink() })
    }
}

hook! {
    fn rename(old: *const c_char, new: *const c_char) -> c_int |real| { rename_at(AT_FDCWD, old, AT_FDCWD, new, 0, real) }
    fn renameat(od: c_int, old: *const c_char, nd: c_int, new: *const c_char) -> c_int |real| { rename_at(od, old, nd, new, 0, real) }
    fn renameat2(od: c_int, old: *const c_char, nd: c_int, new: *const c_char, flags: c_uint) -> c_int |real| {
        rename_at(od, old, nd, new, flags, real)
    }
    fn unlink(path: *const c_char) -> c_int |real| { unlink_at(AT_FDCWD, path, 0, real) }
    fn rmdir(path: *const c_char) -> c_int |real| { unlink_at(AT_FDCWD, path, libc::AT_REMOVEDIR, real) }
    fn unlinkat(dir: c_int, path: *const c_char, flags: c_int) -> c_int |real| { unlink_at(dir, path, flags, real) }
    fn remove(path: *const c_char) -> c_int |real| {
        pool::forget(AT_FDCWD, path);
        by_path(Unlink, AT_FDCWD, path, real, |s| match s.unlink() {
            Err(libc::EISDIR) => s.rmdir(),
            other => other,
        })
    }
    fn mkdir(path: *const c_char, mode: mode_t) -> c_int |real| { by_path(Mkdir, AT_FDCWD, path, real, |s| s.mkdir(mode)) }
    fn mkdirat(dir: c_int, path: *const c_char, mode: mode_t) -> c_int |real| { by_path(Mkdir, dir, path, real, |s| s.mkdir(mode)) }
    fn link(old: *const c_char, new: *const c_char) -> c_int |real| {
        by_path(OtherMeta, AT_FDCWD, new, || path_call(AT_FDCWD, old, real, |s| s.link()), |s| s.link())
    }
    fn linkat(od: c_int, old: *const c_char, nd: c_int, new: *const c_char, _flags: c_int) -> c_int |real| {
        by_path(OtherMeta, nd, new, || path_call(od, old, real, |s| s.link()), |s| s.link())
    }
    fn symlink(_target: *const c_char, path: *const c_char) -> c_int |real| { by_path(OtherMeta, AT_FDCWD, path, real, |s| s.refuse_node()) }
    fn symlinkat(_target: *const c_char, dir: c_int, path: *const c_char) -> c_int |real| { by_path(OtherMeta, dir, path, real, |s| s.refuse_node()) }
    fn mknod(path: *const c_char, _mode: mode_t, _dev: u64) -> c_int |real| { by_path(OtherMeta, AT_FDCWD, path, real, |s| s.refuse_node()) }
    fn mknodat(dir: c_int, path: *const c_char, _mode: mode_t, _dev: u64) -> c_int |real| { by_path(OtherMeta, dir, path, real, |s| s.refuse_node()) }
    fn mkfifo(path: *const c_char, _mode: mode_t) -> c_int |real| { by_path(OtherMeta, AT_FDCWD, path, real, |s| s.refuse_node()) }
    fn mkfifoat(dir: c_int, path: *const c_char, _mode: mode_t) -> c_int |real| { by_path(OtherMeta, dir, path, real, |s| s.refuse_node()) }
    fn readlink(path: *const c_char, _buf: *mut c_char, _n: size_t) -> ssize_t |real| { by_path(OtherMeta, AT_FDCWD, path, real, |s| s.not_a_link()) }
    fn readlinkat(dir: c_int, path: *const c_char, _buf: *mut c_char, _n: size_t) -> ssize_t |real| { by_path(OtherMeta, dir, path, real, |s| s.not_a_link()) }
    fn __readlink_chk(path: *const c_char, _buf: *mut c_char, _n: size_t, _room: size_t) -> ssize_t |real| { by_path(OtherMeta, AT_FDCWD, path, real, |s| s.not_a_link()) }
    fn __readlinkat_chk(dir: c_int, path: *const c_char, _buf: *mut c_char, _n: size_t, _room: size_t) -> ssize_t |real| { by_path(OtherMeta, dir, path, real, |s| s.not_a_link()) }
    fn realpath(path: *const c_char, out: *mut c_char) -> *mut c_char |real| { by_path(OtherMeta, AT_FDCWD, path, real, |s| s.real_path(out)) }
    fn __realpath_chk(path: *const c_char, out: *mut c_char, _room: size_t) -> *mut c_char |real| { by_path(OtherMeta, AT_FDCWD, path, real, |s| s.real_path(out)) }
    fn canonicalize_file_name(path: *const c_char) -> *mut c_char |real| {
        by_path(OtherMeta, AT_FDCWD, path, real, |s| s.real_path(core::ptr::null_mut()))
    }
    fn chmod(path: *const c_char, mode: mode_t) -> c_int |real| { pool::forget(AT_FDCWD, path); by_path(OtherMeta, AT_FDCWD, path, real, |s| s.chmod(mode)) }
    fn fchmod(fd: c_int, mode: mode_t) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| h.chmod(mode)) }
    fn fchmodat(dir: c_int, path: *const c_char, mode: mode_t, _flags: c_int) -> c_int |real| { pool::forget(dir, path); by_path(OtherMeta, dir, path, real, |s| s.chmod(mode)) }
    fn chown(path: *const c_char, u: uid_t, g: gid_t) -> c_int |real| { pool::forget(AT_FDCWD, path); by_path(OtherMeta, AT_FDCWD, path, real, |s| s.chown(u, g)) }
    fn lchown(path: *const c_char, u: uid_t, g: gid_t) -> c_int |real| { pool::forget(AT_FDCWD, path); by_path(OtherMeta, AT_FDCWD, path, real, |s| s.chown(u, g)) }
    fn fchown(fd: c_int, u: uid_t, g: gid_t) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| h.chown(u, g)) }
    fn fchownat(dir: c_int, path: *const c_char, u: uid_t, g: gid_t, flags: c_int) -> c_int |real| {
        pool::forget(dir, path);
        let empty = flags & libc::AT_EMPTY_PATH != 0 && real::bytes(path).is_empty();
        if empty { by_fd(OtherMeta, dir, real, |h| h.chown(u, g)) } else { by_path(OtherMeta, dir, path, real, |s| s.chown(u, g)) }
    }
    fn utime(path: *const c_char, t: *const libc::utimbuf) -> c_int |real| { pool::forget(AT_FDCWD, path); by_path(OtherMeta, AT_FDCWD, path, real, |s| s.set_times(Times::seconds(t))) }
    fn utimes(path: *const c_char, t: *const timeval) -> c_int |real| { pool::forget(AT_FDCWD, path); by_path(OtherMeta, AT_FDCWD, path, real, |s| s.set_times(Times::micros(t))) }
    fn lutimes(path: *const c_char, t: *const timeval) -> c_int |real| { pool::forget(AT_FDCWD, path); by_path(OtherMeta, AT_FDCWD, path, real, |s| s.set_times(Times::micros(t))) }
    fn futimes(fd: c_int, t: *const timeval) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| h.set_times(Times::micros(t))) }
    fn futimesat(dir: c_int, path: *const c_char, t: *const timeval) -> c_int |real| {
        pool::forget(dir, path);
        if path.is_null() { by_fd(OtherMeta, dir, real, |h| h.set_times(Times::micros(t))) }
        else { by_path(OtherMeta, dir, path, real, |s| s.set_times(Times::micros(t))) }
    }
    fn futimens(fd: c_int, t: *const timespec) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| h.set_times(Times::nanos(t))) }
    fn utimensat(dir: c_int, path: *const c_char, t: *const timespec, _flags: c_int) -> c_int |real| {
        pool::forget(dir, path);
        if path.is_null() { by_fd(OtherMeta, dir, real, |h| h.set_times(Times::nanos(t))) }
        else { by_path(OtherMeta, dir, path, real, |s| s.set_times(Times::nanos(t))) }
    }
    fn umask(mask: mode_t) -> mode_t |real| {
        umask::set(mask);
        real()
    }
    fn chdir(path: *const c_char) -> c_int |real| {
        let r = by_path(OtherMeta, AT_FDCWD, path, real, |s| s.chdir());
        cwd::changed();
        r
    }
    fn fchdir(fd: c_int) -> c_int |real| {
        let r = by_fd(OtherMeta, fd, real, |h| h.chdir());
        cwd::changed();
        r
    }
}

macro_rules! attributes {
    ($($path:ident $fd:ident($($a:ident: $t:ty),*) -> $r:ty = $answer:expr;)*) => {
        hook! {$(
            fn $path(path: *const c_char, $($a: $t),*) -> $r |real| { by_path(OtherMeta, AT_FDCWD, path, real, |s| s.exists().and_then(|()| $answer)) }
            fn $fd(fd: c_int, $($a: $t),*) -> $r |real| { by_fd(OtherMeta, fd, real, |_| $answer) }
        )*}
    };
    ($($path:ident($($a:ident: $t:ty),*) -> $r:ty = $answer:expr;)*) => {
        hook! {$(
            fn $path(path: *const c_char, $($a: $t),*) -> $r |real| { by_path(OtherMeta, AT_FDCWD, path, real, |s| s.exists().and_then(|()| $answer)) }
        )*}
    };
}
attributes! {
    getxattr fgetxattr(_n: *const c_char, _v: *mut c_void, _s: size_t) -> ssize_t = Err(libc::ENOTSUP);
    setxattr fsetxattr(_n: *const c_char, _v: *const c_void, _s: size_t, _f: c_int) -> c_int = Err(libc::ENOTSUP);
    listxattr flistxattr(_l: *mut c_char, _s: size_t) -> ssize_t = Ok(0);
    removexattr fremovexattr(_n: *const c_char) -> c_int = Err(libc::ENOTSUP);
}
attributes! {
    lgetxattr(_n: *const c_char, _v: *mut c_void, _s: size_t) -> ssize_t = Err(libc::ENOTSUP);
    lsetxattr(_n: *const c_char, _v: *const c_void, _s: size_t, _f: c_int) -> c_int = Err(libc::ENOTSUP);
    llistxattr(_l: *mut c_char, _s: size_t) -> ssize_t = Ok(0);
    lremovexattr(_n: *const c_char) -> c_int = Err(libc::ENOTSUP);
}
