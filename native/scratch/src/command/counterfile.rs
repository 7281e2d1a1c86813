//! Counter files, read by their own headers.

use crate::kernel::Moved;
use crate::sums::{Sum, Sums};
use serde::Serialize;
use std::path::Path;
use std::{fs, io};
use weft_scratch_core::counters::{Header, MAGIC, VERSION};
use weft_scratch_core::coverage::Missed;

/// Something that could not be counted.
#[derive(Serialize)]
pub struct Note {
    pub kind: &'static str,
    pub number: u64,
    pub count: u64,
    #[serde(rename = "detail")]
    pub text: String,
}

/// What one process counted.
pub struct Process {
    pub node: String,
    pub pid: u64,
    pub pid_space: u64,
    pub start: u64,
    pub started_wall: u64,
    pub program: String,
    pub execs: u64,
    pub notes_lost: u64,
    pub parent: u64,
    pub ended: bool,
    pub kernel: Option<Moved>,
    pub sums: Sums,
    pub notes: Vec<Note>,
}

/// Reads numbers out of one file's bytes; what lies outside is zero.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn u32(&self, at: usize) -> u64 {
        self.0.get(at..at + 4).map_or(0, |b| u32::from_le_bytes(b.try_into().unwrap_or_default()) as u64)
    }

    fn u64(&self, at: usize) -> u64 {
        self.0.get(at..at + 8).map_or(0, |b| u64::from_le_bytes(b.try_into().unwrap_or_default()))
    }

    fn text(&self, at: usize, len: usize) -> String {
        let b = self.0.get(at..at + len).unwrap_or(b"");
        let end = b.iter().position(|&c| c == 0).unwrap_or(b.len());
        String::from_utf8_lossy(&b[..end]).into_owned()
    }

    fn run(&self, at: usize, n: usize) -> Vec<u64> {
        (0..n).map(|i| self.u64(at + i * 8)).collect()
    }
}

macro_rules! at {
    ($field:ident) => {
        std::mem::offset_of!(Header, $field)
    };
}

/// The process of one file, or none if the file is not (yet) a counter file of a known version.
pub fn read(path: &Path) -> io::Result<Option<Process>> {
    let bytes = fs::read(path)?;
    let b = Bytes(&bytes);
    if b.u64(0) != MAGIC || b.u32(at!(version)) != VERSION as u64 {
        return Ok(None);
    }
    let ended = b.u32(at!(ended)) != 0;
    let moved = Moved { read: b.u64(at!(kernel_read)), written: b.u64(at!(kernel_written)) };
    Ok(Some(Process {
        node: b.text(at!(node), 64),
        pid: b.u32(at!(pid)),
        pid_space: b.u64(at!(pid_space)),
        start: b.u64(at!(start)),
        started_wall: b.u64(at!(started_wall)),
        program: b.text(at!(program), 256),
        execs: b.u32(at!(execs)),
        notes_lost: b.u32(at!(notes_lost)),
        parent: b.u32(at!(parent)),
        ended,
        kernel: ended.then_some(moved),
        sums: sums(&b),
        notes: notes(&b),
    }))
}

/// Every class and operation of the file, those that never happened too.
fn sums(b: &Bytes) -> Sums {
    let n = |at: usize| b.u32(at) as usize;
    let (stripes, classes, ops) = (n(at!(stripes)), n(at!(classes)), n(at!(ops)));
    let mut all = Sums::default();
    for i in 0..stripes * classes * ops {
        let (class, op) = (i / ops % classes, i % ops);
        let slot = n(at!(slots_at)) + i * n(at!(slot_bytes));
        let (class, op) = (b.text(at!(class_names) + class * 32, 32), b.text(at!(op_names) + op * 16, 16));
        all.add(&class, &op, &slot_sum(b, slot, n(at!(ns_buckets)), n(at!(size_buckets))));
    }
    all
}

fn slot_sum(b: &Bytes, slot: usize, ns: usize, sizes: usize) -> Sum {
    Sum {
        errors: b.u64(slot),
        bytes: b.u64(slot + 8),
        ns: b.u64(slot + 16),
        ns_hist: b.run(slot + 24, ns),
        size_hist: b.run(slot + 24 + ns * 8, sizes),
    }
}

fn notes(b: &Bytes) -> Vec<Note> {
    const READY: u64 = 2;
    let size = b.u32(at!(note_bytes)) as usize;
    (0..b.u32(at!(notes)) as usize)
        .map(|i| b.u32(at!(notes_at)) as usize + i * size)
        .filter(|&at| b.u32(at) == READY)
        .map(|at| Note {
            kind: Missed::name(b.u32(at + 4) as u32),
            number: b.u64(at + 8),
            count: b.u64(at + 16),
            text: b.text(at + 24, size - 24),
        })
        .collect()
}
