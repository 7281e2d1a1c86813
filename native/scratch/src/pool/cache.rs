//! The files the read pool holds open: bounded, the least recently used goes first.

use super::lock::Lock;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use libc::stat64;
use weft_scratch_core::sys::{self, Fd, Result};
use weft_scratch_core::text::{PathText, Text};

/// Longer paths are not pooled.
const PATH: usize = 640;
/// Most files that can be held.
const MOST: usize = 4096;

const EMPTY: u32 = 0;
const HELD: u32 = 1;
/// Forgotten while descriptors still use it: goes with the last of them.
const STALE: u32 = 2;

/// One file held open.
pub struct Entry {
    state: AtomicU32,
    users: AtomicU32,
    used: AtomicU64,
    fd: AtomicI32,
    shape: AtomicI32,
    path: UnsafeCell<Text<PATH>>,
    stat: UnsafeCell<stat64>,
    /// Whether its path is that of a symbolic link.
    link: AtomicBool,
}

impl Entry {
    pub fn fd(&self) -> Fd {
        self.fd.load(Acquire)
    }

    /// The O_PATH descriptor that placeholders are copies of.
    pub fn shape(&self) -> Fd {
        self.shape.load(Acquire)
    }

    pub fn stat(&self) -> stat64 {
        // SAFETY: written before the entry is HELD, and not again while it has users.
        let held = unsafe { *self.stat.get() };
        match self.state.load(Acquire) {
            STALE => sys::fstat(self.fd()).unwrap_or(held),
            _ => held,
        }
    }

    pub fn is(&self, st: &stat64) -> bool {
        let own = self.stat();
        (own.st_dev, own.st_ino) == (st.st_dev, st.st_ino)
    }

    fn path(&self) -> &[u8] {
        // SAFETY: changed only under the cache's lock, as it is read.
        unsafe { (*self.path.get()).as_bytes() }
    }

    /// Puts a real descriptor of the file, at position `pos`, in the place of `fd`.
    pub fn become_real(&self, fd: Fd, pos: u64) -> Result<()> {
        let real = self.real(fd, pos)?;
        let done = sys::dup3(real, fd, 0);
        sys::close(real)?;
        done.map(drop)
    }

    /// A real descriptor of the file that `fd` is a placeholder of, at position `pos`.
    pub fn real(&self, fd: Fd, pos: u64) -> Result<Fd> {
        // By way of the placeholder: a vfork child may have closed all our own descriptors already.
        let real = reopen(fd, libc::O_RDONLY)?;
        match sys::lseek(real, pos as i64, libc::SEEK_SET) {
            Ok(_) => Ok(real),
            Err(e) => sys::close(real).and(Err(e)),
        }
    }
}

/// Opens the same file again without looking its path up.
fn reopen(fd: Fd, flags: i32) -> Result<Fd> {
    let mut path = Text::<32>::of(&[b"/proc/self/fd/"])?;
    path.push_num(fd as u64)?;
    sys::openat(libc::AT_FDCWD, path.c_path(), flags | libc::O_CLOEXEC, 0)
}

/// The files held.
pub struct Cache {
    entries: AtomicPtr<Entry>,
    most: AtomicUsize,
    lock: Lock,
    clock: AtomicU64,
    floor: AtomicI32,
}

impl Cache {
    pub const fn new() -> Cache {
        Cache {
            entries: AtomicPtr::new(core::ptr::null_mut()),
            most: AtomicUsize::new(0),
            lock: Lock::new(),
            clock: AtomicU64::new(0),
            floor: AtomicI32::new(0),
        }
    }

    pub fn start(&self, most: usize) -> Result<()> {
        let limit = sys::nofile_limit().min(1 << 20);
        let most = most.min(MOST).min(limit as usize / 8);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let at = sys::mmap(0, most * size_of::<Entry>(), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)?;
        // High numbers, so that programs still get the low ones they expect.
        self.floor.store((limit - limit / 4).min(60_000) as i32, Relaxed);
        self.most.store(most, Relaxed);
        self.entries.store(at.cast(), Release);
        Ok(())
    }

    /// Another thread of the parent may have held it at the fork.
    pub fn unlock_in_child(&self) {
        self.lock.free();
    }

    fn all(&self) -> &'static [Entry] {
        // SAFETY: the mapping is zeroed, which is a valid entry, and never unmapped.
        unsafe { core::slice::from_raw_parts(self.entries.load(Acquire), self.most.load(Relaxed)) }
    }

    pub fn entry(&self, n: u32) -> &'static Entry {
        let all = self.all();
        &all[n as usize % all.len()]
    }

    fn at(&self, path: &[u8]) -> Option<usize> {
        self.all().iter().position(|e| e.state.load(Relaxed) == HELD && e.path() == path)
    }

    /// What stat reported of a held file; without `follow` not of one behind a symbolic link.
    pub fn find(&self, path: &[u8], follow: bool) -> Option<stat64> {
        let _held = self.lock.hold();
        let e = &self.all()[self.at(path)?];
        (follow || !e.link.load(Relaxed)).then(|| e.stat())
    }

    /// A held file, opening it first if need be; None if it cannot be pooled.
    pub fn take(&self, path: &PathText) -> Option<u32> {
        let _held = self.lock.hold();
        let n = match self.at(path.as_bytes()) {
            Some(n) => n,
            None => self.hold(path)?,
        };
        let e = &self.all()[n];
        e.users.fetch_add(1, Relaxed);
        e.used.store(self.clock.fetch_add(1, Relaxed), Relaxed);
        Some(n as u32)
    }

    fn hold(&self, path: &PathText) -> Option<usize> {
        let name = Text::of(&[path.as_bytes()]).ok()?;
        let n = self.room()?;
        let open = |more: i32| {
            let flags = libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK | more;
            sys::openat(libc::AT_FDCWD, path.c_path(), flags, 0)
        };
        let (fd, link) = match open(libc::O_NOFOLLOW) {
            Err(libc::ELOOP) => (open(0).ok()?, true),
            plain => (plain.ok()?, false),
        };
        let st = sys::fstat(fd).ok().filter(|st| st.st_mode & libc::S_IFMT == libc::S_IFREG);
        let pair = st.and_then(|st| Some((st, self.lift(fd)?)));
        let Some((st, fd)) = pair else {
            let _ = sys::close(fd);
            return None;
        };
        let shape = reopen(fd, libc::O_PATH).ok().and_then(|s| self.lift(s));
        let Some(shape) = shape else {
            let _ = sys::close(fd);
            return None;
        };
        let e = &self.all()[n];
        // SAFETY: the entry is EMPTY and the lock is held.
        unsafe { (*e.path.get(), *e.stat.get()) = (name, st) };
        e.fd.store(fd, Relaxed);
        e.shape.store(shape, Relaxed);
        e.link.store(link, Relaxed);
        e.users.store(0, Relaxed);
        e.state.store(HELD, Release);
        Some(n)
    }

    fn lift(&self, fd: Fd) -> Option<Fd> {
        let high = sys::fcntl(fd, libc::F_DUPFD_CLOEXEC, self.floor.load(Relaxed) as usize).ok()?;
        let _ = sys::close(fd);
        Some(high)
    }

    /// An empty entry; the least recently used one without users makes room.
    fn room(&self) -> Option<usize> {
        let all = self.all();
        if let Some(n) = all.iter().position(|e| e.state.load(Relaxed) == EMPTY) {
            return Some(n);
        }
        let idle = all.iter().enumerate().filter(|(_, e)| e.users.load(Relaxed) == 0);
        let (n, e) = idle.min_by_key(|(_, e)| e.used.load(Relaxed))?;
        self.drop_entry(e);
        Some(n)
    }

    fn drop_entry(&self, e: &Entry) {
        e.state.store(EMPTY, Relaxed);
        let _ = sys::close(e.fd.swap(-1, Relaxed));
        let _ = sys::close(e.shape.swap(-1, Relaxed));
    }

    /// One more descriptor uses the file.
    pub fn share(&self, n: u32) {
        let _held = self.lock.hold();
        self.entry(n).users.fetch_add(1, Relaxed);
    }

    /// One descriptor less uses the file.
    pub fn give(&self, n: u32) {
        let _held = self.lock.hold();
        let e = self.entry(n);
        let last = e.users.fetch_sub(1, Relaxed) == 1;
        if last && e.state.load(Relaxed) == STALE {
            self.drop_entry(e);
        }
    }

    /// The file at `path`, or below it, is no longer what it was.
    pub fn forget(&self, path: &[u8]) {
        let _held = self.lock.hold();
        for e in self.all() {
            if e.state.load(Relaxed) == HELD && weft_scratch_core::path::is_under(e.path(), path) {
                match e.users.load(Relaxed) {
                    0 => self.drop_entry(e),
                    _ => e.state.store(STALE, Relaxed),
                }
            }
        }
    }

    /// The same of a file that a descriptor uses.
    pub fn outdate(&self, n: u32) {
        let _held = self.lock.hold();
        let _ = self.entry(n).state.compare_exchange(HELD, STALE, AcqRel, Relaxed);
    }

    /// True for descriptors held here.
    pub fn holds(&self, fd: Fd) -> bool {
        let in_use = |e: &Entry| e.state.load(Relaxed) != EMPTY && (e.fd() == fd || e.shape() == fd);
        fd >= self.floor.load(Relaxed) && self.all().iter().any(in_use)
    }
}

// SAFETY: entries are shared between threads only under the lock or, while they have users, read-only.
unsafe impl Sync for Cache {}
