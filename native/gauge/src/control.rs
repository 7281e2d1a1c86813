//! Known work, the same each time: a slow machine takes longer for it as well, a slow program does not.

use serde::Serialize;
use std::fs::{self, File};
use std::hint::black_box;
use std::io;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

/// Seconds until the last thread has done its part. They mean nothing alone: compare those of one machine.
#[derive(Serialize)]
pub struct Control {
    pub threads: usize,
    pub cpu: f64,
    pub files: f64,
}

/// Steps of the generator in each thread: about half a second of a core of 2020.
const STEPS: u64 = 400_000_000;
/// Files that each thread creates, writes, looks up, opens, reads and removes: about half a second without a disk.
const FILES: usize = 10_000;
const BLOCK: usize = 4096;

/// `steps` and `files` are of each thread.
pub fn measure(directory: &Path, threads: usize) -> io::Result<Control> {
    work(directory, threads, STEPS, FILES)
}

fn work(directory: &Path, threads: usize, steps: u64, files: usize) -> io::Result<Control> {
    let cpu = together(threads, |number| {
        black_box(generated(steps, number as u64 + 1));
        Ok(())
    })?;
    let files = together(threads, |number| {
        calls(&directory.join(format!("control{number}")), files)
    })?;
    Ok(Control {
        threads,
        cpu,
        files,
    })
}

/// Each step needs the one before, so that nothing is left out or done at the same time.
fn generated(steps: u64, seed: u64) -> u64 {
    (0..steps).fold(seed, |state, step| {
        (state ^ step).wrapping_mul(6_364_136_223_846_793_005)
    })
}

fn calls(directory: &Path, files: usize) -> io::Result<()> {
    fs::create_dir(directory)?;
    let mut block = [7_u8; BLOCK];
    for number in 0..files {
        let path = directory.join(number.to_string());
        File::create(&path)?.write_all(&block)?;
        fs::metadata(&path)?;
        File::open(&path)?.read_exact(&mut block)?;
        fs::remove_file(&path)?;
    }
    fs::remove_dir(directory)
}

/// Seconds from the moment at which all threads have started until the last one has ended.
fn together(threads: usize, part: impl Fn(usize) -> io::Result<()> + Sync) -> io::Result<f64> {
    let barrier = Barrier::new(threads);
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|number| {
                let (barrier, part) = (&barrier, &part);
                scope.spawn(move || {
                    barrier.wait();
                    let begin = Instant::now();
                    part(number).map(|()| begin.elapsed().as_secs_f64())
                })
            })
            .collect();
        running.into_iter().try_fold(0.0, |longest, one| {
            Ok(one.join().expect("no thread panics")?.max(longest))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{generated, work};

    #[test]
    fn known_work_takes_time_and_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let found = work(directory.path(), 2, 10_000, 3).unwrap();
        assert!(found.threads == 2 && found.cpu > 0.0 && found.files > 0.0);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_work_is_the_same_each_time() {
        assert_eq!(generated(1000, 1), generated(1000, 1));
        assert_ne!(generated(1000, 1), generated(1001, 1));
    }

    #[test]
    fn a_directory_that_is_not_there_is_an_error() {
        assert!(work(std::path::Path::new("/nonexistent"), 1, 1, 1).is_err());
    }
}
