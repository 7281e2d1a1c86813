//! The mapped index: typed access to its areas, and memory behind them before they are touched.

use super::layout::*;
use crate::sys::{self, Fd, Result};
use core::sync::atomic::{AtomicU32, Ordering::*};

/// Memory is put behind an area in steps of this size.
const STEP: u64 = 256 << 10;

/// The mapping of the index.
#[derive(Clone, Copy)]
pub struct Region {
    base: *mut u8,
    pub geo: Geometry,
    pub fd: Fd,
}

// SAFETY: everything behind `base` is atomic.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// Maps the index behind `fd`, creating its contents if it is empty; the caller holds the file lock.
    pub fn map(fd: Fd, max_files: u32) -> Result<Region> {
        let size = sys::fstat(fd)?.st_size as u64;
        let fresh = size == 0 || half_made(fd, size, max_files)?;
        let wanted = if fresh { max_files } else { existing_max_files(fd)? };
        let geo = Geometry::of(wanted);
        if fresh {
            sys::ftruncate(fd, geo.starts[END] as u64)?;
            // Counters and buckets are touched anywhere from the start; the other areas grow.
            sys::fallocate(fd, 0, 0, geo.starts[SEGMENTS] as u64)?;
        }
        let prot = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        let base = sys::mmap(0, geo.starts[END], prot, flags, fd, 0)?;
        Ok(Region { base, geo, fd })
    }

    /// The same mapping, with another descriptor of its file.
    pub fn with_fd(self, fd: Fd) -> Region {
        Region { fd, ..self }
    }

    /// Gives the mapping of an index back that is not used.
    pub fn unmap(self) -> Result<()> {
        sys::munmap(self.base, self.geo.starts[END])
    }

    fn at<T>(&self, area: usize, i: usize) -> &T {
        debug_assert!(self.geo.starts[area] + (i + 1) * size_of::<T>() <= self.geo.starts[END]);
        // SAFETY: callers pass indices below the area's capacity, and records are made of atomics.
        unsafe { &*self.base.add(self.geo.starts[area]).cast::<T>().add(i) }
    }

    pub fn head(&self) -> &Head {
        // SAFETY: the mapping begins with the head.
        unsafe { &*self.base.cast::<Head>() }
    }

    pub fn undo(&self, i: u32) -> &Undo {
        self.at(UNDO, (i % MAX_UNDO) as usize)
    }

    pub fn proc(&self, i: u32) -> &Proc {
        self.at(PROCS, (i % MAX_PROCS) as usize)
    }

    pub fn bucket(&self, hash: u64) -> &AtomicU32 {
        self.at(BUCKETS, (hash as usize) & (self.geo.buckets as usize - 1))
    }

    pub fn segment(&self, i: u32) -> &Segment {
        self.at(SEGMENTS, (i % MAX_SEGMENTS) as usize)
    }

    pub fn ofd(&self, i: u32) -> &Ofd {
        self.at(OFDS, (i % self.geo.max_ofds) as usize)
    }

    pub fn inode(&self, i: u32) -> &Inode {
        self.at(INODES, (i % self.geo.max_files) as usize)
    }

    /// Extent `i` of block `block` of a size class.
    pub fn block_ext(&self, class: usize, block: u32, i: u32) -> &Ext {
        let before: usize = (0..class).map(|c| BLOCKS[c] as usize * BLOCK_COUNT[c] as usize).sum();
        let block = (block % BLOCK_COUNT[class]) as usize;
        self.at(BLOCK0, before + block * BLOCKS[class] as usize + (i % BLOCKS[class]) as usize)
    }

    /// Entry of a process's descriptor table.
    pub fn fd_entry(&self, proc: u32, fd: u32) -> &AtomicU32 {
        self.at(FDS, (proc % MAX_PROCS) as usize * MAX_FDS as usize + (fd % MAX_FDS) as usize)
    }

    /// Byte offset of a word, as the undo log keeps it.
    pub fn offset<T>(&self, word: &T) -> u64 {
        (word as *const T as usize - self.base as usize) as u64
    }

    /// The word at an offset of the undo log.
    ///
    /// # Safety
    /// `offset` must come from `offset` for a word of type `T`.
    pub unsafe fn word<T>(&self, offset: u64) -> &T {
        // SAFETY: the caller vouches for the offset.
        unsafe { &*self.base.add(offset as usize).cast::<T>() }
    }

    /// Puts memory behind `record` of an area: touching a hole on a full tmpfs would be SIGBUS.
    pub fn back<T>(&self, area: usize, record: &T) -> Result<()> {
        let start = self.geo.starts[area] as u64;
        let end = self.offset(record) + size_of::<T>() as u64 - start;
        self.back_to(area, end)
    }

    fn back_to(&self, area: usize, end: u64) -> Result<()> {
        let backed = &self.head().backed[area];
        let have = backed.load(Relaxed);
        if end <= have {
            return Ok(());
        }
        let start = self.geo.starts[area] as u64;
        let limit = self.geo.starts[area + 1] as u64 - start;
        let to = end.next_multiple_of(STEP).min(limit);
        sys::fallocate(self.fd, 0, start + have, to - have)?;
        backed.store(to, Relaxed);
        Ok(())
    }

    /// Puts memory behind one block of extents; blocks of different classes lie far apart.
    pub fn back_block(&self, class: usize, block: u32) -> Result<()> {
        let first = self.offset(self.block_ext(class, block, 0));
        let bytes = BLOCKS[class] as u64 * size_of::<Ext>() as u64;
        sys::fallocate(self.fd, 0, first, bytes)
    }

    /// Puts memory behind a process's descriptor table up to `fd`.
    pub fn back_fd(&self, proc: u32, fd: u32) -> Result<()> {
        let p = self.proc(proc);
        let end = (fd + 1) * 4;
        if fd >= FIRST_PIN {
            // Pins live at the far end: their pages have memory up to the highest one used.
            let high = p.pin_high.load(Relaxed);
            if high > FIRST_PIN && fd < high.next_multiple_of(PAGE as u32 / 4) {
                return Ok(());
            }
            let at = self.offset(self.fd_entry(proc, fd)) & !(PAGE - 1);
            return sys::fallocate(self.fd, 0, at, PAGE);
        }
        let have = p.fd_backed.load(Relaxed);
        if end <= have {
            return Ok(());
        }
        let to = end.next_multiple_of(PAGE as u32);
        sys::fallocate(self.fd, 0, self.offset(self.fd_entry(proc, 0)) + have as u64, (to - have) as u64)?;
        p.fd_backed.store(to, Relaxed);
        Ok(())
    }
}

/// Whether a file has an index's size and nothing in it yet: the process that made it was killed before it was one.
fn half_made(fd: Fd, size: u64, max_files: u32) -> Result<bool> {
    let mut magic = 0u64;
    let n = sys::pread(fd, (&raw mut magic).cast(), 8, 0)?;
    Ok(n == 8 && magic == 0 && size == Geometry::of(max_files).starts[END] as u64)
}

/// A file that is not an index of this version is left alone.
fn existing_max_files(fd: Fd) -> Result<u32> {
    let mut head = [0u64; 3];
    let n = sys::pread(fd, head.as_mut_ptr().cast(), 24, 0)?;
    if n < 24 || head[0] != MAGIC {
        return Err(libc::EINVAL);
    }
    Ok(head[2] as u32)
}
