//! Intent locks: in Lustre the lookup that precedes an open, create or mkdir is part of its request.
//!
//! FUSE sends the lookup as a request of its own, so its cost is remembered for a short while and
//! taken off the operation that follows on the same object by the same client.
//!
//! FUSE also forgets attributes after a change of its own and asks for them again, where a client of
//! Lustre still holds the lock and does not ask: one such question for each change is free.

use crate::delay::Nanos;
use std::collections::{HashMap, HashSet};
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
    changed: HashSet<u64>,
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

    /// The client changed this object itself, so that it knows the new attributes.
    pub fn changed_here(&mut self, object: u64) {
        if self.changed.len() >= KEEP {
            self.changed.clear();
        }
        self.changed.insert(object);
    }

    /// Whether the client knows the attributes from its own change; it counts once.
    pub fn knows(&mut self, object: u64) -> bool {
        self.changed.remove(&object)
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
    fn an_own_change_answers_one_question() {
        let mut intents = Intents::default();
        intents.changed_here(5);
        assert!(!intents.knows(6));
        assert!(intents.knows(5));
        assert!(!intents.knows(5));
    }

    #[test]
    fn memory_is_bounded() {
        let mut intents = Intents::default();
        for object in 0..3 * KEEP as u64 {
            intents.remember(Key::Object(object), object * 10);
        }
        assert!(intents.paid.len() <= KEEP);
    }
}
