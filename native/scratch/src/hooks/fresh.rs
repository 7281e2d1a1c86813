//! Calls that return new descriptors of other kinds: a number that comes back tells that an old descriptor
//! was closed behind our back.

use crate::process::gate::hook;
use crate::{count, serve};
use core::ffi::{c_char, c_int, c_uint, c_void};

fn fresh(fd: c_int) -> c_int {
    if fd >= 0 {
        count::set_fd_class(fd, 0);
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
    socket(domain: c_int, kind: c_int, protocol: c_int);
    accept(fd: c_int, addr: *mut c_void, len: *mut c_uint);
    accept4(fd: c_int, addr: *mut c_void, len: *mut c_uint, flags: c_int);
    epoll_create(size: c_int);
    epoll_create1(flags: c_int);
    eventfd(initial: c_uint, flags: c_int);
    timerfd_create(clock: c_int, flags: c_int);
    inotify_init1(flags: c_int);
    memfd_create(name: *const c_char, flags: c_uint);
}

hook! {
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
