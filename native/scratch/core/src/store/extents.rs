//! Which pages of a file lie where. The list is sorted by file offset and has no overlaps.
//!
//! Appending an extent leaves earlier ones alone; every other change is made on a copy in a fresh block and
//! announced by the inode's sequence word, so that readers never follow a half-changed list.

use super::layout::*;
use super::region::Region;
use super::txn::Txn;
use crate::sys::Result;
use core::sync::atomic::Ordering::*;

/// A run of pages, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Run {
    pub at: u64,
    pub off: u64,
    pub segment: u32,
    pub pages: u32,
}

impl Run {
    pub fn bytes(&self) -> u64 {
        self.pages as u64 * PAGE
    }

    pub fn end(&self) -> u64 {
        self.at + self.bytes()
    }

    fn continues(&self, next: &Run) -> bool {
        self.segment == next.segment && self.end() == next.at && self.off + self.bytes() == next.off
    }
}

/// What a stretch of a file is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// `len` bytes at `off` of a segment.
    Data { segment: u32, off: u64, len: u64 },
    /// `len` bytes that were never written.
    Hole { len: u64 },
}

fn slot<'r>(r: &'r Region, i: &'r Inode, n: u32) -> &'r Ext {
    match i.ext_class.load(Relaxed) {
        0 => &i.inline[n as usize % INLINE],
        c => r.block_ext((c as usize - 1).min(BLOCKS.len() - 1), i.ext_block.load(Relaxed), n),
    }
}

fn capacity(class: u32) -> u32 {
    match class {
        0 => INLINE as u32,
        c => BLOCKS[(c as usize - 1).min(BLOCKS.len() - 1)],
    }
}

/// Extent `n` of a file.
pub fn get(r: &Region, i: &Inode, n: u32) -> Run {
    let e = slot(r, i, n);
    Run {
        at: e.at.load(Relaxed),
        off: e.off.load(Relaxed),
        segment: e.segment.load(Relaxed),
        pages: e.pages.load(Relaxed),
    }
}

pub fn count(i: &Inode) -> u32 {
    i.ext_n.load(Acquire).min(capacity(i.ext_class.load(Relaxed)))
}

/// The first extent that ends behind `pos`.
fn first_behind(r: &Region, i: &Inode, pos: u64) -> u32 {
    let (mut lo, mut hi) = (0, count(i));
    while lo < hi {
        let mid = (lo + hi) / 2;
        if get(r, i, mid).end() <= pos {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    lo
}

/// What lies at `pos`, at most `len` bytes of it.
pub fn find(r: &Region, i: &Inode, pos: u64, len: u64) -> Stretch {
    let n = first_behind(r, i, pos);
    if n == count(i) {
        return Stretch::Hole { len };
    }
    let run = get(r, i, n);
    if run.at > pos {
        return Stretch::Hole { len: len.min(run.at - pos) };
    }
    let into = pos - run.at;
    Stretch::Data { segment: run.segment, off: run.off + into, len: len.min(run.bytes() - into) }
}

/// The hole around `pos`: where it begins, and where it ends if an extent follows.
pub fn hole(r: &Region, i: &Inode, pos: u64) -> (u64, Option<u64>) {
    let n = first_behind(r, i, pos);
    let start = n.checked_sub(1).map_or(0, |before| get(r, i, before).end());
    (start, (n < count(i)).then(|| get(r, i, n).at))
}

/// The last extent, if there is one.
pub fn last(r: &Region, i: &Inode) -> Option<Run> {
    count(i).checked_sub(1).map(|n| get(r, i, n))
}

fn put(e: &Ext, run: &Run) {
    e.at.store(run.at, Relaxed);
    e.off.store(run.off, Relaxed);
    e.segment.store(run.segment, Relaxed);
    e.pages.store(run.pages, Release);
}

/// Adds a run of pages that no extent covers yet.
pub fn insert(t: &Txn, i: &Inode, run: Run) -> Result<()> {
    let n = count(i);
    let at = first_behind(t.r, i, run.at);
    if at == n {
        return append(t, i, n, run);
    }
    let list = (0..at).map(|k| get(t.r, i, k)).chain([run]).chain((at..n).map(|k| get(t.r, i, k)));
    replace(t, i, n + 1, list)
}

fn append(t: &Txn, i: &Inode, n: u32, run: Run) -> Result<()> {
    if let Some(tail) = last(t.r, i).filter(|tail| tail.continues(&run)) {
        t.set(&slot(t.r, i, n - 1).pages, tail.pages + run.pages);
        return Ok(());
    }
    if n == capacity(i.ext_class.load(Relaxed)) {
        let list = (0..n).map(|k| get(t.r, i, k)).chain([run]);
        return replace(t, i, n + 1, list);
    }
    // Behind the count nobody reads.
    put(slot(t.r, i, n), &run);
    t.set(&i.ext_n, n + 1);
    Ok(())
}

/// Keeps the extents before `end`, cutting the one that crosses it; `freed` hears of what goes.
pub fn cut(t: &Txn, i: &Inode, end: u64, limit: u32, mut freed: impl FnMut(Run)) -> Result<bool> {
    let mut n = count(i);
    if n == 0 || get(t.r, i, n - 1).end() <= end {
        return Ok(true);
    }
    t.disturb(&i.seq);
    for _ in 0..limit {
        let Some(run) = n.checked_sub(1).map(|k| get(t.r, i, k)).filter(|run| run.end() > end) else { break };
        if run.at >= end {
            n -= 1;
            freed(run);
        } else {
            let keep = ((end - run.at) / PAGE) as u32;
            t.set(&slot(t.r, i, n - 1).pages, keep);
            let gone = keep as u64 * PAGE;
            freed(Run { at: run.at + gone, off: run.off + gone, pages: run.pages - keep, ..run });
            break;
        }
    }
    t.set(&i.ext_n, n);
    if n == 0 {
        drop_block(t, i);
    }
    Ok(n == 0 || get(t.r, i, n - 1).end() <= end)
}

/// Puts one run in place of all others.
pub fn become_one(t: &Txn, i: &Inode, run: Run) {
    t.disturb(&i.seq);
    drop_block(t, i);
    let e = &i.inline[0];
    t.set_wide(&e.at, run.at);
    t.set_wide(&e.off, run.off);
    t.set(&e.segment, run.segment);
    t.set(&e.pages, run.pages);
    t.set(&i.ext_n, 1);
}

fn replace(t: &Txn, i: &Inode, n: u32, list: impl Iterator<Item = Run>) -> Result<()> {
    let class = (1..=BLOCKS.len() as u32).find(|&c| capacity(c) >= n + n / 4).ok_or(libc::EFBIG)?;
    let block = take_block(t, class as usize - 1)?;
    for (k, run) in list.enumerate() {
        put(t.r.block_ext(class as usize - 1, block, k as u32), &run);
    }
    t.disturb(&i.seq);
    drop_block(t, i);
    t.set(&i.ext_class, class);
    t.set(&i.ext_block, block);
    t.set(&i.ext_n, n);
    Ok(())
}

fn take_block(t: &Txn, class: usize) -> Result<u32> {
    let (free, high) = (&t.r.head().block_free[class], &t.r.head().block_high[class]);
    let reused = free.load(Relaxed);
    if reused != 0 {
        let link = &t.r.block_ext(class, reused, 0).pages;
        t.set(free, link.load(Relaxed));
        // Noted, so that a roll-back finds the chain whole.
        t.set(link, 0);
        return Ok(reused);
    }
    let fresh = high.load(Relaxed).max(1);
    if fresh >= BLOCK_COUNT[class] {
        return Err(libc::ENOSPC);
    }
    t.r.back_block(class, fresh)?;
    t.set(high, fresh + 1);
    Ok(fresh)
}

/// Free blocks are chained through the first extent's page count.
fn drop_block(t: &Txn, i: &Inode) {
    let Some(class) = i.ext_class.load(Relaxed).checked_sub(1) else { return };
    let (block, free) = (i.ext_block.load(Relaxed), &t.r.head().block_free[class as usize]);
    t.set(&t.r.block_ext(class as usize, block, 0).pages, free.load(Relaxed));
    t.set(free, block);
    t.set(&i.ext_class, 0);
    t.set(&i.ext_block, 0);
}
