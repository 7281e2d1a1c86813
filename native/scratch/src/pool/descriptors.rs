//! The read pool: files under prefixes that are promised immutable are opened once per process.
//!
//! A program's descriptor is a placeholder (a copy of an O_PATH descriptor of the file) with a position of
//! its own; reads are preads on the one real descriptor. Positions live in memory shared with forked
//! children, because parent and child share them.

use super::cache::{Cache, Entry};
use super::changes;
use super::paths;
use crate::process::gate;
use crate::process::settings::config;
use crate::scratch::attributes;
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::*};
use libc::stat64;
use weft_scratch_core::store::io::Buf;
use weft_scratch_core::store::ops::Meta;
use weft_scratch_core::sys::{self, Fd, Result};
use weft_scratch_core::text::PathText;

/// Descriptors above this are never pooled.
pub(super) const MAX_FDS: usize = 65536;
const MAX_OFDS: usize = 65536;

/// An open file description; lives in memory shared with forked children.
#[repr(C)]
pub(super) struct Ofd {
    pub(super) refs: AtomicU32,
    pub(super) entry: AtomicU32,
    pos: AtomicU64,
}

static OFDS: AtomicPtr<Ofd> = AtomicPtr::new(core::ptr::null_mut());
/// Descriptor to description, 0 for none. Private: a forked child has a copy, as it has of its descriptors.
pub(super) static TABLE: [AtomicU32; MAX_FDS] = [const { AtomicU32::new(0) }; MAX_FDS];
pub(super) static CACHE: Cache = Cache::new();

/// A pooled file behind a descriptor.
#[derive(Clone, Copy)]
pub struct Pooled {
    pub(super) ofd: u32,
}

pub fn start() {
    if config().pool_count == 0 || CACHE.start(config().pool_fds).is_err() {
        return;
    }
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let prot = libc::PROT_READ | libc::PROT_WRITE;
    if let Ok(at) = sys::mmap(0, MAX_OFDS * size_of::<Ofd>(), prot, flags, -1, 0) {
        OFDS.store(at.cast(), Release);
    }
}

/// True if input is pooled.
#[inline]
pub fn on() -> bool {
    !OFDS.load(Acquire).is_null()
}

pub(super) fn ofd(n: u32) -> &'static Ofd {
    // SAFETY: only reached while `on`, and numbers are below MAX_OFDS.
    unsafe { &*OFDS.load(Relaxed).add(n as usize % MAX_OFDS) }
}

/// The path of a file that may be pooled.
unsafe fn pooled_path(dir: c_int, path: *const c_char) -> Option<PathText> {
    if !on() {
        return None;
    }
    // SAFETY: passed on from the caller.
    unsafe { paths::pooled(dir, path) }
}

/// The program is about to change what a path names: what we hold of it, or below it, is out of date.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn forget(dir: c_int, path: *const c_char) {
    // A signal handler inside our work must not wait for its own thread's lock.
    gate::exclusive(|| {
        // SAFETY: passed on from the caller.
        unsafe { outdate(dir, path) };
        Some(())
    });
}

unsafe fn outdate(dir: c_int, path: *const c_char) {
    if !on() {
        return;
    }
    // SAFETY: passed on from the caller.
    if let Some(name) = unsafe { paths::concerned(dir, path) } {
        CACHE.forget(name.as_bytes());
    }
}

/// Answers stat of a file that is held open; of one that was found through a symbolic link only if that is followed.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn stat(path: *const c_char, st: *mut stat64, flags: c_int) -> Option<c_int> {
    // SAFETY: passed on from the caller.
    let p = unsafe { pooled_path(libc::AT_FDCWD, path) }?;
    let found = gate::exclusive(|| CACHE.find(p.as_bytes(), flags & libc::AT_SYMLINK_NOFOLLOW == 0))?;
    // SAFETY: the hook's caller passed room for one.
    unsafe { st.write(found) };
    Some(0)
}

/// Opens a pooled file for reading; None leaves the call to the kernel.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn open(dir: c_int, path: *const c_char, flags: c_int) -> Option<Result<usize>> {
    const OTHERWISE: c_int = libc::O_DIRECTORY | libc::O_PATH | libc::O_DIRECT | libc::O_NOFOLLOW;
    if flags & libc::O_ACCMODE != libc::O_RDONLY || flags & (libc::O_CREAT | libc::O_TRUNC) != 0 {
        // SAFETY: passed on from the caller.
        unsafe { outdate(dir, path) };
        return None;
    }
    if flags & OTHERWISE != 0 {
        return None;
    }
    // SAFETY: passed on from the caller.
    let p = unsafe { pooled_path(dir, path) }?;
    let entry = CACHE.take(&p)?;
    match describe(entry, flags & libc::O_CLOEXEC != 0).inspect_err(|_| CACHE.give(entry)) {
        // Children that ended without closing what they inherited have left no description free.
        Err(libc::ENFILE) => None,
        other => Some(other.map(|fd| fd as usize)),
    }
}

fn describe(entry: u32, cloexec: bool) -> Result<Fd> {
    let _held = changes::one();
    let free = |n: &u32| ofd(*n).refs.compare_exchange(0, 1, AcqRel, Relaxed).is_ok();
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let from = NEXT.load(Relaxed);
    let around = (from..MAX_OFDS as u32).chain(1..from);
    let n = around.take(4096).find(free).ok_or(libc::ENFILE)?;
    NEXT.store(((n + 1) % MAX_OFDS as u32).max(1), Relaxed);
    ofd(n).entry.store(entry, Relaxed);
    ofd(n).pos.store(0, Relaxed);
    let cmd = if cloexec { libc::F_DUPFD_CLOEXEC } else { libc::F_DUPFD };
    let fd = sys::fcntl(CACHE.entry(entry).shape(), cmd, 0).and_then(|fd| match TABLE.get(fd as usize) {
        Some(word) => {
            word.store(n, Release);
            Ok(fd)
        }
        None => sys::close(fd).and(Err(libc::EMFILE)),
    });
    if fd.is_err() {
        ofd(n).refs.store(0, Release);
    }
    fd
}

/// What a descriptor is to the pool, if anything.
#[inline]
pub fn handle(fd: c_int) -> Option<Pooled> {
    match TABLE.get(fd as usize)?.load(Acquire) {
        0 => None,
        ofd => Some(Pooled { ofd }),
    }
}

/// True for descriptors the pool holds for itself.
pub fn is_ours(fd: c_int) -> bool {
    on() && CACHE.holds(fd)
}

/// The program closes `fd`.
pub fn close(fd: c_int) {
    let Some(word) = TABLE.get(fd as usize) else { return };
    if word.load(Relaxed) == 0 {
        return;
    }
    let _held = changes::one();
    point(word, 0);
}

/// Points a descriptor at a description that counts it already, or at none; others make no changes meanwhile.
pub(super) fn point(word: &AtomicU32, to: u32) {
    let n = word.swap(to, AcqRel);
    if n != 0 {
        let entry = ofd(n).entry.load(Relaxed);
        ofd(n).refs.fetch_sub(1, AcqRel);
        CACHE.give(entry);
    }
}

/// `new` became a copy of `old`.
pub fn duplicated(old: c_int, new: c_int) -> Result<()> {
    if old == new || !on() || (handle(old).is_none() && handle(new).is_none()) {
        return Ok(());
    }
    // In one change: a child has what `new` was, or what it is.
    let _held = changes::one();
    let from = handle(old);
    let word = match (TABLE.get(new as usize), from) {
        (Some(word), _) => word,
        (None, Some(_)) => return Err(libc::EMFILE),
        (None, None) => return Ok(()),
    };
    if let Some(p) = from {
        ofd(p.ofd).refs.fetch_add(1, AcqRel);
        CACHE.share(ofd(p.ofd).entry.load(Relaxed));
    }
    point(word, from.map_or(0, |p| p.ofd));
    Ok(())
}

impl Pooled {
    pub(super) fn entry(self) -> &'static Entry {
        CACHE.entry(ofd(self.ofd).entry.load(Relaxed))
    }

    pub(super) fn pos(self) -> u64 {
        ofd(self.ofd).pos.load(Relaxed)
    }

    pub fn read(self, to: &[Buf], at: Option<u64>) -> Result<usize> {
        let (start, claimed) = match at {
            Some(at) => (at, 0),
            None => self.claim(to.iter().map(|b| b.len as u64).sum()),
        };
        let most = if claimed > 0 { claimed as usize } else { usize::MAX };
        let (mut done, mut failed) = (0, None);
        for b in to {
            match sys::pread(self.entry().fd(), b.at, b.len.min(most - done), start + done as u64) {
                Ok(n) => {
                    done += n;
                    if n < b.len {
                        break;
                    }
                }
                Err(e) => {
                    failed = Some(e);
                    break;
                }
            }
        }
        if at.is_none() {
            ofd(self.ofd).pos.fetch_add((done as u64).wrapping_sub(claimed), AcqRel);
        }
        match failed {
            Some(e) if done == 0 => Err(e),
            _ => Ok(done),
        }
    }

    /// Moves the position over what the file has of so many bytes: another thread or process that reads at the same time
    /// gets the next ones. Answers where they begin, and their number, which is 0 behind the length that is known.
    fn claim(self, n: u64) -> (u64, u64) {
        let size = self.entry().stat().st_size as u64;
        let ahead = |pos: u64| n.min(size.saturating_sub(pos));
        let (Ok(start) | Err(start)) = ofd(self.ofd).pos.fetch_update(AcqRel, Acquire, |pos| Some(pos + ahead(pos)));
        (start, ahead(start))
    }

    pub fn seek(self, off: i64, whence: c_int) -> Result<usize> {
        let size = self.entry().stat().st_size;
        let to = match whence {
            libc::SEEK_SET => off.checked_add(0),
            libc::SEEK_CUR => off.checked_add(self.pos() as i64),
            libc::SEEK_END => off.checked_add(size),
            libc::SEEK_DATA if (0..size).contains(&off) => Some(off),
            libc::SEEK_HOLE if (0..size).contains(&off) => Some(size),
            libc::SEEK_DATA | libc::SEEK_HOLE => return Err(libc::ENXIO),
            _ => None,
        };
        let to = to.filter(|&v| v >= 0).ok_or(libc::EINVAL)?;
        ofd(self.ofd).pos.store(to as u64, Relaxed);
        Ok(to as usize)
    }

    pub fn stat(self, st: *mut stat64) -> Result<usize> {
        // SAFETY: the hook's caller passed room for one.
        unsafe { st.write(self.entry().stat()) };
        Ok(0)
    }

    pub fn statx(self, out: *mut libc::statx) -> Result<usize> {
        let s = self.entry().stat();
        let ns = |sec: i64, ns: i64| sec as u64 * 1_000_000_000 + ns as u64;
        let m = Meta {
            inode: s.st_ino,
            mode: s.st_mode,
            links: s.st_nlink as u32,
            uid: s.st_uid,
            gid: s.st_gid,
            size: s.st_size as u64,
            atime: ns(s.st_atime, s.st_atime_nsec),
            mtime: ns(s.st_mtime, s.st_mtime_nsec),
            ctime: ns(s.st_ctime, s.st_ctime_nsec),
            ..Meta::default()
        };
        attributes::put_statx(&m, out)?;
        // SAFETY: `put_statx` refuses null.
        unsafe { ((*out).stx_dev_major, (*out).stx_dev_minor) = (libc::major(s.st_dev), libc::minor(s.st_dev)) };
        Ok(0)
    }

    pub fn statfs(self) -> Result<libc::statfs64> {
        // SAFETY: statfs64 is plain old data; all zeroes is a value of it.
        let mut found: libc::statfs64 = unsafe { core::mem::zeroed() };
        self.real(libc::SYS_fstatfs, &raw mut found as usize, 0).map(|_| found)
    }

    pub fn chmod(self, mode: u32) -> Result<usize> {
        self.change(libc::SYS_fchmod, mode as usize, 0)
    }

    pub fn chown(self, uid: u32, gid: u32) -> Result<usize> {
        self.change(libc::SYS_fchown, uid as usize, gid as usize)
    }

    pub fn set_times(self, times: [libc::timespec; 2]) -> Result<usize> {
        self.change(libc::SYS_utimensat, 0, times.as_ptr() as usize)
    }

    /// Attributes change through descriptors that only read, too.
    fn change(self, nr: i64, a: usize, b: usize) -> Result<usize> {
        CACHE.outdate(ofd(self.ofd).entry.load(Relaxed));
        self.real(nr, a, b)
    }

    pub fn control(self, cmd: c_int, arg: usize) -> Result<usize> {
        match cmd {
            libc::F_GETFL => Ok(libc::O_RDONLY as usize),
            libc::F_SETFL => Ok(0),
            _ => self.real(libc::SYS_fcntl, cmd as usize, arg),
        }
    }

    /// Makes a call on the real descriptor.
    pub fn real(self, nr: i64, a: usize, b: usize) -> Result<usize> {
        // SAFETY: the arguments are those the program passed for this call on this file.
        sys::check(unsafe { sys::raw(nr, [self.entry().fd() as usize, a, b, 0, 0, 0]) })
    }

    pub fn map(self, addr: usize, len: usize, prot: c_int, flags: c_int, off: u64) -> Result<usize> {
        sys::mmap(addr, len, prot, flags, self.entry().fd(), off).map(|p| p as usize)
    }

    /// Where `n` bytes at `pos` can be sent from.
    pub fn whereabouts(self, pos: u64, n: usize) -> Option<(Fd, u64, usize)> {
        let left = (self.entry().stat().st_size as u64).saturating_sub(pos);
        (left > 0).then(|| (self.entry().fd(), pos, n.min(left as usize)))
    }
}
