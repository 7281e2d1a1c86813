//! What is measured on a mount agrees with what the model promises.
//!
//! Lower bounds are strict: nothing may be faster than the model. Upper bounds take the best of
//! several attempts, because other work on the machine makes everything late.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Measurements must not disturb each other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn best(attempts: usize, rate: impl Fn(usize) -> f64) -> f64 {
    (0..attempts).map(rate).fold(0.0, f64::max)
}

/// The tenth part of the sorted times: what an undisturbed operation takes.
fn typical(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 10]
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Round trip 500 us and work 0.19 at 19,000/s, once for open and once for close.
#[test]
#[ignore = "measures time: for a quiet machine, cargo test --test timing -- --ignored"]
fn open_and_close_on_lustre_cost_two_round_trips() {
    let _alone = alone();
    let Some(lab) = common::start(1, &["--profile", "lustre-2014"]) else {
        return;
    };
    let path = lab.mount().join("file");
    fs::write(&path, "x").unwrap();
    let open = || drop(fs::File::open(&path).unwrap());
    let seen = typical((0..300).map(|_| time(open)).collect());
    let model = Duration::from_micros(2 * 510);
    println!("open+close: {seen:?}, model {model:?}");
    assert!(seen >= model, "{seen:?}");
    assert!(seen < model + Duration::from_micros(500), "{seen:?}");
}

/// With five times the round trip an open takes five times as long, give or take what a busy machine adds to both.
#[test]
fn a_longer_round_trip_takes_longer_in_proportion() {
    let _alone = alone();
    let taken = |round_trip_us: u64| {
        let set = format!("metadata.round_trip_us={round_trip_us}");
        let lab = common::start(1, &["--profile", "lustre", "--set", &set])?;
        let path = lab.mount().join("file");
        fs::write(&path, "x").unwrap();
        let open = || drop(fs::File::open(&path).unwrap());
        let seen = typical((0..40).map(|_| time(open)).collect());
        let model = Duration::from_micros(2 * round_trip_us);
        assert!(seen >= model, "{seen:?} is less than {model:?}");
        Some(seen.as_secs_f64())
    };
    let (Some(short), Some(long)) = (taken(2000), taken(10_000)) else {
        return;
    };
    assert!((2.5..6.0).contains(&(long / short)), "{short} and {long}");
}

/// An open of a file not yet known is a lookup and an open for FUSE, one intent for Lustre.
#[test]
fn a_first_open_is_one_request() {
    let _alone = alone();
    let Some(lab) = common::start(1, &["--profile", "lustre-2014"]) else {
        return;
    };
    for number in 0..40 {
        fs::write(lab.source().join(format!("file{number}")), "x").unwrap();
    }
    for number in 0..40 {
        fs::File::open(lab.mount().join(format!("file{number}"))).unwrap();
    }
    let text = lab.wait("llite.n0.stats", |text| {
        text.contains("open                      40 ")
    });
    assert!(text.contains("snapshot_time "));
    let requests = lab.wait("mdc.n0.stats", |text| text.contains("ldlm_ibits_enqueue"));
    let line = requests
        .lines()
        .find(|line| line.starts_with("ldlm_ibits_enqueue"));
    let count: u32 = line
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    // A thread held up for longer than the intent lasts sends a second request.
    assert!((40..=80).contains(&count), "{requests}");
}

fn create_rate(dirs: &[PathBuf], each: usize) -> f64 {
    let took = time(|| {
        std::thread::scope(|scope| {
            for (dir, user) in dirs
                .iter()
                .flat_map(|dir| (0..4).map(move |user| (dir, user)))
            {
                scope.spawn(move || {
                    for number in 0..each {
                        fs::create_dir(dir.join(format!("{user}-{number}"))).unwrap();
                    }
                });
            }
        });
    });
    (dirs.len() * 4 * each) as f64 / took.as_secs_f64()
}

/// With eight users and almost no round trip, the server's 400/s is the limit for one mount and two.
#[test]
#[ignore = "measures time: for a quiet machine, cargo test --test timing -- --ignored"]
fn two_mounts_share_one_metadata_server() {
    let _alone = alone();
    let set = [
        "--profile",
        "zero",
        "--set",
        "metadata.rate=400",
        "--set",
        "op.lookup=[0, 0]",
        "--set",
        "metadata.round_trip_us=100",
    ];
    let Some(lab) = common::start(2, &set) else {
        return;
    };
    // The kernel makes one entry at a time in a directory, so two directories keep the server busy.
    let pair = |name: &str, second: usize| {
        let dirs = [0, second].map(|mount| lab.mounts[mount].join(format!("{name}{mount}")));
        let dirs = [dirs[0].clone(), dirs[1].with_extension("second")];
        dirs.iter().for_each(|dir| fs::create_dir(dir).unwrap());
        dirs
    };
    let alone = best(3, |n| create_rate(&pair(&format!("alone{n}-"), 0), 25));
    let both = best(3, |n| create_rate(&pair(&format!("both{n}-"), 1), 25));
    println!("mkdir/s: one mount {alone:.0}, two mounts together {both:.0}");
    assert!((250.0..402.0).contains(&alone), "{alone}");
    assert!((250.0..402.0).contains(&both), "{both}");
}

/// With 200 entries a second in a directory and 2000 of all, eight users get 200 in one directory and 1600 in eight.
#[test]
#[ignore = "measures time: for a quiet machine, cargo test --test timing -- --ignored"]
fn one_directory_is_slower_than_many() {
    let _alone = alone();
    let set = [
        "--profile",
        "zero",
        "--set",
        "metadata.rate=2000",
        "--set",
        "directory.rate=200",
        "--set",
        "op.lookup=[0, 0]",
        "--set",
        "op.mkdir=[0, 1, 1]",
    ];
    let Some(lab) = common::start(2, &set) else {
        return;
    };
    // the same directory through two mounts: the kernel of each makes one entry at a time in it
    let rate = |name: &str, many: bool| {
        let user = |number: usize| match many {
            true => format!("{name}-{number}"),
            false => name.to_string(),
        };
        let dirs: Vec<PathBuf> = (0..8)
            .map(|number| lab.mounts[number % 2].join(user(number)))
            .collect();
        for number in 0..8 {
            fs::create_dir_all(lab.source().join(user(number))).unwrap();
        }
        rate_of_each(&dirs, 25)
    };
    let one = best(3, |n| rate(&format!("one{n}"), false));
    let many = best(3, |n| rate(&format!("many{n}"), true));
    println!("mkdir/s: in one directory {one:.0}, in eight {many:.0}");
    assert!((150.0..202.0).contains(&one), "{one}");
    assert!((800.0..1610.0).contains(&many), "{many}");
}

/// Directories a second that one user makes in each of these.
fn rate_of_each(dirs: &[PathBuf], each: usize) -> f64 {
    let took = time(|| {
        std::thread::scope(|scope| {
            for (user, dir) in dirs.iter().enumerate() {
                scope.spawn(move || {
                    for number in 0..each {
                        fs::create_dir(dir.join(format!("{user}-{number}"))).unwrap();
                    }
                });
            }
        });
    });
    (dirs.len() * each) as f64 / took.as_secs_f64()
}

/// ZIB measured 40, 70, 140 and 270 MiB/s with 8, 16, 32 and 64 threads and 64 KiB requests.
#[test]
#[ignore = "measures time: for a quiet machine, cargo test --test timing -- --ignored"]
fn datawarp_reads_as_published() {
    let _alone = alone();
    let Some(lab) = common::start(1, &["--profile", "datawarp"]) else {
        return;
    };
    fs::write(lab.source().join("file"), vec![1u8; 65_536 * 16]).unwrap();
    for (threads, published) in [(8, 40.0), (16, 70.0), (32, 140.0)] {
        let rate = best(3, |_| read_rate(&lab.mount().join("file"), threads));
        println!("{threads} threads: {rate:.0} MiB/s, published {published}");
        assert!(
            (0.7..1.15).contains(&(rate / published)),
            "{threads}: {rate}"
        );
    }
}

/// MiB/s of threads that each read 16 blocks of 64 KiB.
fn read_rate(path: &Path, threads: usize) -> f64 {
    let took = time(|| {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| read_blocks(path));
            }
        });
    });
    threads as f64 / took.as_secs_f64()
}

fn read_blocks(path: &Path) {
    use std::os::unix::fs::FileExt;
    let file = fs::File::open(path).unwrap();
    let mut block = vec![0; 65_536];
    for number in 0..16 {
        file.read_exact_at(&mut block, number * 65_536).unwrap();
    }
}
