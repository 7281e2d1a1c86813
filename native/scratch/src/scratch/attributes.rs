//! Attributes of served files, as the C library's calls give and take them.

use crate::process::settings::config;
use core::sync::atomic::{AtomicU64, Ordering::*};
use libc::stat64;
use weft_scratch_core::clock;
use weft_scratch_core::store::layout::Inode;
use weft_scratch_core::store::ops::{set_times, Meta};
use weft_scratch_core::sys::{self, Result};

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

    /// As the kernel takes them.
    pub fn specified(&self) -> [libc::timespec; 2] {
        let spec = |t: Option<u64>| match t {
            None => libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT },
            Some(t) => libc::timespec { tv_sec: (t / 1_000_000_000) as i64, tv_nsec: (t % 1_000_000_000) as i64 },
        };
        [spec(self.access), spec(self.change)]
    }

    pub fn apply(&self, i: &Inode) {
        set_times(i, self.access, self.change);
    }
}

/// chown leaves an id of -1 as it is.
pub fn own(i: &Inode, uid: u32, gid: u32) {
    if uid != u32::MAX {
        i.uid.store(uid, Relaxed);
    }
    if gid != u32::MAX {
        i.gid.store(gid, Relaxed);
    }
}

/// The device of the file system that holds the prefix: mount points must be found from it.
fn device() -> u64 {
    static DEVICE: AtomicU64 = AtomicU64::new(0);
    if DEVICE.load(Relaxed) == 0 {
        let mut path = config().prefix.clone();
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
