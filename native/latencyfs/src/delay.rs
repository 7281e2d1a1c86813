//! The delay model: pure, deterministic, in integer nanoseconds.
//!
//! A metadata request waits for one of `servers` servers that all clients share (first come, first
//! served), is served for `work / rate` seconds, and pays its round trips. At the same time it waits for
//! the directory of its name, where requests follow each other at `directory_rate`: that is how a file
//! system with many servers is slow in one directory. A data request pays one
//! round trip per `request_bytes` (up to `parallel` of them overlap), with the time that the bytes of
//! one request take at `request_bandwidth`, and moves its bytes through two queues at once: the
//! bandwidth all clients share and the bandwidth of its own client.

use std::collections::HashMap;

/// Nanoseconds on one monotonic clock.
pub type Nanos = u64;

/// What an operation asks of the metadata service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Round trips that the client waits for, one after another.
    pub round_trips: f64,
    /// Server work in units of one operation at the nominal rate.
    pub work: f64,
    /// Work on the directory of its name, in units of one operation at the rate of a directory.
    pub directory: f64,
}

impl Cost {
    pub const FREE: Cost = Cost {
        round_trips: 0.0,
        work: 0.0,
        directory: 0.0,
    };

    /// What is left when a part was paid before, never below nothing.
    pub fn less(self, paid: Cost) -> Cost {
        Cost {
            round_trips: (self.round_trips - paid.round_trips).max(0.0),
            work: (self.work - paid.work).max(0.0),
            directory: (self.directory - paid.directory).max(0.0),
        }
    }
}

/// One request as the model sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// With the inode number of the directory of its name, where that is known.
    Metadata(Cost, Option<u64>),
    Read {
        bytes: u64,
    },
    /// With a client cache the write returns while fewer than `dirty_bytes` wait to be sent.
    Write {
        bytes: u64,
    },
    /// Read and written by the client: the bytes cross its link twice.
    Copy {
        bytes: u64,
    },
    /// Returns when all that this client wrote has been sent.
    Sync,
}

/// The parameters of the model; a rate or bandwidth of 0 means without limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    pub servers: usize,
    /// Operations per second of one metadata server.
    pub rate: f64,
    /// Operations per second in one directory.
    pub directory_rate: f64,
    pub metadata_round_trip: Nanos,
    pub data_round_trip: Nanos,
    /// Largest data request in bytes, at least 1.
    pub request_bytes: u64,
    /// Data requests of one call that overlap, at least 1.
    pub parallel: u64,
    /// Bytes per second within one request, whatever else is on its way.
    pub request_bandwidth: u64,
    /// Bytes per second for all clients together.
    pub shared_bandwidth: u64,
    /// Bytes per second for one client.
    pub client_bandwidth: u64,
    /// Bytes a client may hold back before a write waits; 0 writes through.
    pub dirty_bytes: u64,
}

/// What a stall stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Metadata,
    Data,
}

#[derive(Clone, Copy, Debug)]
struct Stall {
    target: Target,
    from: Nanos,
    until: Nanos,
}

#[derive(Clone, Copy, Debug, Default)]
struct Client {
    /// When the client's own link is free again.
    link_free: Nanos,
    /// When the last byte it wrote has been sent.
    drained: Nanos,
}

/// The queues of the emulated file system.
#[derive(Clone, Debug)]
pub struct Model {
    params: Params,
    servers_free: Vec<Nanos>,
    /// By inode number: when the directory is free again.
    directories_free: HashMap<u64, Nanos>,
    shared_free: Nanos,
    clients: Vec<Client>,
    stalls: Vec<Stall>,
}

const SECOND: f64 = 1e9;
/// Directories from which those that are free are forgotten.
const DIRECTORIES: usize = 4096;

/// Time of so much work at a rate; none without a limit.
fn service(work: f64, rate: f64) -> Nanos {
    match rate > 0.0 {
        true => (work * SECOND / rate).round() as Nanos,
        false => 0,
    }
}

/// Time to move bytes at a bandwidth, rounded up to a nanosecond.
fn transfer(bytes: u64, bandwidth: u64) -> Nanos {
    if bandwidth == 0 {
        return 0;
    }
    (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(bandwidth)) as Nanos
}

impl Model {
    pub fn new(params: Params, clients: usize) -> Model {
        Model {
            servers_free: vec![0; params.servers.max(1)],
            directories_free: HashMap::new(),
            shared_free: 0,
            clients: vec![Client::default(); clients],
            stalls: Vec::new(),
            params,
        }
    }

    /// When a request of `client` that arrives at `arrival` completes.
    pub fn complete(&mut self, client: usize, request: Request, arrival: Nanos) -> Nanos {
        match request {
            Request::Metadata(cost, directory) => self.metadata(cost, directory, arrival),
            Request::Read { bytes } => self.send(client, bytes, arrival) + self.trips(bytes),
            Request::Write { bytes } => self.write(client, bytes, arrival),
            Request::Copy { bytes } => self.write(client, 2 * bytes, arrival),
            Request::Sync => {
                let drained = self.clients[client].drained.max(arrival);
                self.unstalled(Target::Data, drained) + self.params.data_round_trip
            }
        }
    }

    /// Nothing of the target starts between the two times.
    pub fn stall(&mut self, target: Target, from: Nanos, until: Nanos) {
        let stall = Stall {
            target,
            from,
            until,
        };
        // In the order in which they begin: who waits for the end of one may come into the next.
        let place = self.stalls.partition_point(|known| known.from <= from);
        self.stalls.insert(place, stall);
    }

    /// Nothing more is stopped. Requests that wait for the end of a stall keep their place, and those behind them theirs.
    pub fn clear_stalls(&mut self) {
        self.stalls.clear();
    }

    fn metadata(&mut self, cost: Cost, directory: Option<u64>, arrival: Nanos) -> Nanos {
        if cost == Cost::FREE {
            return arrival;
        }
        let served = if cost.work > 0.0 {
            self.serve(cost.work, arrival)
        } else {
            arrival
        };
        let done = match directory {
            Some(directory) => served.max(self.serve_in(directory, cost.directory, arrival)),
            None => served,
        };
        done + (cost.round_trips * self.params.metadata_round_trip as f64).round() as Nanos
    }

    /// The server that is free first takes the request.
    fn serve(&mut self, work: f64, arrival: Nanos) -> Nanos {
        let first = (0..self.servers_free.len())
            .min_by_key(|&server| self.servers_free[server])
            .unwrap_or(0);
        let start = self.unstalled(Target::Metadata, arrival.max(self.servers_free[first]));
        self.servers_free[first] = start + service(work, self.params.rate);
        self.servers_free[first]
    }

    /// One request after another in a directory; other directories are not held up by it.
    fn serve_in(&mut self, directory: u64, work: f64, arrival: Nanos) -> Nanos {
        let length = service(work, self.params.directory_rate);
        if length == 0 {
            return arrival;
        }
        if self.directories_free.len() >= DIRECTORIES {
            self.directories_free.retain(|_, &mut free| free > arrival);
        }
        let free = self.directories_free.get(&directory).copied();
        let start = self.unstalled(Target::Metadata, arrival.max(free.unwrap_or(0)));
        self.directories_free.insert(directory, start + length);
        start + length
    }

    fn trips(&self, bytes: u64) -> Nanos {
        let requests = bytes.div_ceil(self.params.request_bytes).max(1);
        let largest = transfer(
            bytes.min(self.params.request_bytes),
            self.params.request_bandwidth,
        );
        requests.div_ceil(self.params.parallel) * (self.params.data_round_trip + largest)
    }

    /// Puts bytes into the shared and the client's queue; both are busy with them at once.
    fn send(&mut self, client: usize, bytes: u64, arrival: Nanos) -> Nanos {
        let start = |free: Nanos| self.unstalled(Target::Data, free.max(arrival));
        let shared = start(self.shared_free) + transfer(bytes, self.params.shared_bandwidth);
        let own =
            start(self.clients[client].link_free) + transfer(bytes, self.params.client_bandwidth);
        self.clients[client].link_free = own;
        self.shared_free = shared;
        shared.max(own)
    }

    fn write(&mut self, client: usize, bytes: u64, arrival: Nanos) -> Nanos {
        let sent = self.send(client, bytes, arrival) + self.trips(bytes);
        let state = &mut self.clients[client];
        state.drained = state.drained.max(sent);
        if self.params.dirty_bytes == 0 {
            return sent;
        }
        // The cache holds what the slower queue needs this long to send.
        let slack = transfer(self.params.dirty_bytes, self.params.shared_bandwidth)
            .max(transfer(
                self.params.dirty_bytes,
                self.params.client_bandwidth,
            ))
            .max(self.params.data_round_trip);
        arrival.max(sent.saturating_sub(slack + self.trips(bytes)))
    }

    fn unstalled(&self, target: Target, start: Nanos) -> Nanos {
        self.stalls
            .iter()
            .filter(|stall| stall.target == target)
            .fold(start, |at, stall| {
                if (stall.from..stall.until).contains(&at) {
                    stall.until
                } else {
                    at
                }
            })
    }
}

#[cfg(test)]
#[path = "delay_tests.rs"]
mod tests;
