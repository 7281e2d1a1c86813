//! Served calls on descriptors.

use crate::pool::Pooled;
use crate::{locks, maps, serve, serve_dir};
use core::ffi::c_int;
use libc::{iovec, mode_t, stat64};
use weft_scratch_core::clock;
use weft_scratch_core::store::io::Buf;
use weft_scratch_core::store::ofds::Open;
use weft_scratch_core::store::ops::{set_times, Meta};
use weft_scratch_core::store::Store;
use weft_scratch_core::sys::{self, Result};

use core::sync::atomic::Ordering::*;

/// A descriptor that is not what the kernel thinks it is.
#[derive(Clone, Copy)]
pub enum Handle {
    Scratch(Open),
    Pool(Pooled),
}

/// The program's buffers.
pub struct Piece {
    bufs: *const Buf,
    n: usize,
}

impl Piece {
    /// An iovec and our buffer record are the same two words.
    pub fn new(iov: *const iovec, n: c_int) -> Piece {
        Piece { bufs: iov.cast(), n: n.max(0) as usize }
    }

    pub fn bufs(&self) -> &[Buf] {
        // SAFETY: the hook's caller passed `n` iovecs.
        unsafe { core::slice::from_raw_parts(self.bufs, self.n) }
    }
}

/// Times to set; `None` leaves one as it is.
pub struct Times {
    access: Option<u64>,
    change: Option<u64>,
}

impl Times {
    fn now() -> Times {
        let t = Some(clock::wall());
        Times { access: t, change: t }
    }

    fn pair<T: Copy>(t: *const T, ns: impl Fn(T) -> Option<u64>) -> Times {
        if t.is_null() {
            return Times::now();
        }
        // SAFETY: a non-null argument is an array of two.
        unsafe { Times { access: ns(*t), change: ns(*t.add(1)) } }
    }

    pub fn seconds(t: *const libc::utimbuf) -> Times {
        if t.is_null() {
            return Times::now();
        }
        // SAFETY: a non-null argument is a utimbuf.
        let t = unsafe { *t };
        Times { access: Some(t.actime as u64 * 1_000_000_000), change: Some(t.modtime as u64 * 1_000_000_000) }
    }

    pub fn micros(t: *const libc::timeval) -> Times {
        Times::pair(t, |t| Some(t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000))
    }

    pub fn nanos(t: *const libc::timespec) -> Times {
        Times::pair(t, |t| match t.tv_nsec {
            libc::UTIME_OMIT => None,
            libc::UTIME_NOW => Some(clock::wall()),
            ns => Some(t.tv_sec as u64 * 1_000_000_000 + ns as u64),
        })
    }

    pub fn apply(&self, i: &weft_scratch_core::store::layout::Inode) {
        set_times(i, self.access, self.change);
    }
}

/// The device of the file system that the prefix stands on: mount points must be found from it.
fn device() -> u64 {
    use core::sync::atomic::AtomicU64;
    static DEVICE: AtomicU64 = AtomicU64::new(0);
    if DEVICE.load(Relaxed) == 0 {
        let mut path = crate::state::config().prefix.clone();
        while sys::fstatat(libc::AT_FDCWD, path.c_path(), 0).is_err() && !path.is_empty() {
            let cut = path.as_bytes().iter().rposition(|&c| c == b'/').unwrap_or(0);
            path.truncate(cut);
        }
        let root = sys::fstatat(libc::AT_FDCWD, sys::CPath::new(b"/\0"), 0);
        let st = sys::fstatat(libc::AT_FDCWD, path.c_path(), 0).or(root);
        DEVICE.store(st.map_or(1, |s| s.st_dev), Relaxed);
    }
    DEVICE.load(Relaxed)
}

pub fn put_stat(m: &Meta, st: *mut stat64) -> Result<usize> {
    if st.is_null() {
        return Err(libc::EFAULT);
    }
    // SAFETY: stat64 is plain old data; all zeroes is a value of it.
    let mut s: stat64 = unsafe { core::mem::zeroed() };
    (s.st_dev, s.st_ino, s.st_mode, s.st_nlink) = (device(), m.inode, m.mode, m.links as _);
    (s.st_uid, s.st_gid, s.st_size) = (m.uid, m.gid, m.size as i64);
    (s.st_blksize, s.st_blocks) = (4096, m.size.div_ceil(512) as i64);
    let split = |t: u64| ((t / 1_000_000_000) as i64, (t % 1_000_000_000) as i64);
    (s.st_atime, s.st_atime_nsec) = split(m.atime);
    (s.st_mtime, s.st_mtime_nsec) = split(m.mtime);
    (s.st_ctime, s.st_ctime_nsec) = split(m.ctime);
    // SAFETY: the hook's caller passed room for one.
    unsafe { st.write(s) };
    Ok(0)
}

pub fn put_statx(m: &Meta, out: *mut libc::statx) -> Result<usize> {
    if out.is_null() {
        return Err(libc::EFAULT);
    }
    // SAFETY: statx is plain old data; all zeroes is a value of it.
    let mut s: libc::statx = unsafe { core::mem::zeroed() };
    (s.stx_mask, s.stx_blksize, s.stx_mode) = (libc::STATX_BASIC_STATS, 4096, m.mode as u16);
    (s.stx_nlink, s.stx_uid, s.stx_gid) = (m.links, m.uid, m.gid);
    (s.stx_ino, s.stx_size, s.stx_blocks) = (m.inode, m.size, m.size.div_ceil(512));
    let times = [(&mut s.stx_atime, m.atime), (&mut s.stx_mtime, m.mtime), (&mut s.stx_ctime, m.ctime)];
    for (to, t) in times {
        (to.tv_sec, to.tv_nsec) = ((t / 1_000_000_000) as i64, (t % 1_000_000_000) as u32);
    }
    (s.stx_dev_major, s.stx_dev_minor) = (libc::major(device()), libc::minor(device()));
    // SAFETY: the hook's caller passed room for one.
    unsafe { out.write(s) };
    Ok(0)
}

fn offset(at: Option<i64>) -> Result<Option<u64>> {
    match at {
        None => Ok(None),
        Some(v) => u64::try_from(v).map(Some).map_err(|_| libc::EINVAL),
    }
}

impl Handle {
    fn scratch(self) -> Result<(&'static Store, Open)> {
        match self {
            Handle::Scratch(h) => Ok((serve::store()?, h)),
            // What only a writer asks of a file that is open for reading.
            Handle::Pool(_) => Err(libc::EBADF),
        }
    }

    pub fn read(self, to: Piece, at: Option<i64>) -> Result<usize> {
        match self {
            Handle::Scratch(h) => serve::store()?.read(&h, to.bufs(), offset(at)?),
            Handle::Pool(p) => p.read(to.bufs(), offset(at)?),
        }
    }

    pub fn write(self, from: Piece, at: Option<i64>) -> Result<usize> {
        let (s, h) = self.scratch()?;
        s.write(&h, from.bufs(), offset(at)?)
    }

    pub fn seek(self, off: i64, whence: c_int) -> Result<usize> {
        match self {
            Handle::Scratch(h) => serve::store()?.seek(&h, off, whence).map(|v| v as usize),
            Handle::Pool(p) => p.seek(off, whence),
        }
    }

    pub fn set_len(self, len: i64) -> Result<usize> {
        let len = u64::try_from(len).map_err(|_| libc::EINVAL)?;
        let (s, h) = self.scratch().map_err(|_| libc::EINVAL)?;
        if !Store::is_writable(s.flags(&h)) {
            return Err(libc::EINVAL);
        }
        s.set_len(h.inode, len, || s.still(&h)).map(|()| 0)
    }

    pub fn allocate(self, mode: c_int, off: i64, len: i64) -> Result<usize> {
        if off < 0 || len <= 0 {
            return Err(libc::EINVAL);
        }
        let (s, h) = self.scratch()?;
        s.allocate(&h, mode, off as u64, len as u64).map(|()| 0)
    }

    pub fn sync(self) -> Result<usize> {
        match self {
            Handle::Scratch(h) => serve::store()?.sync(&h).map(|()| 0),
            Handle::Pool(_) => Ok(0),
        }
    }

    pub fn stat(self, st: *mut stat64) -> Result<usize> {
        match self {
            Handle::Scratch(h) => put_stat(&serve::store()?.stat_open(&h)?, st),
            Handle::Pool(p) => p.stat(st),
        }
    }

    pub fn statx(self, out: *mut libc::statx) -> Result<usize> {
        match self {
            Handle::Scratch(h) => put_statx(&serve::store()?.stat_open(&h)?, out),
            Handle::Pool(p) => p.statx(out),
        }
    }

    pub fn chmod(self, mode: mode_t) -> Result<usize> {
        let (s, h) = self.scratch()?;
        s.alter_open(&h, |i| i.mode.store(mode & 0o7777, Relaxed)).map(|()| 0)
    }

    pub fn chown(self, uid: u32, gid: u32) -> Result<usize> {
        let (s, h) = self.scratch()?;
        s.alter_open(&h, |i| crate::serve_path::own(i, uid, gid)).map(|()| 0)
    }

    pub fn set_times(self, times: Times) -> Result<usize> {
        let (s, h) = self.scratch()?;
        s.alter_open(&h, |i| times.apply(i)).map(|()| 0)
    }

    pub fn chdir(self) -> Result<usize> {
        let (s, h) = self.scratch().map_err(|_| libc::ENOTDIR)?;
        crate::serve_path::enter(s, h.inode)
    }

    pub fn flock(self, op: c_int) -> Result<usize> {
        match self {
            Handle::Scratch(h) => locks::whole(serve::store()?, &h, op),
            Handle::Pool(p) => p.real(libc::SYS_flock, op as usize, 0),
        }
    }

    pub fn lockf(self, cmd: c_int, len: i64) -> Result<usize> {
        let (s, h) = self.scratch()?;
        locks::lockf(s, &h, cmd, len)
    }

    pub fn control(self, cmd: c_int, arg: usize) -> Result<usize> {
        match self {
            Handle::Pool(p) => p.control(cmd, arg),
            Handle::Scratch(h) => scratch_control(serve::store()?, &h, cmd, arg),
        }
    }

    pub fn map(self, addr: usize, len: usize, prot: c_int, flags: c_int, off: i64) -> Result<usize> {
        let off = u64::try_from(off).map_err(|_| libc::EINVAL)?;
        match self {
            Handle::Pool(p) => p.map(addr, len, prot, flags, off),
            Handle::Scratch(h) => {
                let s = serve::store()?;
                let (at, pin) = s.map(&h, addr, len, prot, flags, off)?;
                maps::remember(at, len, pin);
                Ok(at)
            }
        }
    }

    pub fn list(self, fd: c_int) -> Result<usize> {
        let (s, h) = self.scratch().map_err(|_| libc::ENOTDIR)?;
        serve_dir::open(s, h.inode, fd)
    }
}

fn scratch_control(s: &Store, h: &Open, cmd: c_int, arg: usize) -> Result<usize> {
    const CHANGEABLE: i32 = libc::O_APPEND | libc::O_NONBLOCK | libc::O_NOATIME | libc::O_DIRECT | libc::O_ASYNC;
    match cmd {
        libc::F_GETFL => Ok(s.flags(h) as usize),
        libc::F_SETFL => {
            let new = s.flags(h) & !CHANGEABLE | arg as i32 & CHANGEABLE;
            s.r.ofd(h.ofd).flags.store(new as u32, Relaxed);
            Ok(0)
        }
        libc::F_GETLK | libc::F_SETLK | libc::F_SETLKW | libc::F_OFD_GETLK | libc::F_OFD_SETLK | libc::F_OFD_SETLKW => {
            locks::control(s, h, cmd, arg as *mut libc::flock)
        }
        _ => Err(libc::EINVAL),
    }
}

const _: () = assert!(size_of::<iovec>() == size_of::<Buf>());
