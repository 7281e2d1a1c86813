//! Descriptors the library holds for itself, out of the program's way.

use super::layout::MAX_SEGMENTS;
use super::pending::Pending;
use crate::sys::{self, Fd, Result};
use crate::text::Text;
use core::sync::atomic::{AtomicI32, AtomicU64, Ordering::*};

/// Descriptors above this are never ours.
const MAX_FDS: usize = 1 << 20;

/// Tables that one process keeps for itself.
pub struct Private {
    /// What every served descriptor is a copy of: reads and writes that bypass us fail on it.
    pub placeholder: Fd,
    /// Device and inode of the placeholder.
    pub mark: (u64, u64),
    /// Space of each medium that is free and not yet given back.
    pub pending: [Pending; 2],
    /// The descriptor of the memory file plus one, or 0.
    pub memory: AtomicI32,
    floor: usize,
    segments: *const AtomicI32,
    ours: *const AtomicU64,
}

// SAFETY: the tables hold atomics and are never unmapped.
unsafe impl Send for Private {}
// SAFETY: as above.
unsafe impl Sync for Private {}

fn table<T>(n: usize) -> Result<*const T> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    Ok(sys::mmap(0, n * size_of::<T>(), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)?.cast::<T>())
}

impl Private {
    /// `index` is the open file that placeholders are backed by.
    pub fn new(index: Fd) -> Result<Private> {
        let limit = sys::nofile_limit().min(MAX_FDS as u64) as usize;
        let mut p = Private {
            placeholder: -1,
            mark: (0, 0),
            // A request to a parallel file system is dear; memory is scarce.
            pending: [Pending::new(16 << 20), Pending::new(1 << 20)],
            memory: AtomicI32::new(0),
            // High numbers, so that programs still get the low ones they expect.
            floor: (limit - limit / 4).min(60_000),
            segments: table(MAX_SEGMENTS as usize)?,
            ours: table(MAX_FDS / 64)?,
        };
        // By its descriptor: under its name there may be another file by now.
        let mut path = Text::<32>::of(&[b"/proc/self/fd/"])?;
        path.push_num(index as u64)?;
        let fd = sys::openat(libc::AT_FDCWD, path.c_path(), libc::O_PATH | libc::O_CLOEXEC, 0)?;
        p.placeholder = p.lift(fd)?;
        let st = sys::fstat(p.placeholder)?;
        p.mark = (st.st_dev, st.st_ino);
        Ok(p)
    }

    /// Moves a descriptor to a high number and marks it as ours.
    pub fn lift(&self, fd: Fd) -> Result<Fd> {
        let high = sys::fcntl(fd, libc::F_DUPFD_CLOEXEC, self.floor);
        sys::close(fd)?;
        let high = high?;
        if let Some(w) = self.word(high) {
            w.fetch_or(1 << (high % 64), Relaxed);
        }
        Ok(high)
    }

    fn word(&self, fd: Fd) -> Option<&AtomicU64> {
        let at = fd as usize / 64;
        // SAFETY: the table has MAX_FDS bits.
        (at < MAX_FDS / 64).then(|| unsafe { &*self.ours.add(at) })
    }

    /// True for a descriptor that the program must not close.
    pub fn is_ours(&self, fd: Fd) -> bool {
        fd >= 0 && self.word(fd).is_some_and(|w| w.load(Relaxed) >> (fd % 64) & 1 == 1)
    }

    /// Closes one of ours.
    pub fn close(&self, fd: Fd) {
        if let Some(w) = self.word(fd) {
            w.fetch_and(!(1 << (fd % 64)), Relaxed);
        }
        let _ = sys::close(fd);
    }

    /// The descriptor of a segment plus one, or 0.
    pub fn segment(&self, n: u32) -> &AtomicI32 {
        // SAFETY: the table has MAX_SEGMENTS entries.
        unsafe { &*self.segments.add((n % MAX_SEGMENTS) as usize) }
    }

    /// A new placeholder descriptor.
    pub fn copy_placeholder(&self, cloexec: bool) -> Result<Fd> {
        let cmd = if cloexec { libc::F_DUPFD_CLOEXEC } else { libc::F_DUPFD };
        sys::fcntl(self.placeholder, cmd, 0)
    }

    /// True if `fd` is a copy of the placeholder, perhaps inherited.
    pub fn is_placeholder(&self, fd: Fd) -> bool {
        sys::fstat(fd).is_ok_and(|st| (st.st_dev, st.st_ino) == self.mark)
            && sys::fcntl(fd, libc::F_GETFL, 0).is_ok_and(|f| f & libc::O_PATH != 0)
    }
}
