//! The stat family in both spellings, access, and questions about the file system.

use super::route::{by_fd, by_path, fd_call, path_call};
use crate::pool;
use crate::process::gate::hook;
use crate::process::real;
use crate::process::settings::config;
use crate::serve::{Handle, Spot};
use core::ffi::{c_char, c_int, c_long, c_uint};
use libc::{AT_FDCWD, AT_SYMLINK_NOFOLLOW};
use weft_scratch_core::ops::Op::*;
use weft_scratch_core::sys::{self, Result};

type Stat = libc::stat64;
type StatFs = libc::statfs64;
type StatVfs = libc::statvfs64;

const FOLLOW: c_int = 0;

macro_rules! stats {
    ($(by_path $p:ident($($pa:ident: $pt:ty),*) flags $f:expr;)* $(by_fd $d:ident($($da:ident: $dt:ty),*);)*
     $(at $a:ident($($aa:ident: $at:ty),*);)*) => {
        hook! {
            $(fn $p($($pa: $pt,)* path: *const c_char, st: *mut Stat) -> c_int |real| {
                // Counted first, then the read pool, then the real call.
                by_path(Stat, AT_FDCWD, path, || pool::stat(path, st, $f).unwrap_or_else(real), |s| s.stat(st, $f))
            })*
            $(fn $d($($da: $dt,)* fd: c_int, st: *mut Stat) -> c_int |real| { by_fd(Stat, fd, real, |h| h.stat(st)) })*
            $(fn $a($($aa: $at,)* dir: c_int, path: *const c_char, st: *mut Stat, flags: c_int) -> c_int |real| {
                stat_at(dir, path, flags, real, |h| h.stat(st), |s| s.stat(st, flags))
            })*
        }
    };
}
stats! {
    by_path stat() flags FOLLOW;
    by_path stat64() flags FOLLOW;
    by_path lstat() flags AT_SYMLINK_NOFOLLOW;
    by_path lstat64() flags AT_SYMLINK_NOFOLLOW;
    by_path __xstat(_ver: c_int) flags FOLLOW;
    by_path __xstat64(_ver: c_int) flags FOLLOW;
    by_path __lxstat(_ver: c_int) flags AT_SYMLINK_NOFOLLOW;
    by_path __lxstat64(_ver: c_int) flags AT_SYMLINK_NOFOLLOW;
    by_fd fstat();
    by_fd fstat64();
    by_fd __fxstat(_ver: c_int);
    by_fd __fxstat64(_ver: c_int);
    at fstatat();
    at fstatat64();
    at __fxstatat(_ver: c_int);
    at __fxstatat64(_ver: c_int);
}

/// With an empty path the `at` calls mean the descriptor itself.
unsafe fn stat_at(
    dir: c_int,
    path: *const c_char,
    flags: c_int,
    real: impl FnOnce() -> c_int,
    fd: impl FnOnce(Handle) -> Result<usize>,
    spot: impl FnOnce(&Spot) -> Result<usize>,
) -> c_int {
    // SAFETY: the hook's caller passed a C string, or null with AT_EMPTY_PATH.
    let empty = flags & libc::AT_EMPTY_PATH != 0 && unsafe { real::bytes(path) }.is_empty();
    if empty && dir != AT_FDCWD {
        return by_fd(Stat, dir, real, fd);
    }
    // SAFETY: as above.
    unsafe { by_path(Stat, dir, path, real, spot) }
}

/// The kernel would follow the path in the real directory; here it is the same file to all.
unsafe fn access_at(dir: c_int, path: *const c_char, mode: c_int, real: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the hook's caller passed a C string.
    unsafe { by_path(Stat, dir, path, real, |s| s.access(mode)) }
}

fn put<T>(to: *mut T, from: Result<T>) -> Result<usize> {
    let value = from?;
    if to.is_null() {
        return Err(libc::EFAULT);
    }
    // SAFETY: the hook's caller passed a buffer of this type.
    unsafe { to.write(value) };
    Ok(0)
}

hook! {
    fn statx(dir: c_int, path: *const c_char, flags: c_int, mask: c_uint, out: *mut libc::statx) -> c_int |real| {
        stat_at(dir, path, flags, real, |h| h.statx(out), |s| { let _ = mask; s.statx(out, flags) })
    }
    fn access(path: *const c_char, mode: c_int) -> c_int |real| { access_at(AT_FDCWD, path, mode, real) }
    fn faccessat(dir: c_int, path: *const c_char, mode: c_int, _flags: c_int) -> c_int |real| { access_at(dir, path, mode, real) }
    fn euidaccess(path: *const c_char, mode: c_int) -> c_int |real| { access_at(AT_FDCWD, path, mode, real) }
    fn eaccess(path: *const c_char, mode: c_int) -> c_int |real| { access_at(AT_FDCWD, path, mode, real) }
    fn statvfs(path: *const c_char, out: *mut StatVfs) -> c_int |real| {
        by_path(OtherMeta, AT_FDCWD, path, real, |s| put(out, s.exists().and_then(|()| statfs_of_store()).map(statvfs_of)))
    }
    fn statvfs64(path: *const c_char, out: *mut StatVfs) -> c_int |real| {
        by_path(OtherMeta, AT_FDCWD, path, real, |s| put(out, s.exists().and_then(|()| statfs_of_store()).map(statvfs_of)))
    }
    fn fstatvfs(fd: c_int, out: *mut StatVfs) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| put(out, h.statfs().map(statvfs_of))) }
    fn fstatvfs64(fd: c_int, out: *mut StatVfs) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| put(out, h.statfs().map(statvfs_of))) }
    fn statfs(path: *const c_char, out: *mut StatFs) -> c_int |real| {
        by_path(OtherMeta, AT_FDCWD, path, real, |s| put(out, s.exists().and_then(|()| statfs_of_store())))
    }
    fn statfs64(path: *const c_char, out: *mut StatFs) -> c_int |real| {
        by_path(OtherMeta, AT_FDCWD, path, real, |s| put(out, s.exists().and_then(|()| statfs_of_store())))
    }
    fn fstatfs(fd: c_int, out: *mut StatFs) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| put(out, h.statfs())) }
    fn fstatfs64(fd: c_int, out: *mut StatFs) -> c_int |real| { by_fd(OtherMeta, fd, real, |h| put(out, h.statfs())) }
    fn pathconf(path: *const c_char, name: c_int) -> c_long |real| {
        path_call(AT_FDCWD, path, real, |s| s.exists().and_then(|()| limit(name)))
    }
    fn fpathconf(fd: c_int, name: c_int) -> c_long |real| { fd_call(fd, real, |_| limit(name)) }
}

fn statfs_of_store() -> Result<StatFs> {
    sys::statfs(config().store.c_path())
}

fn statvfs_of(f: StatFs) -> StatVfs {
    // SAFETY: statvfs is plain old data; all zeroes is a value of it.
    let mut v: StatVfs = unsafe { core::mem::zeroed() };
    (v.f_bsize, v.f_frsize, v.f_namemax) = (f.f_bsize as _, f.f_frsize as _, 255);
    (v.f_blocks, v.f_bfree, v.f_bavail) = (f.f_blocks, f.f_bfree, f.f_bavail);
    (v.f_files, v.f_ffree, v.f_favail) = (f.f_files, f.f_ffree, f.f_ffree);
    v
}

fn limit(name: c_int) -> Result<usize> {
    match name {
        libc::_PC_NAME_MAX => Ok(255),
        libc::_PC_PATH_MAX => Ok(4096),
        libc::_PC_LINK_MAX => Ok(1),
        libc::_PC_PIPE_BUF => Ok(4096),
        _ => Err(libc::EINVAL),
    }
}
