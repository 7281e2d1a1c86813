//! A mount, and what its calls have in common: how they begin, how they notify other mounts, how they answer.

use crate::call::Call;
use crate::intent::Key;
use crate::invalidate::Stale;
use crate::op::Op;
use crate::shared::Shared;
use fuser::{
    BackingId, Errno, FileAttr, FileHandle, FopenFlags, Generation, INodeNo, ReplyEmpty,
    ReplyEntry, ReplyXattr,
};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

/// One mount.
pub struct Mount {
    pub shared: Arc<Shared>,
    pub client: usize,
}

/// The tree pins inodes, so a number never stands for two files.
pub const GENERATION: Generation = Generation(0);

impl Mount {
    /// A call of a kind that moves no data.
    pub fn begin(&self, op: Op) -> Call {
        Call::begin(&self.shared, self.client, op, 0)
    }

    /// How long the kernel may keep names and attributes.
    pub fn timeout(&self) -> Duration {
        Duration::from_nanos(self.shared.settings.attr_timeout)
    }

    pub fn open_flags(&self) -> FopenFlags {
        match self.shared.settings.page_cache {
            true => FopenFlags::FOPEN_KEEP_CACHE,
            false => FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES,
        }
    }

    /// The kernel's passthrough for a file just opened, when it may be used; counts which it was.
    pub fn backing(
        &self,
        ino: INodeNo,
        fh: Option<FileHandle>,
        register: impl FnOnce(&File) -> io::Result<BackingId>,
    ) -> Option<Arc<BackingId>> {
        let client = &self.shared.clients[self.client];
        let handle = self.shared.handles.get(fh?).ok()?;
        let backing = client.backings.get(ino.0, || register(&handle.file));
        let counter = match &backing {
            Some(id) => {
                handle.backing.get_or_init(|| id.clone());
                &client.passthrough_opens
            }
            None => &client.userspace_opens,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        backing
    }

    /// Answers a call that made or found a directory entry.
    pub fn answer_entry(&self, call: Call, result: io::Result<FileAttr>, reply: ReplyEntry) {
        let timeout = self.timeout();
        let call = call.finds(result.as_ref().ok().map(|attr| attr.ino));
        call.metadata(move || match result {
            Ok(attr) => reply.entry(&timeout, &attr, GENERATION),
            Err(error) => reply.error(error.into()),
        });
    }

    /// A call that makes an entry: the parent changes for every mount.
    pub fn make(
        &self,
        op: Op,
        parent: INodeNo,
        name: &OsStr,
        reply: ReplyEntry,
        work: impl FnOnce() -> io::Result<FileAttr>,
    ) {
        let call = self.begin(op).about(Key::Name(parent.0, name.into()));
        let result = call.run(work);
        call.changed_here(parent, Stale::Attributes(parent));
        self.answer_entry(call, result, reply);
    }
}

pub fn answer_empty(result: io::Result<()>, reply: ReplyEmpty) {
    match result {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error.into()),
    }
}

pub fn answer_xattr(result: io::Result<Vec<u8>>, size: u32, reply: ReplyXattr) {
    match result {
        Ok(value) if size == 0 => reply.size(value.len() as u32),
        Ok(value) if value.len() > size as usize => reply.error(Errno::ERANGE),
        Ok(value) => reply.data(&value),
        Err(error) => reply.error(error.into()),
    }
}
