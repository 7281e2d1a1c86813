//! The source directory as a tree of inodes, each held by one descriptor.
//!
//! A descriptor per inode stays right when names change, and pins the inode, so that a number is not
//! used again while the kernel knows it: the generation can be constant.

use crate::clock;
use crate::delay::Nanos;
use crate::sys;
use fuser::{FileAttr, FileType, INodeNo};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// One inode some kernel client knows.
#[derive(Debug)]
pub struct Inode {
    fd: OwnedFd,
    lookups: AtomicU64,
    /// One bit for each mount that has seen the inode.
    seen_by: AtomicU64,
    /// The number of the directory in which it was found last; 0 for the root.
    found_in: AtomicU64,
    /// When an answer last made it known to a kernel.
    answered: AtomicU64,
    changes: Mutex<Changes>,
}

/// Who changed an inode last, and the last who was another; each with its time.
#[derive(Debug, Default)]
struct Changes {
    latest: (usize, Nanos),
    another: (usize, Nanos),
}

impl Changes {
    fn note(&mut self, mount: usize, now: Nanos) {
        if self.latest.0 != mount {
            self.another = self.latest;
        }
        self.latest = (mount, now);
    }

    /// When one that is not this mount changed it last.
    fn by_another_than(&self, mount: usize) -> Nanos {
        match self.latest {
            (latest, _) if latest == mount => self.another.1,
            (_, at) => at,
        }
    }
}

impl Inode {
    fn new(fd: OwnedFd, lookups: u64, seen_by: u64) -> Arc<Inode> {
        Arc::new(Inode {
            fd,
            lookups: AtomicU64::new(lookups),
            seen_by: AtomicU64::new(seen_by),
            found_in: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            changes: Mutex::default(),
        })
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsFd for Inode {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The table of known inodes, shared by all mounts.
pub struct Tree {
    device: u64,
    root_number: u64,
    known: RwLock<HashMap<u64, Arc<Inode>>>,
}

impl Tree {
    pub fn open(source: &Path) -> io::Result<Tree> {
        let root: OwnedFd = std::fs::File::open(source)?.into();
        let stat = sys::stat(root.as_fd())?;
        let inode = Inode::new(root, 1, u64::MAX);
        Ok(Tree {
            device: stat.st_dev,
            root_number: stat.st_ino,
            known: RwLock::new(HashMap::from([(INodeNo::ROOT.0, inode)])),
        })
    }

    pub fn get(&self, ino: INodeNo) -> io::Result<Arc<Inode>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let inode = known.get(&ino.0).cloned();
        inode.ok_or_else(|| io::Error::from_raw_os_error(libc::ESTALE))
    }

    /// Finds a name and counts the lookup, which a later forget takes back.
    pub fn lookup(&self, mount: usize, parent: INodeNo, name: &OsStr) -> io::Result<FileAttr> {
        let dir = self.get(parent)?;
        let flags = libc::O_PATH | libc::O_NOFOLLOW;
        let fd = sys::open_at(dir.as_fd(), &sys::c_name(name)?, flags, 0)?;
        let stat = sys::stat(fd.as_fd())?;
        let inode = self.remember(mount, self.number(stat.st_dev, stat.st_ino), fd);
        inode.found_in.store(parent.0, Ordering::Relaxed);
        // Once more, now that who changes the inode knows that this mount has seen it: what changed in between would
        // be cached and never called back.
        Ok(self.attributes(&sys::stat(inode.as_fd())?))
    }

    /// The directory in which an inode was found last.
    pub fn directory(&self, ino: INodeNo) -> Option<u64> {
        let found = self.get(ino).ok()?.found_in.load(Ordering::Relaxed);
        (found != 0).then_some(found)
    }

    /// Counts one more lookup of an inode that is known already.
    pub fn again(&self, mount: usize, ino: INodeNo) -> io::Result<FileAttr> {
        let inode = self.get(ino)?;
        inode.lookups.fetch_add(1, Ordering::Relaxed);
        inode.seen_by.fetch_or(1 << mount, Ordering::SeqCst);
        Ok(self.attributes(&sys::stat(inode.as_fd())?))
    }

    fn remember(&self, mount: usize, ino: INodeNo, fd: OwnedFd) -> Arc<Inode> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let inode = known.entry(ino.0).or_insert_with(|| Inode::new(fd, 0, 0));
        inode.lookups.fetch_add(1, Ordering::Relaxed);
        inode.seen_by.fetch_or(1 << mount, Ordering::SeqCst);
        inode.clone()
    }

    pub fn forget(&self, ino: INodeNo, count: u64) {
        if ino == INodeNo::ROOT {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let gone = known.get(&ino.0).is_some_and(|inode| {
            let before = inode.lookups.load(Ordering::Relaxed);
            inode
                .lookups
                .store(before.saturating_sub(count), Ordering::Relaxed);
            before <= count
        });
        if gone {
            known.remove(&ino.0);
        }
    }

    /// The other mounts that may have the inode cached, as bits.
    pub fn seen_by_others(&self, mount: usize, ino: INodeNo) -> u64 {
        self.get(ino).map_or(0, |inode| {
            inode.seen_by.load(Ordering::SeqCst) & !(1 << mount)
        })
    }

    /// A mount has been given attributes read since `asked`: whether another has changed them since then.
    pub fn answered(&self, mount: usize, ino: INodeNo, asked: Nanos) -> bool {
        self.get(ino).is_ok_and(|inode| {
            inode.answered.store(clock::now(), Ordering::SeqCst);
            let changed = inode.changes().by_another_than(mount);
            changed >= asked
        })
    }

    /// A mount has changed the inode: whether another was given its attributes so lately that it may take them up
    /// only after it was notified of the change.
    pub fn changed(&self, mount: usize, ino: INodeNo, lately: Nanos) -> bool {
        self.get(ino).is_ok_and(|inode| {
            let now = clock::now();
            inode.changes().note(mount, now);
            inode.answered.load(Ordering::SeqCst) + lately >= now
        })
    }

    /// Whether another mount changed the inode lately, of which this one may not know yet.
    pub fn changed_by_another(&self, mount: usize, ino: INodeNo, lately: Nanos) -> bool {
        self.get(ino).is_ok_and(|inode| {
            let changed = inode.changes().by_another_than(mount);
            changed > 0 && changed + lately >= clock::now()
        })
    }

    pub fn stat(&self, ino: INodeNo) -> io::Result<FileAttr> {
        Ok(self.attributes(&sys::stat(self.get(ino)?.as_fd())?))
    }

    /// Numbers are those of the source; those of other devices below it are moved apart.
    pub fn number(&self, stat_device: u64, stat_number: u64) -> INodeNo {
        if stat_device != self.device {
            let spread = stat_device.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            return INodeNo((stat_number ^ spread) | 1 << 63);
        }
        match stat_number {
            number if number == self.root_number => INodeNo::ROOT,
            number => INodeNo(number),
        }
    }

    /// The number of a directory record, which names no device.
    pub fn entry_number(&self, number: u64) -> INodeNo {
        self.number(self.device, number)
    }

    pub fn attributes(&self, stat: &libc::stat) -> FileAttr {
        FileAttr {
            ino: self.number(stat.st_dev, stat.st_ino),
            size: stat.st_size as u64,
            blocks: stat.st_blocks as u64,
            atime: time(stat.st_atime, stat.st_atime_nsec),
            mtime: time(stat.st_mtime, stat.st_mtime_nsec),
            ctime: time(stat.st_ctime, stat.st_ctime_nsec),
            crtime: UNIX_EPOCH,
            kind: kind(stat.st_mode),
            perm: (stat.st_mode & 0o7777) as u16,
            nlink: stat.st_nlink as u32,
            uid: stat.st_uid,
            gid: stat.st_gid,
            rdev: stat.st_rdev as u32,
            blksize: stat.st_blksize as u32,
            flags: 0,
        }
    }
}

fn time(seconds: i64, nanoseconds: i64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base = match seconds < 0 {
        true => UNIX_EPOCH - whole,
        false => UNIX_EPOCH + whole,
    };
    base + Duration::from_nanos(nanoseconds as u64)
}

fn kind(mode: u32) -> FileType {
    match mode & libc::S_IFMT {
        libc::S_IFDIR => FileType::Directory,
        libc::S_IFLNK => FileType::Symlink,
        libc::S_IFIFO => FileType::NamedPipe,
        libc::S_IFCHR => FileType::CharDevice,
        libc::S_IFBLK => FileType::BlockDevice,
        libc::S_IFSOCK => FileType::Socket,
        _ => FileType::RegularFile,
    }
}

/// The file type of a directory record.
pub fn record_kind(d_type: u8) -> FileType {
    kind(u32::from(d_type) << 12)
}
