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

/// Bytes of a page.
pub fn page() -> usize {
    // SAFETY: sysconf has no preconditions.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// What a mapping is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    /// Written for this process only.
    Private,
}

/// A mapping of the whole pages that cover a range of the file.
pub struct Mapping {
    base: *mut libc::c_void,
    len: usize,
    skip: usize,
}

impl Mapping {
    pub fn new(file: &File, at: usize, len: usize, access: Access) -> io::Result<Mapping> {
        let skip = at % page();
        let (protection, kind) = match access {
            Access::Read => (libc::PROT_READ, libc::MAP_SHARED),
            Access::Write => (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED),
            Access::Private => (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE),
        };
        let (fd, from) = (file.as_raw_fd(), (at - skip) as libc::off_t);
        // SAFETY: a fresh mapping chosen by the kernel; it is unmapped in drop.
        let base =
            unsafe { libc::mmap(std::ptr::null_mut(), len + skip, protection, kind, fd, from) };
        mapped(base)?;
        let len = len + skip;
        Ok(Mapping { base, len, skip })
    }

    /// Bytes from the first page on.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping covers len bytes; no other thread of this process uses it.
        let all = unsafe { std::slice::from_raw_parts(self.base.cast::<u8>(), self.len) };
        &all[self.skip..]
    }

    pub fn put(&mut self, at: usize, data: &[u8]) {
        // SAFETY: mapped writable by the caller's choice; covers len bytes; no other user in this process.
        let all = unsafe { std::slice::from_raw_parts_mut(self.base.cast::<u8>(), self.len) };
        all[self.skip + at..self.skip + at + data.len()].copy_from_slice(data);
    }

    /// Stores into the mapping and waits until the file system has the bytes.
    pub fn store(&mut self, data: &[u8]) -> io::Result<()> {
        self.put(0, data);
        // SAFETY: base and len are those of the mapping.
        match unsafe { libc::msync(self.base, self.len, libc::MS_SYNC) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Unmaps pages at the beginning.
    pub fn drop_front(&mut self, bytes: usize) {
        // SAFETY: less than the mapping.
        unsafe { libc::munmap(self.base, bytes) };
        self.base = self.base.wrapping_byte_add(bytes);
        self.len -= bytes;
    }

    /// Unmaps all but the first pages.
    pub fn drop_back(&mut self, keep: usize) {
        // SAFETY: the part behind `keep` is the mapping's own.
        unsafe {
            libc::munmap(
                self.base.wrapping_byte_add(keep),
                self.len.next_multiple_of(page()) - keep,
            )
        };
        self.len = keep;
    }

    pub fn resize(&mut self, len: usize) -> io::Result<()> {
        // SAFETY: base and len are those of the mapping.
        let base = unsafe { libc::mremap(self.base, self.len, len, libc::MREMAP_MAYMOVE) };
        mapped(base)?;
        (self.base, self.len) = (base, len);
        Ok(())
    }
}

fn mapped(base: *mut libc::c_void) -> io::Result<()> {
    match base == libc::MAP_FAILED {
        true => Err(io::Error::last_os_error()),
        false => Ok(()),
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: base and len are those of the mapping, unmapped once.
        unsafe { libc::munmap(self.base, self.len) };
    }
}
