//! Intent locks: in Lustre the lookup that precedes an open, create or mkdir is part of its request.
//!
//! FUSE sends the lookup as a request of its own, so its cost is remembered for a short while and
//! taken off the operation that follows on the same object by the same client.
//!
//! FUSE also forgets attributes after a change of its own and asks for them again, where a client of
//! Lustre still holds the lock and does not ask: such questions are free until another client
//! changes the object.

use crate::delay::Nanos;
use std::collections::HashMap;
use std::ffi::OsString;

/// What a lookup was about: the object found, or the name that was not there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Object(u64),
    Name(u64, OsString),
}

/// Lookups already paid for, per client.
#[derive(Debug, Default)]
pub struct Intents {
    paid: HashMap<Key, Nanos>,
    known: HashMap<u64, Nanos>,
}

/// How long after its lookup an operation counts as the same call: long enough for a busy machine.
const WINDOW: Nanos = 50_000_000;
/// Lookups that nothing followed are dropped when this many wait.
const KEEP: usize = 4096;

impl Intents {
    /// A lookup whose answer the client has at `answered`.
    pub fn remember(&mut self, key: Key, answered: Nanos) {
        if self.paid.len() >= KEEP {
            self.paid.retain(|_, &mut at| at + WINDOW >= answered);
        }
        if self.paid.len() < KEEP {
            self.paid.insert(key, answered);
        }
    }

    /// Whether the lookup for this operation was just paid; it counts once.
    pub fn redeem(&mut self, key: &Key, now: Nanos) -> bool {
        self.paid
            .remove(key)
            .is_some_and(|answered| now <= answered + WINDOW)
    }

    /// The client changed this object itself and so knows its attributes until then.
    pub fn know(&mut self, object: u64, until: Nanos) {
        if self.known.len() >= KEEP {
            self.known.clear();
        }
        self.known.insert(object, until);
    }

    /// Another client changed the object, or the kernel dropped it.
    pub fn lose(&mut self, object: u64) {
        self.known.remove(&object);
    }

    /// Whether the client need not ask for the attributes.
    pub fn knows(&self, object: u64, now: Nanos) -> bool {
        self.known.get(&object).is_some_and(|&until| now <= until)
    }
}

#[cfg(test)]
mod tests {
    use super::{Intents, Key, KEEP, WINDOW};

    #[test]
    fn a_lookup_is_redeemed_once() {
        let mut intents = Intents::default();
        intents.remember(Key::Object(7), 100);
        assert!(intents.redeem(&Key::Object(7), 200));
        assert!(!intents.redeem(&Key::Object(7), 200));
    }

    #[test]
    fn an_old_lookup_is_not_redeemed() {
        let mut intents = Intents::default();
        intents.remember(Key::Name(1, "a".into()), 0);
        assert!(!intents.redeem(&Key::Name(1, "a".into()), WINDOW + 1));
    }

    #[test]
    fn an_own_change_is_known_until_another_changes_it() {
        let mut intents = Intents::default();
        intents.know(5, 100);
        assert!(!intents.knows(6, 0));
        assert!(intents.knows(5, 100));
        assert!(!intents.knows(5, 101));
        intents.lose(5);
        assert!(!intents.knows(5, 0));
    }

    #[test]
    fn memory_is_bounded() {
        let mut intents = Intents::default();
        for object in 0..3 * KEEP as u64 {
            intents.remember(Key::Object(object), object * 10);
            intents.know(object, 1);
        }
        assert!(intents.paid.len() <= KEEP && intents.known.len() <= KEEP);
    }
}
