//! TeraSort on one node, in one process: what the node can do at most, from files to files or from memory to memory.

use crate::{advice, record, scattered::Scattered, sort};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// Bytes that are written at once: few enough to stay in a processor's cache beside the records that they are taken from.
const BUFFER: usize = 1 << 17;
/// Bytes of memory for a record that is sorted in memory: where it was, where it is, and its entry.
const ROOM: usize = 2 * record::SIZE + 40;

#[derive(Args)]
pub struct TeraSort {
    #[arg(long)]
    threads: usize,
    /// Bytes of memory that it may use.
    #[arg(long)]
    memory: usize,
    /// What is timed.
    #[arg(long)]
    between: Between,
    #[arg(long)]
    input: PathBuf,
    #[arg(long)]
    output: PathBuf,
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    partitions: u32,
    /// Both are this program's own sort.
    #[arg(long, default_value = "stock")]
    method: Method,
    #[arg(long)]
    outcome: PathBuf,
    #[arg(long, hide = true)]
    executors: Option<u32>,
}

/// Files: reading and writing count. Memory: records are read before, and written afterwards.
#[derive(Clone, Copy, ValueEnum, PartialEq)]
enum Between {
    Files,
    Memory,
}

#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    Stock,
    Raw,
}

#[derive(Serialize)]
struct Outcome {
    method: Method,
    partitions: u32,
    rows_in: usize,
    rows_out: usize,
    bytes_in: usize,
    bytes_out: usize,
    phases: Phases,
    seconds: f64,
}

#[derive(Serialize)]
struct Phases {
    read: f64,
    sort: f64,
    write: f64,
}

#[derive(Serialize)]
struct Failure {
    valid: bool,
    reason: String,
}

impl TeraSort {
    /// Sort, and leave the outcome; an error is left there as well.
    pub fn run(&self) -> io::Result<()> {
        let done = self.sorted();
        let text = match &done {
            Ok(outcome) => serde_json::to_string(outcome)?,
            Err(error) => serde_json::to_string(&Failure {
                valid: false,
                reason: error.to_string(),
            })?,
        };
        fs::write(&self.outcome, text)?;
        done.map(|_| ())
    }

    fn sorted(&self) -> io::Result<Outcome> {
        let begun = Instant::now();
        let files = Files::list(&self.input)?;
        require(
            files.bytes % record::SIZE == 0,
            format!(
                "The input {} is no multiple of the record length.",
                self.input.display()
            ),
        )?;
        let room = if self.in_memory() {
            files.bytes / record::SIZE * ROOM
        } else {
            Scattered::room(files.bytes, self.threads, self.partitions as usize)
        };
        require(
            room <= self.memory,
            format!(
                "The input needs {room} bytes of memory, more than {} of the node.",
                self.memory
            ),
        )?;
        require(
            fs::read_dir(&self.output).map_or(true, |mut files| files.next().is_none()),
            format!(
                "The output directory {} is not empty.",
                self.output.display()
            ),
        )?;
        fs::create_dir_all(&self.output)?;
        let (phases, rows) = if self.in_memory() {
            self.between_memory(&files)?
        } else {
            self.between_files(&files, begun)?
        };
        let seconds = if self.in_memory() {
            phases.sort
        } else {
            begun.elapsed().as_secs_f64()
        };
        Ok(Outcome {
            method: self.method,
            partitions: self.partitions,
            rows_in: files.bytes / record::SIZE,
            rows_out: rows,
            bytes_in: files.bytes,
            bytes_out: rows * record::SIZE,
            phases,
            seconds,
        })
    }

    fn in_memory(&self) -> bool {
        self.between == Between::Memory
    }

    /// The records are divided while they are read, and sorted while they are written.
    fn between_files(&self, files: &Files, begun: Instant) -> io::Result<(Phases, usize)> {
        let least = self.partitions as usize;
        let records = Scattered::read(files.bytes, self.threads, least, |place, from| {
            files.read(place, from)
        })?;
        let read = begun.elapsed().as_secs_f64();
        let rows = self.parts(|part, out| {
            records.sorted(records.share(part, least), |record| out.write_all(record))
        })?;
        let write = begun.elapsed().as_secs_f64() - read;
        Ok((
            Phases {
                read,
                sort: 0.0,
                write,
            },
            rows,
        ))
    }

    fn between_memory(&self, files: &Files) -> io::Result<(Phases, usize)> {
        let begun = Instant::now();
        let mut input = advice::many_pages(files.bytes);
        files.read(&mut input, 0)?;
        let mut output = advice::many_pages(input.len());
        output.fill(1); // the kernel's work for new pages is none of the sort's
        let read = begun.elapsed().as_secs_f64();
        sort::sort(&input, &mut output, self.threads);
        let sort = begun.elapsed().as_secs_f64() - read;
        let (rows, count) = (output.len() / record::SIZE, self.partitions as usize);
        let written = self.parts(|part, out| {
            let (from, to) = (rows * part / count, rows * (part + 1) / count);
            out.write_all(&output[from * record::SIZE..to * record::SIZE])?;
            Ok(to - from)
        })?;
        let write = begun.elapsed().as_secs_f64() - read - sort;
        Ok((Phases { read, sort, write }, written))
    }

    /// Write all parts, each thread the next one that is left; returns the number of rows.
    fn parts(
        &self,
        write: impl Fn(usize, &mut io::BufWriter<File>) -> io::Result<usize> + Sync,
    ) -> io::Result<usize> {
        let (next, rows) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            let work = || loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= self.partitions as usize {
                    return Ok(());
                }
                let file = File::create(self.output.join(format!("part-{part:05}")))?;
                let mut out = io::BufWriter::with_capacity(BUFFER, file);
                rows.fetch_add(write(part, &mut out)?, Ordering::Relaxed);
                out.flush()?;
            };
            let running: Vec<_> = (0..self.threads).map(|_| scope.spawn(work)).collect();
            running
                .into_iter()
                .try_for_each(|one| one.join().expect("no part panics"))
        })
        .map(|()| rows.into_inner())
    }
}

fn require(holds: bool, otherwise: String) -> io::Result<()> {
    if holds {
        Ok(())
    } else {
        Err(io::Error::other(otherwise))
    }
}

/// The files of an input, as one stretch of bytes.
struct Files {
    /// Each with the bytes before it and its own.
    files: Vec<(File, usize, usize)>,
    bytes: usize,
}

impl Files {
    /// The files of a directory in the order of their names, without those that begin with `_` or `.`.
    fn list(directory: &Path) -> io::Result<Self> {
        let mut paths: Vec<PathBuf> = fs::read_dir(directory)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?;
        paths.retain(|path| {
            let name = path
                .file_name()
                .map_or(&[][..], |name| name.as_encoded_bytes());
            !name.starts_with(b"_") && !name.starts_with(b".")
        });
        paths.sort();
        let (mut files, mut bytes) = (Vec::new(), 0);
        for path in paths {
            let length = usize::try_from(fs::metadata(&path)?.len()).map_err(io::Error::other)?;
            files.push((File::open(path)?, bytes, length));
            bytes += length;
        }
        Ok(Self { files, bytes })
    }

    /// Read the bytes from a place on.
    fn read(&self, mut into: &mut [u8], mut from: usize) -> io::Result<()> {
        let mut number = self
            .files
            .partition_point(|(_, before, own)| before + own <= from);
        while !into.is_empty() {
            let (file, before, own) = &self.files[number];
            let length = into.len().min(before + own - from);
            let (here, more) = into.split_at_mut(length);
            file.read_exact_at(here, (from - before) as u64)?;
            (into, from, number) = (more, from + length, number + 1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Between, Method, TeraSort};
    use crate::record::{generate, SIZE};
    use std::fs;
    use std::path::Path;

    fn job(folder: &Path, partitions: u32, between: Between) -> TeraSort {
        TeraSort {
            threads: 2,
            memory: 1 << 30,
            between,
            input: folder.join("in"),
            output: folder.join("out"),
            partitions,
            method: Method::Raw,
            outcome: folder.join("outcome"),
            executors: None,
        }
    }

    #[test]
    fn parts_hold_all_records_in_order_whatever_their_number() {
        for between in [Between::Files, Between::Memory] {
            for (rows, partitions) in [(20_000, 7), (1000, 1), (2, 5), (0, 2)] {
                let folder = tempfile::tempdir().unwrap();
                fs::create_dir(folder.path().join("in")).unwrap();
                let bytes = generate(rows, 9);
                let cut = rows / 3 * SIZE + usize::from(rows > 3) * 50;
                fs::write(folder.path().join("in/part-0"), &bytes[..cut]).unwrap();
                fs::write(folder.path().join("in/part-1"), &bytes[cut..]).unwrap();
                fs::write(folder.path().join("in/_x"), "no").unwrap();
                job(folder.path(), partitions, between).run().unwrap();
                let found: Vec<u8> = (0..partitions)
                    .flat_map(|part| {
                        fs::read(folder.path().join(format!("out/part-{part:05}"))).unwrap()
                    })
                    .collect();
                let mut expected: Vec<&[u8]> = bytes.chunks(SIZE).collect();
                expected.sort();
                assert_eq!(found, expected.concat());
                let outcome = fs::read_to_string(folder.path().join("outcome")).unwrap();
                assert!(
                    outcome.contains(&format!("\"rows_out\":{rows}")),
                    "{outcome}"
                );
            }
        }
    }

    #[test]
    fn a_broken_record_a_full_output_and_too_little_memory_are_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        let reason = |job: &TeraSort| {
            let error = job.run().unwrap_err().to_string();
            assert!(fs::read_to_string(&job.outcome)
                .unwrap()
                .contains("\"valid\":false"));
            error
        };
        fs::write(folder.path().join("in/part-0"), vec![0; 150]).unwrap();
        let mut job = job(folder.path(), 2, Between::Files);
        assert!(reason(&job).contains("no multiple of the record length"));
        fs::write(folder.path().join("in/part-0"), vec![0; 200]).unwrap();
        job.memory = 100;
        assert!(reason(&job).contains("bytes of memory"));
        job.memory = 1 << 20;
        fs::create_dir(folder.path().join("out")).unwrap();
        fs::write(folder.path().join("out/part-00000"), "").unwrap();
        assert!(reason(&job).contains("is not empty"));
    }
}
