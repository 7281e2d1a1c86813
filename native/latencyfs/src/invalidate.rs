//! Coherence between mounts: what one changes, the kernel caches of the others drop, as clients of
//! Lustre do when a lock is called back.
//!
//! A thread of its own notifies the kernel: that may wait for a lock that is held by a request the
//! daemon has yet to answer, so the threads that answer must never do it.

use fuser::{INodeNo, Notifier};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What the other mounts must forget.
#[derive(Clone, Debug)]
pub enum Stale {
    Attributes(INodeNo),
    Pages(INodeNo),
    Entry(INodeNo, OsString),
}

struct Notice {
    mounts: u64,
    stale: Stale,
    /// Nothing for at once.
    at: Option<Instant>,
}

/// How long the kernel may take, on a busy machine, to hand an answer to the process that asked.
///
/// Until it does, it does not know the object that the answer names, and a notice about it is lost.
pub const TAKES_UP: Duration = Duration::from_millis(200);

/// The way to the notifying thread; silent until started.
#[derive(Default)]
pub struct Invalidator {
    queue: Mutex<Option<Sender<Notice>>>,
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
        self.send(mounts, stale, None);
    }

    /// As `tell`, when the kernel has taken up the answers that are on their way now.
    pub fn tell_later(&self, mounts: u64, stale: Stale) {
        self.send(mounts, stale, Some(Instant::now() + TAKES_UP));
    }

    fn send(&self, mounts: u64, stale: Stale, at: Option<Instant>) {
        if mounts == 0 {
            return;
        }
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(send) = queue.as_ref() {
            // A receiver that is gone means the daemon ends; nothing is left to keep coherent.
            let _ = send.send(Notice { mounts, stale, at });
        }
    }
}

fn serve(receive: &Receiver<Notice>, notifiers: &[Notifier]) {
    // All wait equally long, so the first is due first.
    let mut later: VecDeque<(Instant, Notice)> = VecDeque::new();
    loop {
        let now = Instant::now();
        while later.front().is_some_and(|(at, _)| *at <= now) {
            if let Some((_, notice)) = later.pop_front() {
                notify(&notice, notifiers);
            }
        }
        let next = later.front().map(|(at, _)| at.duration_since(now));
        match receive.recv_timeout(next.unwrap_or(Duration::from_secs(60))) {
            Ok(notice) => match notice.at {
                Some(at) => later.push_back((at, notice)),
                None => notify(&notice, notifiers),
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn notify(notice: &Notice, notifiers: &[Notifier]) {
    for (index, notifier) in notifiers.iter().enumerate() {
        if notice.mounts & (1 << index) == 0 {
            continue;
        }
        // An error means that the kernel does not know the object: nothing to forget.
        let _ = match &notice.stale {
            Stale::Attributes(ino) => notifier.inval_inode(*ino, -1, 0),
            Stale::Pages(ino) => notifier.inval_inode(*ino, 0, 0),
            Stale::Entry(parent, name) => notifier.inval_entry(*parent, name),
        };
    }
}
