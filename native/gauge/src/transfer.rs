//! Sequential writing and reading of large files, by a number of callers that each have one.

use crate::callers::each;
use crate::dice::noise;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

const BLOCK: usize = 1 << 20;

/// One pass, by all callers together.
#[derive(Serialize)]
pub struct Rate {
    pub operation: &'static str,
    pub callers: usize,
    pub bytes: usize,
    /// Seconds since the moment from which all nodes measure.
    pub began: f64,
    pub ended: f64,
    /// Whether pages in memory may answer.
    pub cached: bool,
}

struct Caller {
    path: PathBuf,
    written: usize,
}

/// What one caller did: bytes, and when its calls ended and all was done, in seconds since all callers began.
type Done = (usize, f64, f64);

/// Each of `callers` writes up to `bytes`, for at most `seconds`; then all read it twice, first without their caches.
pub fn measure(
    directory: &Path,
    callers: usize,
    bytes: usize,
    seconds: f64,
    zero: Instant,
) -> io::Result<Vec<Rate>> {
    let mut all: Vec<Caller> = (0..callers)
        .map(|number| Caller {
            path: directory.join(format!("large{number}")),
            written: 0,
        })
        .collect();
    let block = noise(BLOCK);
    let mut began = [zero.elapsed().as_secs_f64(); 3];
    let written = each(&mut all, |caller, begin| {
        caller.write(begin, &block, bytes, seconds)
    })?;
    began[1] = zero.elapsed().as_secs_f64();
    let uncached = each(&mut all, |caller, begin| caller.read(begin, true))?;
    began[2] = zero.elapsed().as_secs_f64();
    let again = each(&mut all, |caller, begin| caller.read(begin, false))?;
    for caller in &all {
        fs::remove_file(&caller.path)?;
    }
    Ok(vec![
        rate(
            "write",
            true,
            began[0],
            written.iter().map(|(bytes, calls, _)| (*bytes, *calls)),
        ),
        rate(
            "write",
            false,
            began[0],
            written.iter().map(|(bytes, _, synced)| (*bytes, *synced)),
        ),
        rate(
            "read",
            false,
            began[1],
            uncached.iter().map(|(bytes, calls, _)| (*bytes, *calls)),
        ),
        rate(
            "read",
            true,
            began[2],
            again.iter().map(|(bytes, calls, _)| (*bytes, *calls)),
        ),
    ])
}

fn rate(
    operation: &'static str,
    cached: bool,
    began: f64,
    done: impl Iterator<Item = (usize, f64)>,
) -> Rate {
    let mut found = Rate {
        operation,
        callers: 0,
        bytes: 0,
        began,
        ended: began + 1e-9,
        cached,
    };
    for (bytes, ended) in done {
        found.callers += 1;
        found.bytes += bytes;
        found.ended = found.ended.max(began + ended);
    }
    found
}

impl Caller {
    fn write(
        &mut self,
        begin: Instant,
        block: &[u8],
        bytes: usize,
        seconds: f64,
    ) -> io::Result<Done> {
        let mut file = File::create(&self.path)?;
        while self.written < bytes && (self.written == 0 || begin.elapsed().as_secs_f64() < seconds)
        {
            file.write_all(block)?;
            self.written += block.len();
        }
        let calls = begin.elapsed().as_secs_f64();
        file.sync_data()?;
        Ok((self.written, calls, begin.elapsed().as_secs_f64()))
    }

    fn read(&self, begin: Instant, forget: bool) -> io::Result<Done> {
        let mut file = File::open(&self.path)?;
        if forget {
            crate::advice::forget(&file)?;
        }
        let mut block = vec![0; BLOCK];
        let mut bytes = 0;
        loop {
            match file.read(&mut block)? {
                0 => break,
                count => bytes += count,
            }
        }
        let seconds = begin.elapsed().as_secs_f64();
        Ok((bytes, seconds, seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::measure;
    use std::time::Instant;

    #[test]
    fn both_directions_are_measured_with_and_without_caches() {
        let directory = tempfile::tempdir().unwrap();
        let rates = measure(directory.path(), 2, 4 << 20, 1.0, Instant::now()).unwrap();
        let found: Vec<_> = rates
            .iter()
            .map(|rate| (rate.operation, rate.cached))
            .collect();
        assert_eq!(
            found,
            [
                ("write", true),
                ("write", false),
                ("read", false),
                ("read", true)
            ]
        );
        assert!(rates
            .iter()
            .all(|rate| rate.callers == 2 && rate.bytes >= 2 << 20 && rate.ended > rate.began));
        assert!(rates[0].ended <= rates[1].ended);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
