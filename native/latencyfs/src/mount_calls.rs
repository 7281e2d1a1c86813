//! Calls of a mount that are the same for several operations, with the real work in them.

use crate::call::Call;
use crate::content;
use crate::invalidate::Stale;
use crate::mount::{answer_empty, Mount};
use crate::op::Op;
use crate::work;
use fuser::{FileHandle, INodeNo, ReplyEmpty};
use std::ffi::OsStr;
use std::io;

impl Mount {
    /// A call that takes an entry away: the name, its parent and the file change.
    pub fn remove(&self, op: Op, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let call = self.begin(op).within(parent);
        call.will_change(&[parent]);
        let result = call.run(|| work::remove(&self.shared, op, parent, name));
        call.changed(parent, Stale::Entry(parent, name.into()));
        call.changed_here(parent, Stale::Attributes(parent));
        if let Ok(ino) = result {
            call.changed(ino, Stale::Attributes(ino));
        }
        call.metadata(move || answer_empty(result.map(drop), reply));
    }

    pub fn list(&self, fh: FileHandle, offset: u64) -> (Call, io::Result<content::Listing>) {
        let call = self.begin(Op::Readdir);
        let result = call.run(|| content::list(&self.shared, fh, offset));
        (call, result)
    }
}
