//! A sort of records by all threads from files to files: read, sort, write, sync.

use crate::{advice, record, sort};
use serde::Serialize;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

/// One sort, without the generation of its input.
#[derive(Serialize)]
pub struct Sorted {
    pub bytes: usize,
    /// Seconds since the moment from which all nodes measure.
    pub began: f64,
    pub ended: f64,
}

/// Sort `bytes` of records.
pub fn measure(
    directory: &Path,
    threads: usize,
    bytes: usize,
    zero: Instant,
) -> io::Result<Sorted> {
    let count = bytes / record::SIZE;
    let each = count.div_ceil(threads).max(1);
    let sizes: Vec<usize> = (0..threads)
        .map(|part| (count.min((part + 1) * each) - count.min(part * each)) * record::SIZE)
        .collect();
    for (part, size) in sizes.iter().enumerate() {
        let file = File::create(name(directory, "in", part))?;
        file.write_all_at(&record::generate(size / record::SIZE, part as u64), 0)?;
        file.sync_data()?;
        advice::forget(&file)?;
    }
    let began = zero.elapsed().as_secs_f64();
    let mut input = vec![0; sizes.iter().sum()];
    parallel(directory, split(&mut input, &sizes), |path, part| {
        File::open(path("in"))?.read_exact_at(part, 0)
    })?;
    let mut output = vec![0; input.len()];
    sort::sort(&input, &mut output, threads);
    parallel(directory, split(&mut output, &sizes), |path, part| {
        let file = File::create(path("out"))?;
        file.write_all_at(part, 0)?;
        file.sync_data()
    })?;
    let ended = zero.elapsed().as_secs_f64();
    for part in 0..threads {
        fs::remove_file(name(directory, "in", part))?;
        fs::remove_file(name(directory, "out", part))?;
    }
    Ok(Sorted {
        bytes: input.len(),
        began,
        ended,
    })
}

fn name(directory: &Path, kind: &str, part: usize) -> PathBuf {
    directory.join(format!("{kind}{part}"))
}

fn split<'a>(mut bytes: &'a mut [u8], sizes: &[usize]) -> Vec<&'a mut [u8]> {
    let mut parts = Vec::new();
    for size in sizes {
        let (part, rest) = bytes.split_at_mut(*size);
        parts.push(part);
        bytes = rest;
    }
    parts
}

fn parallel(
    directory: &Path,
    parts: Vec<&mut [u8]>,
    work: impl Fn(&dyn Fn(&str) -> PathBuf, &mut [u8]) -> io::Result<()> + Sync,
) -> io::Result<()> {
    thread::scope(|scope| {
        let running: Vec<_> = parts
            .into_iter()
            .enumerate()
            .map(|(number, part)| {
                let work = &work;
                scope.spawn(move || work(&|kind| name(directory, kind, number), part))
            })
            .collect();
        running
            .into_iter()
            .try_for_each(|one| one.join().expect("no thread panics"))
    })
}

#[cfg(test)]
mod tests {
    use super::measure;
    use std::time::Instant;

    #[test]
    fn records_are_sorted_from_files_to_files_and_nothing_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let sorted = measure(directory.path(), 3, 1_000_000, Instant::now()).unwrap();
        assert!(sorted.bytes == 1_000_000 && sorted.ended > sorted.began);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
