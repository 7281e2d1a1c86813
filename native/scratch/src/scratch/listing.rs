//! Directory streams over the index: a snapshot taken at open and at rewind.

use super::store::store;
use core::ffi::{c_int, c_long};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicUsize, Ordering::*};
use libc::{dirent64, DIR};
use weft_scratch_core::store::{layout, Store};
use weft_scratch_core::sys::{self, Result};

/// Streams open at once in one process.
const MAX_LISTINGS: usize = 512;
/// Bytes of a directory entry before its name.
const NAME_AT: usize = core::mem::offset_of!(dirent64, d_name);

/// One stream; its address is what the program holds as a DIR pointer.
pub struct Listing {
    used: AtomicBool,
    fd: AtomicI32,
    dir: AtomicU32,
    entries: AtomicPtr<u8>,
    room: AtomicUsize,
    len: AtomicUsize,
    at: AtomicUsize,
}

static LISTINGS: [Listing; MAX_LISTINGS] = [const {
    Listing {
        used: AtomicBool::new(false),
        fd: AtomicI32::new(-1),
        dir: AtomicU32::new(0),
        entries: AtomicPtr::new(core::ptr::null_mut()),
        room: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        at: AtomicUsize::new(0),
    }
}; MAX_LISTINGS];

/// The stream behind a pointer, if it is one of ours.
#[inline]
pub fn listing(d: *mut DIR) -> Option<&'static Listing> {
    let first = LISTINGS.as_ptr() as usize;
    let at = (d as usize).wrapping_sub(first);
    (at < size_of_val(&LISTINGS)).then(|| &LISTINGS[at / size_of::<Listing>()])
}

/// Opens a stream over a served directory; `fd` belongs to it from now on.
pub fn open(s: &Store, dir: u32, fd: c_int) -> Result<usize> {
    if s.r.inode(dir).kind.load(Relaxed) != layout::DIR {
        return Err(libc::ENOTDIR);
    }
    let take = |l: &&Listing| l.used.compare_exchange(false, true, AcqRel, Relaxed).is_ok();
    let l = LISTINGS.iter().find(take).ok_or(libc::EMFILE)?;
    l.fd.store(fd, Relaxed);
    l.dir.store(dir, Relaxed);
    if let Err(e) = l.snapshot(s) {
        l.used.store(false, Release);
        return Err(e);
    }
    Ok(l as *const Listing as usize)
}

fn record_len(name: &[u8]) -> usize {
    (NAME_AT + name.len() + 1).next_multiple_of(8)
}

impl Listing {
    pub fn fd(&self) -> c_int {
        self.fd.load(Relaxed)
    }

    /// Reads the directory again until its entries fit.
    fn snapshot(&self, s: &Store) -> Result<()> {
        let dir = self.dir.load(Relaxed);
        self.at.store(0, Relaxed);
        let (own, parent) = s.own_and_parent(dir);
        loop {
            let mut need = 0;
            self.len.store(0, Relaxed);
            for (name, inode) in [(&b"."[..], own), (b"..", parent)] {
                need += self.push(name, inode, true);
            }
            s.each_child(dir, |name, inode, is_dir| need += self.push(name, inode, is_dir))?;
            if need == self.len.load(Relaxed) {
                return Ok(());
            }
            self.grow(need + 4096)?;
        }
    }

    /// Adds an entry if there is room; answers the room it takes.
    fn push(&self, name: &[u8], inode: u64, is_dir: bool) -> usize {
        let (size, len) = (record_len(name), self.len.load(Relaxed));
        if len + size > self.room.load(Relaxed) {
            return size;
        }
        // SAFETY: the record lies inside the mapped buffer and is 8-byte aligned, as all lengths are.
        unsafe {
            let at = self.entries.load(Relaxed).add(len);
            let e = at.cast::<dirent64>();
            (&raw mut (*e).d_ino).write(inode);
            (&raw mut (*e).d_off).write((len + size) as i64);
            (&raw mut (*e).d_reclen).write(size as u16);
            (&raw mut (*e).d_type).write(if is_dir { libc::DT_DIR } else { libc::DT_REG });
            core::ptr::copy_nonoverlapping(name.as_ptr(), at.add(NAME_AT), name.len());
            at.add(NAME_AT + name.len()).write(0);
        }
        self.len.store(len + size, Relaxed);
        size
    }

    fn grow(&self, need: usize) -> Result<()> {
        self.unmap();
        let room = need.next_multiple_of(4096);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let at = sys::mmap(0, room, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)?;
        self.entries.store(at, Relaxed);
        self.room.store(room, Relaxed);
        Ok(())
    }

    fn unmap(&self) {
        let old = self.entries.swap(core::ptr::null_mut(), Relaxed);
        let room = self.room.swap(0, Relaxed);
        if !old.is_null() {
            let _ = sys::munmap(old, room);
        }
    }

    /// readdir(3): null at the end.
    pub fn next(&self) -> *mut dirent64 {
        let at = self.at.load(Relaxed);
        if at >= self.len.load(Relaxed) {
            return core::ptr::null_mut();
        }
        // SAFETY: `at` is the start of a record inside the buffer.
        let e = unsafe { self.entries.load(Relaxed).add(at) }.cast::<dirent64>();
        // SAFETY: as above.
        self.at.store(at + unsafe { (*e).d_reclen } as usize, Relaxed);
        e
    }

    /// readdir_r(3).
    pub fn next_into(&self, entry: *mut dirent64, out: *mut *mut dirent64) -> c_int {
        let e = self.next();
        // SAFETY: the caller passed room for an entry and a pointer.
        unsafe {
            if e.is_null() {
                *out = e;
            } else {
                core::ptr::copy_nonoverlapping(e.cast::<u8>(), entry.cast(), (*e).d_reclen as usize);
                *out = entry;
            }
        }
        0
    }

    pub fn free(&self) {
        self.unmap();
        self.len.store(0, Relaxed);
        self.used.store(false, Release);
    }

    pub fn rewind(&self) -> Result<usize> {
        self.snapshot(store()?).map(|()| 0)
    }

    pub fn seek(&self, at: c_long) {
        self.at.store((at.max(0) as usize).min(self.len.load(Relaxed)), Relaxed);
    }

    pub fn tell(&self) -> c_long {
        self.at.load(Relaxed) as c_long
    }
}
