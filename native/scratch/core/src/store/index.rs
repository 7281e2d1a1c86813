//! The index as this process has it, and how a new one is founded.

use super::layout::*;
use super::owned;
use super::private::Private;
use super::region::Region;
use super::txn::{slot_of, Txn};
use crate::config::Config;
use crate::identity;
use crate::sys::{self, Fd, Result};
use crate::text::{PathText, Text};
use core::sync::atomic::{AtomicU32, Ordering::*};

/// The mode of the real directory at the prefix.
const CLOSED: u32 = 0o500;

/// This process's view of the store.
pub struct Store {
    pub r: Region,
    /// What belongs to this process alone: descriptors of segments, the placeholder.
    pub private: Private,
    /// Name of this process in locks; 0 until it has to change something.
    pub(super) me: AtomicU32,
    pub(super) store: PathText,
    pub(super) memory: PathText,
    pub(super) node: Text<64>,
    pub(super) segment_bytes: u64,
}

impl Store {
    /// Maps the index that `config` names, creating it when `create` is set.
    pub fn open(config: &Config, create: bool) -> Result<Store> {
        let fd = owned::open(config.index.c_path(), create)?;
        let r = match joined(fd, config) {
            Ok(r) => r,
            Err(e) => return sys::close(fd).and(Err(e)),
        };
        let private = Private::new(fd)?;
        let r = r.with_fd(private.lift(fd)?);
        let store = PathText::of(&[&packed(&r.head().store)])?;
        let memory = memory_path(config)?;
        let node = Text::of(&[&packed(&r.head().node)])?;
        Ok(Store { r, private, me: AtomicU32::new(0), store, memory, node, segment_bytes: config.segment_bytes })
    }

    /// True in a process that numbers processes differently than those of this index: it cannot tell which of them live.
    pub fn is_foreign(&self) -> bool {
        is_foreign(&self.r)
    }

    /// This process's name, taken at first need.
    pub fn me(&self) -> Result<u32> {
        match self.me.load(Acquire) {
            0 => self.attach(),
            me => Ok(me),
        }
    }

    /// The slot of this process, if it has one.
    #[inline]
    pub fn slot(&self) -> Option<u32> {
        match self.me.load(Acquire) {
            0 => None,
            me => Some(slot_of(me)),
        }
    }

    pub(super) fn txn(&self) -> Result<Txn<'_>> {
        Ok(Txn::begin(&self.r, self.me()?))
    }

    /// Counts something that could not be served.
    pub fn refuse(&self, reason: Reason) {
        refuse(&self.r, reason);
    }
}

fn refuse(r: &Region, reason: Reason) {
    r.head().refused[reason as usize].fetch_add(1, Relaxed);
}

fn is_foreign(r: &Region) -> bool {
    r.head().pid_space.load(Relaxed) != identity::pid_space()
}

/// Maps an index and founds it if it is new; EPERM if it belongs to another pid namespace.
fn joined(fd: Fd, config: &Config) -> Result<Region> {
    // The kernel gives this lock back if its holder dies while creating.
    sys::flock(fd, libc::LOCK_EX)?;
    let made = Region::map(fd, config.max_files).and_then(|r| founded(&r, config).map(|()| r));
    sys::flock(fd, libc::LOCK_UN)?;
    let r = made?;
    if is_foreign(&r) {
        refuse(&r, Reason::PidNamespace);
        return r.unmap().and(Err(libc::EPERM));
    }
    Ok(r)
}

/// Why a call on the served prefix was turned down; the counts are in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    HardLink,
    Node,
    TempFile,
    Freopen,
    Exchange,
    ShadowDir,
    FallocateMode,
    Mapping,
    StandardStream,
    PidNamespace,
}

impl Reason {
    pub const ALL: [(Reason, &'static str); 10] = [
        (Reason::HardLink, "hard_link"),
        (Reason::Node, "symlink_or_node"),
        (Reason::TempFile, "o_tmpfile"),
        (Reason::Freopen, "freopen"),
        (Reason::Exchange, "rename_exchange"),
        (Reason::ShadowDir, "chdir_shadow_directory"),
        (Reason::FallocateMode, "fallocate_mode"),
        (Reason::Mapping, "mapping"),
        (Reason::StandardStream, "standard_stream_made_real"),
        (Reason::PidNamespace, "pid_namespace"),
    ];
}

/// The file beside the index that holds the segments in memory.
pub fn memory_path(config: &Config) -> Result<PathText> {
    PathText::of(&[config.index.as_bytes(), b".memory"])
}

/// What may be used of the memory that was asked for: half of what is free where the index lies, at most.
fn affordable(config: &Config) -> u64 {
    let free = sys::statfs(config.index.c_path()).map_or(0, |st| st.f_bavail * st.f_bsize as u64);
    config.memory.min(free / 2)
}

/// Fills a new index; the magic comes last, so a half-made one is made again.
fn founded(r: &Region, config: &Config) -> Result<()> {
    let head = r.head();
    if head.magic.load(Acquire) == MAGIC {
        return Ok(());
    }
    pack(&head.store, config.store.as_bytes())?;
    pack(&head.node, config.node.as_bytes())?;
    head.id.store(crate::clock::wall() ^ ((sys::getpid() as u64) << 40), Relaxed);
    head.pid_space.store(identity::pid_space(), Relaxed);
    // Of what bypasses the library, files in the real directory are refused at once, except to root.
    let _ = sys::chmod(config.prefix.c_path(), CLOSED);
    head.max_files.store(r.geo.max_files, Relaxed);
    head.bytes.store(r.geo.starts[END] as u64, Relaxed);
    head.memory_limit.store(affordable(config), Relaxed);
    r.back(INODES, r.inode(ROOT))?;
    let root = r.inode(ROOT);
    root.kind.store(DIR, Relaxed);
    root.mode.store(0o755, Relaxed);
    root.uid.store(sys::geteuid(), Relaxed);
    root.gid.store(sys::getegid(), Relaxed);
    root.linked.store(1, Relaxed);
    let now = crate::clock::wall();
    for w in [&root.mtime, &root.ctime, &root.atime] {
        w.store(now, Relaxed);
    }
    head.inode_high.store(ROOT + 1, Relaxed);
    head.ofd_high.store(1, Relaxed);
    head.magic.store(MAGIC, Release);
    Ok(())
}

fn pack(to: &[core::sync::atomic::AtomicU64], text: &[u8]) -> Result<()> {
    if text.len() >= to.len() * 8 {
        return Err(libc::ENAMETOOLONG);
    }
    for (w, piece) in to.iter().zip(text.chunks(8)) {
        let mut b = [0u8; 8];
        b[..piece.len()].copy_from_slice(piece);
        w.store(u64::from_le_bytes(b), Relaxed);
    }
    Ok(())
}

/// A text of the index's head, cut at its NUL.
pub fn packed(from: &[core::sync::atomic::AtomicU64]) -> Packed {
    let mut bytes = [0u8; 512];
    for (to, w) in bytes.chunks_mut(8).zip(from) {
        to.copy_from_slice(&w.load(Relaxed).to_le_bytes());
    }
    let len = bytes.iter().position(|&c| c == 0).unwrap_or(bytes.len());
    Packed { bytes, len }
}

/// Bytes copied out of the index.
pub struct Packed {
    bytes: [u8; 512],
    len: usize,
}

impl core::ops::Deref for Packed {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
