//! Counter files, read by their own headers.

use crate::directories::{Directories, Visits};
use crate::kernel::Moved;
use crate::sums::{ByKind, Figures, Part, Sum, Sums};
use serde::Serialize;
use std::path::Path;
use std::{fs, io};
use weft_scratch_core::counters::{Header, MAGIC, VERSION};
use weft_scratch_core::coverage::Missed;
use weft_scratch_core::threads::NAME_BYTES;

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
    pub by_kind: ByKind,
    pub notes: Vec<Note>,
    pub directories: Directories,
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
    let (sums, by_kind) = sums(&b);
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
        sums,
        by_kind,
        notes: notes(&b),
        directories: directories(&b),
    }))
}

/// Every class and operation of the file, those that never happened too: of all threads, and of each kind.
fn sums(b: &Bytes) -> (Sums, ByKind) {
    let n = |at: usize| b.u32(at) as usize;
    let (stripes, classes, ops) = (n(at!(stripes)), n(at!(classes)), n(at!(ops)));
    let (mut all, mut by_kind) = (Sums::default(), ByKind::new());
    for i in 0..stripes * classes * ops {
        let (class, op) = (i / ops % classes, i % ops);
        let slot = n(at!(slots_at)) + i * n(at!(slot_bytes));
        let (class, op) = (b.text(at!(class_names) + class * 32, 32), b.text(at!(op_names) + op * 16, 16));
        let mut whole = Part::default();
        for kind in 0..n(at!(kinds)) {
            let (name, part) = (kind_name(b, kind), part(b, slot + kind * n(at!(kind_bytes))));
            whole.add(&part);
            if !name.is_empty() {
                by_kind.entry(name).or_default().add(&class, &op, &part);
            }
        }
        let hist = slot + n(at!(kinds)) * n(at!(kind_bytes));
        let ns_hist = b.run(hist, n(at!(ns_buckets)));
        let size_hist = b.run(hist + ns_hist.len() * 8, n(at!(size_buckets)));
        all.add(&class, &op, &Sum { errors: whole.errors, bytes: whole.bytes, ns: whole.ns, ns_hist, size_hist });
    }
    (all, by_kind)
}

fn kind_name(b: &Bytes, kind: usize) -> String {
    b.text(at!(kind_names) + kind * NAME_BYTES, NAME_BYTES)
}

fn part(b: &Bytes, at: usize) -> Part {
    Part { count: b.u64(at), errors: b.u64(at + 8), bytes: b.u64(at + 16), ns: b.u64(at + 24) }
}

/// The state of a note or a directory that is written whole.
const READY: u64 = 2;

fn notes(b: &Bytes) -> Vec<Note> {
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

fn directories(b: &Bytes) -> Directories {
    let size = b.u32(at!(directory_bytes)) as usize;
    let used = (0..b.u32(at!(directories)) as usize)
        .map(|i| b.u32(at!(directories_at)) as usize + i * size)
        .filter(|&at| b.u32(at) == READY);
    let all = used.map(|at| (b.text(at + 24, size - 24), Visits { opens: b.u64(at + 8), stats: b.u64(at + 16) }));
    Directories { named: all.collect(), elsewhere: b.u32(at!(directories_lost)) }
}
