//! Merges counter files. Reads them by their own headers, so an older or newer layout is still understood.

use crate::json::Json;
use crate::kernel::{self, Moved};
use std::collections::BTreeMap;
use std::{fs, io, path::Path};
use weft_scratch_core::counters::{Header, MAGIC, VERSION};
use weft_scratch_core::coverage::Missed;
use weft_scratch_core::histogram::floor;

/// One operation on one class.
#[derive(Default, Clone)]
struct Sum {
    errors: u64,
    bytes: u64,
    ns: u64,
    ns_hist: Vec<u64>,
    size_hist: Vec<u64>,
}

impl Sum {
    fn count(&self) -> u64 {
        self.ns_hist.iter().sum()
    }

    fn add(&mut self, o: &Sum) {
        self.errors += o.errors;
        self.bytes += o.bytes;
        self.ns += o.ns;
        add_each(&mut self.ns_hist, &o.ns_hist);
        add_each(&mut self.size_hist, &o.size_hist);
    }
}

fn add_each(to: &mut Vec<u64>, from: &[u64]) {
    to.resize(to.len().max(from.len()), 0);
    to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
}

type Sums = BTreeMap<(String, String), Sum>;

struct Note {
    kind: &'static str,
    number: u64,
    count: u64,
    text: String,
}

struct Process {
    node: String,
    pid: u64,
    pid_space: u64,
    start: u64,
    started_wall: u64,
    program: String,
    execs: u64,
    notes_lost: u64,
    parent: u64,
    ended: bool,
    kernel: Option<Moved>,
    sums: Sums,
    notes: Vec<Note>,
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
fn read(path: &Path) -> io::Result<Option<Process>> {
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

fn sums(b: &Bytes) -> Sums {
    let n = |at: usize| b.u32(at) as usize;
    let (stripes, classes, ops) = (n(at!(stripes)), n(at!(classes)), n(at!(ops)));
    let mut all = Sums::new();
    for i in 0..stripes * classes * ops {
        let (class, op) = (i / ops % classes, i % ops);
        let slot = n(at!(slots_at)) + i * n(at!(slot_bytes));
        if b.u64(slot + 16) == 0 && b.run(slot + 24, n(at!(ns_buckets))).iter().all(|&c| c == 0) {
            continue;
        }
        let key = (b.text(at!(class_names) + class * 32, 32), b.text(at!(op_names) + op * 16, 16));
        all.entry(key).or_default().add(&slot_sum(b, slot, n(at!(ns_buckets)), n(at!(size_buckets))));
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

/// How counters are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Table,
    Json,
    /// With what the kernel counts for processes that still run, for which all of /proc is read.
    JsonWithKernel,
}

/// Prints the merged counters of a directory.
pub fn run(dir: &str, form: Form) -> io::Result<()> {
    let mut processes = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "weftcnt") {
            processes.extend(read(&path)?);
        }
    }
    if form == Form::JsonWithKernel {
        let running = kernel::running();
        for p in processes.iter_mut().filter(|p| !p.ended) {
            p.kernel = running.get(&(p.pid_space, p.pid, p.start)).copied();
        }
    }
    processes.sort_by_key(|p| (p.node.clone(), p.started_wall, p.pid));
    let mut total = Sums::new();
    for (key, sum) in processes.iter().flat_map(|p| &p.sums) {
        total.entry(key.clone()).or_default().add(sum);
    }
    match form {
        Form::Table => print_table(&processes, &total),
        Form::Json | Form::JsonWithKernel => println!("{}", to_json(&processes, &total)),
    }
    Ok(())
}

fn to_json(processes: &[Process], total: &Sums) -> String {
    let mut j = Json::default();
    j.object(None, |j| {
        j.number(Some("version"), VERSION as u64);
        j.flag("covered", processes.iter().all(|p| p.notes.is_empty() && p.notes_lost == 0));
        j.object(Some("total"), |j| put_sums(j, total));
        j.array(Some("processes"), |j| processes.iter().for_each(|p| put_process(j, p)));
    });
    j.into_text()
}

fn put_process(j: &mut Json, p: &Process) {
    j.object(None, |j| {
        j.string(Some("node"), &p.node);
        j.number(Some("pid"), p.pid);
        j.number(Some("start_ticks"), p.start);
        j.number(Some("started_ns"), p.started_wall);
        j.string(Some("program"), &p.program);
        j.number(Some("execs"), p.execs);
        j.number(Some("parent"), p.parent);
        j.flag("ended", p.ended);
        if let Some(moved) = p.kernel {
            j.number(Some("kernel_read"), moved.read);
            j.number(Some("kernel_written"), moved.written);
        }
        j.object(Some("classes"), |j| put_sums(j, &p.sums));
        j.number(Some("notes_lost"), p.notes_lost);
        j.array(Some("not_covered"), |j| p.notes.iter().for_each(|n| put_note(j, n)));
    });
}

fn put_note(j: &mut Json, n: &Note) {
    j.object(None, |j| {
        j.string(Some("kind"), n.kind);
        j.number(Some("number"), n.number);
        j.number(Some("count"), n.count);
        j.string(Some("detail"), &n.text);
    });
}

/// class -> op -> figures; histograms as [floor, count] pairs of the buckets that hold something.
fn put_sums(j: &mut Json, sums: &Sums) {
    let mut classes: Vec<&str> = sums.keys().map(|k| k.0.as_str()).collect();
    classes.dedup();
    for class in classes {
        j.object(Some(class), |j| {
            for ((_, op), sum) in sums.iter().filter(|(k, _)| k.0 == class) {
                j.object(Some(op), |j| put_sum(j, sum));
            }
        });
    }
}

fn put_sum(j: &mut Json, s: &Sum) {
    j.number(Some("count"), s.count());
    j.number(Some("errors"), s.errors);
    j.number(Some("bytes"), s.bytes);
    j.number(Some("ns"), s.ns);
    put_hist(j, "ns_hist", &s.ns_hist);
    put_hist(j, "size_hist", &s.size_hist);
}

fn put_hist(j: &mut Json, key: &str, hist: &[u64]) {
    j.array(Some(key), |j| {
        for (b, &n) in hist.iter().enumerate().filter(|(_, &n)| n > 0) {
            j.array(None, |j| {
                j.number(None, floor(b));
                j.number(None, n);
            });
        }
    });
}

fn print_table(processes: &[Process], total: &Sums) {
    println!(
        "{:<12} {:<10} {:>10} {:>8} {:>14} {:>12} {:>10}",
        "class", "op", "count", "errors", "bytes", "total ms", "mean us"
    );
    for ((class, op), s) in total {
        let (ms, mean) = (s.ns as f64 / 1e6, s.ns as f64 / 1e3 / s.count().max(1) as f64);
        println!("{class:<12} {op:<10} {:>10} {:>8} {:>14} {ms:>12.3} {mean:>10.2}", s.count(), s.errors, s.bytes);
    }
    println!("{} processes", processes.len());
    for p in processes {
        for n in &p.notes {
            println!(
                "not covered: {} (pid {}): {} {} {} times {}",
                p.program, p.pid, n.kind, n.number, n.count, n.text
            );
        }
    }
}
