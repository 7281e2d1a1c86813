//! File operations per second and their latency, by a number of callers that each have files of their own.

use crate::callers::{each, Latencies, Limit};
use crate::dice::{noise, Dice};
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

const BLOCK: usize = 4096;
const BLOCKS: u64 = 256;

/// One kind of operation, by all callers together.
#[derive(Serialize)]
pub struct Rate {
    pub operation: &'static str,
    pub callers: usize,
    pub count: usize,
    /// Seconds since the moment from which all nodes measure.
    pub began: f64,
    pub ended: f64,
    /// Mean seconds of one.
    pub latency: f64,
    pub p99: f64,
}

/// A caller: its directory and the files in it.
struct Caller {
    directory: PathBuf,
    files: usize,
}

impl Caller {
    fn file(&self, number: usize) -> PathBuf {
        self.directory.join(number.to_string())
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    /// The file that is read and written. Its sync would delay creates on other nodes: it is made after theirs.
    fn fill(&self) -> io::Result<()> {
        let data = File::create(self.data())?;
        data.write_all_at(&noise(BLOCK * BLOCKS as usize), 0)?;
        data.sync_data()
    }
}

type Step = (
    &'static str,
    fn(&mut Caller, &Limit, Instant) -> io::Result<Latencies>,
);
const STEPS: [Step; 7] = [
    ("create", create),
    ("open", open),
    ("stat", stat),
    ("lookup", lookup),
    ("unlink", unlink),
    ("read", read),
    ("write", write),
];

/// Each operation by `callers` threads, until each has taken the time or the number of files of `limit`.
pub fn measure(
    directory: &Path,
    callers: usize,
    limit: &Limit,
    zero: Instant,
) -> io::Result<Vec<Rate>> {
    let mut all = (0..callers)
        .map(|number| prepared(&directory.join(format!("caller{number}"))))
        .collect::<io::Result<Vec<_>>>()?;
    let mut rates = Vec::new();
    for (operation, step) in STEPS {
        if operation == "read" {
            each(&mut all, |caller, _| caller.fill())?;
        }
        let began = zero.elapsed().as_secs_f64();
        let found = each(&mut all, |caller, begin| step(caller, limit, begin))?;
        rates.push(rate(operation, began, &found));
    }
    for caller in &all {
        fs::remove_dir_all(&caller.directory)?;
    }
    Ok(rates)
}

fn prepared(directory: &Path) -> io::Result<Caller> {
    fs::create_dir_all(directory)?;
    Ok(Caller {
        directory: directory.to_owned(),
        files: 0,
    })
}

fn rate(operation: &'static str, began: f64, found: &[Latencies]) -> Rate {
    let mut all: Vec<f64> = found
        .iter()
        .flat_map(|one| one.seconds.iter().copied())
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    let count = all.len();
    Rate {
        operation,
        callers: found.len(),
        count,
        began,
        ended: began + found.iter().map(|one| one.ended).fold(1e-9, f64::max),
        latency: all.iter().sum::<f64>() / count.max(1) as f64,
        p99: all.get(count * 99 / 100).copied().unwrap_or(0.0),
    }
}

fn create(caller: &mut Caller, limit: &Limit, begin: Instant) -> io::Result<Latencies> {
    let found = limit.timed(begin, limit.files, |number| {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(caller.file(number))
            .map(drop)
    })?;
    caller.files = found.seconds.len();
    Ok(found)
}

fn open(caller: &mut Caller, limit: &Limit, begin: Instant) -> io::Result<Latencies> {
    limit.timed(begin, usize::MAX, |number| {
        File::open(caller.file(number % caller.files)).map(drop)
    })
}

fn stat(caller: &mut Caller, limit: &Limit, begin: Instant) -> io::Result<Latencies> {
    limit.timed(begin, usize::MAX, |number| {
        fs::metadata(caller.file(number % caller.files)).map(drop)
    })
}

/// Names that do not exist, each another one, so that no cache knows them.
fn lookup(caller: &mut Caller, limit: &Limit, begin: Instant) -> io::Result<Latencies> {
    limit.timed(begin, usize::MAX, |number| {
        match fs::metadata(caller.directory.join(format!("missing{number}"))) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Err(io::Error::other("a name exists that was never created")),
        }
    })
}

/// Blocks that no cache holds, where the file system lets go of them; in random order, each once.
fn read(caller: &mut Caller, limit: &Limit, begin: Instant) -> io::Result<Latencies> {
    let data = File::open(caller.data())?;
    crate::advice::forget(&data)?;
    crate::advice::random(&data)?;
    let order = shuffled();
    let mut block = [0; BLOCK];
    limit.timed(begin, order.len(), |number| {
        data.read_exact_at(&mut block, order[number] * BLOCK as u64)
    })
}

fn write(caller: &mut Caller, limit: &Limit, begin: Instant) -> io::Result<Latencies> {
    let data = OpenOptions::new().write(true).open(caller.data())?;
    let order = shuffled();
    limit.timed(begin, order.len(), |number| {
        data.write_all_at(&[b'w'; BLOCK], order[number] * BLOCK as u64)
    })
}

fn unlink(caller: &mut Caller, limit: &Limit, begin: Instant) -> io::Result<Latencies> {
    let files = caller.files;
    Limit {
        seconds: f64::INFINITY,
        ..*limit
    }
    .timed(begin, files, |number| fs::remove_file(caller.file(number)))
}

fn shuffled() -> Vec<u64> {
    let mut dice = Dice::new(1);
    let mut order: Vec<u64> = (0..BLOCKS).collect();
    order.sort_by_cached_key(|_| dice.roll());
    order
}

#[cfg(test)]
mod tests {
    use super::{measure, shuffled, STEPS};
    use crate::callers::Limit;
    use std::time::Instant;

    #[test]
    fn every_operation_is_measured_and_nothing_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let limit = Limit {
            seconds: 0.05,
            files: 20,
        };
        let rates = measure(directory.path(), 3, &limit, Instant::now()).unwrap();
        assert_eq!(rates.len(), STEPS.len());
        for rate in &rates {
            assert_eq!(rate.callers, 3);
            assert!(
                rate.count >= 3 && rate.ended > rate.began,
                "{}",
                rate.operation
            );
            assert!(rate.p99 >= 0.0 && rate.latency > 0.0);
        }
        let created = rates
            .iter()
            .find(|rate| rate.operation == "create")
            .unwrap();
        assert!(created.count <= 60 && created.ended <= rates[1].began);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn each_block_is_read_once() {
        let mut order = shuffled();
        order.sort_unstable();
        assert!(order
            .iter()
            .enumerate()
            .all(|(at, block)| at as u64 == *block));
    }
}
