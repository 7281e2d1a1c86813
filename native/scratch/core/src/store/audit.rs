//! Checks that the index is whole: every list, count and reference says the same as every other.

use super::extents;
use super::index::Store;
use super::layout::*;
use super::names;
use crate::sys::Result;
use core::sync::atomic::Ordering::*;

/// What was found wrong, by kind; all zero in a sound index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Names that cannot be looked up, or child lists that do not match their counts.
    pub names: u32,
    /// Inodes that are neither linked, open, nor free.
    pub lost: u32,
    /// Descriptions whose references do not match the descriptor tables, mappings that do not match the pins.
    pub descriptions: u32,
    /// Segments whose live bytes are fewer than those of the files in them; memory that nobody counts.
    pub space: u32,
    /// Extents out of order or overlapping.
    pub extents: u32,
}

impl Store {
    /// Looks at everything, under the lock; slow on a large index.
    pub fn audit(&self) -> Result<Findings> {
        let _lock = self.txn()?;
        let mut f = Findings::default();
        for at in ROOT..self.r.head().inode_high.load(Relaxed) {
            let i = self.r.inode(at);
            match i.kind.load(Relaxed) {
                DIR => {
                    f.names += self.audit_children(at, i);
                    f.lost += self.is_lost(i) as u32;
                }
                FILE => {
                    f.extents += self.audit_extents(i);
                    f.lost += self.is_lost(i) as u32;
                }
                _ => {}
            }
        }
        for n in 1..self.r.head().ofd_high.load(Relaxed) {
            f.descriptions += (self.r.ofd(n).refs.load(Relaxed) != self.references(n)) as u32;
        }
        f.descriptions += (self.mappings() != self.pins()) as u32;
        for n in 0..self.r.head().segment_high.load(Relaxed) {
            f.space += (self.r.segment(n).live.load(Relaxed) < self.bytes_in(n)) as u32;
        }
        f.space += (self.r.head().memory_used.load(Relaxed) < self.memory_held()) as u32;
        Ok(f)
    }

    fn is_lost(&self, i: &Inode) -> bool {
        let flags = i.flags.load(Relaxed);
        i.linked.load(Relaxed) == 0 && i.opens.load(Relaxed) == 0 && flags & DOOMED == 0
    }

    fn audit_children(&self, at: u32, dir: &Inode) -> u32 {
        let (mut wrong, mut count, mut subdirs, mut previous) = (0, 0, 0, NONE);
        let mut child = dir.child.load(Relaxed);
        while child != NONE && count <= self.r.geo.max_files {
            let c = self.r.inode(child);
            let mut buf = [0u8; 256];
            let n = names::name_of(c, &mut buf);
            let found = names::lookup(&self.r, at, &buf[..n]) == child;
            let linked = c.linked.load(Relaxed) == 1 && c.parent.load(Relaxed) == at;
            wrong += !(found && linked && c.sib_prev.load(Relaxed) == previous) as u32;
            subdirs += (c.kind.load(Relaxed) == DIR) as u32;
            count += 1;
            previous = child;
            child = c.sib_next.load(Relaxed);
        }
        wrong + (count != dir.children.load(Relaxed)) as u32 + (subdirs != dir.subdirs.load(Relaxed)) as u32
    }

    fn audit_extents(&self, i: &Inode) -> u32 {
        let n = extents::count(i);
        let overlap = |k: &u32| extents::get(&self.r, i, k - 1).end() > extents::get(&self.r, i, *k).at;
        (1..n).filter(overlap).count() as u32
    }

    /// Table entries of all processes that refer to a description.
    fn references(&self, ofd: u32) -> u32 {
        self.count_entries(|_, held| held == ofd)
    }

    fn pins(&self) -> u32 {
        self.count_entries(|fd, held| fd >= FIRST_PIN && held != 0)
    }

    fn mappings(&self) -> u32 {
        let files = (ROOT..self.r.head().inode_high.load(Relaxed)).map(|at| self.r.inode(at));
        files.filter(|i| i.kind.load(Relaxed) == FILE).map(|i| i.maps.load(Relaxed)).sum()
    }

    fn count_entries(&self, fits: impl Fn(u32, u32) -> bool) -> u32 {
        let used = |n: &u32| self.r.proc(*n).state.load(Relaxed) == USED;
        let in_table =
            |n: u32| self.entries(n).filter(|&fd| fits(fd, self.r.fd_entry(n, fd).load(Relaxed))).count() as u32;
        (0..self.r.head().proc_high.load(Relaxed)).filter(used).map(in_table).sum()
    }

    fn memory_held(&self) -> u64 {
        let segments = (0..self.r.head().segment_high.load(Relaxed)).map(|n| self.r.segment(n));
        segments.filter(|s| s.is_memory()).map(|s| s.held.load(Relaxed).max(s.live.load(Relaxed))).sum()
    }

    fn bytes_in(&self, segment: u32) -> u64 {
        let files = (ROOT..self.r.head().inode_high.load(Relaxed)).map(|at| self.r.inode(at));
        let files = files.filter(|i| i.kind.load(Relaxed) == FILE);
        let runs = files.flat_map(|i| (0..extents::count(i)).map(move |k| extents::get(&self.r, i, k)));
        runs.filter(|r| r.segment == segment).map(|r| r.bytes()).sum()
    }
}
