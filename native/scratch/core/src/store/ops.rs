//! Calls on names: open, stat, rename, remove, directories, attributes.

use super::index::{Reason, Store};
use super::layout::*;
use super::names::{self, Found};
use super::ofds::Open;
use super::txn::Txn;
use crate::clock;
use crate::sys::{self, Fd, Result};
use core::sync::atomic::Ordering::*;

/// What stat reports of a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meta {
    pub inode: u64,
    pub mode: u32,
    pub links: u32,
    pub uid: u32,
    pub gid: u32,
    pub size: u64,
    pub atime: u64,
    pub mtime: u64,
    pub ctime: u64,
    pub external: bool,
}

/// Where a relative path starts and what it is.
#[derive(Clone, Copy)]
pub struct Place<'p> {
    pub base: u32,
    pub path: &'p [u8],
}

const READ: u32 = 4;
const WRITE: u32 = 2;

/// Whether this process may do `want` (4 read, 2 write, 1 execute) with a file.
fn permit(i: &Inode, want: u32) -> Result<()> {
    let (uid, mode) = (sys::geteuid(), i.mode.load(Relaxed));
    let any_execute = mode & 0o111 != 0 || i.kind.load(Relaxed) == DIR;
    let bits = match uid {
        0 => READ | WRITE | any_execute as u32,
        u if u == i.uid.load(Relaxed) => mode >> 6,
        _ if sys::getegid() == i.gid.load(Relaxed) => mode >> 3,
        _ => mode,
    };
    if want & !bits & 7 == 0 {
        Ok(())
    } else {
        Err(libc::EACCES)
    }
}

fn wanted(flags: i32) -> u32 {
    match flags & libc::O_ACCMODE {
        _ if flags & libc::O_PATH != 0 => 0,
        libc::O_RDONLY => READ,
        libc::O_WRONLY => WRITE,
        _ => READ | WRITE,
    }
}

impl Store {
    /// Looks at a path without taking any lock.
    pub(super) fn peek<T>(&self, p: &Place, look: impl Fn(&Found) -> Result<T>) -> Result<T> {
        names::read_names(&self.r, || self.me(), || look(&names::walk_strictly(&self.r, p.base, p.path)?))?
    }

    pub(super) fn meta_of(&self, at: u32) -> Meta {
        let i = self.r.inode(at);
        let dir = i.kind.load(Relaxed) == DIR;
        let kind = if dir { libc::S_IFDIR } else { libc::S_IFREG };
        Meta {
            // Far from the numbers that the file system of the prefix itself gives out.
            inode: 1 << 62 | (i.generation.load(Relaxed) as u64) << 24 | at as u64,
            mode: kind | i.mode.load(Relaxed),
            links: i.linked.load(Relaxed) * if dir { 2 + i.subdirs.load(Relaxed) } else { 1 },
            uid: i.uid.load(Relaxed),
            gid: i.gid.load(Relaxed),
            size: if dir { 4096 } else { i.size.load(Acquire) },
            atime: i.atime.load(Relaxed),
            mtime: i.mtime.load(Relaxed),
            ctime: i.ctime.load(Relaxed),
            external: i.is_external(),
        }
    }

    /// The length of an external file is what the file system says.
    fn measured(&self, at: u32, m: Meta) -> Result<Meta> {
        if !m.external {
            return Ok(m);
        }
        Ok(Meta { size: self.external_size(self.r.inode(at))?, ..m })
    }

    pub fn stat(&self, p: &Place) -> Result<Meta> {
        let (at, m) = self.peek(p, |f| match f.inode {
            NONE => Err(libc::ENOENT),
            at => Ok((at, self.meta_of(at))),
        })?;
        self.measured(at, m)
    }

    pub fn stat_open(&self, h: &Open) -> Result<Meta> {
        let m = self.meta_of(h.inode);
        self.still(h)?;
        self.measured(h.inode, m)
    }

    pub fn access(&self, p: &Place, mode: i32) -> Result<()> {
        self.peek(p, |f| match f.inode {
            NONE => Err(libc::ENOENT),
            at => permit(self.r.inode(at), mode as u32 & 7),
        })
    }

    /// Opens or creates; the answer is a placeholder descriptor.
    pub fn open_file(&self, p: &Place, flags: i32, mode: u32) -> Result<Fd> {
        if flags & libc::O_TMPFILE == libc::O_TMPFILE {
            self.refuse(Reason::TempFile);
            return Err(libc::EOPNOTSUPP);
        }
        if flags & libc::O_CREAT == 0 {
            // The usual miss costs neither a lock nor a descriptor.
            self.stat(p)?;
        }
        self.me()?;
        let fd = self.private.copy_placeholder(flags & libc::O_CLOEXEC != 0)?;
        let opened = self.open_as(p, flags, mode, fd);
        if opened.is_err() {
            let _ = sys::close(fd);
        }
        opened.map(|()| fd)
    }

    fn open_as(&self, p: &Place, flags: i32, mode: u32, fd: Fd) -> Result<()> {
        // A stale entry means that the old descriptor was closed behind our back.
        self.close(fd)?;
        let t = self.txn()?;
        let f = names::walk(&self.r, p.base, p.path)?;
        if f.slash && flags & libc::O_CREAT != 0 {
            return Err(libc::EISDIR);
        }
        let fresh = f.inode == NONE;
        let at = if fresh { self.create(&t, &f, flags, mode)? } else { f.inode };
        self.describe(t, at, fresh, flags, fd)
    }

    /// Opens once more what is open, as its name in /proc does: another description, also of a file that was removed.
    pub fn open_again(&self, h: &Open, flags: i32) -> Result<Fd> {
        let fd = self.private.copy_placeholder(flags & libc::O_CLOEXEC != 0)?;
        let again = || {
            self.close(fd)?;
            let t = self.txn()?;
            self.still(h)?;
            self.describe(t, h.inode, false, flags, fd)
        };
        let opened = again();
        if opened.is_err() {
            let _ = sys::close(fd);
        }
        opened.map(|()| fd)
    }

    /// Ends a change with a new description of a file, to which the descriptor then refers.
    fn describe(&self, t: Txn, at: u32, fresh: bool, flags: i32, fd: Fd) -> Result<()> {
        let i = self.r.inode(at);
        if !fresh {
            self.may_open(i, flags)?;
        }
        let ofd = self.new_ofd(&t, at, flags & !(libc::O_CREAT | libc::O_EXCL | libc::O_TRUNC | libc::O_CLOEXEC))?;
        self.set_entry(&t, fd as u32, ofd)?;
        t.commit()?;
        if !fresh && flags & libc::O_TRUNC != 0 && flags & libc::O_PATH == 0 && i.kind.load(Relaxed) == FILE {
            // Our own description keeps the inode from being reused meanwhile.
            self.set_len(at, 0, || Ok(()))?;
        }
        Ok(())
    }

    fn create(&self, t: &Txn, f: &Found, flags: i32, mode: u32) -> Result<u32> {
        if flags & libc::O_CREAT == 0 {
            return Err(libc::ENOENT);
        }
        if flags & libc::O_DIRECTORY != 0 {
            return Err(libc::EINVAL);
        }
        permit(self.r.inode(f.parent), WRITE)?;
        let at = names::allocate(t, FILE, mode & 0o7777)?;
        names::link(t, f.parent, f.name, at)?;
        Ok(at)
    }

    fn may_open(&self, i: &Inode, flags: i32) -> Result<()> {
        let dir = i.kind.load(Relaxed) == DIR;
        let both = libc::O_CREAT | libc::O_EXCL;
        if flags & both == both {
            return Err(libc::EEXIST);
        }
        if dir && (flags & libc::O_ACCMODE != libc::O_RDONLY || flags & libc::O_CREAT != 0) && flags & libc::O_PATH == 0
        {
            return Err(libc::EISDIR);
        }
        if !dir && flags & libc::O_DIRECTORY != 0 {
            return Err(libc::ENOTDIR);
        }
        let truncates = if flags & libc::O_TRUNC != 0 { WRITE } else { 0 };
        permit(i, wanted(flags) | truncates)
    }

    pub fn truncate(&self, p: &Place, len: u64) -> Result<()> {
        let (at, generation) = self.peek(p, |f| {
            let i = self.r.inode(f.inode);
            match (f.inode, i.kind.load(Relaxed)) {
                (NONE, _) => Err(libc::ENOENT),
                (_, DIR) => Err(libc::EISDIR),
                (at, _) => permit(i, WRITE).map(|()| (at, i.generation.load(Relaxed))),
            }
        })?;
        let i = self.r.inode(at);
        let same = || i.generation.load(Relaxed) == generation && i.kind.load(Relaxed) == FILE;
        self.set_len(at, len, || if same() { Ok(()) } else { Err(libc::ENOENT) })
    }

    pub fn make_dir(&self, p: &Place, mode: u32) -> Result<()> {
        let t = self.txn()?;
        let mut f = names::walk(&self.r, p.base, p.path)?;
        f.slash = false;
        if f.inode != NONE {
            return Err(libc::EEXIST);
        }
        permit(self.r.inode(f.parent), WRITE)?;
        let at = names::allocate(&t, DIR, mode & 0o7777)?;
        names::link(&t, f.parent, f.name, at)?;
        t.commit()
    }

    pub fn remove_file(&self, p: &Place) -> Result<()> {
        let t = self.txn()?;
        let f = names::walk_strictly(&self.r, p.base, p.path)?;
        match f.inode {
            NONE => return Err(libc::ENOENT),
            at if self.r.inode(at).kind.load(Relaxed) == DIR => return Err(libc::EISDIR),
            _ => permit(self.r.inode(f.parent), WRITE)?,
        }
        self.detach(t, f.inode)
    }

    pub fn remove_dir(&self, p: &Place) -> Result<()> {
        let t = self.txn()?;
        let f = names::walk_strictly(&self.r, p.base, p.path)?;
        let i = self.r.inode(f.inode);
        match f.name {
            _ if f.inode == ROOT => return Err(libc::EBUSY),
            b"." => return Err(libc::EINVAL),
            b".." => return Err(libc::ENOTEMPTY),
            _ if f.inode == NONE => return Err(libc::ENOENT),
            _ if i.kind.load(Relaxed) != DIR => return Err(libc::ENOTDIR),
            _ if i.child.load(Relaxed) != NONE => return Err(libc::ENOTEMPTY),
            _ => permit(self.r.inode(f.parent), WRITE)?,
        }
        self.detach(t, f.inode)
    }

    /// Takes a name away, and the inode with it if nobody has it open.
    fn detach(&self, t: Txn, at: u32) -> Result<()> {
        names::unlink(&t, at);
        let doomed = self.doom(&t, at)?;
        t.commit()?;
        if doomed {
            self.reap(at)?;
        }
        Ok(())
    }

    pub fn rename(&self, from: &Place, to: &Place, flags: u32) -> Result<()> {
        const NOREPLACE: u32 = 1;
        if flags & !NOREPLACE != 0 {
            self.refuse(Reason::Exchange);
            return Err(libc::EINVAL);
        }
        let t = self.txn()?;
        let old = names::walk(&self.r, from.base, from.path)?;
        let new = names::walk(&self.r, to.base, to.path)?;
        if old.inode == NONE {
            return Err(libc::ENOENT);
        }
        if names::is_dots(old.name) || names::is_dots(new.name) {
            return Err(libc::EBUSY);
        }
        if flags & NOREPLACE != 0 && new.inode != NONE {
            return Err(libc::EEXIST);
        }
        self.may_rename(&old, &new)?;
        if old.inode == new.inode {
            return Ok(());
        }
        if new.inode != NONE {
            names::unlink(&t, new.inode);
        }
        let doomed = new.inode != NONE && self.doom(&t, new.inode)?;
        names::unlink(&t, old.inode);
        names::link(&t, new.parent, new.name, old.inode)?;
        t.commit()?;
        if doomed {
            self.reap(new.inode)?;
        }
        Ok(())
    }

    fn may_rename(&self, old: &Found, new: &Found) -> Result<()> {
        let is_dir = |at: u32| self.r.inode(at).kind.load(Relaxed) == DIR;
        let dir = is_dir(old.inode);
        if !dir && (new.slash || old.slash) {
            return Err(libc::ENOTDIR);
        }
        if dir && names::is_within(&self.r, new.parent, old.inode) {
            return Err(libc::EINVAL);
        }
        if new.inode != NONE && new.inode != old.inode {
            if names::is_within(&self.r, old.parent, new.inode) {
                return Err(libc::ENOTEMPTY);
            }
            match (dir, is_dir(new.inode)) {
                (true, false) => return Err(libc::ENOTDIR),
                (false, true) => return Err(libc::EISDIR),
                (true, true) if self.r.inode(new.inode).child.load(Relaxed) != NONE => return Err(libc::ENOTEMPTY),
                _ => {}
            }
        }
        permit(self.r.inode(old.parent), WRITE)?;
        permit(self.r.inode(new.parent), WRITE)
    }

    /// Changes attributes of the file at a path, under the lock.
    pub fn alter(&self, p: &Place, change: impl Fn(&Inode)) -> Result<()> {
        let _lock = self.txn()?;
        match names::walk_strictly(&self.r, p.base, p.path)?.inode {
            NONE => Err(libc::ENOENT),
            at => self.alter_inode(at, change),
        }
    }

    /// Changes attributes of an open file.
    pub fn alter_open(&self, h: &Open, change: impl Fn(&Inode)) -> Result<()> {
        let _lock = self.txn()?;
        self.still(h)?;
        self.alter_inode(h.inode, change)
    }

    fn alter_inode(&self, at: u32, change: impl Fn(&Inode)) -> Result<()> {
        let i = self.r.inode(at);
        let uid = sys::geteuid();
        if uid != 0 && uid != i.uid.load(Relaxed) {
            return Err(libc::EPERM);
        }
        change(i);
        i.ctime.store(clock::wall(), Relaxed);
        Ok(())
    }
}

/// Sets times; `None` leaves one as it is.
pub fn set_times(i: &Inode, access: Option<u64>, change: Option<u64>) {
    if let Some(t) = access {
        i.atime.store(t, Relaxed);
    }
    if let Some(t) = change {
        i.mtime.store(t, Relaxed);
    }
}
