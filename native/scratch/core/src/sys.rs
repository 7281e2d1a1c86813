//! Raw system calls: inside a preload library a libc call would come back into our own hooks.

use core::arch::asm;

/// A file descriptor of the kernel.
pub type Fd = i32;
/// An errno value, always positive.
pub type Errno = i32;
/// What every fallible step returns.
pub type Result<T> = core::result::Result<T, Errno>;

/// Makes one system call and returns the kernel's raw answer (negative errno on failure).
///
/// # Safety
/// The arguments must be what the kernel expects for `nr`; pointers must be valid for its use of them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub unsafe fn raw(nr: i64, a: [usize; 6]) -> isize {
    let ret: isize;
    // SAFETY: the caller vouches for the arguments; the clobbers are those of the x86_64 kernel ABI.
    unsafe {
        asm!("syscall", inlateout("rax") nr as isize => ret, in("rdi") a[0], in("rsi") a[1],
             in("rdx") a[2], in("r10") a[3], in("r8") a[4], in("r9") a[5],
             lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    ret
}

/// Makes one system call and returns the kernel's raw answer (negative errno on failure).
///
/// # Safety
/// The arguments must be what the kernel expects for `nr`; pointers must be valid for its use of them.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub unsafe fn raw(nr: i64, a: [usize; 6]) -> isize {
    let ret: isize;
    // SAFETY: the caller vouches for the arguments; x0 is the only register the kernel changes.
    unsafe {
        asm!("svc 0", in("x8") nr, inlateout("x0") a[0] as isize => ret, in("x1") a[1], in("x2") a[2],
             in("x3") a[3], in("x4") a[4], in("x5") a[5], options(nostack));
    }
    ret
}

/// Turns the kernel's answer into a result.
#[inline(always)]
pub fn check(ret: isize) -> Result<usize> {
    if (-4095..0).contains(&ret) {
        Err(-ret as Errno)
    } else {
        Ok(ret as usize)
    }
}

macro_rules! call {
    ($nr:expr $(, $a:expr)*) => {{
        let mut args = [0usize; 6];
        let given: &[usize] = &[$($a as usize),*];
        args[..given.len()].copy_from_slice(given);
        // SAFETY: every wrapper below passes live buffers or NUL-terminated paths.
        check(unsafe { raw($nr as i64, args) })
    }};
}

/// Makes a call again as long as a signal interrupts it: on a network file system, one on a file may be.
pub fn uninterrupted<T>(call: impl Fn() -> Result<T>) -> Result<T> {
    loop {
        match call() {
            Err(libc::EINTR) => {}
            other => return other,
        }
    }
}

/// A NUL-terminated path in memory.
#[derive(Clone, Copy)]
pub struct CPath(*const u8);

impl CPath {
    /// Borrows `bytes`, which must end with NUL; a missing NUL becomes the empty path (ENOENT).
    pub fn new(bytes: &[u8]) -> CPath {
        if bytes.last() == Some(&0) {
            CPath(bytes.as_ptr())
        } else {
            CPath(c"".as_ptr().cast())
        }
    }
}

pub fn openat(dir: Fd, path: CPath, flags: i32, mode: u32) -> Result<Fd> {
    call!(libc::SYS_openat, dir, path.0, flags, mode).map(|v| v as Fd)
}

pub fn close(fd: Fd) -> Result<()> {
    call!(libc::SYS_close, fd).map(drop)
}

pub fn pread(fd: Fd, buf: *mut u8, n: usize, off: u64) -> Result<usize> {
    call!(libc::SYS_pread64, fd, buf, n, off)
}

pub fn pwrite(fd: Fd, buf: *const u8, n: usize, off: u64) -> Result<usize> {
    call!(libc::SYS_pwrite64, fd, buf, n, off)
}

/// As `pwrite`, with `tail` behind the first buffer.
pub fn pwrite_two(fd: Fd, buf: *const u8, n: usize, tail: &[u8], off: u64) -> Result<usize> {
    if tail.is_empty() {
        return pwrite(fd, buf, n, off);
    }
    let part = |at: *const u8, len| libc::iovec { iov_base: at.cast_mut().cast(), iov_len: len };
    let both = [part(buf, n), part(tail.as_ptr(), tail.len())];
    call!(libc::SYS_pwritev, fd, both.as_ptr(), 2, off, 0)
}

pub fn read(fd: Fd, buf: *mut u8, n: usize) -> Result<usize> {
    call!(libc::SYS_read, fd, buf, n)
}

pub fn write(fd: Fd, buf: *const u8, n: usize) -> Result<usize> {
    call!(libc::SYS_write, fd, buf, n)
}

pub fn lseek(fd: Fd, off: i64, whence: i32) -> Result<u64> {
    call!(libc::SYS_lseek, fd, off, whence).map(|v| v as u64)
}

pub fn ftruncate(fd: Fd, len: u64) -> Result<()> {
    call!(libc::SYS_ftruncate, fd, len).map(drop)
}

pub fn fallocate(fd: Fd, mode: i32, off: u64, len: u64) -> Result<()> {
    call!(libc::SYS_fallocate, fd, mode, off, len).map(drop)
}

pub fn fsync(fd: Fd) -> Result<()> {
    call!(libc::SYS_fsync, fd).map(drop)
}

pub fn fdatasync(fd: Fd) -> Result<()> {
    call!(libc::SYS_fdatasync, fd).map(drop)
}

pub fn flock(fd: Fd, op: i32) -> Result<()> {
    call!(libc::SYS_flock, fd, op).map(drop)
}

pub fn fcntl(fd: Fd, cmd: i32, arg: usize) -> Result<i32> {
    call!(libc::SYS_fcntl, fd, cmd, arg).map(|v| v as i32)
}

pub fn dup3(old: Fd, new: Fd, flags: i32) -> Result<Fd> {
    call!(libc::SYS_dup3, old, new, flags).map(|v| v as Fd)
}

pub fn unlinkat(dir: Fd, path: CPath, flags: i32) -> Result<()> {
    call!(libc::SYS_unlinkat, dir, path.0, flags).map(drop)
}

pub fn mkdirat(dir: Fd, path: CPath, mode: u32) -> Result<()> {
    call!(libc::SYS_mkdirat, dir, path.0, mode).map(drop)
}

pub fn chmod(path: CPath, mode: u32) -> Result<()> {
    call!(libc::SYS_fchmodat, libc::AT_FDCWD, path.0, mode).map(drop)
}

pub fn faccessat(dir: Fd, path: CPath, mode: i32) -> Result<()> {
    call!(libc::SYS_faccessat, dir, path.0, mode).map(drop)
}

pub fn readlinkat(dir: Fd, path: CPath, buf: &mut [u8]) -> Result<usize> {
    call!(libc::SYS_readlinkat, dir, path.0, buf.as_mut_ptr(), buf.len())
}

pub fn getcwd(buf: &mut [u8]) -> Result<usize> {
    call!(libc::SYS_getcwd, buf.as_mut_ptr(), buf.len())
}

pub fn sendfile(out: Fd, input: Fd, off: &mut u64, n: usize) -> Result<usize> {
    call!(libc::SYS_sendfile, out, input, off as *mut u64, n)
}

pub fn splice(input: Fd, off: &mut u64, out: Fd, n: usize, flags: u32) -> Result<usize> {
    call!(libc::SYS_splice, input, off as *mut u64, out, 0, n, flags)
}

pub fn fstat(fd: Fd) -> Result<libc::stat64> {
    // SAFETY: stat64 is plain old data; all zeroes is a value of it.
    let mut st: libc::stat64 = unsafe { core::mem::zeroed() };
    call!(libc::SYS_fstat, fd, &raw mut st).map(|_| st)
}

pub fn fstatat(dir: Fd, path: CPath, flags: i32) -> Result<libc::stat64> {
    // SAFETY: stat64 is plain old data; all zeroes is a value of it.
    let mut st: libc::stat64 = unsafe { core::mem::zeroed() };
    call!(libc::SYS_newfstatat, dir, path.0, &raw mut st, flags).map(|_| st)
}

/// Maps memory; the caller owns the mapping.
pub fn mmap(addr: usize, len: usize, prot: i32, flags: i32, fd: Fd, off: u64) -> Result<*mut u8> {
    call!(libc::SYS_mmap, addr, len, prot, flags, fd, off).map(|v| v as *mut u8)
}

/// Unmaps memory that `mmap` above returned.
pub fn munmap(addr: *mut u8, len: usize) -> Result<()> {
    call!(libc::SYS_munmap, addr, len).map(drop)
}

pub fn madvise(addr: *mut u8, len: usize, advice: i32) -> Result<()> {
    call!(libc::SYS_madvise, addr, len, advice).map(drop)
}

pub fn getpid() -> u32 {
    call!(libc::SYS_getpid).unwrap_or(0) as u32
}

/// 0 where the parent is outside the process's own pid namespace.
pub fn getppid() -> u32 {
    call!(libc::SYS_getppid).unwrap_or(0) as u32
}

pub fn geteuid() -> u32 {
    call!(libc::SYS_geteuid).unwrap_or(0) as u32
}

pub fn getegid() -> u32 {
    call!(libc::SYS_getegid).unwrap_or(0) as u32
}

pub fn kill0(pid: u32) -> Result<()> {
    call!(libc::SYS_kill, pid, 0).map(drop)
}

/// Soft limit on open files.
pub fn nofile_limit() -> u64 {
    let mut lim = [0u64; 2];
    match call!(libc::SYS_prlimit64, 0, libc::RLIMIT_NOFILE, 0, lim.as_mut_ptr()) {
        Ok(_) => lim[0],
        Err(_) => 1024,
    }
}

/// Sleeps while `*word == seen`, at most `ms` milliseconds; works between processes.
pub fn futex_wait(word: &core::sync::atomic::AtomicU32, seen: u32, ms: u32) {
    let t = libc::timespec { tv_sec: (ms / 1000) as i64, tv_nsec: (ms % 1000) as i64 * 1_000_000 };
    let _ = call!(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, seen, &raw const t);
}

/// Wakes `n` sleepers on `word`.
pub fn futex_wake(word: &core::sync::atomic::AtomicU32, n: u32) {
    let _ = call!(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, n);
}

/// Reads a small file whole; returns the bytes that fit.
pub fn slurp(path: CPath, buf: &mut [u8]) -> Result<usize> {
    let fd = openat(libc::AT_FDCWD, path, libc::O_RDONLY | libc::O_CLOEXEC, 0)?;
    let mut have = 0;
    while have < buf.len() {
        let rest = &mut buf[have..];
        let (at, left) = (rest.as_mut_ptr(), rest.len());
        match uninterrupted(|| read(fd, at, left)) {
            Ok(0) => break,
            Ok(n) => have += n,
            Err(e) => {
                let _ = close(fd);
                return Err(e);
            }
        }
    }
    close(fd)?;
    Ok(have)
}

pub fn statfs(path: CPath) -> Result<libc::statfs64> {
    // SAFETY: statfs64 is plain old data; all zeroes is a value of it.
    let mut st: libc::statfs64 = unsafe { core::mem::zeroed() };
    call!(libc::SYS_statfs, path.0, &raw mut st).map(|_| st)
}

/// Calls `f` with the name of every entry of an open directory.
pub fn each_entry(dir: Fd, mut f: impl FnMut(&[u8])) {
    let mut buf = [0u64; 512];
    while let Ok(n) = call!(libc::SYS_getdents64, dir, buf.as_mut_ptr(), size_of_val(&buf)) {
        if n == 0 {
            return;
        }
        // SAFETY: the kernel filled `n` bytes of the buffer.
        let mut rest = unsafe { core::slice::from_raw_parts(buf.as_ptr().cast::<u8>(), n) };
        while let (Some(&lo), Some(&hi)) = (rest.get(16), rest.get(17)) {
            let (record, tail) = rest.split_at(u16::from_le_bytes([lo, hi]) as usize);
            f(record[19..].split(|&c| c == 0).next().unwrap_or(b""));
            rest = tail;
        }
    }
}

/// Whether a file has an extended attribute.
pub fn has_attribute(fd: Fd, name: &core::ffi::CStr) -> bool {
    call!(libc::SYS_fgetxattr, fd, name.as_ptr(), 0, 0).is_ok()
}

pub fn chdir(path: CPath) -> Result<()> {
    call!(libc::SYS_chdir, path.0).map(drop)
}

/// An anonymous file in memory.
pub fn memfd() -> Result<Fd> {
    call!(libc::SYS_memfd_create, c"weft".as_ptr(), libc::MFD_CLOEXEC).map(|v| v as Fd)
}

#[cfg(test)]
mod tests {
    use super::uninterrupted;
    use core::cell::Cell;

    #[test]
    fn a_call_that_a_signal_interrupts_is_made_again() {
        let calls = Cell::new(0);
        let answer = uninterrupted(|| {
            calls.set(calls.get() + 1);
            if calls.get() < 3 {
                Err(libc::EINTR)
            } else {
                Ok(7)
            }
        });
        assert_eq!((answer, calls.get()), (Ok(7), 3));
        assert_eq!(uninterrupted(|| Err::<(), _>(libc::EIO)), Err(libc::EIO));
    }
}
