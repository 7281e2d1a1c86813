//! The records of the shared index. Everything in it is atomic: any process may look at any time.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

pub const MAGIC: u64 = u64::from_le_bytes(*b"WEFTIDX3");
pub const PAGE: u64 = 4096;
/// Processes that may be attached at once.
pub const MAX_PROCS: u32 = 1 << SLOT_BITS;
/// Low bits of a process's name in locks: its slot.
pub const SLOT_BITS: u32 = 11;
/// Descriptors of one process that may be served; the top ones are pins of mappings.
pub const MAX_FDS: u32 = 65536;
/// Table entries above real descriptors: each keeps a mapped file alive.
pub const FIRST_PIN: u32 = MAX_FDS - 4096;
/// Segments of one index; numbers are never used twice.
pub const MAX_SEGMENTS: u32 = 1 << 20;
/// Bytes of a segment in memory: its place in the memory file is its number times this.
pub const MEMORY_SEGMENT: u64 = 64 << 20;
/// Undo records of one change.
pub const MAX_UNDO: u32 = 4096;
/// Words of a name: 255 bytes and a NUL.
pub const NAME_WORDS: usize = 32;
/// Extents kept inside the inode.
pub const INLINE: usize = 4;
/// Sizes of extent blocks outside the inode.
pub const BLOCKS: [u32; 3] = [32, 256, 2048];

pub const FREE: u32 = 0;
pub const FILE: u32 = 1;
pub const DIR: u32 = 2;

/// Inode 0 is no inode: links of value 0 end a list.
pub const NONE: u32 = 0;
pub const ROOT: u32 = 1;

/// Unlinked and closed: `sib_prev` holds the process that returns its space.
pub const DOOMED: u32 = 4;

/// The bytes are in a real file of their own.
pub const EXTERNAL: u32 = 8;

/// States of a process's slot.
pub const UNUSED: u32 = 0;
pub const CLAIMED: u32 = 1;
pub const USED: u32 = 2;

/// Extents from which on a new one fills its whole hole, so that their number stays limited.
pub const SCATTERED: u32 = 200;

/// The first page of the index.
#[repr(C)]
pub struct Head {
    pub magic: AtomicU64,
    pub bytes: AtomicU64,
    pub max_files: AtomicU32,
    pub lock: AtomicU32,
    /// Odd while names are being changed.
    pub seq: AtomicU32,
    pub undo_len: AtomicU32,
    pub id: AtomicU64,
    pub files: AtomicU32,
    pub inode_high: AtomicU32,
    pub inode_free: AtomicU32,
    pub ofd_high: AtomicU32,
    pub ofd_free: AtomicU32,
    pub proc_high: AtomicU32,
    pub segment_high: AtomicU32,
    pub generation: AtomicU32,
    /// The pid namespace that pids in here belong to.
    pub pid_space: AtomicU64,
    pub block_high: [AtomicU32; BLOCKS.len()],
    pub block_free: [AtomicU32; BLOCKS.len()],
    /// Bytes of each area that have memory behind them.
    pub backed: [AtomicU64; 8],
    /// Most bytes of segments in memory; 0 once memory has run out.
    pub memory_limit: AtomicU64,
    /// Bytes of segments in memory that are reserved, or freed and not yet returned.
    pub memory_used: AtomicU64,
    /// What could not be served, by reason.
    pub refused: [AtomicU64; 16],
    pub store: [AtomicU64; 64],
    pub node: [AtomicU64; 8],
}

/// One word as it was before the change in progress.
#[repr(C)]
pub struct Undo {
    pub at: AtomicU64,
    pub old: AtomicU64,
}

/// An attached process. Its name in locks is `generation << 11 | slot`, so a reused slot is another name.
#[repr(C, align(64))]
pub struct Proc {
    pub state: AtomicU32,
    pub pid: AtomicU32,
    pub start: AtomicU64,
    pub generation: AtomicU32,
    /// Table entries of descriptors at and above this are unused.
    pub fd_high: AtomicU32,
    /// Table entries of pins at and above this are unused.
    pub pin_high: AtomicU32,
    /// Bytes of its descriptor table that have memory behind them.
    pub fd_backed: AtomicU32,
    /// Segment of each medium it appends to, plus one.
    pub segment: [AtomicU32; 2],
    pub segment_lock: AtomicU32,
}

/// A run of pages of a file.
#[repr(C)]
pub struct Ext {
    pub at: AtomicU64,
    pub off: AtomicU64,
    pub segment: AtomicU32,
    pub pages: AtomicU32,
}

/// A file or directory.
#[repr(C, align(512))]
pub struct Inode {
    pub kind: AtomicU32,
    pub generation: AtomicU32,
    pub mode: AtomicU32,
    pub uid: AtomicU32,
    pub gid: AtomicU32,
    pub parent: AtomicU32,
    pub hash_next: AtomicU32,
    pub sib_prev: AtomicU32,
    pub sib_next: AtomicU32,
    pub child: AtomicU32,
    pub children: AtomicU32,
    pub subdirs: AtomicU32,
    pub linked: AtomicU32,
    pub opens: AtomicU32,
    pub writers: AtomicU32,
    pub flags: AtomicU32,
    pub lock: AtomicU32,
    /// Odd while extents are being replaced or removed.
    pub seq: AtomicU32,
    pub ext_n: AtomicU32,
    /// 0: extents are inline; else the size class of their block, plus one.
    pub ext_class: AtomicU32,
    pub ext_block: AtomicU32,
    pub name_len: AtomicU32,
    /// Mappings of all processes: while there are any, no page of the file is moved or given back.
    pub maps: AtomicU32,
    pub name_hash: AtomicU64,
    pub size: AtomicU64,
    /// From the file's end up to here there may be old bytes: they are zeroed before the file grows over them.
    pub stale: AtomicU64,
    pub mtime: AtomicU64,
    pub ctime: AtomicU64,
    pub atime: AtomicU64,
    pub name: [AtomicU64; NAME_WORDS],
    pub inline: [Ext; INLINE],
}

impl Inode {
    pub fn is_external(&self) -> bool {
        self.flags.load(Acquire) & EXTERNAL != 0
    }

    pub fn is_mapped(&self) -> bool {
        self.maps.load(Acquire) != 0
    }
}

/// An open file description, shared by every descriptor that was duplicated or inherited from it.
#[repr(C, align(64))]
pub struct Ofd {
    pub inode: AtomicU32,
    pub flags: AtomicU32,
    pub refs: AtomicU32,
    pub generation: AtomicU32,
    pub pos: AtomicU64,
    pub lock: AtomicU32,
    pub next: AtomicU32,
}

/// What a segment is kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Medium {
    /// A file of its own in the store.
    Store,
    /// A stretch of the node's memory file.
    Memory,
}

impl Medium {
    pub const ALL: [Medium; 2] = [Medium::Store, Medium::Memory];
}

/// Space that one process appends to.
#[repr(C, align(64))]
pub struct Segment {
    /// 0 unused, 1 in use, 2 removed.
    pub state: AtomicU32,
    /// Name of the process that appends to it; 0 once that one has ended or moved on.
    pub owner: AtomicU32,
    pub tail: AtomicU64,
    pub live: AtomicU64,
    /// In memory: its share of the bytes that the head counts as used.
    pub held: AtomicU64,
    pub medium: AtomicU32,
}

impl Segment {
    pub fn is_memory(&self) -> bool {
        self.medium.load(Relaxed) == Medium::Memory as u32
    }
}

/// Where each area begins, all page aligned.
#[derive(Clone, Copy)]
pub struct Geometry {
    pub buckets: u32,
    pub max_files: u32,
    pub max_ofds: u32,
    pub starts: [usize; 9],
}

pub const UNDO: usize = 0;
pub const PROCS: usize = 1;
pub const BUCKETS: usize = 2;
pub const SEGMENTS: usize = 3;
pub const OFDS: usize = 4;
pub const INODES: usize = 5;
pub const BLOCK0: usize = 6;
pub const FDS: usize = 7;
/// End of the last area.
pub const END: usize = 8;

/// Blocks of each class: enough for every file of a heavily fragmented store.
pub const BLOCK_COUNT: [u32; 3] = [65536, 8192, 1024];

impl Geometry {
    pub fn of(max_files: u32) -> Geometry {
        let buckets = (max_files * 2).next_power_of_two();
        let max_ofds = max_files.max(MAX_FDS);
        let blocks: usize = (0..3).map(|c| BLOCKS[c] as usize * BLOCK_COUNT[c] as usize * size_of::<Ext>()).sum();
        let sizes = [
            MAX_UNDO as usize * size_of::<Undo>(),
            MAX_PROCS as usize * size_of::<Proc>(),
            buckets as usize * 4,
            MAX_SEGMENTS as usize * size_of::<Segment>(),
            max_ofds as usize * size_of::<Ofd>(),
            max_files as usize * size_of::<Inode>(),
            blocks,
            MAX_PROCS as usize * MAX_FDS as usize * 4,
        ];
        let mut starts = [PAGE as usize; 9];
        for (i, size) in sizes.iter().enumerate() {
            starts[i + 1] = starts[i] + size.next_multiple_of(PAGE as usize);
        }
        Geometry { buckets, max_files, max_ofds, starts }
    }
}

const _: () = assert!(size_of::<Inode>() == 512 && size_of::<Head>() <= PAGE as usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_do_not_overlap_and_are_page_aligned() {
        let g = Geometry::of(1 << 20);
        assert!(g.starts.windows(2).all(|w| w[0] < w[1] && w[0] % 4096 == 0));
        assert!(g.buckets.is_power_of_two());
    }
}
