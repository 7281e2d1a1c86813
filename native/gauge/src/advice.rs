//! What the kernel is asked to do with a file's pages (posix_fadvise(2)).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Let go of the file's clean pages. File systems in memory cannot.
pub fn forget(file: &File) -> io::Result<()> {
    advise(file, libc::POSIX_FADV_DONTNEED)
}

/// Read nothing ahead.
pub fn random(file: &File) -> io::Result<()> {
    advise(file, libc::POSIX_FADV_RANDOM)
}

fn advise(file: &File, advice: i32) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `file` is borrowed
    match unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, advice) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}
