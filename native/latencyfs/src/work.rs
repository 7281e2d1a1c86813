//! The real work behind each request, on the source directory.

use crate::filesystem::Mount;
use crate::handles::Record;
use crate::op::Op;
use crate::shared::Shared;
use crate::sys;
use fuser::{FileAttr, FileHandle, INodeNo, Request, TimeOrNow};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::Ordering;
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
fn adopt(mount: &Mount, owner: Owner, parent: INodeNo, name: &OsStr) -> io::Result<FileAttr> {
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

/// Removes an entry and tells which inode it named.
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

/// What the daemon's own descriptor must not carry: buffers here are not aligned for `O_DIRECT`,
/// and the entry was made or checked already.
const NOT_OURS: i32 =
    libc::O_DIRECT | libc::O_CREAT | libc::O_EXCL | libc::O_NOCTTY | libc::O_NONBLOCK;

pub fn open(shared: &Shared, ino: INodeNo, flags: i32) -> io::Result<FileHandle> {
    let fd = sys::reopen(shared.tree.get(ino)?.as_fd(), flags & !NOT_OURS)?;
    Ok(shared.handles.insert(File::from(fd)))
}

pub fn create(
    mount: &Mount,
    owner: Owner,
    parent: INodeNo,
    name: &OsStr,
    mode: u32,
    flags: i32,
) -> io::Result<(FileAttr, FileHandle)> {
    let shared = &mount.shared;
    let dir = shared.tree.get(parent)?;
    let name_c = sys::c_name(name)?;
    let exclusive = flags & libc::O_EXCL != 0;
    let flags = flags & !NOT_OURS | libc::O_NOFOLLOW;
    let new = flags | libc::O_CREAT | libc::O_EXCL;
    let (fd, attr) = match sys::open_at(dir.as_fd(), &name_c, new, mode & 0o7777) {
        // Another mount made it first: it keeps its owner.
        Err(error) if error.raw_os_error() == Some(libc::EEXIST) && !exclusive => {
            let fd = sys::open_at(dir.as_fd(), &name_c, flags, 0)?;
            (fd, shared.tree.lookup(mount.client, parent, name)?)
        }
        fd => (fd?, adopt(mount, owner, parent, name)?),
    };
    Ok((attr, shared.handles.insert(File::from(fd))))
}

pub fn read(shared: &Shared, fh: FileHandle, offset: u64, size: usize) -> io::Result<Vec<u8>> {
    let handle = shared.handles.get(fh)?;
    let mut data = vec![0; size];
    let mut filled = 0;
    while filled < size {
        match handle
            .file
            .read_at(&mut data[filled..], offset + filled as u64)?
        {
            0 => break,
            n => filled += n,
        }
    }
    data.truncate(filled);
    Ok(data)
}

pub fn write(shared: &Shared, fh: FileHandle, offset: u64, data: &[u8]) -> io::Result<usize> {
    shared.handles.get(fh)?.file.write_at(data, offset)
}

pub fn sync(shared: &Shared, fh: FileHandle, data_only: bool) -> io::Result<()> {
    let handle = shared.handles.get(fh)?;
    match data_only {
        true => handle.file.sync_data(),
        false => handle.file.sync_all(),
    }
}

/// Entries of a directory and how many of them earlier requests brought along.
pub struct Listing {
    pub entries: Vec<Record>,
    handle: std::sync::Arc<crate::handles::Handle>,
}

impl Listing {
    /// Takes `count` entries from what was prefetched; true when a new request is needed.
    pub fn asks(&self, shared: &Shared, count: u64) -> bool {
        let ready = self.handle.prefetched.load(Ordering::Relaxed);
        if ready > 0 {
            let left = ready.saturating_sub(count.max(1));
            self.handle.prefetched.store(left, Ordering::Relaxed);
            return false;
        }
        let left = shared.settings.readdir_batch.saturating_sub(count);
        self.handle.prefetched.store(left, Ordering::Relaxed);
        true
    }
}

pub fn list(shared: &Shared, fh: FileHandle, offset: u64) -> io::Result<Listing> {
    let handle = shared.handles.get(fh)?;
    if offset == 0 {
        handle.prefetched.store(0, Ordering::Relaxed);
    }
    let entries = handle.records(offset)?;
    Ok(Listing { entries, handle })
}

/// Attributes of a listed entry and whether that counted as a lookup; nothing when it is gone.
pub fn entry_attributes(mount: &Mount, dir: INodeNo, entry: &Record) -> Option<(FileAttr, bool)> {
    let tree = &mount.shared.tree;
    if entry.name == "." || entry.name == ".." {
        let mut attr = tree.stat(dir).ok()?;
        attr.ino = tree.entry_number(entry.number);
        return Some((attr, false));
    }
    let attr = tree.lookup(mount.client, dir, &entry.name).ok()?;
    Some((attr, true))
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

pub fn allocate(
    shared: &Shared,
    fh: FileHandle,
    mode: i32,
    offset: u64,
    length: u64,
) -> io::Result<()> {
    let handle = shared.handles.get(fh)?;
    sys::allocate(handle.file.as_fd(), mode, offset, length)
}

pub fn seek(shared: &Shared, fh: FileHandle, offset: i64, whence: i32) -> io::Result<i64> {
    sys::seek(shared.handles.get(fh)?.file.as_fd(), offset, whence)
}

pub fn copy(
    shared: &Shared,
    from: (FileHandle, u64),
    to: (FileHandle, u64),
    length: u64,
) -> io::Result<u64> {
    let (source, target) = (shared.handles.get(from.0)?, shared.handles.get(to.0)?);
    // The answer carries 32 bits; the caller asks again for what is left.
    let length = length.min(1 << 30);
    sys::copy_range(
        (source.file.as_fd(), from.1),
        (target.file.as_fd(), to.1),
        length,
    )
}
