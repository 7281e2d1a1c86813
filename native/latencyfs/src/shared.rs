//! What all mounts of one daemon share: the model, the tree, the timer, the faults, the counters.

use crate::clock;
use crate::counters::Counters;
use crate::delay::{Cost, Model, Nanos, Request};
use crate::fault::{Fault, Spec};
use crate::handles::Handles;
use crate::intent::{Intents, Key};
use crate::invalidate::Invalidator;
use crate::op::Op;
use crate::passthrough::Backings;
use crate::profile::Settings;
use crate::timer::Timer;
use crate::tree::Tree;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// State of one mount, which is one client of the emulated file system.
pub struct Client {
    pub name: String,
    pub counters: Mutex<Counters>,
    pub intents: Mutex<Intents>,
    pub backings: Backings,
    pub passthrough_opens: AtomicU64,
    pub userspace_opens: AtomicU64,
}

/// The daemon's state.
pub struct Shared {
    pub settings: Settings,
    pub tree: Tree,
    pub handles: Handles,
    pub clients: Vec<Client>,
    pub timer: Timer,
    pub invalidator: Invalidator,
    pub seed: u64,
    model: Mutex<Model>,
    faults: Mutex<Vec<Fault>>,
    faults_made: AtomicU64,
}

/// A panic in another thread must not stop the file system, so poison is ignored.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub fn new(
        settings: Settings,
        tree: Tree,
        names: Vec<String>,
        timer: Timer,
        seed: u64,
    ) -> Shared {
        let model = Model::new(settings.params.clone(), names.len());
        // Data that passes by the daemon cannot be kept coherent between mounts.
        let usable = settings.may_pass_through() && names.len() == 1;
        let client = |name| Client {
            name,
            counters: Mutex::default(),
            intents: Mutex::default(),
            backings: Backings::new(usable),
            passthrough_opens: AtomicU64::new(0),
            userspace_opens: AtomicU64::new(0),
        };
        Shared {
            settings,
            tree,
            handles: Handles::default(),
            clients: names.into_iter().map(client).collect(),
            timer,
            invalidator: Invalidator::default(),
            seed,
            model: Mutex::new(model),
            faults: Mutex::default(),
            faults_made: AtomicU64::new(0),
        }
    }

    pub fn complete(&self, client: usize, request: Request, arrival: Nanos) -> Nanos {
        lock(&self.model).complete(client, request, arrival)
    }

    /// What an operation costs, less what its lookup just paid.
    pub fn cost(&self, client: usize, op: Op, key: Option<&Key>) -> (Cost, bool) {
        let cost = self.settings.cost(op);
        let redeemed = self.settings.intents
            && key.is_some_and(|key| lock(&self.clients[client].intents).redeem(key, clock::now()));
        match redeemed {
            true => (cost.less(self.settings.cost(Op::Lookup)), true),
            false => (cost, false),
        }
    }

    /// Switches a fault on; times of a stall count from now.
    pub fn add_fault(&self, text: &str) -> Result<(), String> {
        let number = self.faults_made.fetch_add(1, Ordering::Relaxed);
        let mut fault = Fault::new(text, number)?;
        if let Spec::Stall { target, at, length } = *fault.spec() {
            let from = clock::now() + at;
            lock(&self.model).stall(target, from, from + length);
            fault.injected = 1;
        }
        // Faults can strike only what the daemon sees.
        for client in &self.clients {
            client.backings.give_up();
        }
        lock(&self.faults).push(fault);
        Ok(())
    }

    /// Switches all faults off; stalls that were announced end as well.
    pub fn clear_faults(&self) {
        lock(&self.faults).clear();
        lock(&self.model).clear_stalls();
    }

    pub fn faults(&self) -> Vec<Fault> {
        lock(&self.faults).clone()
    }

    /// The error injected into this operation; each fault counts it, the first that strikes wins.
    pub fn strike(&self, op: Op, bytes: u64) -> Option<i32> {
        let mut faults = lock(&self.faults);
        let seed = self.seed;
        faults
            .iter_mut()
            .filter_map(|fault| fault.strike(seed, op, bytes))
            .fold(None, |first, errno| first.or(Some(errno)))
    }
}
