//! One request on its way: do the real work at once, answer when the model says so.

use crate::clock;
use crate::delay::{Cost, Nanos, Request};
use crate::intent::Key;
use crate::invalidate::{Stale, TAKES_UP};
use crate::op::Op;
use crate::shared::{lock, Shared};
use fuser::INodeNo;
use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

const LATELY: Nanos = TAKES_UP.as_nanos() as Nanos;

/// A request that has arrived and not been answered.
pub struct Call {
    shared: Arc<Shared>,
    client: usize,
    op: Op,
    begun: Nanos,
    arrival: Nanos,
    fault: Option<i32>,
    key: Option<Key>,
    /// In which the name is that the operation changes or finds.
    directory: Option<u64>,
    found: Vec<INodeNo>,
}

impl Call {
    /// `bytes` is what the operation moves, 0 for metadata.
    pub fn begin(shared: &Arc<Shared>, client: usize, op: Op, bytes: u64) -> Call {
        let begun = clock::now();
        Call {
            client,
            op,
            begun,
            arrival: begun,
            fault: shared.strike(op, bytes),
            key: None,
            directory: None,
            found: Vec::new(),
            shared: shared.clone(),
        }
    }

    /// The opening of a file in a directory of so many entries: what a client library in user space computes for it
    /// is computed here, before the request goes out.
    pub fn opens_among(mut self, entries: impl FnOnce() -> u64) -> Call {
        let each = self.shared.settings.cpu_per_entry;
        if each > 0 {
            clock::burn(each * entries());
            self.arrival = clock::now();
        }
        self
    }

    /// Names the object, so that a lookup just before can have paid a part.
    pub fn about(mut self, key: Key) -> Call {
        self.directory = self.directory_of(&key);
        self.key = Some(key);
        self
    }

    /// Names the directory of the entry, for an operation that no lookup pays a part of.
    pub fn within(mut self, directory: INodeNo) -> Call {
        self.directory = Some(directory.0);
        self
    }

    fn directory_of(&self, key: &Key) -> Option<u64> {
        match key {
            Key::Name(directory, _) => Some(*directory),
            Key::Object(ino) => self.shared.tree.directory(INodeNo(*ino)),
        }
    }

    /// Names the inodes that the answer may make known to the kernel.
    pub fn finds(mut self, found: impl IntoIterator<Item = INodeNo>) -> Call {
        if self.shared.clients.len() > 1 {
            self.found.extend(found);
        }
        self
    }

    /// Does the real work, unless a fault forbids it.
    pub fn run<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        match self.fault {
            Some(errno) => Err(io::Error::from_raw_os_error(errno)),
            None => work(),
        }
    }

    /// Notifies the other mounts that have seen `seen` to forget something.
    pub fn changed(&self, seen: INodeNo, stale: Stale) {
        if self.shared.clients.len() == 1 {
            return;
        }
        let others = self.shared.tree.seen_by_others(self.client, seen);
        for (index, client) in self.shared.clients.iter().enumerate() {
            if others & (1 << index) != 0 {
                lock(&client.intents).lose(seen.0);
            }
        }
        let invalidator = &self.shared.invalidator;
        if self.shared.tree.changed(self.client, seen, LATELY) {
            // Attributes only: a kernel that does not know an object has no pages of it.
            invalidator.tell_later(others, Stale::Attributes(seen));
        }
        invalidator.tell(others, stale);
    }

    /// Before entries of the directories are changed, so that `moved` of another mount never misses it.
    pub fn will_change(&self, dirs: &[INodeNo]) {
        for dir in dirs {
            self.shared.tree.changed(self.client, *dir, LATELY);
        }
    }

    /// Forgets here too where a name leads after a rename, when another mount changed the directory lately: the kernel
    /// moves the inode that it believes to be renamed, and may not know yet that the name is another's.
    ///
    /// The notice waits for the lock of the directory, so for the answer to the rename.
    pub fn moved(&self, from: INodeNo, to: (INodeNo, &OsStr)) {
        let shared = &self.shared;
        if shared.clients.len() > 1 && shared.tree.changed_by_another(self.client, from, LATELY) {
            let stale = Stale::Entry(to.0, to.1.into());
            shared.invalidator.tell(1 << self.client, stale);
        }
    }

    /// As `changed`, and remembers that this client knows the new attributes, if it caches any.
    pub fn changed_here(&self, ino: INodeNo, stale: Stale) {
        let timeout = self.shared.settings.attr_timeout;
        if timeout > 0 {
            let until = self.arrival + timeout;
            lock(&self.shared.clients[self.client].intents).know(ino.0, until);
        }
        self.changed(ino, stale);
    }

    /// Whether the client has the attributes already from a change of its own.
    pub fn knows(&self, ino: INodeNo) -> bool {
        lock(&self.shared.clients[self.client].intents).knows(ino.0, self.arrival)
    }

    /// Answers when the metadata server would have.
    pub fn metadata(self, answer: impl FnOnce() + Send + 'static) {
        self.metadata_if(true, answer);
    }

    /// As `metadata`, or at once when the client needs no request for it.
    pub fn metadata_if(self, asks: bool, answer: impl FnOnce() + Send + 'static) {
        if !asks {
            let at = self.arrival;
            return self.answer_at(at, false, answer);
        }
        let (cost, redeemed) = self.shared.cost(self.client, self.op, self.key.as_ref());
        let at = self.charge(cost, self.directory);
        self.answer_at(at, !redeemed, answer);
    }

    /// As `metadata`, and remembers that this lookup is paid for what follows it.
    pub fn lookup(self, key: Key, answer: impl FnOnce() + Send + 'static) {
        let at = self.charge(
            self.shared.settings.cost(Op::Lookup),
            self.directory_of(&key),
        );
        if self.shared.settings.intents {
            lock(&self.shared.clients[self.client].intents).remember(key, at);
        }
        self.answer_at(at, true, answer);
    }

    /// Charges the request but answers at once.
    pub fn in_background(self, answer: impl FnOnce() + Send + 'static) {
        self.charge(self.shared.settings.cost(self.op), self.directory);
        let at = self.arrival;
        self.answer_at(at, true, answer);
    }

    fn charge(&self, cost: Cost, directory: Option<u64>) -> Nanos {
        let request = Request::Metadata(cost, directory);
        self.shared.complete(self.client, request, self.arrival)
    }

    /// Answers when the data servers would have.
    pub fn data(self, request: Request, answer: impl FnOnce() + Send + 'static) {
        let moved: &[(Op, u64)] = match request {
            Request::Read { bytes } if self.op == Op::Read => &[(Op::Read, bytes)],
            Request::Write { bytes } if bytes > 0 => &[(Op::Write, bytes)],
            Request::Copy { bytes } if bytes > 0 => &[(Op::Read, bytes), (Op::Write, bytes)],
            _ => &[],
        };
        for &(op, bytes) in moved {
            lock(&self.shared.clients[self.client].counters).bytes(op, bytes);
        }
        let at = self.shared.complete(self.client, request, self.arrival);
        let asks = self.op == Op::Fsync;
        self.answer_at(at, asks, answer);
    }

    fn answer_at(self, at: Nanos, asks: bool, answer: impl FnOnce() + Send + 'static) {
        let took = at.max(clock::now()) - self.begun;
        {
            let mut counters = lock(&self.shared.clients[self.client].counters);
            counters.operation(self.op, took);
            if asks {
                counters.request(self.op, took);
            }
        }
        if self.found.is_empty() {
            return self.shared.timer.at(at, answer);
        }
        let (shared, client, begun) = (self.shared.clone(), self.client, self.begun);
        self.shared.timer.at(at, move || {
            answer();
            for found in self.found {
                if shared.tree.answered(client, found, begun) {
                    let stale = Stale::Attributes(found);
                    shared.invalidator.tell_later(1 << client, stale);
                }
            }
        });
    }
}
