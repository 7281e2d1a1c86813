//! System calls the standard library has no safe form of. All unsafe file code of the crate is here.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

const EMPTY: &CStr = c"";

fn done(rc: impl Into<i64>) -> io::Result<i64> {
    match rc.into() {
        -1 => Err(io::Error::last_os_error()),
        n => Ok(n),
    }
}

pub fn c_name(name: &OsStr) -> io::Result<CString> {
    CString::new(name.as_bytes()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// The path through which the kernel resolves a descriptor, even one opened with `O_PATH`.
pub fn proc_path(fd: BorrowedFd) -> CString {
    CString::new(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap_or_default()
}

pub fn open_at(dir: BorrowedFd, name: &CStr, flags: i32, mode: u32) -> io::Result<OwnedFd> {
    // SAFETY: dir and name outlive the call; the new descriptor is owned by the result.
    unsafe {
        let fd = libc::openat(
            dir.as_raw_fd(),
            name.as_ptr(),
            flags | libc::O_CLOEXEC,
            mode,
        );
        done(fd)?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Where the inode of a descriptor is now.
pub fn path(fd: BorrowedFd) -> io::Result<PathBuf> {
    std::fs::read_link(OsStr::from_bytes(proc_path(fd).as_bytes()))
}

/// Opens again what a descriptor stands for, following its link in /proc.
pub fn reopen(fd: BorrowedFd, flags: i32) -> io::Result<OwnedFd> {
    open_at(fd, &proc_path(fd), flags & !libc::O_NOFOLLOW, 0)
}

/// Whether each write through a descriptor goes to the end of the file.
pub fn appends(fd: BorrowedFd) -> io::Result<bool> {
    // SAFETY: fd outlives the call.
    done(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) })
        .map(|flags| flags as i32 & libc::O_APPEND != 0)
}

pub fn stat(fd: BorrowedFd) -> io::Result<libc::stat> {
    // SAFETY: an all-zero stat is valid and outlives the call.
    unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        done(libc::fstatat(
            fd.as_raw_fd(),
            EMPTY.as_ptr(),
            &mut stat,
            libc::AT_EMPTY_PATH,
        ))?;
        Ok(stat)
    }
}

pub fn statvfs(fd: BorrowedFd) -> io::Result<libc::statvfs> {
    // SAFETY: an all-zero statvfs is valid and outlives the call.
    unsafe {
        let mut stat: libc::statvfs = std::mem::zeroed();
        done(libc::fstatvfs(fd.as_raw_fd(), &mut stat))?;
        Ok(stat)
    }
}

pub fn make_node(dir: BorrowedFd, name: &CStr, mode: u32, device: u64) -> io::Result<()> {
    // SAFETY: dir and name outlive the call.
    done(unsafe { libc::mknodat(dir.as_raw_fd(), name.as_ptr(), mode, device) }).map(drop)
}

pub fn make_dir(dir: BorrowedFd, name: &CStr, mode: u32) -> io::Result<()> {
    // SAFETY: dir and name outlive the call.
    done(unsafe { libc::mkdirat(dir.as_raw_fd(), name.as_ptr(), mode) }).map(drop)
}

pub fn unlink(dir: BorrowedFd, name: &CStr, flags: i32) -> io::Result<()> {
    // SAFETY: dir and name outlive the call.
    done(unsafe { libc::unlinkat(dir.as_raw_fd(), name.as_ptr(), flags) }).map(drop)
}

pub fn symlink(target: &CStr, dir: BorrowedFd, name: &CStr) -> io::Result<()> {
    // SAFETY: all arguments outlive the call.
    done(unsafe { libc::symlinkat(target.as_ptr(), dir.as_raw_fd(), name.as_ptr()) }).map(drop)
}

pub fn link(fd: BorrowedFd, dir: BorrowedFd, name: &CStr) -> io::Result<()> {
    let path = proc_path(fd);
    // SAFETY: all arguments outlive the call.
    done(unsafe {
        libc::linkat(
            libc::AT_FDCWD,
            path.as_ptr(),
            dir.as_raw_fd(),
            name.as_ptr(),
            libc::AT_SYMLINK_FOLLOW,
        )
    })
    .map(drop)
}

pub fn rename(from: (BorrowedFd, &CStr), to: (BorrowedFd, &CStr), flags: u32) -> io::Result<()> {
    // SAFETY: all arguments outlive the call. glibc has a function for it only since 2.28.
    done(unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            from.0.as_raw_fd(),
            from.1.as_ptr(),
            to.0.as_raw_fd(),
            to.1.as_ptr(),
            flags,
        )
    })
    .map(drop)
}

pub fn read_link(fd: BorrowedFd) -> io::Result<Vec<u8>> {
    let mut target = vec![0u8; libc::PATH_MAX as usize];
    // SAFETY: the buffer is as long as given and outlives the call.
    let len = done(unsafe {
        libc::readlinkat(
            fd.as_raw_fd(),
            EMPTY.as_ptr(),
            target.as_mut_ptr().cast(),
            target.len(),
        ) as i64
    })?;
    target.truncate(len as usize);
    Ok(target)
}

pub fn chmod(fd: BorrowedFd, mode: u32) -> io::Result<()> {
    let path = proc_path(fd);
    // SAFETY: path outlives the call.
    done(unsafe { libc::chmod(path.as_ptr(), mode) }).map(drop)
}

/// `u32::MAX` leaves an owner as it is.
pub fn chown(fd: BorrowedFd, uid: u32, gid: u32) -> io::Result<()> {
    // SAFETY: fd outlives the call.
    done(unsafe {
        libc::fchownat(
            fd.as_raw_fd(),
            EMPTY.as_ptr(),
            uid,
            gid,
            libc::AT_EMPTY_PATH,
        )
    })
    .map(drop)
}

pub fn truncate(fd: BorrowedFd, size: u64) -> io::Result<()> {
    let path = proc_path(fd);
    // SAFETY: path outlives the call.
    done(unsafe { libc::truncate(path.as_ptr(), size as libc::off_t) }).map(drop)
}

pub fn set_times(fd: BorrowedFd, times: [libc::timespec; 2]) -> io::Result<()> {
    // SAFETY: times outlives the call.
    let done = done(unsafe {
        libc::utimensat(
            fd.as_raw_fd(),
            EMPTY.as_ptr(),
            times.as_ptr(),
            libc::AT_EMPTY_PATH,
        )
    });
    match done {
        // Kernels before 5.8 do not take an empty path here.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => set_times_by_path(fd, times),
        other => other.map(drop),
    }
}

fn set_times_by_path(fd: BorrowedFd, times: [libc::timespec; 2]) -> io::Result<()> {
    let path = proc_path(fd);
    // SAFETY: path and times outlive the call.
    done(unsafe { libc::utimensat(libc::AT_FDCWD, path.as_ptr(), times.as_ptr(), 0) }).map(drop)
}

pub fn allocate(fd: BorrowedFd, mode: i32, offset: u64, length: u64) -> io::Result<()> {
    // SAFETY: fd outlives the call.
    done(unsafe {
        libc::fallocate(
            fd.as_raw_fd(),
            mode,
            offset as libc::off_t,
            length as libc::off_t,
        )
    })
    .map(drop)
}

pub fn seek(fd: BorrowedFd, offset: i64, whence: i32) -> io::Result<i64> {
    // SAFETY: fd outlives the call.
    done(unsafe { libc::lseek(fd.as_raw_fd(), offset, whence) })
}

pub fn copy_range(from: (BorrowedFd, u64), to: (BorrowedFd, u64), length: u64) -> io::Result<u64> {
    let (mut source, mut target) = (from.1 as i64, to.1 as i64);
    // SAFETY: both offsets outlive the call. glibc has a function for it only since 2.27.
    done(unsafe {
        libc::syscall(
            libc::SYS_copy_file_range,
            from.0.as_raw_fd(),
            &mut source,
            to.0.as_raw_fd(),
            &mut target,
            length as usize,
            0,
        )
    })
    .map(|n| n as u64)
}

/// Fills the buffer with raw directory records, returning how many bytes were used.
pub fn directory_records(fd: BorrowedFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the buffer is as long as given and outlives the call.
    done(unsafe {
        libc::syscall(
            libc::SYS_getdents64,
            fd.as_raw_fd(),
            buffer.as_mut_ptr(),
            buffer.len(),
        )
    })
    .map(|n| n as usize)
}

pub fn set_xattr(fd: BorrowedFd, name: &CStr, value: &[u8], flags: i32) -> io::Result<()> {
    let path = proc_path(fd);
    // SAFETY: value is as long as given; all arguments outlive the call.
    done(unsafe {
        libc::setxattr(
            path.as_ptr(),
            name.as_ptr(),
            value.as_ptr().cast(),
            value.len(),
            flags,
        )
    })
    .map(drop)
}

pub fn remove_xattr(fd: BorrowedFd, name: &CStr) -> io::Result<()> {
    let path = proc_path(fd);
    // SAFETY: all arguments outlive the call.
    done(unsafe { libc::removexattr(path.as_ptr(), name.as_ptr()) }).map(drop)
}

/// The value of an attribute, or the list of names when no name is given.
pub fn get_xattr(fd: BorrowedFd, name: Option<&CStr>) -> io::Result<Vec<u8>> {
    let path = proc_path(fd);
    let mut value = vec![0u8; 65_536];
    let (buffer, size) = (value.as_mut_ptr(), value.len());
    // SAFETY: the buffer is as long as given; all arguments outlive the call.
    let len = done(unsafe {
        match name {
            Some(name) => libc::getxattr(path.as_ptr(), name.as_ptr(), buffer.cast(), size) as i64,
            None => libc::listxattr(path.as_ptr(), buffer.cast(), size) as i64,
        }
    })?;
    value.truncate(len as usize);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::{open_at, set_times_by_path, stat};
    use std::fs::File;
    use std::os::fd::AsFd;

    #[test]
    fn times_are_set_where_the_kernel_takes_no_empty_path() {
        let dir = tempfile::tempdir().unwrap();
        File::create(dir.path().join("file")).unwrap();
        let around = File::open(dir.path()).unwrap();
        let flags = libc::O_PATH | libc::O_NOFOLLOW;
        let fd = open_at(around.as_fd(), c"file", flags, 0).unwrap();
        let times = [1, 2].map(|tv_sec| libc::timespec { tv_sec, tv_nsec: 3 });
        set_times_by_path(fd.as_fd(), times).unwrap();
        let found = stat(fd.as_fd()).unwrap();
        assert_eq!(
            (found.st_atime, found.st_mtime, found.st_mtime_nsec),
            (1, 2, 3)
        );
    }
}
