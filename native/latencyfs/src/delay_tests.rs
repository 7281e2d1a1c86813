use super::{Cost, Model, Nanos, Params, Request, Target, DIRECTORIES};
use proptest::prelude::*;

const MS: Nanos = 1_000_000;
const ONE: Cost = Cost {
    round_trips: 1.0,
    work: 1.0,
    directory: 0.0,
};

/// 1000 operations/s, 1 ms round trips, 1 GB/s shared, 100 MB/s per client.
fn params() -> Params {
    Params {
        servers: 1,
        rate: 1000.0,
        directory_rate: 0.0,
        metadata_round_trip: MS,
        data_round_trip: MS,
        request_bytes: 65_536,
        parallel: 1,
        request_bandwidth: 0,
        shared_bandwidth: 1_000_000_000,
        client_bandwidth: 100_000_000,
        dirty_bytes: 0,
    }
}

fn metadata(model: &mut Model, client: usize, arrival: Nanos) -> Nanos {
    model.complete(client, Request::Metadata(ONE, None), arrival)
}

#[test]
fn one_operation_costs_service_and_round_trip() {
    assert_eq!(metadata(&mut Model::new(params(), 1), 0, 5), 5 + 2 * MS);
}

#[test]
fn clients_share_one_server() {
    let mut model = Model::new(params(), 2);
    assert_eq!(metadata(&mut model, 0, 0), 2 * MS);
    assert_eq!(metadata(&mut model, 1, 0), 3 * MS);
    assert_eq!(metadata(&mut model, 0, 0), 4 * MS);
}

#[test]
fn two_servers_work_at_once() {
    let mut model = Model::new(
        Params {
            servers: 2,
            ..params()
        },
        1,
    );
    let done: Vec<Nanos> = (0..4).map(|_| metadata(&mut model, 0, 0)).collect();
    assert_eq!(done, [2 * MS, 2 * MS, 3 * MS, 3 * MS]);
}

/// Eight servers of 1000/s, and 500/s in a directory.
fn in_directories() -> Model {
    let many = Params {
        servers: 8,
        directory_rate: 500.0,
        ..params()
    };
    Model::new(many, 1)
}

/// When the last of so many creates at once is done, each in the directory that `within` gives it.
fn created(model: &mut Model, count: u64, within: impl Fn(u64) -> u64) -> Nanos {
    let create = Cost {
        directory: 1.0,
        ..ONE
    };
    (0..count)
        .map(|number| model.complete(0, Request::Metadata(create, Some(within(number))), 0))
        .max()
        .unwrap_or(0)
}

#[test]
fn names_in_one_directory_follow_each_other_and_in_many_they_do_not() {
    let (one, many) = (|_| 7, |number| number);
    let round_trip = MS;
    let of_directory = 80 * 2 * MS;
    let of_servers = 80 / 8 * MS;
    assert_eq!(
        created(&mut in_directories(), 80, one),
        of_directory + round_trip
    );
    assert_eq!(
        created(&mut in_directories(), 80, many),
        of_servers + round_trip
    );
}

#[test]
fn a_crowded_directory_holds_up_no_other() {
    let mut model = in_directories();
    created(&mut model, 4, |_| 7);
    assert_eq!(created(&mut model, 1, |_| 8), 2 * MS + MS);
    assert_eq!(created(&mut model, 1, |_| 7), 10 * MS + MS);
}

#[test]
fn what_changes_no_directory_waits_for_none() {
    let mut model = in_directories();
    created(&mut model, 100, |_| 7);
    let stat = Request::Metadata(ONE, Some(7));
    assert_eq!(model.complete(0, stat, 300 * MS), 302 * MS);
}

#[test]
fn directories_that_are_free_are_forgotten() {
    let mut model = in_directories();
    for number in 0..3 * DIRECTORIES as u64 {
        let create = Cost {
            directory: 1.0,
            ..ONE
        };
        model.complete(0, Request::Metadata(create, Some(number)), number * MS);
    }
    assert!(model.directories_free.len() <= DIRECTORIES);
}

#[test]
fn a_read_pays_each_request_and_the_slower_link() {
    let mut model = Model::new(params(), 1);
    let done = model.complete(0, Request::Read { bytes: 100_000 }, 0);
    assert_eq!(done, 2 * MS + MS, "two requests and 100 kB at 100 MB/s");
}

#[test]
fn a_request_takes_as_long_as_it_is_large() {
    let read = |bytes| {
        let slow = Params {
            request_bandwidth: 1_000_000,
            client_bandwidth: 0,
            shared_bandwidth: 0,
            parallel: 2,
            ..params()
        };
        Model::new(slow, 1).complete(0, Request::Read { bytes }, 0)
    };
    assert_eq!(read(1000), MS + MS, "a round trip and 1 kB at 1 MB/s");
    assert_eq!(read(131_072), MS + 65_536_000, "two requests that overlap");
    assert_eq!(
        read(131_073),
        2 * (MS + 65_536_000),
        "a third comes after them"
    );
}

#[test]
fn overlapping_requests_share_a_round_trip() {
    let mut model = Model::new(
        Params {
            parallel: 8,
            ..params()
        },
        1,
    );
    assert_eq!(
        model.complete(0, Request::Read { bytes: 100_000 }, 0),
        2 * MS
    );
}

#[test]
fn a_cached_write_returns_at_once_until_the_cache_is_full() {
    let cached = Params {
        dirty_bytes: 1_000_000,
        ..params()
    };
    let mut model = Model::new(cached, 1);
    let write = Request::Write { bytes: 1_000_000 };
    assert_eq!(model.complete(0, write, 0), 0);
    assert_eq!(model.complete(0, write, 0), 10 * MS, "waits for the first");
    let last_request = 20 * MS + 16 * MS;
    assert_eq!(model.complete(0, Request::Sync, 0), last_request + MS);
}

#[test]
fn a_stall_holds_what_starts_in_it() {
    let mut model = Model::new(params(), 1);
    model.stall(Target::Metadata, 10 * MS, 20 * MS);
    assert_eq!(metadata(&mut model, 0, 0), 2 * MS);
    assert_eq!(metadata(&mut model, 0, 15 * MS), 22 * MS);
    assert_eq!(
        model.complete(0, Request::Read { bytes: 1 }, 15 * MS),
        16 * MS + 10
    );
}

#[test]
fn a_stall_holds_bytes_whose_turn_comes_in_it() {
    let mut model = Model::new(params(), 1);
    model.stall(Target::Data, 5 * MS, 20 * MS);
    let read = |bytes| Request::Read { bytes };
    assert_eq!(model.complete(0, read(1_000_000), 0), 10 * MS + 16 * MS);
    assert_eq!(model.complete(0, read(1), MS), 20 * MS + 10 + MS);
}

#[test]
fn a_stall_of_the_data_holds_an_fsync() {
    let mut model = Model::new(params(), 1);
    model.stall(Target::Data, 5 * MS, 20 * MS);
    assert_eq!(model.complete(0, Request::Sync, 6 * MS), 20 * MS + MS);
    assert_eq!(model.complete(0, Request::Sync, 20 * MS), 20 * MS + MS);
}

#[test]
fn stalls_that_overlap_hold_in_whatever_order_they_were_announced() {
    let mut model = Model::new(params(), 1);
    model.stall(Target::Metadata, 10 * MS, 20 * MS);
    model.stall(Target::Metadata, 5 * MS, 12 * MS);
    assert_eq!(metadata(&mut model, 0, 6 * MS), 22 * MS);
}

#[test]
fn a_part_already_paid_is_not_paid_again() {
    let open = Cost {
        round_trips: 1.0,
        work: 3.0,
        directory: 0.5,
    };
    let left = open.less(ONE);
    assert_eq!(
        (left.round_trips, left.work, left.directory),
        (0.0, 2.0, 0.5)
    );
}

fn any_request() -> impl Strategy<Value = Request> {
    prop_oneof![
        (0.0..3.0, 0.0..5.0, 0.0..2.0, prop::option::of(0u64..3)).prop_map(
            |(round_trips, work, directory, within)| {
                let cost = Cost {
                    round_trips,
                    work,
                    directory,
                };
                Request::Metadata(cost, within)
            }
        ),
        (0u64..2_000_000).prop_map(|bytes| Request::Read { bytes }),
        (0u64..2_000_000).prop_map(|bytes| Request::Write { bytes }),
        Just(Request::Sync),
    ]
}

fn arrivals() -> impl Strategy<Value = Vec<(Nanos, usize, Request)>> {
    prop::collection::vec((0..3 * MS, 0usize..3, any_request()), 1..80).prop_map(|steps| {
        let mut now = 0;
        let at = |(gap, client, request)| {
            now += gap;
            (now, client, request)
        };
        steps.into_iter().map(at).collect()
    })
}

proptest! {
    #[test]
    fn the_same_inputs_give_the_same_outputs(steps in arrivals()) {
        let run = || {
            let mut model = Model::new(params(), 3);
            steps.iter().map(|&(at, client, request)| model.complete(client, request, at)).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn nothing_completes_before_its_round_trips(steps in arrivals()) {
        let mut model = Model::new(params(), 3);
        for (at, client, request) in steps {
            let floor = match request {
                Request::Metadata(cost, _) => (cost.round_trips * MS as f64).round() as Nanos,
                Request::Read { bytes } | Request::Write { bytes } => bytes.div_ceil(65_536).max(1) * MS,
                Request::Copy { bytes } => (2 * bytes).div_ceil(65_536).max(1) * MS,
                Request::Sync => MS,
            };
            prop_assert!(model.complete(client, request, at) >= at + floor);
        }
    }

    #[test]
    fn metadata_of_one_cost_completes_in_the_order_of_arrival(gaps in prop::collection::vec(0..3 * MS, 1..100)) {
        let mut model = Model::new(params(), 1);
        let (mut now, mut last) = (0, 0);
        for gap in gaps {
            now += gap;
            let done = metadata(&mut model, 0, now);
            prop_assert!(done >= last);
            last = done;
        }
    }

    #[test]
    fn a_saturated_server_works_at_its_rate(servers in 1usize..5, count in 1u64..400, rate in 100.0..100_000.0) {
        let mut model = Model::new(Params { servers, rate, ..params() }, 1);
        let last = (0..count).map(|_| metadata(&mut model, 0, 0)).max().unwrap_or(0);
        let rounds = count.div_ceil(servers as u64);
        let expected = MS + rounds * (1e9 / rate).round() as Nanos;
        prop_assert_eq!(last, expected);
    }

    /// The server idles only when nothing waits: the busy period ends when the work is done.
    #[test]
    fn the_server_is_work_conserving(gaps in prop::collection::vec(0..4 * MS, 1..100)) {
        let mut model = Model::new(params(), 1);
        let (mut now, mut free) = (0, 0);
        for gap in gaps {
            now += gap;
            free = now.max(free) + MS;
            prop_assert_eq!(metadata(&mut model, 0, now), free + MS);
        }
    }

    #[test]
    fn more_load_never_makes_an_operation_faster(before in arrivals(), extra in arrivals()) {
        let mut quiet = Model::new(params(), 3);
        let mut busy = Model::new(params(), 3);
        for &(_, client, request) in &extra {
            busy.complete(client, request, 0);
        }
        for (at, client, request) in before {
            prop_assert!(busy.complete(client, request, at) >= quiet.complete(client, request, at));
        }
    }

    #[test]
    fn bytes_never_beat_the_shared_bandwidth(sizes in prop::collection::vec(1u64..5_000_000, 1..50)) {
        let mut model = Model::new(params(), 50);
        let total: u64 = sizes.iter().sum();
        let last = sizes.iter().enumerate().map(|(client, &bytes)| model.complete(client, Request::Read { bytes }, 0)).max();
        prop_assert!(last.unwrap_or(0) >= total, "1 GB/s is one byte a nanosecond");
    }
}
