//! The FUSE edge: each request becomes a call, real work on the tree, and a timed answer.

use crate::call::Call;
use crate::content;
use crate::delay::Request as Charge;
use crate::intent::Key;
use crate::invalidate::Stale;
use crate::mount::{answer_empty, answer_xattr, Mount, GENERATION};
use crate::op::Op;
use crate::shared::lock;
use crate::work::{self, Change, Owner};
use fuser::{
    AccessFlags, BsdFileFlags, CopyFileRangeFlags, FileHandle, Filesystem, FopenFlags, INodeNo,
    InitFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyLseek, ReplyOpen, ReplyStatfs,
    ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

impl Filesystem for Mount {
    fn init(&mut self, _req: &Request, config: &mut KernelConfig) -> io::Result<()> {
        let settings = &self.shared.settings;
        let mut wanted = InitFlags::FUSE_ATOMIC_O_TRUNC
            | InitFlags::FUSE_PARALLEL_DIROPS
            // a client keeps its pages over its own writes; other mounts are made to drop theirs
            | InitFlags::FUSE_EXPLICIT_INVAL_DATA;
        if settings.shared_mmap {
            wanted |= InitFlags::FUSE_DIRECT_IO_ALLOW_MMAP;
        }
        if settings.readdirplus {
            wanted |= InitFlags::FUSE_DO_READDIRPLUS | InitFlags::FUSE_READDIRPLUS_AUTO;
        }
        for flag in wanted.iter() {
            // An old kernel lacks a flag; the file system works without each of them.
            let _ = config.add_capabilities(flag);
        }
        let backings = &self.shared.clients[self.client].backings;
        let passthrough = InitFlags::FUSE_PASSTHROUGH;
        if backings.usable()
            && (config.add_capabilities(passthrough).is_err()
                || config.set_max_stack_depth(1).is_err())
        {
            backings.give_up();
        }
        let _ = config.set_max_write(1 << 20);
        let _ = config.set_max_background(256);
        Ok(())
    }

    fn lookup(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let call = self.begin(Op::Lookup);
        let result = call.run(|| self.shared.tree.lookup(self.client, parent, name));
        let key = match &result {
            Ok(attr) => Key::Object(attr.ino.0),
            Err(_) => Key::Name(parent.0, name.into()),
        };
        let call = call.finds(result.as_ref().ok().map(|attr| attr.ino));
        let timeout = self.timeout();
        call.lookup(key, move || match result {
            Ok(attr) => reply.entry(&timeout, &attr, GENERATION),
            Err(error) => reply.error(error.into()),
        });
    }

    fn forget(&self, _req: &Request, ino: INodeNo, nlookup: u64) {
        self.shared.tree.forget(ino, nlookup);
        lock(&self.shared.clients[self.client].intents).lose(ino.0);
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        let call = self.begin(Op::Getattr).about(Key::Object(ino.0));
        let result = call.run(|| self.shared.tree.stat(ino));
        let timeout = self.timeout();
        let asks = !call.knows(ino);
        call.metadata_if(asks, move || match result {
            Ok(attr) => reply.attr(&timeout, &attr),
            Err(error) => reply.error(error.into()),
        });
    }

    fn setattr(
        &self,
        _req: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let op = match size {
            Some(_) => Op::Truncate,
            None => Op::Setattr,
        };
        let change = Change {
            mode,
            uid,
            gid,
            size,
            atime,
            mtime,
        };
        let call = self.begin(op);
        let result = call.run(|| work::change(&self.shared, ino, fh, &change));
        let stale = match size {
            Some(_) => Stale::Pages(ino),
            None => Stale::Attributes(ino),
        };
        call.changed(ino, stale);
        let timeout = self.timeout();
        call.metadata(move || match result {
            Ok(attr) => reply.attr(&timeout, &attr),
            Err(error) => reply.error(error.into()),
        });
    }

    fn readlink(&self, _req: &Request, ino: INodeNo, reply: ReplyData) {
        let call = self.begin(Op::Readlink);
        let result = call.run(|| work::read_link(&self.shared, ino));
        call.metadata(move || match result {
            Ok(target) => reply.data(&target),
            Err(error) => reply.error(error.into()),
        });
    }

    fn mknod(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        rdev: u32,
        reply: ReplyEntry,
    ) {
        let owner = Owner::of(req);
        self.make(Op::Mknod, parent, name, reply, || {
            work::make_node(self, owner, parent, name, mode, rdev)
        });
    }

    fn mkdir(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        reply: ReplyEntry,
    ) {
        let owner = Owner::of(req);
        self.make(Op::Mkdir, parent, name, reply, || {
            work::make_dir(self, owner, parent, name, mode)
        });
    }

    fn symlink(
        &self,
        req: &Request,
        parent: INodeNo,
        link_name: &OsStr,
        target: &Path,
        reply: ReplyEntry,
    ) {
        let owner = Owner::of(req);
        self.make(Op::Symlink, parent, link_name, reply, || {
            work::make_symlink(self, owner, parent, link_name, target)
        });
    }

    fn link(
        &self,
        _req: &Request,
        ino: INodeNo,
        newparent: INodeNo,
        newname: &OsStr,
        reply: ReplyEntry,
    ) {
        let call = self.begin(Op::Link).within(newparent);
        let result = call.run(|| work::make_link(self, ino, newparent, newname));
        call.changed_here(newparent, Stale::Attributes(newparent));
        call.changed(ino, Stale::Attributes(ino));
        self.answer_entry(call, result, reply);
    }

    fn unlink(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.remove(Op::Unlink, parent, name, reply);
    }

    fn rmdir(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.remove(Op::Rmdir, parent, name, reply);
    }

    fn rename(
        &self,
        _req: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let call = self.begin(Op::Rename).within(newparent);
        let (from, to) = ((parent, name), (newparent, newname));
        call.will_change(&[parent, newparent]);
        let result = call.run(|| work::rename(&self.shared, from, to, flags.bits()));
        call.moved(parent, to);
        for (dir, entry) in [from, to] {
            call.changed(dir, Stale::Entry(dir, entry.into()));
            call.changed_here(dir, Stale::Attributes(dir));
        }
        call.metadata(move || answer_empty(result, reply));
    }

    fn open(&self, _req: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let call = self.begin(Op::Open).about(Key::Object(ino.0));
        let call = call.opens_among(|| content::beside(&self.shared, ino));
        let result = call.run(|| content::open(&self.shared, ino, flags.0));
        if flags.0 & libc::O_TRUNC != 0 {
            call.changed_here(ino, Stale::Pages(ino));
        }
        let fh = result.as_ref().ok().copied();
        let backing = self.backing(ino, fh, |file| reply.open_backing(file));
        let open_flags = self.open_flags();
        call.metadata(move || match (result, backing) {
            (Ok(fh), Some(id)) => reply.opened_passthrough(fh, FopenFlags::empty(), &id),
            (Ok(fh), None) => reply.opened(fh, open_flags),
            (Err(error), _) => reply.error(error.into()),
        });
    }

    fn create(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let key = Key::Name(parent.0, name.into());
        let call = self.begin(Op::Create).about(key);
        let call = call.opens_among(|| content::inside(&self.shared, parent));
        let result = call.run(|| content::create(self, Owner::of(req), parent, name, mode, flags));
        call.changed_here(parent, Stale::Attributes(parent));
        let made = result.as_ref().ok().copied();
        if let Some((attr, _)) = made {
            // The file may be one that another mount made first, emptied now.
            call.changed(attr.ino, Stale::Pages(attr.ino));
        }
        let backing = made.and_then(|(attr, fh)| {
            self.backing(attr.ino, Some(fh), |file| reply.open_backing(file))
        });
        let (timeout, flags) = (self.timeout(), self.open_flags());
        let direct = FopenFlags::empty();
        let call = call.finds(made.map(|(attr, _)| attr.ino));
        call.metadata(move || match (result, backing) {
            (Ok((attr, fh)), Some(id)) => {
                reply.created_passthrough(&timeout, &attr, GENERATION, fh, direct, &id);
            }
            (Ok((attr, fh)), None) => reply.created(&timeout, &attr, GENERATION, fh, flags),
            (Err(error), _) => reply.error(error.into()),
        });
    }

    fn read(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let call = Call::begin(&self.shared, self.client, Op::Read, u64::from(size));
        let result = call.run(|| content::read(&self.shared, fh, offset, size as usize));
        let bytes = result.as_ref().map_or(0, |data| data.len() as u64);
        call.data(Charge::Read { bytes }, move || match result {
            Ok(data) => reply.data(&data),
            Err(error) => reply.error(error.into()),
        });
    }

    fn write(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        data: &[u8],
        write_flags: WriteFlags,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let call = Call::begin(&self.shared, self.client, Op::Write, data.len() as u64);
        let from_pages = write_flags.contains(WriteFlags::FUSE_WRITE_CACHE);
        let result = call.run(|| content::write(&self.shared, fh, offset, data, from_pages));
        call.changed_here(ino, Stale::Pages(ino));
        let bytes = result.as_ref().map_or(0, |written| *written as u64);
        call.data(Charge::Write { bytes }, move || match result {
            Ok(written) => reply.written(written as u32),
            Err(error) => reply.error(error.into()),
        });
    }

    fn flush(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        _lock_owner: LockOwner,
        reply: ReplyEmpty,
    ) {
        let first = self
            .shared
            .handles
            .get(fh)
            .is_ok_and(|handle| !handle.closed.swap(true, Ordering::Relaxed));
        if !first {
            return reply.ok();
        }
        let call = self.begin(Op::Close);
        let result = call.run(|| Ok(()));
        match self.shared.settings.async_close {
            true => call.in_background(move || answer_empty(result, reply)),
            false => call.metadata(move || answer_empty(result, reply)),
        }
    }

    fn release(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        // The close request was charged at the flush, which the caller waits for.
        drop(self.shared.handles.remove(fh));
        self.shared.clients[self.client].backings.release(ino.0);
        reply.ok();
    }

    fn fsync(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        datasync: bool,
        reply: ReplyEmpty,
    ) {
        let call = self.begin(Op::Fsync);
        let result = call.run(|| content::sync(&self.shared, fh, datasync));
        call.data(Charge::Sync, move || answer_empty(result, reply));
    }

    fn fsyncdir(
        &self,
        req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        datasync: bool,
        reply: ReplyEmpty,
    ) {
        self.fsync(req, ino, fh, datasync, reply);
    }

    fn opendir(&self, _req: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        // Lustre opens a directory like a file; the name lookup before may have paid.
        let call = self.begin(Op::Open).about(Key::Object(ino.0));
        let result = call.run(|| content::open(&self.shared, ino, libc::O_DIRECTORY));
        call.metadata(move || match result {
            Ok(fh) => reply.opened(fh, FopenFlags::empty()),
            Err(error) => reply.error(error.into()),
        });
    }

    fn readdir(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let (call, result) = self.list(fh, offset);
        let mut added = 0;
        let asks = match &result {
            Ok(listing) => {
                for entry in &listing.entries {
                    let ino = self.shared.tree.entry_number(entry.number);
                    if reply.add(ino, entry.offset, entry.kind, &entry.name) {
                        break;
                    }
                    added += 1;
                }
                listing.asks(&self.shared, added)
            }
            Err(_) => true,
        };
        call.metadata_if(asks, move || match result {
            Ok(_) => reply.ok(),
            Err(error) => reply.error(error.into()),
        });
    }

    fn readdirplus(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        mut reply: ReplyDirectoryPlus,
    ) {
        let (call, result) = self.list(fh, offset);
        let timeout = self.timeout();
        let mut added = 0;
        let mut found = Vec::new();
        let asks = match &result {
            Ok(listing) => {
                for entry in &listing.entries {
                    let Some((attr, counted)) = content::entry_attributes(self, ino, entry) else {
                        added += 1;
                        continue;
                    };
                    let number = attr.ino;
                    found.push(number);
                    if reply.add(
                        number,
                        entry.offset,
                        &entry.name,
                        &timeout,
                        &attr,
                        GENERATION,
                    ) {
                        if counted {
                            self.shared.tree.forget(number, 1);
                        }
                        break;
                    }
                    added += 1;
                }
                listing.asks(&self.shared, added)
            }
            Err(_) => true,
        };
        call.finds(found).metadata_if(asks, move || match result {
            Ok(_) => reply.ok(),
            Err(error) => reply.error(error.into()),
        });
    }

    fn releasedir(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        _flags: OpenFlags,
        reply: ReplyEmpty,
    ) {
        let call = self.begin(Op::Close);
        drop(self.shared.handles.remove(fh));
        call.in_background(move || reply.ok());
    }

    fn statfs(&self, _req: &Request, ino: INodeNo, reply: ReplyStatfs) {
        let call = self.begin(Op::Statfs);
        let result = call.run(|| work::statfs(&self.shared, ino));
        call.metadata(move || match result {
            Ok(s) => reply.statfs(
                s.f_blocks,
                s.f_bfree,
                s.f_bavail,
                s.f_files,
                s.f_ffree,
                s.f_bsize as u32,
                s.f_namemax as u32,
                s.f_frsize as u32,
            ),
            Err(error) => reply.error(error.into()),
        });
    }

    fn setxattr(
        &self,
        _req: &Request,
        ino: INodeNo,
        name: &OsStr,
        value: &[u8],
        flags: i32,
        _position: u32,
        reply: ReplyEmpty,
    ) {
        let call = self.begin(Op::Setxattr);
        let result = call.run(|| work::set_xattr(&self.shared, ino, name, value, flags));
        call.changed(ino, Stale::Attributes(ino));
        call.metadata(move || answer_empty(result, reply));
    }

    fn getxattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        let call = self.begin(Op::Getxattr);
        let result = call.run(|| work::get_xattr(&self.shared, ino, Some(name)));
        // The kernel asks for security attributes before each write; Lustre's client knows them.
        let asks = !name.as_encoded_bytes().starts_with(b"security.");
        call.metadata_if(asks, move || answer_xattr(result, size, reply));
    }

    fn listxattr(&self, _req: &Request, ino: INodeNo, size: u32, reply: ReplyXattr) {
        let call = self.begin(Op::Listxattr);
        let result = call.run(|| work::get_xattr(&self.shared, ino, None));
        call.metadata(move || answer_xattr(result, size, reply));
    }

    fn removexattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let call = self.begin(Op::Removexattr);
        let result = call.run(|| work::remove_xattr(&self.shared, ino, name));
        call.changed(ino, Stale::Attributes(ino));
        call.metadata(move || answer_empty(result, reply));
    }

    fn access(&self, _req: &Request, _ino: INodeNo, _mask: AccessFlags, reply: ReplyEmpty) {
        // default_permissions has the kernel decide; without it everything is the owner's.
        reply.ok();
    }

    fn fallocate(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let call = self.begin(Op::Fallocate);
        let result = call.run(|| content::allocate(&self.shared, fh, mode, offset, length));
        call.changed_here(ino, Stale::Pages(ino));
        call.metadata(move || answer_empty(result, reply));
    }

    fn lseek(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let call = self.begin(Op::Seek);
        let result = call.run(|| content::seek(&self.shared, fh, offset, whence));
        call.data(Charge::Read { bytes: 0 }, move || match result {
            Ok(at) => reply.offset(at),
            Err(error) => reply.error(error.into()),
        });
    }

    fn copy_file_range(
        &self,
        _req: &Request,
        _ino_in: INodeNo,
        fh_in: FileHandle,
        offset_in: u64,
        ino_out: INodeNo,
        fh_out: FileHandle,
        offset_out: u64,
        len: u64,
        _flags: CopyFileRangeFlags,
        reply: ReplyWrite,
    ) {
        let call = Call::begin(&self.shared, self.client, Op::Write, len);
        let (from, to) = ((fh_in, offset_in), (fh_out, offset_out));
        let result = call.run(|| content::copy(&self.shared, from, to, len));
        call.changed_here(ino_out, Stale::Pages(ino_out));
        let bytes = result.as_ref().map_or(0, |copied| *copied);
        call.data(Charge::Copy { bytes }, move || match result {
            Ok(copied) => reply.written(copied as u32),
            Err(error) => reply.error(error.into()),
        });
    }
}
