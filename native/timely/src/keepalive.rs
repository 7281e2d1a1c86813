//! A connection that is idle or without answer is found lost in seconds, not in hours.

use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// Seconds without traffic until the kernel asks the other end, between its questions, and the number of questions.
const IDLE: libc::c_int = 5;
const BETWEEN: libc::c_int = 2;
const QUESTIONS: libc::c_int = 5;
/// Milliseconds that sent data can remain without acknowledgement.
const UNANSWERED: libc::c_int = 15_000;

/// Set the options of a connection between two processes.
pub fn set(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    option(stream, libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)?;
    for (name, value) in [
        (libc::TCP_KEEPIDLE, IDLE),
        (libc::TCP_KEEPINTVL, BETWEEN),
        (libc::TCP_KEEPCNT, QUESTIONS),
        (libc::TCP_USER_TIMEOUT, UNANSWERED),
    ] {
        option(stream, libc::IPPROTO_TCP, name, value)?;
    }
    Ok(())
}

fn option(
    stream: &TcpStream,
    level: libc::c_int,
    name: libc::c_int,
    value: libc::c_int,
) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the option is one integer.
    let set = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            level,
            name,
            std::ptr::from_ref(&value).cast(),
            libc::socklen_t::try_from(size_of_val(&value)).expect("an integer is small"),
        )
    };
    if set == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
