//! Reads, writes, seeks, lengths, syncs and transfers between descriptors.

use super::route::{by_fd, by_path, finish};
use crate::process::gate::{self, hook};
use crate::serve::{self, Piece};
use crate::{count, pool};
use core::ffi::{c_char, c_int, c_uint, c_void};
use libc::{iovec, off64_t, size_t, ssize_t};
use weft_scratch_core::classes::NETWORK;
use weft_scratch_core::ops::Op::{self, *};

fn one(buf: *const c_void, n: size_t) -> iovec {
    iovec { iov_base: buf.cast_mut(), iov_len: n }
}

/// What a read of the descriptor is counted as.
#[inline]
fn reading(fd: c_int) -> Op {
    if count::fd_class(fd) == NETWORK {
        Recv
    } else {
        Read
    }
}

/// What a write to the descriptor is counted as.
#[inline]
fn writing(fd: c_int) -> Op {
    if count::fd_class(fd) == NETWORK {
        Send
    } else {
        Write
    }
}

macro_rules! reads {
    ($($name:ident($($extra:ident: $t:ty),*) at $at:expr;)*) => {
        hook! {$(
            fn $name(fd: c_int, buf: *mut c_void, n: size_t, $($extra: $t),*) -> ssize_t |real| {
                by_fd(reading(fd), fd, real, |h| h.read(Piece::new(&one(buf, n), 1), $at))
            }
        )*}
    };
}
reads! {
    read() at None;
    pread(off: off64_t) at Some(off);
    pread64(off: off64_t) at Some(off);
    __read_chk(_room: size_t) at None;
    __pread_chk(off: off64_t, _room: size_t) at Some(off);
    __pread64_chk(off: off64_t, _room: size_t) at Some(off);
}

hook! {
    fn readv(fd: c_int, iov: *const iovec, n: c_int) -> ssize_t |real| {
        by_fd(reading(fd), fd, real, |h| h.read(Piece::new(iov, n), None))
    }
    fn preadv(fd: c_int, iov: *const iovec, n: c_int, off: off64_t) -> ssize_t |real| {
        by_fd(Read, fd, real, |h| h.read(Piece::new(iov, n), Some(off)))
    }
    fn preadv64(fd: c_int, iov: *const iovec, n: c_int, off: off64_t) -> ssize_t |real| {
        by_fd(Read, fd, real, |h| h.read(Piece::new(iov, n), Some(off)))
    }
    fn write(fd: c_int, buf: *const c_void, n: size_t) -> ssize_t |real| {
        by_fd(writing(fd), fd, real, |h| h.write(Piece::new(&one(buf, n), 1), None))
    }
    fn pwrite(fd: c_int, buf: *const c_void, n: size_t, off: off64_t) -> ssize_t |real| {
        by_fd(Write, fd, real, |h| h.write(Piece::new(&one(buf, n), 1), Some(off)))
    }
    fn pwrite64(fd: c_int, buf: *const c_void, n: size_t, off: off64_t) -> ssize_t |real| {
        by_fd(Write, fd, real, |h| h.write(Piece::new(&one(buf, n), 1), Some(off)))
    }
    fn writev(fd: c_int, iov: *const iovec, n: c_int) -> ssize_t |real| {
        by_fd(writing(fd), fd, real, |h| h.write(Piece::new(iov, n), None))
    }
    fn pwritev(fd: c_int, iov: *const iovec, n: c_int, off: off64_t) -> ssize_t |real| {
        by_fd(Write, fd, real, |h| h.write(Piece::new(iov, n), Some(off)))
    }
    fn pwritev64(fd: c_int, iov: *const iovec, n: c_int, off: off64_t) -> ssize_t |real| {
        by_fd(Write, fd, real, |h| h.write(Piece::new(iov, n), Some(off)))
    }
    fn lseek(fd: c_int, off: off64_t, whence: c_int) -> off64_t |real| {
        by_fd(Seek, fd, real, |h| h.seek(off, whence))
    }
    fn lseek64(fd: c_int, off: off64_t, whence: c_int) -> off64_t |real| {
        by_fd(Seek, fd, real, |h| h.seek(off, whence))
    }
    fn ftruncate(fd: c_int, len: off64_t) -> c_int |real| { by_fd(Truncate, fd, real, |h| h.set_len(len)) }
    fn ftruncate64(fd: c_int, len: off64_t) -> c_int |real| { by_fd(Truncate, fd, real, |h| h.set_len(len)) }
    fn truncate(path: *const c_char, len: off64_t) -> c_int |real| {
        pool::forget(libc::AT_FDCWD, path);
        by_path(Truncate, libc::AT_FDCWD, path, real, |s| s.set_len(len))
    }
    fn truncate64(path: *const c_char, len: off64_t) -> c_int |real| {
        pool::forget(libc::AT_FDCWD, path);
        by_path(Truncate, libc::AT_FDCWD, path, real, |s| s.set_len(len))
    }
    fn fallocate(fd: c_int, mode: c_int, off: off64_t, len: off64_t) -> c_int |real| {
        by_fd(Truncate, fd, real, |h| h.allocate(mode, off, len))
    }
    fn fallocate64(fd: c_int, mode: c_int, off: off64_t, len: off64_t) -> c_int |real| {
        by_fd(Truncate, fd, real, |h| h.allocate(mode, off, len))
    }
    fn posix_fallocate(fd: c_int, off: off64_t, len: off64_t) -> c_int |real| {
        by_fd(Truncate, fd, real, |h| Ok(h.allocate(0, off, len).map_or_else(|e| e as usize, |_| 0)))
    }
    fn posix_fallocate64(fd: c_int, off: off64_t, len: off64_t) -> c_int |real| {
        by_fd(Truncate, fd, real, |h| Ok(h.allocate(0, off, len).map_or_else(|e| e as usize, |_| 0)))
    }
    fn posix_fadvise(fd: c_int, _off: off64_t, _len: off64_t, _advice: c_int) -> c_int |real| {
        by_fd(OtherMeta, fd, real, |_| Ok(0))
    }
    fn posix_fadvise64(fd: c_int, _off: off64_t, _len: off64_t, _advice: c_int) -> c_int |real| {
        by_fd(OtherMeta, fd, real, |_| Ok(0))
    }
    fn fsync(fd: c_int) -> c_int |real| { by_fd(Sync, fd, real, |h| h.sync()) }
    fn fdatasync(fd: c_int) -> c_int |real| { by_fd(Sync, fd, real, |h| h.sync()) }
    fn sync_file_range(fd: c_int, _off: off64_t, _len: off64_t, _flags: c_uint) -> c_int |real| {
        by_fd(Sync, fd, real, |h| h.sync())
    }
    fn syncfs(fd: c_int) -> c_int |real| { by_fd(Sync, fd, real, |h| h.sync()) }
    fn sendfile(out: c_int, input: c_int, off: *mut off64_t, n: size_t) -> ssize_t |real| {
        transfer(out, input, real, || serve::send(input, off, out, n))
    }
    fn sendfile64(out: c_int, input: c_int, off: *mut off64_t, n: size_t) -> ssize_t |real| {
        transfer(out, input, real, || serve::send(input, off, out, n))
    }
    fn splice(input: c_int, from: *mut off64_t, out: c_int, to: *mut off64_t, n: size_t, flags: c_uint) -> ssize_t |real| {
        transfer(out, input, real, || serve::splice(input, from, out, to, n, flags))
    }
    fn copy_file_range(input: c_int, from: *mut off64_t, out: c_int, to: *mut off64_t, n: size_t, flags: c_uint) -> ssize_t |real| {
        transfer(out, input, real, || if flags == 0 { serve::copy_range(input, from, out, to, n) } else { Err(libc::EINVAL) })
    }
}

/// Counted under the class of the side that is a file: the input, or for `splice` from a pipe the output.
fn transfer(
    out: c_int,
    input: c_int,
    real: impl FnOnce() -> ssize_t,
    served: impl FnOnce() -> weft_scratch_core::sys::Result<usize>,
) -> ssize_t {
    let class = || match count::fd_class(input) {
        0 => count::fd_class(out),
        c => c,
    };
    count::timed(Transfer, class, || {
        if serve::handle(input).is_none() && serve::handle(out).is_none() {
            return real();
        }
        gate::exclusive(|| Some(served())).map_or_else(real, finish)
    })
}
