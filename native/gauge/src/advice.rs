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

/// Zeroed memory for which the kernel is asked for large pages, so that records anywhere in it are found fast.
pub fn many_pages(bytes: usize) -> Vec<u8> {
    let found = vec![0; bytes];
    let page = 1 << 21;
    let skipped = found.as_ptr().align_offset(page);
    if bytes > skipped + page {
        // SAFETY: the range is a part of memory that `found` owns, and the advice changes no contents
        // a kernel without large pages refuses, and nothing depends on it
        let _ = unsafe {
            let begin = found.as_ptr().add(skipped).cast_mut();
            libc::madvise(
                begin.cast(),
                (bytes - skipped) / page * page,
                libc::MADV_HUGEPAGE,
            )
        };
    }
    found
}
