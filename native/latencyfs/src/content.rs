//! The real work on the content of files and directories: open, read, write, list.

use crate::handles::{Handle, Record};
use crate::mount::Mount;
use crate::shared::Shared;
use crate::sys;
use crate::work::{adopt, Owner};
use fuser::{FileAttr, FileHandle, INodeNo};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// What the daemon's own descriptor must not carry: buffers here are not aligned for `O_DIRECT`,
/// and the entry was made or checked already.
const NOT_OURS: i32 =
    libc::O_DIRECT | libc::O_CREAT | libc::O_EXCL | libc::O_NOCTTY | libc::O_NONBLOCK;

pub fn open(shared: &Shared, ino: INodeNo, flags: i32) -> io::Result<FileHandle> {
    let fd = sys::reopen(shared.tree.get(ino)?.as_fd(), flags & !NOT_OURS)?;
    Ok(shared.handles.insert(File::from(fd)))
}

/// Entries of a directory.
pub fn inside(shared: &Shared, dir: INodeNo) -> u64 {
    let found = shared.tree.get(dir).and_then(|dir| sys::path(dir.as_fd()));
    found.map_or(0, |path| entries(&path))
}

/// Entries of the directory that a file is in.
pub fn beside(shared: &Shared, file: INodeNo) -> u64 {
    let found = shared
        .tree
        .get(file)
        .and_then(|file| sys::path(file.as_fd()));
    found.map_or(0, |path| path.parent().map_or(0, entries))
}

fn entries(dir: &Path) -> u64 {
    std::fs::read_dir(dir).map_or(0, |entries| entries.count() as u64)
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

/// What the kernel writes back from its pages has a place, also where it picks a descriptor for appending, through which
/// the bytes would go to the end.
pub fn write(
    shared: &Shared,
    fh: FileHandle,
    offset: u64,
    data: &[u8],
    from_pages: bool,
) -> io::Result<usize> {
    let handle = shared.handles.get(fh)?;
    let fd = handle.file.as_fd();
    if from_pages && sys::appends(fd)? {
        return File::from(sys::reopen(fd, libc::O_WRONLY)?).write_at(data, offset);
    }
    handle.file.write_at(data, offset)
}

pub fn sync(shared: &Shared, fh: FileHandle, data_only: bool) -> io::Result<()> {
    let handle = shared.handles.get(fh)?;
    match data_only {
        true => handle.file.sync_data(),
        false => handle.file.sync_all(),
    }
}

/// Entries of a directory and how many of them earlier requests included.
pub struct Listing {
    pub entries: Vec<Record>,
    handle: Arc<Handle>,
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
