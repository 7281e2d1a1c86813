//! Served calls on paths.

use crate::count;
use crate::process::settings::config;
use crate::process::umask;
use crate::scratch::attributes::{own, put_stat, put_statx, Times};
use crate::scratch::{listing, stand_in};
use core::ffi::{c_char, c_int};
use core::sync::atomic::Ordering::*;
use libc::{mode_t, stat64};
use weft_scratch_core::store::ops::Place;
use weft_scratch_core::store::{Reason, Store};
use weft_scratch_core::sys::{self, Result};

/// A path below the served prefix.
pub struct Spot<'p> {
    pub store: &'static Store,
    pub place: Place<'p>,
}

impl Spot<'_> {
    pub fn open(&self, flags: c_int, mode: mode_t) -> Result<usize> {
        let mode = if flags & libc::O_CREAT != 0 { umask::apply(mode) } else { 0 };
        self.store.open_file(&self.place, flags, mode).map(|fd| fd as usize)
    }

    pub fn stat(&self, st: *mut stat64, _flags: c_int) -> Result<usize> {
        put_stat(&self.store.stat(&self.place)?, st)
    }

    pub fn statx(&self, out: *mut libc::statx, _flags: c_int) -> Result<usize> {
        put_statx(&self.store.stat(&self.place)?, out)
    }

    pub fn access(&self, mode: c_int) -> Result<usize> {
        self.store.access(&self.place, mode).map(|()| 0)
    }

    pub fn exists(&self) -> Result<()> {
        self.store.stat(&self.place).map(drop)
    }

    pub fn set_len(&self, len: i64) -> Result<usize> {
        let len = u64::try_from(len).map_err(|_| libc::EINVAL)?;
        self.store.truncate(&self.place, len).map(|()| 0)
    }

    pub fn unlink(&self) -> Result<usize> {
        self.store.remove_file(&self.place).map(|()| 0)
    }

    pub fn rmdir(&self) -> Result<usize> {
        self.store.remove_dir(&self.place).map(|()| 0)
    }

    pub fn mkdir(&self, mode: mode_t) -> Result<usize> {
        self.store.make_dir(&self.place, umask::apply(mode)).map(|()| 0)
    }

    /// EXDEV, upon which programs that link to save a copy, such as the checkpoints of `RocksDB`, make the copy.
    pub fn link(&self) -> Result<usize> {
        self.store.refuse(Reason::HardLink);
        Err(libc::EXDEV)
    }

    pub fn refuse_node(&self) -> Result<usize> {
        if self.exists().is_ok() {
            return Err(libc::EEXIST);
        }
        self.store.refuse(Reason::Node);
        Err(libc::EPERM)
    }

    pub fn not_a_link(&self) -> Result<usize> {
        self.exists().and(Err(libc::EINVAL))
    }

    /// realpath(3): into `out`, or into memory the caller frees.
    pub fn real_path(&self, out: *mut c_char) -> Result<usize> {
        let below = self.store.canonical(&self.place)?;
        let mut whole = config().prefix.clone();
        whole.push(below.as_bytes())?;
        let text = whole.as_bytes();
        // SAFETY: a null `out` asks for malloc'd memory; any other has room for PATH_MAX bytes.
        unsafe {
            let to = if out.is_null() { libc::malloc(text.len() + 1).cast() } else { out };
            if to.is_null() {
                return Err(libc::ENOMEM);
            }
            core::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), text.len());
            *to.add(text.len()) = 0;
            Ok(to as usize)
        }
    }

    pub fn chmod(&self, mode: mode_t) -> Result<usize> {
        self.store.alter(&self.place, |i| i.mode.store(mode & 0o7777, Relaxed)).map(|()| 0)
    }

    pub fn chown(&self, uid: u32, gid: u32) -> Result<usize> {
        self.store.alter(&self.place, |i| own(i, uid, gid)).map(|()| 0)
    }

    pub fn set_times(&self, times: Times) -> Result<usize> {
        self.store.alter(&self.place, |i| times.apply(i)).map(|()| 0)
    }

    pub fn chdir(&self) -> Result<usize> {
        stand_in::enter(self.store, self.store.directory(&self.place)?)
    }

    /// opendir(3).
    pub fn list(&self, class: u8) -> Result<usize> {
        let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
        let fd = self.store.open_file(&self.place, flags, 0)?;
        count::set_fd_class(fd, class);
        let dir = self.store.open_of(fd).ok_or(libc::EBADF)?.inode;
        listing::open(self.store, dir, fd).inspect_err(|_| {
            let _ = self.store.close(fd);
            let _ = sys::close(fd);
        })
    }
}
