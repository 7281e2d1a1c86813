//! The system calls under test, through the C library so that a preload library sees them.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

pub fn open(path: &Path, fresh: bool) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(fresh)
        .truncate(fresh)
        .open(path)
}

/// Reads until `len` bytes or the end of the file.
pub fn read(file: &File, at: usize, len: usize) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; len];
    let mut done = 0;
    while done < len {
        match file.read_at(&mut buffer[done..], (at + done) as u64)? {
            0 => break,
            n => done += n,
        }
    }
    buffer.truncate(done);
    Ok(buffer)
}

pub fn append(path: &Path, data: &[u8]) -> io::Result<()> {
    use std::io::Write;
    OpenOptions::new().append(true).open(path)?.write_all(data)
}

pub fn allocate(file: &File, mode: i32, at: usize, len: usize) -> io::Result<()> {
    // SAFETY: the descriptor is open for the length of the call and no memory is passed.
    let rc = unsafe {
        libc::fallocate(
            file.as_raw_fd(),
            mode,
            at as libc::off_t,
            len as libc::off_t,
        )
    };
    if rc == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Copies within the file; the kernel may do less than asked, so it is asked again.
pub fn copy(file: &File, from: usize, to: usize, len: usize) -> io::Result<()> {
    let (mut source, mut target) = (from as libc::off64_t, to as libc::off64_t);
    let mut left = len;
    while left > 0 {
        let fd = file.as_raw_fd();
        // SAFETY: both offsets outlive the call.
        let n = unsafe { libc::copy_file_range(fd, &mut source, fd, &mut target, left, 0) };
        match n {
            -1 => return Err(io::Error::last_os_error()),
            0 => {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "copied nothing",
                ))
            }
            n => left -= n as usize,
        }
    }
    Ok(())
}

/// A shared mapping of the whole pages that cover a range of the file.
pub struct Mapping {
    base: *mut libc::c_void,
    len: usize,
    skip: usize,
}

impl Mapping {
    pub fn new(file: &File, at: usize, len: usize, writable: bool) -> io::Result<Mapping> {
        // SAFETY: sysconf has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let skip = at % page;
        let protection = libc::PROT_READ | if writable { libc::PROT_WRITE } else { 0 };
        // SAFETY: a fresh mapping chosen by the kernel; it is unmapped in drop.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len + skip,
                protection,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                (at - skip) as libc::off_t,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let len = len + skip;
        Ok(Mapping { base, len, skip })
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping covers len bytes; this process is its only user.
        let all = unsafe { std::slice::from_raw_parts(self.base.cast::<u8>(), self.len) };
        &all[self.skip..]
    }

    /// Stores into the mapping and waits until the file system has the bytes.
    pub fn store(&mut self, data: &[u8]) -> io::Result<()> {
        // SAFETY: mapped writable by the caller's choice; covers len bytes; no other user.
        let all = unsafe { std::slice::from_raw_parts_mut(self.base.cast::<u8>(), self.len) };
        all[self.skip..].copy_from_slice(data);
        // SAFETY: base and len are those of the mapping.
        match unsafe { libc::msync(self.base, self.len, libc::MS_SYNC) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: base and len are those of the mapping, unmapped once.
        unsafe { libc::munmap(self.base, self.len) };
    }
}
