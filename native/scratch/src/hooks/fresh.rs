//! Calls that return new descriptors of other kinds: a number that comes back shows that an old descriptor
//! was closed behind our back.

use crate::process::gate::hook;
use crate::{count, serve};
use core::ffi::{c_char, c_int, c_uint, c_void};
use weft_scratch_core::classes::{NETWORK, UNNAMED};

fn fresh(fd: c_int) -> c_int {
    fresh_as(fd, UNNAMED)
}

fn fresh_as(fd: c_int, class: u8) -> c_int {
    if fd >= 0 {
        count::set_fd_class(fd, class);
        serve::fresh(fd);
    }
    fd
}

fn fresh_pair(ok: c_int, pair: *mut c_int) -> c_int {
    if ok == 0 {
        // SAFETY: the call succeeded, so it filled two descriptors in.
        unsafe {
            fresh(*pair);
            fresh(*pair.add(1));
        }
    }
    ok
}

macro_rules! fresh {
    ($($name:ident($($a:ident: $t:ty),*);)*) => {
        hook! {$(
            fn $name($($a: $t),*) -> c_int |real| {
                $(let _ = $a;)*
                fresh(real())
            }
        )*}
    };
}
fresh! {
    epoll_create(size: c_int);
    epoll_create1(flags: c_int);
    eventfd(initial: c_uint, flags: c_int);
    timerfd_create(clock: c_int, flags: c_int);
    inotify_init1(flags: c_int);
    memfd_create(name: *const c_char, flags: c_uint);
}

hook! {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int |real| {
        let _ = (kind, protocol);
        fresh_as(real(), if matches!(domain, libc::AF_INET | libc::AF_INET6) { NETWORK } else { UNNAMED })
    }
    fn accept(fd: c_int, addr: *mut c_void, len: *mut c_uint) -> c_int |real| {
        let _ = (addr, len);
        fresh_as(real(), count::fd_class(fd))
    }
    fn accept4(fd: c_int, addr: *mut c_void, len: *mut c_uint, flags: c_int) -> c_int |real| {
        let _ = (addr, len, flags);
        fresh_as(real(), count::fd_class(fd))
    }
    fn socketpair(domain: c_int, kind: c_int, protocol: c_int, pair: *mut c_int) -> c_int |real| {
        let _ = (domain, kind, protocol);
        fresh_pair(real(), pair)
    }
    fn pipe(pair: *mut c_int) -> c_int |real| { fresh_pair(real(), pair) }
    fn pipe2(pair: *mut c_int, flags: c_int) -> c_int |real| {
        let _ = flags;
        fresh_pair(real(), pair)
    }
}
