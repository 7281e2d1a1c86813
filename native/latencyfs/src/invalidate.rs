//! Coherence between mounts: what one changes, the kernel caches of the others drop, as clients of
//! Lustre do when a lock is called back.
//!
//! A thread of its own notifies the kernel: that may wait for a lock that is held by a request the
//! daemon has yet to answer, so the threads that answer must never do it.

use fuser::{INodeNo, Notifier};
use std::ffi::OsString;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};

/// What the other mounts must forget.
#[derive(Clone, Debug)]
pub enum Stale {
    Attributes(INodeNo),
    Pages(INodeNo),
    Entry(INodeNo, OsString),
}

/// The way to the notifying thread; silent until started.
#[derive(Default)]
pub struct Invalidator {
    queue: Mutex<Option<Sender<(u64, Stale)>>>,
}

impl Invalidator {
    pub fn start(&self, notifiers: Vec<Notifier>) -> std::io::Result<()> {
        let (send, receive) = mpsc::channel();
        std::thread::Builder::new()
            .name("invalidate".into())
            .spawn(move || serve(&receive, &notifiers))?;
        *self.queue.lock().unwrap_or_else(PoisonError::into_inner) = Some(send);
        Ok(())
    }

    /// Notifies the mounts whose bits are set.
    pub fn tell(&self, mounts: u64, stale: Stale) {
        if mounts == 0 {
            return;
        }
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(send) = queue.as_ref() {
            // A receiver that is gone means the daemon ends; nothing is left to keep coherent.
            let _ = send.send((mounts, stale));
        }
    }
}

fn serve(receive: &Receiver<(u64, Stale)>, notifiers: &[Notifier]) {
    for (mounts, stale) in receive {
        for (index, notifier) in notifiers.iter().enumerate() {
            if mounts & (1 << index) == 0 {
                continue;
            }
            // An error means that the kernel does not know the object: nothing to forget.
            let _ = match &stale {
                Stale::Attributes(ino) => notifier.inval_inode(*ino, -1, 0),
                Stale::Pages(ino) => notifier.inval_inode(*ino, 0, 0),
                Stale::Entry(parent, name) => notifier.inval_entry(*parent, name),
            };
        }
    }
}
