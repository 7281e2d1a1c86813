//! What waits for a network: receiving, sending, and waiting until one of several descriptors can do it.

use crate::count;
use crate::process::gate::hook;
use core::ffi::{c_int, c_void};
use libc::{epoll_event, fd_set, msghdr, nfds_t, pollfd, sigset_t, size_t, socklen_t, ssize_t, timespec, timeval};
use weft_scratch_core::classes::NETWORK;
use weft_scratch_core::ops::Op;

/// Functions whose first argument is the socket.
macro_rules! on_socket {
    ($($op:ident $name:ident($($a:ident: $t:ty),*);)*) => {
        hook! {$(
            fn $name(fd: c_int, $($a: $t),*) -> ssize_t |real| {
                $(let _ = $a;)*
                count::timed(Op::$op, || count::fd_class(fd), real)
            }
        )*}
    };
}
on_socket! {
    Recv recv(buf: *mut c_void, n: size_t, flags: c_int);
    Recv __recv_chk(buf: *mut c_void, n: size_t, room: size_t, flags: c_int);
    Recv recvfrom(buf: *mut c_void, n: size_t, flags: c_int, from: *mut c_void, len: *mut socklen_t);
    Recv recvmsg(message: *mut msghdr, flags: c_int);
    Send send(buf: *const c_void, n: size_t, flags: c_int);
    Send sendto(buf: *const c_void, n: size_t, flags: c_int, to: *const c_void, len: socklen_t);
    Send sendmsg(message: *const msghdr, flags: c_int);
}

/// Functions that wait for any of several descriptors, of which some are pipes or timers: all stand for a network.
macro_rules! on_several {
    ($($op:ident $name:ident($($a:ident: $t:ty),*);)*) => {
        hook! {$(
            fn $name($($a: $t),*) -> c_int |real| {
                $(let _ = $a;)*
                count::timed(Op::$op, || NETWORK, real)
            }
        )*}
    };
}
on_several! {
    Poll poll(fds: *mut pollfd, n: nfds_t, timeout: c_int);
    Poll __poll_chk(fds: *mut pollfd, n: nfds_t, timeout: c_int, room: size_t);
    Poll ppoll(fds: *mut pollfd, n: nfds_t, timeout: *const timespec, mask: *const sigset_t);
    Poll select(n: c_int, read: *mut fd_set, write: *mut fd_set, other: *mut fd_set, timeout: *mut timeval);
    EpollWait epoll_wait(epoll: c_int, events: *mut epoll_event, n: c_int, timeout: c_int);
    EpollWait epoll_pwait(epoll: c_int, events: *mut epoll_event, n: c_int, timeout: c_int, mask: *const sigset_t);
    EpollWait epoll_pwait2(epoll: c_int, events: *mut epoll_event, n: c_int, timeout: *const timespec, mask: *const sigset_t);
}
