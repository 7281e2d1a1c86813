//! The real work on entries and attributes of the source directory.

use crate::mount::Mount;
use crate::op::Op;
use crate::shared::Shared;
use crate::sys;
use fuser::{FileAttr, FileHandle, INodeNo, Request, TimeOrNow};
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Who asked: new files belong to them.
#[derive(Clone, Copy)]
pub struct Owner {
    uid: u32,
    gid: u32,
}

impl Owner {
    pub fn of(request: &Request) -> Owner {
        Owner {
            uid: request.uid(),
            gid: request.gid(),
        }
    }

    fn is_daemon(self) -> bool {
        // SAFETY: both calls always succeed.
        unsafe { self.uid == libc::geteuid() && self.gid == libc::getegid() }
    }
}

/// The attributes a setattr changes.
pub struct Change {
    pub mode: Option<u32>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    pub size: Option<u64>,
    pub atime: Option<TimeOrNow>,
    pub mtime: Option<TimeOrNow>,
}

fn timespec(time: Option<TimeOrNow>) -> libc::timespec {
    let (tv_sec, tv_nsec) = match time {
        None => (0, libc::UTIME_OMIT),
        Some(TimeOrNow::Now) => (0, libc::UTIME_NOW),
        Some(TimeOrNow::SpecificTime(time)) => since_epoch(time),
    };
    libc::timespec { tv_sec, tv_nsec }
}

fn since_epoch(time: SystemTime) -> (i64, i64) {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => (after.as_secs() as i64, i64::from(after.subsec_nanos())),
        Err(before) => {
            let before = before.duration();
            match (before.as_secs() as i64, i64::from(before.subsec_nanos())) {
                (seconds, 0) => (-seconds, 0),
                (seconds, nanos) => (-seconds - 1, 1_000_000_000 - nanos),
            }
        }
    }
}

pub fn change(
    shared: &Shared,
    ino: INodeNo,
    fh: Option<FileHandle>,
    change: &Change,
) -> io::Result<FileAttr> {
    let inode = shared.tree.get(ino)?;
    if change.uid.is_some() || change.gid.is_some() {
        let (uid, gid) = (
            change.uid.unwrap_or(u32::MAX),
            change.gid.unwrap_or(u32::MAX),
        );
        sys::chown(inode.as_fd(), uid, gid)?;
    }
    if let Some(mode) = change.mode {
        sys::chmod(inode.as_fd(), mode & 0o7777)?;
    }
    if let Some(size) = change.size {
        match fh {
            Some(fh) => shared.handles.get(fh)?.file.set_len(size)?,
            None => sys::truncate(inode.as_fd(), size)?,
        }
    }
    if change.atime.is_some() || change.mtime.is_some() {
        let times = [timespec(change.atime), timespec(change.mtime)];
        sys::set_times(inode.as_fd(), times)?;
    }
    shared.tree.stat(ino)
}

/// Gives a new entry to who asked for it and counts its lookup.
pub fn adopt(mount: &Mount, owner: Owner, parent: INodeNo, name: &OsStr) -> io::Result<FileAttr> {
    let tree = &mount.shared.tree;
    let attr = tree.lookup(mount.client, parent, name)?;
    if owner.is_daemon() {
        return Ok(attr);
    }
    // In a directory with the set-group-id bit the group is inherited, not the caller's.
    let inherits = tree.stat(parent)?.perm & libc::S_ISGID as u16 != 0;
    let gid = if inherits { u32::MAX } else { owner.gid };
    let inode = tree.get(attr.ino)?;
    sys::chown(inode.as_fd(), owner.uid, gid)?;
    let special = attr.perm & 0o6000 != 0;
    if special && attr.kind != fuser::FileType::Symlink {
        // Changing the owner drops these bits.
        sys::chmod(inode.as_fd(), u32::from(attr.perm))?;
    }
    tree.stat(attr.ino)
}

pub fn make_node(
    mount: &Mount,
    owner: Owner,
    parent: INodeNo,
    name: &OsStr,
    mode: u32,
    device: u32,
) -> io::Result<FileAttr> {
    let dir = mount.shared.tree.get(parent)?;
    sys::make_node(dir.as_fd(), &sys::c_name(name)?, mode, u64::from(device))?;
    adopt(mount, owner, parent, name)
}

pub fn make_dir(
    mount: &Mount,
    owner: Owner,
    parent: INodeNo,
    name: &OsStr,
    mode: u32,
) -> io::Result<FileAttr> {
    let dir = mount.shared.tree.get(parent)?;
    sys::make_dir(dir.as_fd(), &sys::c_name(name)?, mode)?;
    adopt(mount, owner, parent, name)
}

pub fn make_symlink(
    mount: &Mount,
    owner: Owner,
    parent: INodeNo,
    name: &OsStr,
    target: &Path,
) -> io::Result<FileAttr> {
    let dir = mount.shared.tree.get(parent)?;
    let target = sys::c_name(target.as_os_str())?;
    sys::symlink(&target, dir.as_fd(), &sys::c_name(name)?)?;
    adopt(mount, owner, parent, name)
}

pub fn make_link(
    mount: &Mount,
    ino: INodeNo,
    parent: INodeNo,
    name: &OsStr,
) -> io::Result<FileAttr> {
    let tree = &mount.shared.tree;
    let (inode, dir) = (tree.get(ino)?, tree.get(parent)?);
    sys::link(inode.as_fd(), dir.as_fd(), &sys::c_name(name)?)?;
    tree.again(mount.client, ino)
}

/// Removes an entry and returns which inode it named.
pub fn remove(shared: &Shared, op: Op, parent: INodeNo, name: &OsStr) -> io::Result<INodeNo> {
    let dir = shared.tree.get(parent)?;
    let name = sys::c_name(name)?;
    let path = libc::O_PATH | libc::O_NOFOLLOW;
    let stat = sys::stat(sys::open_at(dir.as_fd(), &name, path, 0)?.as_fd())?;
    let flags = match op {
        Op::Rmdir => libc::AT_REMOVEDIR,
        _ => 0,
    };
    sys::unlink(dir.as_fd(), &name, flags)?;
    Ok(shared.tree.number(stat.st_dev, stat.st_ino))
}

pub fn rename(
    shared: &Shared,
    from: (INodeNo, &OsStr),
    to: (INodeNo, &OsStr),
    flags: u32,
) -> io::Result<()> {
    let (source, target) = (shared.tree.get(from.0)?, shared.tree.get(to.0)?);
    let (old, new) = (sys::c_name(from.1)?, sys::c_name(to.1)?);
    sys::rename((source.as_fd(), &old), (target.as_fd(), &new), flags)
}

pub fn read_link(shared: &Shared, ino: INodeNo) -> io::Result<Vec<u8>> {
    sys::read_link(shared.tree.get(ino)?.as_fd())
}

pub fn statfs(shared: &Shared, ino: INodeNo) -> io::Result<libc::statvfs> {
    sys::statvfs(shared.tree.get(ino)?.as_fd())
}

pub fn set_xattr(
    shared: &Shared,
    ino: INodeNo,
    name: &OsStr,
    value: &[u8],
    flags: i32,
) -> io::Result<()> {
    let inode = shared.tree.get(ino)?;
    sys::set_xattr(inode.as_fd(), &sys::c_name(name)?, value, flags)
}

pub fn get_xattr(shared: &Shared, ino: INodeNo, name: Option<&OsStr>) -> io::Result<Vec<u8>> {
    let inode = shared.tree.get(ino)?;
    let name = name.map(sys::c_name).transpose()?;
    sys::get_xattr(inode.as_fd(), name.as_deref())
}

pub fn remove_xattr(shared: &Shared, ino: INodeNo, name: &OsStr) -> io::Result<()> {
    let inode = shared.tree.get(ino)?;
    sys::remove_xattr(inode.as_fd(), &sys::c_name(name)?)
}
