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
    fn munmap(addr: *mut c_void, len: size_t) -> c_int |real| {
        let any = maps::any();
        if any {
            maps::leaving(addr as usize, len);
        }
        let r = real();
        if r == 0 && any {
            gate::exclusive(|| {
                maps::unmapped(addr as usize, len, |pin| if let Some(s) = scratch::mapped() { s.unpin(pin) });
                Some(())
            });
        }
        r
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
    real: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    if fd < 0 || flags & libc::MAP_ANONYMOUS != 0 {
        return real();
    }
    let call = || fd_call(fd, real, |h| h.map(addr as usize, len, prot, flags, off));
    let answer = count::sized(Mmap, || count::fd_class(fd), call, |_| len as u64);
    if answer.is_null() {
        // The failure value of a pointer is null; that of mmap is not.
        return libc::MAP_FAILED;
    }
    answer
}
