//! The mapped counter file of one process: a header, notes of what was not covered, and slots.

use crate::classes::MAX_CLASSES;
use crate::config::Config;
use crate::histogram::{bucket, NS_BUCKETS, SIZE_BUCKETS};
use crate::identity::{pid_space, Identity};
use crate::ops::Op;
use crate::sys::{self, Fd, Result};
use crate::text::{number, PathText};
use crate::threads::{MAX_KINDS, NAME_BYTES};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

pub const MAGIC: u64 = u64::from_le_bytes(*b"WEFTCNT1");
pub const VERSION: u32 = 3;
pub const NOTES: usize = 64;
pub const NOTES_AT: usize = 4096;
pub const DIRECTORIES: usize = 128;
pub const DIRECTORIES_AT: usize = NOTES_AT + NOTES * size_of::<Note>();
pub const SLOTS_AT: usize = DIRECTORIES_AT + DIRECTORIES * size_of::<Directory>();
const MAX_OPS: usize = 32;

/// The first page; the README describes each field.
#[repr(C)]
pub struct Header {
    pub magic: AtomicU64,
    pub version: u32,
    pub slots_at: u32,
    pub slot_bytes: u32,
    pub stripes: u32,
    pub classes: u32,
    pub ops: u32,
    pub ns_buckets: u32,
    pub size_buckets: u32,
    pub notes_at: u32,
    pub notes: u32,
    pub note_bytes: u32,
    pub pid: u32,
    pub start: u64,
    pub started_wall: u64,
    pub execs: AtomicU32,
    pub notes_lost: AtomicU32,
    pub node: [u8; 64],
    pub program: [u8; 256],
    pub class_names: [[u8; 32]; MAX_CLASSES],
    pub op_names: [[u8; 16]; MAX_OPS],
    pub parent: u32,
    pub ended: AtomicU32,
    pub kernel_read: AtomicU64,
    pub kernel_written: AtomicU64,
    /// The number of the pid namespace that `pid` counts in.
    pub pid_space: u64,
    pub kinds: u32,
    pub kind_bytes: u32,
    pub kind_names: [[u8; NAME_BYTES]; MAX_KINDS],
    pub directories_at: u32,
    pub directories: u32,
    pub directory_bytes: u32,
    pub directories_lost: AtomicU32,
}

const _: () = assert!(size_of::<Header>() <= NOTES_AT);

/// One operation on one class in one stripe: sums by kind of thread, then histograms of all.
#[repr(C, align(64))]
pub struct Slot {
    pub by_kind: [Sums; MAX_KINDS],
    pub ns_hist: [AtomicU64; NS_BUCKETS],
    pub size_hist: [AtomicU64; SIZE_BUCKETS],
}

/// What threads of one kind did.
#[repr(C)]
pub struct Sums {
    pub count: AtomicU64,
    pub errors: AtomicU64,
    pub bytes: AtomicU64,
    pub ns: AtomicU64,
}

/// Something that happened and could not be counted.
#[repr(C)]
pub struct Note {
    pub state: AtomicU32,
    pub kind: AtomicU32,
    pub number: AtomicU64,
    pub count: AtomicU64,
    pub text: [AtomicU64; 29],
}

/// Opens and stats below a directory that no class is for.
#[repr(C)]
pub struct Directory {
    pub state: AtomicU32,
    pub opens: AtomicU64,
    pub stats: AtomicU64,
    pub name: [AtomicU64; 5],
}

/// The mapped file, as its own process uses it.
#[derive(Clone, Copy)]
pub struct Counters {
    base: *mut u8,
    stripes: usize,
    classes: usize,
}

// SAFETY: everything behind `base` that changes after creation is atomic.
unsafe impl Send for Counters {}
// SAFETY: as above.
unsafe impl Sync for Counters {}

/// What one call did, in a thread of which kind.
pub struct Sample {
    pub kind: u8,
    pub ns: u64,
    pub failed: bool,
    pub bytes: u64,
}

impl Counters {
    /// Opens or creates the file of process `id` in `dir`; a process that exec'd finds its own again.
    pub fn attach(c: &Config, id: Identity) -> Result<Counters> {
        let (classes, stripes) = (&c.classes, c.stripes);
        let len = SLOTS_AT + stripes as usize * classes.count() * Op::ALL.len() * size_of::<Slot>();
        let fd = create(c.count_dir.as_bytes(), c.node.as_bytes(), id, len)?;
        let mapped = map(fd, len);
        let _ = sys::close(fd);
        let counters = Counters { base: mapped?, stripes: stripes as usize, classes: classes.count() };
        counters.introduce(c, id);
        Ok(counters)
    }

    pub fn header(&self) -> &Header {
        // SAFETY: the mapping begins with a header and lives as long as the process.
        unsafe { &*self.base.cast::<Header>() }
    }

    pub fn notes(&self) -> &[Note] {
        // SAFETY: `attach` mapped at least SLOTS_AT bytes and the area is page aligned.
        unsafe { core::slice::from_raw_parts(self.base.add(NOTES_AT).cast(), NOTES) }
    }

    pub fn directories(&self) -> &[Directory] {
        // SAFETY: as above; notes are a multiple of eight bytes long.
        unsafe { core::slice::from_raw_parts(self.base.add(DIRECTORIES_AT).cast(), DIRECTORIES) }
    }

    fn introduce(&self, c: &Config, id: Identity) {
        let known = self.header().magic.load(Acquire) == MAGIC;
        self.header().execs.fetch_add(1, Relaxed);
        // SAFETY: only this process writes its header, before any thread of it counts.
        let h = unsafe { &mut *self.base.cast::<Header>() };
        h.program.fill(0);
        let _ = sys::readlinkat(libc::AT_FDCWD, sys::CPath::new(b"/proc/self/exe\0"), &mut h.program[..255]);
        if known {
            return;
        }
        h.version = VERSION;
        (h.slots_at, h.slot_bytes) = (SLOTS_AT as u32, size_of::<Slot>() as u32);
        (h.stripes, h.classes, h.ops) = (self.stripes as u32, self.classes as u32, Op::ALL.len() as u32);
        (h.ns_buckets, h.size_buckets) = (NS_BUCKETS as u32, SIZE_BUCKETS as u32);
        (h.notes_at, h.notes, h.note_bytes) = (NOTES_AT as u32, NOTES as u32, size_of::<Note>() as u32);
        (h.directories_at, h.directories) = (DIRECTORIES_AT as u32, DIRECTORIES as u32);
        h.directory_bytes = size_of::<Directory>() as u32;
        (h.pid, h.start, h.started_wall) = (id.pid, id.start, crate::clock::wall());
        h.parent = sys::getppid();
        h.pid_space = pid_space();
        name(&mut h.node, c.node.as_bytes());
        c.classes.names().zip(h.class_names.iter_mut()).for_each(|(n, to)| name(to, n));
        (h.kinds, h.kind_bytes) = (MAX_KINDS as u32, size_of::<Sums>() as u32);
        c.threads.names().zip(h.kind_names.iter_mut()).for_each(|(n, to)| name(to, n));
        Op::ALL.iter().zip(h.op_names.iter_mut()).for_each(|(o, to)| name(to, o.name().as_bytes()));
        h.magic.store(MAGIC, Release);
    }

    /// At a normal end: what the kernel has counted for this process and the children it waited for.
    pub fn end(&self) {
        let mut buf = [0u8; 512];
        let Ok(n) = sys::slurp(sys::CPath::new(b"/proc/self/io\0"), &mut buf) else { return };
        let (Some(read), Some(written)) = (field(&buf[..n], b"rchar: "), field(&buf[..n], b"wchar: ")) else { return };
        self.header().kernel_read.store(read, Relaxed);
        self.header().kernel_written.store(written, Relaxed);
        self.header().ended.store(1, Release);
    }

    #[inline]
    fn slot(&self, stripe: usize, class: u8, op: Op) -> Option<&Slot> {
        let class = class as usize;
        if class >= self.classes {
            return None;
        }
        let at = ((stripe & (self.stripes - 1)) * self.classes + class) * Op::ALL.len() + op as usize;
        // SAFETY: `stripes` is a power of two, so `at` is below the number of slots mapped.
        Some(unsafe { &*self.base.add(SLOTS_AT).cast::<Slot>().add(at) })
    }

    /// Adds one call; relaxed additions only, so a signal handler may interrupt it anywhere.
    #[inline]
    pub fn add(&self, stripe: usize, class: u8, op: Op, s: &Sample) {
        let Some(slot) = self.slot(stripe, class, op) else { return };
        let sums = &slot.by_kind[(s.kind as usize).min(MAX_KINDS - 1)];
        sums.count.fetch_add(1, Relaxed);
        sums.ns.fetch_add(s.ns, Relaxed);
        slot.ns_hist[bucket(s.ns, NS_BUCKETS)].fetch_add(1, Relaxed);
        if s.failed {
            sums.errors.fetch_add(1, Relaxed);
        } else if op.moves_data() {
            sums.bytes.fetch_add(s.bytes, Relaxed);
            slot.size_hist[bucket(s.bytes, SIZE_BUCKETS)].fetch_add(1, Relaxed);
        }
    }
}

fn field(text: &[u8], label: &[u8]) -> Option<u64> {
    text.split(|&c| c == b'\n').find_map(|line| number(line.strip_prefix(label)?))
}

fn name(to: &mut [u8], from: &[u8]) {
    let n = from.len().min(to.len() - 1);
    to[..n].copy_from_slice(&from[..n]);
}

/// All blocks are reserved at once: a hole on a full tmpfs would kill the process with SIGBUS.
fn create(dir: &[u8], node: &[u8], id: Identity, len: usize) -> Result<Fd> {
    for variant in 0..8 {
        let path = file_name(dir, node, id, variant)?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        let fd = sys::openat(libc::AT_FDCWD, path.c_path(), flags, 0o644)?;
        let size = sys::fstat(fd)?.st_size as usize;
        if size == 0 || size == len {
            let ready = if size == 0 { sys::fallocate(fd, 0, 0, len as u64) } else { Ok(()) };
            return match ready {
                Ok(()) => Ok(fd),
                Err(e) => sys::close(fd).and(Err(e)),
            };
        }
        // Another layout under our name: an exec changed the class list.
        sys::close(fd)?;
    }
    Err(libc::EEXIST)
}

fn file_name(dir: &[u8], node: &[u8], id: Identity, variant: u64) -> Result<PathText> {
    let mut path = PathText::of(&[dir, b"/", node, b"."])?;
    path.push_num(id.pid as u64)?;
    path.push(b".")?;
    path.push_num(id.start)?;
    if variant > 0 {
        path.push(b"-")?;
        path.push_num(variant)?;
    }
    path.push(b".weftcnt")?;
    Ok(path)
}

fn map(fd: Fd, len: usize) -> Result<*mut u8> {
    sys::mmap(0, len, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, fd, 0)
}
