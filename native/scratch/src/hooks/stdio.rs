//! Streams of stdio. Those on served files are cookies over our own calls.

use super::{data, open};
use crate::process::gate::hook;
use crate::process::real;
use crate::{count, pool, serve};
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicI32, AtomicPtr, Ordering::*};
use libc::{ssize_t, FILE};
use weft_scratch_core::classes::OTHER;
use weft_scratch_core::coverage::Missed;
use weft_scratch_core::ops::Op::*;
use weft_scratch_core::store::Reason;

/// Streams we made, so that fileno can answer.
const MAX_STREAMS: usize = 256;
static STREAMS: [AtomicPtr<FILE>; MAX_STREAMS] = [const { AtomicPtr::new(core::ptr::null_mut()) }; MAX_STREAMS];
static FD_OF: [AtomicI32; MAX_STREAMS] = [const { AtomicI32::new(-1) }; MAX_STREAMS];

#[repr(C)]
struct Cookie {
    read: unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> ssize_t,
    write: unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> ssize_t,
    seek: unsafe extern "C" fn(*mut c_void, *mut i64, c_int) -> c_int,
    close: unsafe extern "C" fn(*mut c_void) -> c_int,
}

extern "C" {
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, io: Cookie) -> *mut FILE;
}

unsafe extern "C" fn read(fd: *mut c_void, buf: *mut c_char, n: usize) -> ssize_t {
    // SAFETY: stdio passes its own buffer.
    unsafe { data::read(fd as c_int, buf.cast(), n) }
}

unsafe extern "C" fn write(fd: *mut c_void, buf: *const c_char, n: usize) -> ssize_t {
    // SAFETY: stdio passes its own buffer. A cookie reports failure as 0.
    unsafe { data::write(fd as c_int, buf.cast(), n) }.max(0)
}

unsafe extern "C" fn seek(fd: *mut c_void, at: *mut i64, whence: c_int) -> c_int {
    // SAFETY: stdio passes a live offset.
    unsafe {
        let r = data::lseek64(fd as c_int, *at, whence);
        if r < 0 {
            return -1;
        }
        *at = r;
    }
    0
}

unsafe extern "C" fn close(fd: *mut c_void) -> c_int {
    forget(fd as c_int);
    // SAFETY: the stream owned its descriptor.
    unsafe { open::close(fd as c_int) }
}

fn forget(fd: c_int) {
    if let Some(i) = (0..MAX_STREAMS).find(|&i| FD_OF[i].load(Relaxed) == fd) {
        FD_OF[i].store(-1, Relaxed);
        STREAMS[i].store(core::ptr::null_mut(), Release);
    }
}

fn fd_of(f: *mut FILE) -> Option<c_int> {
    let i = STREAMS.iter().position(|s| s.load(Acquire) == f)?;
    Some(FD_OF[i].load(Relaxed))
}

/// Makes a stream over a served descriptor.
unsafe fn stream(fd: c_int, mode: *const c_char) -> *mut FILE {
    let io = Cookie { read, write, seek, close };
    // SAFETY: the mode is the caller's C string; the cookie is a number.
    let f = unsafe { fopencookie(fd as usize as *mut c_void, mode, io) };
    let free =
        (0..MAX_STREAMS).find(|&i| STREAMS[i].compare_exchange(core::ptr::null_mut(), f, AcqRel, Relaxed).is_ok());
    if let Some(i) = free {
        FD_OF[i].store(fd, Release);
    }
    f
}

fn flags_of(mode: &[u8]) -> c_int {
    let plus = mode.contains(&b'+');
    let access = match (mode.first(), plus) {
        (_, true) => libc::O_RDWR,
        (Some(b'r'), _) => libc::O_RDONLY,
        _ => libc::O_WRONLY,
    };
    let create = match mode.first() {
        Some(b'w') => libc::O_CREAT | libc::O_TRUNC,
        Some(b'a') => libc::O_CREAT | libc::O_APPEND,
        _ => 0,
    };
    let has = |c: u8, flag: c_int| if mode.contains(&c) { flag } else { 0 };
    access | create | has(b'e', libc::O_CLOEXEC) | has(b'x', libc::O_EXCL)
}

/// glibc's fopen opens without passing any hook: counted here, its reads and writes are not seen.
unsafe fn open_stream(path: *const c_char, mode: *const c_char, real: impl FnOnce() -> *mut FILE) -> *mut FILE {
    // SAFETY: the hook's caller passed C strings.
    let (class, flags) = unsafe { (count::path_class(libc::AT_FDCWD, path), flags_of(real::bytes(mode))) };
    // SAFETY: as above.
    if unsafe { serve::covers(libc::AT_FDCWD, path) || serve::names_descriptor(path) } {
        // SAFETY: as above.
        let fd = unsafe { open::open64(path, flags, 0o666) };
        // SAFETY: as above; the descriptor is ours to give.
        return if fd < 0 { core::ptr::null_mut() } else { unsafe { stream(fd, mode) } };
    }
    if flags != libc::O_RDONLY {
        // SAFETY: as above.
        unsafe { pool::forget(libc::AT_FDCWD, path) };
    }
    let f = count::timed(Open, || class, real);
    if !f.is_null() {
        // Programs read their own settings that way all the time: only a class somebody asked for matters.
        if class > OTHER {
            count::missed(Missed::Stdio, class as u64, b"");
        }
        count::set_fd_class(real_fileno(f), class);
    }
    f
}

fn real_fileno(f: *mut FILE) -> c_int {
    let p = real::get(real::Real::fileno);
    // SAFETY: the symbol is fileno(3) and `f` is a live stream.
    unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(*mut FILE) -> c_int>(p)(f) }
}

hook! {
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE |real| { open_stream(path, mode, real) }
    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE |real| { open_stream(path, mode, real) }
    fn fdopen(fd: c_int, mode: *const c_char) -> *mut FILE |real| {
        if serve::handle(fd).is_some() { stream(fd, mode) } else { real() }
    }
    fn freopen(path: *const c_char, mode: *const c_char, f: *mut FILE) -> *mut FILE |real| { reopen(path, mode, f, real) }
    fn freopen64(path: *const c_char, mode: *const c_char, f: *mut FILE) -> *mut FILE |real| { reopen(path, mode, f, real) }
    fn fclose(f: *mut FILE) -> c_int |real| {
        if fd_of(f).is_some() {
            return real();
        }
        let fd = real_fileno(f);
        let class = count::fd_class(fd);
        count::timed(Close, || class, || { count::set_fd_class(fd, 0); real() })
    }
    fn fileno(f: *mut FILE) -> c_int |real| { fd_of(f).unwrap_or_else(real) }
    fn fileno_unlocked(f: *mut FILE) -> c_int |real| { fd_of(f).unwrap_or_else(real) }
}

/// A standard stream cannot become a cookie, so reopening it on a served file is refused.
unsafe fn reopen(
    path: *const c_char,
    mode: *const c_char,
    f: *mut FILE,
    real: impl FnOnce() -> *mut FILE,
) -> *mut FILE {
    let _ = f;
    // SAFETY: the hook's caller passed a C string or null.
    if !path.is_null() && unsafe { serve::covers(libc::AT_FDCWD, path) } {
        serve::refused(Reason::Freopen);
        real::set_errno(libc::ENOTSUP);
        return core::ptr::null_mut();
    }
    // SAFETY: as above; without a path the file is the one that was open.
    if !path.is_null() && unsafe { flags_of(real::bytes(mode)) } != libc::O_RDONLY {
        // SAFETY: as above.
        unsafe { pool::forget(libc::AT_FDCWD, path) };
    }
    real()
}
