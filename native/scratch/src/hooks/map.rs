//! Mapping files into memory.

use super::route::fd_call;
use crate::process::gate::{self, hook};
use crate::scratch::maps;
use crate::{count, scratch};
use core::ffi::{c_int, c_void};
use libc::{off64_t, size_t};
use weft_scratch_core::ops::Op::Mmap;

hook! {
    fn mmap(addr: *mut c_void, len: size_t, prot: c_int, flags: c_int, fd: c_int, off: off64_t) -> *mut c_void |real| {
        map(addr, len, prot, flags, fd, off, real)
    }
    fn mmap64(addr: *mut c_void, len: size_t, prot: c_int, flags: c_int, fd: c_int, off: off64_t) -> *mut c_void |real| {
        map(addr, len, prot, flags, fd, off, real)
    }
    fn munmap(addr: *mut c_void, len: size_t) -> c_int |real| { replacing(addr, len, real, |r| *r == 0) }
    fn mremap(old: *mut c_void, old_len: size_t, len: size_t, flags: c_int, new: *mut c_void) -> *mut c_void |real| {
        if !maps::touches(old as usize, old_len.max(1)) {
            let len = if flags & libc::MREMAP_FIXED != 0 { len } else { 0 };
            return replacing(new, len, real, is_mapped);
        }
        let moved = || scratch::store().and_then(|s| maps::remap(s, old as usize, old_len, len, flags, new as usize));
        address(super::route::answered(gate::exclusive(|| Some(Some(moved()))), real, || true))
    }
}

fn is_mapped(at: &*mut c_void) -> bool {
    *at != libc::MAP_FAILED
}

/// Makes a call that unmaps a range if it succeeds, of which a part may be that of a served file.
fn replacing<R>(at: *mut c_void, len: usize, real: impl Fn() -> R, succeeded: impl Fn(&R) -> bool) -> R {
    if len == 0 || !maps::touches(at as usize, len) {
        return real();
    }
    gate::exclusive(|| Some(maps::replace(at as usize, len, &real, succeeded))).unwrap_or_else(&real)
}

/// The failure value of a pointer is null; that of mmap is not.
fn address(answer: *mut c_void) -> *mut c_void {
    if answer.is_null() {
        libc::MAP_FAILED
    } else {
        answer
    }
}

/// Only mappings of files are counted: anonymous ones are the allocator's.
fn map(
    addr: *mut c_void,
    len: size_t,
    prot: c_int,
    flags: c_int,
    fd: c_int,
    off: off64_t,
    real: impl Fn() -> *mut c_void,
) -> *mut c_void {
    let kernels = || match flags & libc::MAP_FIXED {
        0 => real(),
        _ => replacing(addr, len, &real, is_mapped),
    };
    if fd < 0 || flags & libc::MAP_ANONYMOUS != 0 {
        return kernels();
    }
    let call = || fd_call(fd, kernels, |h| h.map(addr as usize, len, prot, flags, off));
    address(count::sized(Mmap, || count::fd_class(fd), call, |_| len as u64))
}
