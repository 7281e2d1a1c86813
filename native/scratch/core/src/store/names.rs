//! The name space: a hash from (directory, name) to inode, and a child list per directory.

use super::layout::*;
use super::region::Region;
use super::txn::Txn;
use crate::clock;
use crate::sys::Result;
use core::sync::atomic::{fence, AtomicU32, Ordering::*};

/// Longest name.
pub const NAME_MAX: usize = 255;
/// A chain longer than this is one being changed under our eyes.
const CHAIN_LIMIT: u32 = 1 << 16;
const READ_TRIES: u32 = 64;

/// Where a path leads.
#[derive(Clone, Copy, Debug)]
pub struct Found<'p> {
    pub parent: u32,
    /// Empty if the path is the served root itself.
    pub name: &'p [u8],
    /// NONE if nothing has that name.
    pub inode: u32,
    /// The path ended with a slash: only a directory will do.
    pub slash: bool,
}

fn hash(parent: u32, name: &[u8]) -> u64 {
    let mut h = (parent as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for piece in name.chunks(8) {
        h = (h.rotate_left(5) ^ word(piece)).wrapping_mul(0x517C_C1B7_2722_0A95);
    }
    h ^ (h >> 29)
}

fn word(piece: &[u8]) -> u64 {
    let mut b = [0u8; 8];
    b[..piece.len()].copy_from_slice(piece);
    u64::from_le_bytes(b)
}

fn is_named(i: &Inode, parent: u32, h: u64, name: &[u8]) -> bool {
    i.name_hash.load(Relaxed) == h
        && i.parent.load(Relaxed) == parent
        && i.name_len.load(Relaxed) as usize == name.len()
        && name.chunks(8).zip(&i.name).all(|(p, w)| w.load(Relaxed) == word(p))
}

/// Copies an inode's name out.
pub fn name_of(i: &Inode, buf: &mut [u8; 256]) -> usize {
    for (to, w) in buf.chunks_mut(8).zip(&i.name) {
        to.copy_from_slice(&w.load(Relaxed).to_le_bytes());
    }
    (i.name_len.load(Relaxed) as usize).min(NAME_MAX)
}

/// Runs a read-only look at names until no change fell into it.
pub fn read_names<R>(r: &Region, me: impl Fn() -> Result<u32>, look: impl Fn() -> R) -> Result<R> {
    let seq = &r.head().seq;
    for _ in 0..READ_TRIES {
        let before = seq.load(Acquire);
        if before & 1 == 0 {
            let answer = look();
            fence(Acquire);
            if seq.load(Relaxed) == before {
                return Ok(answer);
            }
        }
        core::hint::spin_loop();
    }
    // Either many changes or a dead changer: the lock settles both.
    let _lock = Txn::begin(r, me()?);
    Ok(look())
}

/// The inode of that name in a directory, or NONE.
pub fn lookup(r: &Region, parent: u32, name: &[u8]) -> u32 {
    let h = hash(parent, name);
    let mut at = r.bucket(h).load(Acquire);
    for _ in 0..CHAIN_LIMIT {
        if at == NONE {
            return NONE;
        }
        let i = r.inode(at);
        if is_named(i, parent, h, name) {
            return at;
        }
        at = i.hash_next.load(Acquire);
    }
    NONE
}

/// Follows `path` from a directory; only the last name may be missing.
pub fn walk<'p>(r: &Region, base: u32, path: &'p [u8]) -> Result<Found<'p>> {
    let slash = path.last() == Some(&b'/');
    let mut found = Found { parent: base, name: b"", inode: base, slash };
    for name in path.split(|&c| c == b'/').filter(|n| !n.is_empty()) {
        if found.inode == NONE {
            return Err(libc::ENOENT);
        }
        if r.inode(found.inode).kind.load(Acquire) != DIR {
            return Err(libc::ENOTDIR);
        }
        found = step(r, found.inode, name, slash)?;
    }
    Ok(found)
}

/// As `walk`; with a slash at the end only a directory will do.
pub fn walk_strictly<'p>(r: &Region, base: u32, path: &'p [u8]) -> Result<Found<'p>> {
    let found = walk(r, base, path)?;
    if found.slash && found.inode != NONE && r.inode(found.inode).kind.load(Acquire) != DIR {
        return Err(libc::ENOTDIR);
    }
    Ok(found)
}

fn step<'p>(r: &Region, dir: u32, name: &'p [u8], slash: bool) -> Result<Found<'p>> {
    if name.len() > NAME_MAX {
        return Err(libc::ENAMETOOLONG);
    }
    let inode = match name {
        b"." => dir,
        b".." => match r.inode(dir).parent.load(Acquire) {
            NONE => ROOT,
            up => up,
        },
        _ => return Ok(Found { parent: dir, name, inode: lookup(r, dir, name), slash }),
    };
    Ok(Found { parent: dir, name, inode, slash })
}

/// True for names that cannot be created, renamed or removed.
pub fn is_dots(name: &[u8]) -> bool {
    matches!(name, b"" | b"." | b"..")
}

/// Takes a fresh inode; the caller fills and links it.
pub fn allocate(t: &Txn, kind: u32, mode: u32) -> Result<u32> {
    let head = t.r.head();
    let reused = head.inode_free.load(Relaxed);
    let at = if reused != NONE { reused } else { head.inode_high.load(Relaxed) };
    if at >= t.r.geo.max_files {
        return Err(libc::ENOSPC);
    }
    let i = t.r.inode(at);
    if reused != NONE {
        t.set(&head.inode_free, i.hash_next.load(Relaxed));
    } else {
        t.r.back(INODES, i)?;
        t.set(&head.inode_high, at + 1);
    }
    t.add(&head.files, 1);
    // Nobody can reach a free inode, so only the words that make it a free one need a note.
    t.set(&i.kind, kind);
    t.set(&i.hash_next, NONE);
    i.generation.store(head.generation.fetch_add(1, Relaxed) + 1, Relaxed);
    for w in [&i.parent, &i.sib_prev, &i.sib_next, &i.child, &i.children, &i.subdirs] {
        w.store(NONE, Relaxed);
    }
    for w in [&i.linked, &i.opens, &i.writers, &i.maps, &i.flags, &i.ext_n, &i.ext_class, &i.ext_block] {
        w.store(0, Relaxed);
    }
    i.size.store(0, Relaxed);
    i.stale.store(0, Relaxed);
    i.mode.store(mode, Relaxed);
    i.uid.store(crate::sys::geteuid(), Relaxed);
    i.gid.store(crate::sys::getegid(), Relaxed);
    let now = clock::wall();
    for w in [&i.mtime, &i.ctime, &i.atime] {
        w.store(now, Release);
    }
    Ok(at)
}

/// Gives an inode back that nothing refers to any more.
pub fn release(t: &Txn, at: u32) {
    let (head, i) = (t.r.head(), t.r.inode(at));
    t.set(&i.kind, FREE);
    t.set(&i.flags, 0);
    t.set(&i.hash_next, head.inode_free.load(Relaxed));
    t.set(&head.inode_free, at);
    t.add(&head.files, -1);
}

/// Gives an inode a name in a directory.
pub fn link(t: &Txn, parent: u32, name: &[u8], at: u32) -> Result<()> {
    let (dir, i) = (t.r.inode(parent), t.r.inode(at));
    if dir.linked.load(Relaxed) == 0 && parent != ROOT {
        return Err(libc::ENOENT);
    }
    let h = hash(parent, name);
    t.disturb_names();
    t.set_wide(&i.name_hash, h);
    t.set(&i.name_len, name.len() as u32);
    for (piece, w) in name.chunks(8).zip(&i.name) {
        t.set_wide(w, word(piece));
    }
    t.set(&i.parent, parent);
    t.set(&i.linked, 1);
    t.set(&i.hash_next, t.r.bucket(h).load(Relaxed));
    t.set(t.r.bucket(h), at);
    let first = dir.child.load(Relaxed);
    t.set(&i.sib_prev, NONE);
    t.set(&i.sib_next, first);
    if first != NONE {
        t.set(&t.r.inode(first).sib_prev, at);
    }
    t.set(&dir.child, at);
    count_child(t, dir, i, 1);
    Ok(())
}

/// Takes an inode's name away.
pub fn unlink(t: &Txn, at: u32) {
    let i = t.r.inode(at);
    let dir = t.r.inode(i.parent.load(Relaxed));
    t.disturb_names();
    unchain(t, i.name_hash.load(Relaxed), at);
    let (prev, next) = (i.sib_prev.load(Relaxed), i.sib_next.load(Relaxed));
    match prev {
        NONE => t.set(&dir.child, next),
        p => t.set(&t.r.inode(p).sib_next, next),
    }
    if next != NONE {
        t.set(&t.r.inode(next).sib_prev, prev);
    }
    t.set(&i.linked, 0);
    count_child(t, dir, i, -1);
    i.ctime.store(clock::wall(), Relaxed);
}

fn count_child(t: &Txn, dir: &Inode, i: &Inode, by: i32) {
    t.add(&dir.children, by);
    if i.kind.load(Relaxed) == DIR {
        t.add(&dir.subdirs, by);
    }
    let now = clock::wall();
    dir.mtime.store(now, Relaxed);
    dir.ctime.store(now, Relaxed);
}

fn unchain(t: &Txn, h: u64, at: u32) {
    let mut link: &AtomicU32 = t.r.bucket(h);
    while link.load(Relaxed) != NONE {
        let here = link.load(Relaxed);
        let next = &t.r.inode(here).hash_next;
        if here == at {
            return t.set(link, next.load(Relaxed));
        }
        link = next;
    }
}

/// True if `dir` is `at` or lies below it.
pub fn is_within(r: &Region, mut dir: u32, at: u32) -> bool {
    while dir != NONE {
        if dir == at {
            return true;
        }
        dir = if dir == ROOT { NONE } else { r.inode(dir).parent.load(Relaxed) };
    }
    false
}
