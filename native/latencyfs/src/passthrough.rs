//! Kernel passthrough: with nothing to delay, the kernel moves the data without the daemon.
//!
//! All open files of one inode must use one backing identifier, so they are shared while in use.

use fuser::BackingId;
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The backing identifiers one mount has in use.
#[derive(Debug)]
pub struct Backings {
    usable: AtomicBool,
    by_inode: Mutex<HashMap<u64, Weak<BackingId>>>,
}

impl Backings {
    pub fn new(usable: bool) -> Backings {
        Backings {
            usable: AtomicBool::new(usable),
            by_inode: Mutex::default(),
        }
    }

    pub fn usable(&self) -> bool {
        self.usable.load(Ordering::Relaxed)
    }

    /// Ordinary reads and writes from now on.
    pub fn give_up(&self) {
        self.usable.store(false, Ordering::Relaxed);
    }

    /// The identifier of an inode; the first refusal by the kernel gives up for good. While an open file of the inode uses
    /// one, the kernel lets no other go without.
    pub fn get(
        &self,
        inode: u64,
        register: impl FnOnce() -> io::Result<BackingId>,
    ) -> Option<Arc<BackingId>> {
        let mut by_inode = self.by_inode.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = by_inode.get(&inode).and_then(Weak::upgrade) {
            return Some(known);
        }
        if !self.usable() {
            return None;
        }
        match register() {
            Ok(id) => {
                let id = Arc::new(id);
                by_inode.insert(inode, Arc::downgrade(&id));
                Some(id)
            }
            Err(_) => {
                self.give_up();
                None
            }
        }
    }

    /// Drops the entry of an inode that no open file uses any more.
    pub fn release(&self, inode: u64) {
        let mut by_inode = self.by_inode.lock().unwrap_or_else(PoisonError::into_inner);
        if by_inode
            .get(&inode)
            .is_some_and(|id| id.strong_count() == 0)
        {
            by_inode.remove(&inode);
        }
    }
}
