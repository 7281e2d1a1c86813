//! Directory streams. A served one is a listing of our own, known by where it lies.

use super::open::close;
use super::route::{fd_call, finish, path_call};
use crate::process::gate::{self, hook, Ret};
use crate::process::real;
use crate::scratch::listing::{listing, Listing};
use crate::{count, serve};
use core::ffi::{c_char, c_int, c_long, c_void};
use libc::{dirent64, DIR};
use weft_scratch_core::ops::Op::*;

/// `struct dirent` and `struct dirent64` are one on 64-bit machines.
type Entry = *mut dirent64;

fn dir_class(d: *mut DIR) -> u8 {
    let f = real::get(real::Real::dirfd);
    if f.is_null() || d.is_null() {
        return 0;
    }
    // SAFETY: the symbol is dirfd(3) and `d` is libc's own stream.
    count::fd_class(unsafe {
        core::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(*mut DIR) -> c_int>(f)(d)
    })
}

fn class_of(d: *mut DIR) -> u8 {
    match listing(d) {
        Some(l) => count::fd_class(l.fd()),
        None => dir_class(d),
    }
}

/// Counts and routes a call on a directory stream.
fn by_dir<R: Ret>(
    op: weft_scratch_core::ops::Op,
    d: *mut DIR,
    real: impl FnOnce() -> R,
    served: impl FnOnce(&Listing) -> R,
) -> R {
    count::timed(
        op,
        || class_of(d),
        || match listing(d) {
            None => real(),
            Some(l) => served(l),
        },
    )
}

fn remember(d: *mut DIR, class: u8) -> *mut DIR {
    if !d.is_null() && listing(d).is_none() {
        let f = real::get(real::Real::dirfd);
        // SAFETY: `d` came from libc's opendir and the symbol is dirfd(3).
        let fd = unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(*mut DIR) -> c_int>(f)(d) };
        count::set_fd_class(fd, class);
    }
    d
}

hook! {
    fn opendir(path: *const c_char) -> *mut DIR |real| {
        let class = count::path_class(libc::AT_FDCWD, path);
        let d = count::timed(Opendir, || class, || path_call(libc::AT_FDCWD, path, real, |s| s.list(class)));
        remember(d, class)
    }
    fn fdopendir(fd: c_int) -> *mut DIR |real| {
        let class = count::fd_class(fd);
        count::timed(Opendir, || class, || fd_call(fd, real, |h| h.list(fd)))
    }
    fn readdir(d: *mut DIR) -> Entry |real| { by_dir(Readdir, d, real, |l| l.next()) }
    fn readdir64(d: *mut DIR) -> Entry |real| { by_dir(Readdir, d, real, |l| l.next()) }
    fn readdir_r(d: *mut DIR, entry: Entry, out: *mut Entry) -> c_int |real| { by_dir(Readdir, d, real, |l| l.next_into(entry, out)) }
    fn readdir64_r(d: *mut DIR, entry: Entry, out: *mut Entry) -> c_int |real| { by_dir(Readdir, d, real, |l| l.next_into(entry, out)) }
    fn closedir(d: *mut DIR) -> c_int |real| {
        let class = class_of(d);
        match listing(d) {
            // The stream's descriptor is closed through our own close, which counts it.
            Some(l) => { let fd = l.fd(); l.free(); close(fd) }
            None => count::timed(Close, || class, || { remember(d, 0); real() }),
        }
    }
    fn rewinddir(d: *mut DIR) -> () |real| {
        match listing(d) {
            None => real(),
            Some(l) => { gate::exclusive(|| Some(finish::<c_int>(l.rewind()))); }
        }
    }
    fn dirfd(d: *mut DIR) -> c_int |real| { listing(d).map_or_else(real, |l| l.fd()) }
    fn seekdir(d: *mut DIR, at: c_long) -> () |real| {
        match listing(d) {
            None => real(),
            Some(l) => l.seek(at),
        }
    }
    fn telldir(d: *mut DIR) -> c_long |real| { listing(d).map_or_else(real, |l| l.tell()) }
    fn scandir(path: *const c_char, out: *mut *mut Entry, keep: Option<Keep>, order: Option<Order>) -> c_int |real| {
        scan(path, out, keep, order, real)
    }
    fn scandir64(path: *const c_char, out: *mut *mut Entry, keep: Option<Keep>, order: Option<Order>) -> c_int |real| {
        scan(path, out, keep, order, real)
    }
}

type Keep = unsafe extern "C" fn(*const dirent64) -> c_int;
type Order = unsafe extern "C" fn(*mut *const dirent64, *mut *const dirent64) -> c_int;

/// glibc's scandir reads the directory without passing any hook, so a served one is read here.
unsafe fn scan(
    path: *const c_char,
    out: *mut *mut Entry,
    keep: Option<Keep>,
    order: Option<Order>,
    real: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: the hook's caller passed a C string.
    if !unsafe { serve::covers(libc::AT_FDCWD, path) } {
        return real();
    }
    // SAFETY: as above; the stream is closed below.
    let d = unsafe { opendir(path) };
    if d.is_null() {
        return -1;
    }
    let mut list: *mut Entry = core::ptr::null_mut();
    let mut n = 0usize;
    loop {
        // SAFETY: `d` is open; entries stay valid until the next call.
        let e = unsafe { readdir64(d) };
        if e.is_null() {
            break;
        }
        // SAFETY: the filter is the caller's own.
        if keep.is_some_and(|f| unsafe { f(e) } == 0) {
            continue;
        }
        // SAFETY: plain malloc use: the caller frees each entry and the list.
        unsafe {
            list = libc::realloc(list.cast(), (n + 1) * size_of::<Entry>()).cast();
            let copy = libc::malloc((*e).d_reclen as usize);
            core::ptr::copy_nonoverlapping(e.cast::<u8>(), copy.cast(), (*e).d_reclen as usize);
            *list.add(n) = copy.cast();
        }
        n += 1;
    }
    // SAFETY: `d` is open; `list` holds `n` entries; the order function is the caller's own.
    unsafe {
        closedir(d);
        if let (Some(order), true) = (order, n > 1) {
            let order =
                core::mem::transmute::<Order, unsafe extern "C" fn(*const c_void, *const c_void) -> c_int>(order);
            libc::qsort(list.cast(), n, size_of::<Entry>(), Some(order));
        }
        *out = list;
    }
    n as c_int
}
