//! One request on its way: do the real work at once, answer when the model says so.

use crate::clock;
use crate::delay::{Nanos, Request};
use crate::intent::Key;
use crate::invalidate::Stale;
use crate::op::Op;
use crate::shared::{lock, Shared};
use fuser::INodeNo;
use std::io;
use std::sync::Arc;

/// A request that has arrived and not been answered.
pub struct Call {
    shared: Arc<Shared>,
    client: usize,
    op: Op,
    begun: Nanos,
    arrival: Nanos,
    fault: Option<i32>,
    key: Option<Key>,
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
        self.key = Some(key);
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
        self.shared.invalidator.tell(others, stale);
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
        let at = self
            .shared
            .complete(self.client, Request::Metadata(cost), self.arrival);
        self.answer_at(at, !redeemed, answer);
    }

    /// As `metadata`, and remembers that this lookup is paid for what follows it.
    pub fn lookup(self, key: Key, answer: impl FnOnce() + Send + 'static) {
        let cost = self.shared.settings.cost(Op::Lookup);
        let at = self
            .shared
            .complete(self.client, Request::Metadata(cost), self.arrival);
        if self.shared.settings.intents {
            lock(&self.shared.clients[self.client].intents).remember(key, at);
        }
        self.answer_at(at, true, answer);
    }

    /// Charges the request but answers at once.
    pub fn in_background(self, answer: impl FnOnce() + Send + 'static) {
        let cost = self.shared.settings.cost(self.op);
        self.shared
            .complete(self.client, Request::Metadata(cost), self.arrival);
        let at = self.arrival;
        self.answer_at(at, true, answer);
    }

    /// Answers when the data servers would have.
    pub fn data(self, request: Request, answer: impl FnOnce() + Send + 'static) {
        if let Request::Read { bytes } | Request::Write { bytes } = request {
            if matches!(self.op, Op::Read | Op::Write) {
                lock(&self.shared.clients[self.client].counters).bytes(self.op, bytes);
            }
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
        self.shared.timer.at(at, answer);
    }
}
