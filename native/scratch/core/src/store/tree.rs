//! Directories: what is in them, and the paths of what is known.

use super::index::Store;
use super::layout::*;
use super::names;
use super::ops::Place;
use crate::sys::Result;
use core::sync::atomic::Ordering::*;

impl Store {
    /// The directory a path names.
    pub fn directory(&self, p: &Place) -> Result<u32> {
        self.peek(p, |f| match f.inode {
            NONE => Err(libc::ENOENT),
            at if self.r.inode(at).kind.load(Relaxed) != DIR => Err(libc::ENOTDIR),
            at => Ok(at),
        })
    }

    /// Lists every entry of an open directory: name, inode number, whether it is a directory.
    pub fn each_child(&self, dir: u32, mut tell: impl FnMut(&[u8], u64, bool)) -> Result<()> {
        let _lock = self.txn()?;
        let mut at = self.r.inode(dir).child.load(Relaxed);
        while at != NONE {
            let i = self.r.inode(at);
            let mut buf = [0u8; 256];
            let n = names::name_of(i, &mut buf);
            let m = self.meta_of(at);
            tell(&buf[..n], m.inode, i.kind.load(Relaxed) == DIR);
            at = i.sib_next.load(Relaxed);
        }
        Ok(())
    }

    /// Number of entries of a directory, as a hint.
    pub fn children(&self, dir: u32) -> u32 {
        self.r.inode(dir).children.load(Relaxed)
    }

    /// Inode number and its parent's, for `.` and `..`.
    pub fn own_and_parent(&self, dir: u32) -> (u64, u64) {
        let up = match self.r.inode(dir).parent.load(Relaxed) {
            NONE => ROOT,
            p => p,
        };
        (self.meta_of(dir).inode, self.meta_of(up).inode)
    }

    /// The path below the served root, with a leading slash; empty for the root.
    pub fn path_of(&self, at: u32) -> Result<crate::text::PathText> {
        let _lock = self.txn()?;
        let mut stack = [NONE; 512];
        let mut depth = 0;
        let mut here = at;
        while here != ROOT && here != NONE {
            *stack.get_mut(depth).ok_or(libc::ENAMETOOLONG)? = here;
            depth += 1;
            here = self.r.inode(here).parent.load(Relaxed);
        }
        let mut path = crate::text::PathText::new();
        for &n in stack[..depth].iter().rev() {
            let mut buf = [0u8; 256];
            let len = names::name_of(self.r.inode(n), &mut buf);
            path.push(b"/")?;
            path.push(&buf[..len])?;
        }
        Ok(path)
    }

    /// Path of an existing file below the served root.
    pub fn canonical(&self, p: &Place) -> Result<crate::text::PathText> {
        match self.peek(p, |f| Ok(f.inode))? {
            NONE => Err(libc::ENOENT),
            at => self.path_of(at),
        }
    }
}
