//! The delay model: pure, deterministic, in integer nanoseconds.
//!
//! A metadata request waits for one of `servers` servers that all clients share (first come, first
//! served), is served for `work / rate` seconds, and pays its round trips. A data request pays one
//! round trip per `request_bytes` (up to `parallel` of them overlap), with the time that the bytes of
//! one request take at `request_bandwidth`, and moves its bytes through two queues at once: the
//! bandwidth all clients share and the bandwidth of its own client.

/// Nanoseconds on one monotonic clock.
pub type Nanos = u64;

/// What an operation asks of the metadata service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Round trips that the client waits for, one after another.
    pub round_trips: f64,
    /// Server work in units of one operation at the nominal rate.
    pub work: f64,
}

impl Cost {
    pub const FREE: Cost = Cost {
        round_trips: 0.0,
        work: 0.0,
    };

    /// What is left when a part was paid before, never below nothing.
    pub fn less(self, paid: Cost) -> Cost {
        Cost {
            round_trips: (self.round_trips - paid.round_trips).max(0.0),
            work: (self.work - paid.work).max(0.0),
        }
    }
}

/// One request as the model sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    Metadata(Cost),
    Read {
        bytes: u64,
    },
    /// With a client cache the write returns while fewer than `dirty_bytes` wait to be sent.
    Write {
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
    shared_free: Nanos,
    clients: Vec<Client>,
    stalls: Vec<Stall>,
}

const SECOND: f64 = 1e9;

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
            shared_free: 0,
            clients: vec![Client::default(); clients],
            stalls: Vec::new(),
            params,
        }
    }

    /// When a request of `client` that arrives at `arrival` completes.
    pub fn complete(&mut self, client: usize, request: Request, arrival: Nanos) -> Nanos {
        match request {
            Request::Metadata(cost) => self.metadata(cost, arrival),
            Request::Read { bytes } => self.send(client, bytes, arrival) + self.trips(bytes),
            Request::Write { bytes } => self.write(client, bytes, arrival),
            Request::Sync => {
                self.clients[client].drained.max(arrival) + self.params.data_round_trip
            }
        }
    }

    /// Nothing of the target starts between the two times.
    pub fn stall(&mut self, target: Target, from: Nanos, until: Nanos) {
        self.stalls.push(Stall {
            target,
            from,
            until,
        });
    }

    pub fn clear_stalls(&mut self) {
        self.stalls.clear();
    }

    fn metadata(&mut self, cost: Cost, arrival: Nanos) -> Nanos {
        if cost == Cost::FREE {
            return arrival;
        }
        let done = if cost.work > 0.0 {
            self.serve(cost.work, arrival)
        } else {
            arrival
        };
        done + (cost.round_trips * self.params.metadata_round_trip as f64).round() as Nanos
    }

    /// The server that is free first takes the request.
    fn serve(&mut self, work: f64, arrival: Nanos) -> Nanos {
        let service = match self.params.rate {
            rate if rate > 0.0 => (work * SECOND / rate).round() as Nanos,
            _ => 0,
        };
        let first = (0..self.servers_free.len())
            .min_by_key(|&server| self.servers_free[server])
            .unwrap_or(0);
        let start = self.unstalled(Target::Metadata, arrival.max(self.servers_free[first]));
        self.servers_free[first] = start + service;
        start + service
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
        let arrival = self.unstalled(Target::Data, arrival);
        let shared = self.shared_free.max(arrival) + transfer(bytes, self.params.shared_bandwidth);
        let link = &mut self.clients[client].link_free;
        let own = (*link).max(arrival) + transfer(bytes, self.params.client_bandwidth);
        *link = own;
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
