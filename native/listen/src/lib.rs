//! `libweft_listen.so`: a socket that would listen on all addresses of the host listens on that of WEFT_LISTEN.

use core::ffi::{c_int, CStr};
use core::mem::{size_of, size_of_val};
use libc::{in6_addr, sockaddr, sockaddr_in, sockaddr_in6, socklen_t};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The function of libc with this name.
///
/// # Safety
/// As of libc's: `address` has `length` bytes.
#[no_mangle]
pub unsafe extern "C" fn bind(fd: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    if let Some(own) = own() {
        // SAFETY: the caller vouches for the address; a family is read where there is room for one.
        let (family, room) = unsafe { (family(address, length), length as usize) };
        if family == libc::AF_INET && room >= size_of::<sockaddr_in>() {
            // SAFETY: the family says what it is, and it is long enough.
            if let Some(narrow) = narrow4(unsafe { *address.cast() }, own) {
                return bound(fd, &narrow);
            }
        }
        if family == libc::AF_INET6 && room >= size_of::<sockaddr_in6>() {
            let alone = without4(fd);
            let to = if alone {
                Ipv6Addr::LOCALHOST
            } else {
                own.to_ipv6_mapped()
            };
            // SAFETY: the same.
            if let Some(narrow) = narrow6(unsafe { *address.cast() }, to) {
                let done = bound(fd, &narrow);
                // on a host without any address of IPv6 nobody reaches what was asked for
                let unavailable = || is_unavailable(&io::Error::last_os_error());
                if !alone || done == 0 || !unavailable() || has6() {
                    return done;
                }
            }
        }
    }
    // SAFETY: passed on from the caller.
    unsafe { libc::syscall(libc::SYS_bind, fd, address, length) as c_int }
}

/// The address of the variable, if it is one.
fn own() -> Option<Ipv4Addr> {
    // SAFETY: the name is a C string, and what is found is one; nothing here sets variables.
    let text = unsafe {
        libc::getenv(c"WEFT_LISTEN".as_ptr())
            .as_ref()
            .map(|first| CStr::from_ptr(first))
    }?;
    text.to_str().ok()?.parse().ok()
}

unsafe fn family(address: *const sockaddr, length: socklen_t) -> c_int {
    if address.is_null() || (length as usize) < size_of::<libc::sa_family_t>() {
        return libc::AF_UNSPEC;
    }
    // SAFETY: the caller vouches for the bytes.
    c_int::from(unsafe { (*address).sa_family })
}

fn bound<A>(fd: c_int, address: &A) -> c_int {
    // SAFETY: the address is a value of its type.
    unsafe {
        libc::syscall(
            libc::SYS_bind,
            fd,
            core::ptr::from_ref(address),
            size_of_val(address),
        ) as c_int
    }
}

fn narrow4(mut address: sockaddr_in, own: Ipv4Addr) -> Option<sockaddr_in> {
    (address.sin_addr.s_addr == 0).then(|| {
        address.sin_addr.s_addr = u32::from_ne_bytes(own.octets());
        address
    })
}

/// A socket for both families gets the address as IPv6 writes those of IPv4.
fn narrow6(mut address: sockaddr_in6, to: Ipv6Addr) -> Option<sockaddr_in6> {
    (address.sin6_addr.s6_addr == [0; 16]).then(|| {
        address.sin6_addr = in6_addr {
            s6_addr: to.octets(),
        };
        address
    })
}

/// Whether a socket is of IPv6 alone: the kernel binds it to no address of IPv4, however that is written.
fn without4(fd: c_int) -> bool {
    let mut found: c_int = 0;
    let mut length = size_of_val(&found) as socklen_t;
    // SAFETY: there is room for the option, which is one integer.
    let code = unsafe {
        libc::getsockopt(
            fd,
            libc::IPPROTO_IPV6,
            libc::IPV6_V6ONLY,
            core::ptr::from_mut(&mut found).cast(),
            &mut length,
        )
    };
    code == 0 && found != 0
}

/// Whether an interface of the host has an address of IPv6: one may have, while that of the host itself is switched off.
fn has6() -> bool {
    std::fs::read("/proc/net/if_inet6").is_ok_and(|addresses| !addresses.is_empty())
}

fn is_unavailable(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EADDRNOTAVAIL)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);

    fn four(ip: [u8; 4]) -> sockaddr_in {
        // SAFETY: all bytes zero are a valid address.
        let mut address: sockaddr_in = unsafe { core::mem::zeroed() };
        address.sin_family = libc::AF_INET as u16;
        address.sin_port = 7;
        address.sin_addr.s_addr = u32::from_ne_bytes(ip);
        address
    }

    #[test]
    fn all_addresses_become_one_and_the_port_stays() {
        let narrow = narrow4(four([0; 4]), OWN).unwrap();
        assert_eq!(
            (narrow.sin_addr.s_addr.to_ne_bytes(), narrow.sin_port),
            ([127, 0, 0, 9], 7)
        );
    }

    #[test]
    fn another_address_stays() {
        assert!(narrow4(four([10, 0, 0, 1]), OWN).is_none());
        // SAFETY: all bytes zero are a valid address.
        let mut six: sockaddr_in6 = unsafe { core::mem::zeroed() };
        six.sin6_addr.s6_addr[15] = 1;
        assert!(narrow6(six, OWN.to_ipv6_mapped()).is_none());
    }

    #[test]
    fn both_families_become_the_one_of_ipv4() {
        // SAFETY: all bytes zero are a valid address.
        let six: sockaddr_in6 = unsafe { core::mem::zeroed() };
        let narrow = narrow6(six, OWN.to_ipv6_mapped()).unwrap();
        assert_eq!(narrow.sin6_addr.s6_addr[10..], [0xff, 0xff, 127, 0, 0, 9]);
    }

    #[test]
    fn a_socket_of_libc_is_bound_by_the_function_here() {
        std::env::set_var("WEFT_LISTEN", "127.0.0.9");
        let socket = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
        assert_eq!(socket.local_addr().unwrap().ip(), OWN);
        let both = std::net::TcpListener::bind("[::]:0").unwrap();
        assert_eq!(
            both.local_addr().unwrap().ip().to_string(),
            "::ffff:127.0.0.9"
        );
    }

    #[test]
    fn a_socket_of_ipv6_alone_is_bound_to_this_host() {
        use std::os::fd::FromRawFd;
        std::env::set_var("WEFT_LISTEN", "127.0.0.9");
        let on: c_int = 1;
        // SAFETY: all bytes zero are a valid address; what the calls are given lives until they end.
        let socket = unsafe {
            let mut any: sockaddr_in6 = core::mem::zeroed();
            any.sin6_family = libc::AF_INET6 as u16;
            let fd = libc::socket(libc::AF_INET6, libc::SOCK_STREAM, 0);
            let (option, value) = (libc::IPV6_V6ONLY, core::ptr::from_ref(&on).cast());
            let size = size_of_val(&on) as socklen_t;
            assert_eq!(
                libc::setsockopt(fd, libc::IPPROTO_IPV6, option, value, size),
                0
            );
            let length = size_of_val(&any) as socklen_t;
            assert_eq!(bind(fd, core::ptr::from_ref(&any).cast(), length), 0);
            std::net::TcpListener::from_raw_fd(fd)
        };
        let there = std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
        let expected = if there {
            Ipv6Addr::LOCALHOST
        } else {
            Ipv6Addr::UNSPECIFIED
        };
        assert_eq!(socket.local_addr().unwrap().ip(), expected);
    }
}
