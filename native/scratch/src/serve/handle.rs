//! Served calls on descriptors.

use crate::pool::{self, Pooled};
use crate::process::real;
use crate::process::settings::config;
use crate::scratch::attributes::{own, put_stat, put_statx, Times};
use crate::scratch::{listing, locks, mapped, maps, stand_in, store};
use core::ffi::{c_char, c_int};
use core::sync::atomic::Ordering::*;
use libc::{iovec, mode_t, stat64};
use weft_scratch_core::store::io::Buf;
use weft_scratch_core::store::ofds::Open;
use weft_scratch_core::store::view::Wanted;
use weft_scratch_core::store::Store;
use weft_scratch_core::sys::{self, Result};
use weft_scratch_core::text::number;

/// A descriptor that is not what the kernel thinks it is.
#[derive(Clone, Copy)]
pub enum Handle {
    Scratch(Open),
    Pool(Pooled),
}

/// What a descriptor is to us, if anything.
#[inline]
pub fn handle(fd: c_int) -> Option<Handle> {
    if let Some(h) = mapped().and_then(|s| s.open_of(fd)) {
        return Some(Handle::Scratch(h));
    }
    pool::handle(fd).map(Handle::Pool)
}

/// What a path means that is the name of a descriptor. To the kernel every served one is the index itself, which no
/// program must read or truncate.
unsafe fn named(path: *const c_char) -> Option<(&'static Store, Open)> {
    let s = mapped()?;
    // SAFETY: the caller passes null or a C string.
    let path = unsafe { real::bytes(path) };
    let name = path.strip_prefix(b"/dev/fd/").or_else(|| path.strip_prefix(b"/proc/self/fd/"))?;
    let fd = c_int::try_from(number(name)?).ok()?;
    let h = s.open_of(fd)?;
    // It may have been closed behind our back, and be another file by now.
    s.private.is_placeholder(fd).then_some((s, h))
}

/// True if a path is the name of a served descriptor.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn names_descriptor(path: *const c_char) -> bool {
    // SAFETY: passed on from the caller.
    unsafe { named(path) }.is_some()
}

/// Opens the file behind such a name.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn open_again(path: *const c_char, flags: c_int) -> Option<Result<usize>> {
    // SAFETY: passed on from the caller.
    let (s, h) = unsafe { named(path) }?;
    Some(s.open_again(&h, flags).map(|fd| fd as usize))
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

fn offset(at: Option<i64>) -> Result<Option<u64>> {
    match at {
        None => Ok(None),
        Some(v) => u64::try_from(v).map(Some).map_err(|_| libc::EINVAL),
    }
}

impl Handle {
    fn scratch(self) -> Result<(&'static Store, Open)> {
        match self {
            Handle::Scratch(h) => Ok((store()?, h)),
            // What only a writer asks of a file that is open for reading.
            Handle::Pool(_) => Err(libc::EBADF),
        }
    }

    pub fn read(self, to: Piece, at: Option<i64>) -> Result<usize> {
        match self {
            Handle::Scratch(h) => store()?.read(&h, to.bufs(), offset(at)?),
            Handle::Pool(p) => p.read(to.bufs(), offset(at)?),
        }
    }

    pub fn write(self, from: Piece, at: Option<i64>) -> Result<usize> {
        let (s, h) = self.scratch()?;
        s.write(&h, from.bufs(), offset(at)?)
    }

    pub fn seek(self, off: i64, whence: c_int) -> Result<usize> {
        match self {
            Handle::Scratch(h) => store()?.seek(&h, off, whence).map(|v| v as usize),
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
            Handle::Scratch(h) => store()?.sync(&h).map(|()| 0),
            Handle::Pool(_) => Ok(0),
        }
    }

    pub fn stat(self, st: *mut stat64) -> Result<usize> {
        match self {
            Handle::Scratch(h) => put_stat(&store()?.stat_open(&h)?, st),
            Handle::Pool(p) => p.stat(st),
        }
    }

    pub fn statx(self, out: *mut libc::statx) -> Result<usize> {
        match self {
            Handle::Scratch(h) => put_statx(&store()?.stat_open(&h)?, out),
            Handle::Pool(p) => p.statx(out),
        }
    }

    pub fn chmod(self, mode: mode_t) -> Result<usize> {
        match self {
            Handle::Scratch(h) => store()?.alter_open(&h, |i| i.mode.store(mode & 0o7777, Relaxed)).map(|()| 0),
            Handle::Pool(p) => p.chmod(mode),
        }
    }

    pub fn chown(self, uid: u32, gid: u32) -> Result<usize> {
        match self {
            Handle::Scratch(h) => store()?.alter_open(&h, |i| own(i, uid, gid)).map(|()| 0),
            Handle::Pool(p) => p.chown(uid, gid),
        }
    }

    pub fn set_times(self, times: Times) -> Result<usize> {
        match self {
            Handle::Scratch(h) => store()?.alter_open(&h, |i| times.apply(i)).map(|()| 0),
            Handle::Pool(p) => p.set_times(times.specified()),
        }
    }

    pub fn statfs(self) -> Result<libc::statfs64> {
        match self {
            Handle::Scratch(_) => sys::statfs(config().store.c_path()),
            Handle::Pool(p) => p.statfs(),
        }
    }

    pub fn chdir(self) -> Result<usize> {
        let (s, h) = self.scratch().map_err(|_| libc::ENOTDIR)?;
        stand_in::enter(s, h.inode)
    }

    pub fn flock(self, op: c_int) -> Result<usize> {
        match self {
            Handle::Scratch(h) => locks::whole(store()?, &h, op),
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
            Handle::Scratch(h) => scratch_control(store()?, &h, cmd, arg),
        }
    }

    pub fn map(self, addr: usize, len: usize, prot: c_int, flags: c_int, off: i64) -> Result<usize> {
        let off = u64::try_from(off).map_err(|_| libc::EINVAL)?;
        match self {
            Handle::Pool(p) => p.map(addr, len, prot, flags, off),
            Handle::Scratch(h) => maps::map(store()?, &h, &Wanted { addr, len, prot, flags, off }),
        }
    }

    pub fn list(self, fd: c_int) -> Result<usize> {
        let (s, h) = self.scratch().map_err(|_| libc::ENOTDIR)?;
        listing::open(s, h.inode, fd)
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
