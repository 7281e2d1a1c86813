//! Merges counter files and prints the sums.

use crate::counterfile::{read, Note, Process};
use crate::directories::{top, Report};
use crate::kernel;
use crate::sums::{ByKind, Figures, Sums};
use serde::Serialize;
use std::{fs, io};
use weft_scratch_core::classes::Classes;
use weft_scratch_core::counters::VERSION;
use weft_scratch_core::ops::Op;
use weft_scratch_core::threads::Threads;

/// What is asked of the counters of a directory.
#[derive(Default)]
pub struct Asked<'a> {
    pub dir: &'a str,
    pub json: bool,
    /// With what the kernel counts for processes that still run, for which all of /proc is read.
    pub kernel: bool,
    /// Classes that are in the total before any process has counted, as WEFT_COUNT_CLASSES has them.
    pub classes: &'a str,
    /// Kinds of thread that are, as WEFT_COUNT_THREADS has them.
    pub threads: &'a str,
}

impl<'a> Asked<'a> {
    /// None if the arguments make no sense.
    pub fn of(args: &[&'a str]) -> Option<Asked<'a>> {
        let mut asked = Asked::default();
        let mut rest = args.iter();
        while let Some(&arg) = rest.next() {
            match arg {
                "--json" => asked.json = true,
                "--kernel" => asked.kernel = true,
                "--classes" => asked.classes = rest.next()?,
                "--threads" => asked.threads = rest.next()?,
                _ if arg.starts_with('-') || !asked.dir.is_empty() => return None,
                _ => asked.dir = arg,
            }
        }
        (!asked.dir.is_empty() && (asked.json || !asked.kernel)).then_some(asked)
    }
}

/// Prints the merged counters of a directory.
pub fn run(asked: &Asked) -> io::Result<()> {
    let mut processes = processes(asked.dir)?;
    if asked.kernel {
        let running = kernel::running();
        for p in processes.iter_mut().filter(|p| !p.ended) {
            p.kernel = running.get(&(p.pid_space, p.pid, p.start)).copied();
        }
    }
    let total = Total::of(&processes, asked)?;
    if asked.json {
        println!("{}", serde_json::to_string(&Document::of(processes, total))?);
    } else {
        print_table(&processes, &total);
    }
    Ok(())
}

/// The sums of all processes.
struct Total {
    sums: Sums,
    by_kind: ByKind,
}

impl Total {
    fn of(processes: &[Process], asked: &Asked) -> io::Result<Total> {
        let mut total = Total { sums: zeroes(asked.classes)?, by_kind: zeroes_by_kind(asked)? };
        for p in processes {
            total.sums.add_all(&p.sums);
            p.by_kind.iter().for_each(|(kind, sums)| total.by_kind.entry(kind.clone()).or_default().add_all(sums));
        }
        Ok(total)
    }
}

fn processes(dir: &str) -> io::Result<Vec<Process>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "weftcnt") {
            found.extend(read(&path)?);
        }
    }
    found.sort_by_key(|p| (p.node.clone(), p.started_wall, p.pid));
    Ok(found)
}

/// Every operation on every class that a process would count, at zero: a counter's first value is known, not guessed.
fn zeroes<F: Figures>(list: &str) -> io::Result<Sums<F>> {
    let mut classes = Classes::new();
    let refused = |_| io::Error::other(format!("--classes {list:?} must be name=/directory:name=/directory"));
    classes.load(list.as_bytes(), b"").map_err(refused)?;
    let mut all = Sums::default();
    for class in classes.names().map(String::from_utf8_lossy) {
        Op::ALL.iter().for_each(|op| all.add(&class, op.name(), &F::default()));
    }
    Ok(all)
}

fn zeroes_by_kind(asked: &Asked) -> io::Result<ByKind> {
    let mut threads = Threads::new();
    let refused = |_| io::Error::other(format!("--threads {:?} must be kind=name:kind@Program=name", asked.threads));
    threads.load(asked.threads.as_bytes(), |_| true).map_err(refused)?;
    let kinds = threads.names().map(|kind| Ok((String::from_utf8_lossy(kind).into(), zeroes(asked.classes)?)));
    kinds.collect()
}

#[derive(Serialize)]
struct Document {
    version: u32,
    covered: bool,
    total: Sums,
    threads: ByKind,
    other_directories: Report,
    processes: Vec<Counted>,
}

impl Document {
    fn of(processes: Vec<Process>, total: Total) -> Document {
        Document {
            version: VERSION,
            covered: processes.iter().all(|p| p.notes.is_empty() && p.notes_lost == 0),
            total: total.sums,
            threads: total.by_kind,
            other_directories: top(processes.iter().map(|p| &p.directories)),
            processes: processes.into_iter().map(Counted::of).collect(),
        }
    }
}

/// A process; its classes without what it never did, as there may be hundreds of processes.
#[derive(Serialize)]
struct Counted {
    node: String,
    pid: u64,
    start_ticks: u64,
    started_ns: u64,
    program: String,
    execs: u64,
    parent: u64,
    ended: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_read: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_written: Option<u64>,
    classes: Sums,
    threads: ByKind,
    notes_lost: u64,
    not_covered: Vec<Note>,
}

impl Counted {
    fn of(p: Process) -> Counted {
        let by_kind = p.by_kind.into_iter().map(|(kind, sums)| (kind, sums.without_zeroes()));
        Counted {
            classes: p.sums.without_zeroes(),
            threads: by_kind.filter(|(_, sums)| !sums.0.is_empty()).collect(),
            node: p.node,
            pid: p.pid,
            start_ticks: p.start,
            started_ns: p.started_wall,
            program: p.program,
            execs: p.execs,
            parent: p.parent,
            ended: p.ended,
            kernel_read: p.kernel.map(|moved| moved.read),
            kernel_written: p.kernel.map(|moved| moved.written),
            notes_lost: p.notes_lost,
            not_covered: p.notes,
        }
    }
}

fn print_table(processes: &[Process], total: &Total) {
    println!(
        "{:<12} {:<10} {:>10} {:>8} {:>14} {:>12} {:>10}",
        "class", "op", "count", "errors", "bytes", "total ms", "mean us"
    );
    for (class, op, s) in total.sums.each().filter(|(_, _, s)| s.count() > 0) {
        let (ms, mean) = (s.ns as f64 / 1e6, s.ns as f64 / 1e3 / s.count().max(1) as f64);
        println!("{class:<12} {op:<10} {:>10} {:>8} {:>14} {ms:>12.3} {mean:>10.2}", s.count(), s.errors, s.bytes);
    }
    for (kind, sums) in &total.by_kind {
        let (calls, ns) = sums.each().fold((0, 0), |(calls, ns), (_, _, s)| (calls + s.count, ns + s.ns));
        println!("threads {kind:<10} {calls:>10} calls {:>12.3} ms", ns as f64 / 1e6);
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

#[cfg(test)]
mod tests {
    use super::{zeroes, Asked};
    use crate::sums::{Figures, Sum, Sums};
    use weft_scratch_core::ops::Op;

    #[test]
    fn arguments_stand_in_any_order_and_nonsense_is_refused() {
        let asked = Asked::of(&["--json", "dir", "--classes", "a=/b", "--kernel"]).unwrap();
        assert_eq!((asked.dir, asked.json, asked.kernel, asked.classes), ("dir", true, true, "a=/b"));
        for wrong in [&["--json"][..], &["dir", "other"], &["dir", "--classes"], &["dir", "--kernel"], &["dir", "-x"]] {
            assert!(Asked::of(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn each_operation_on_each_class_is_there_before_it_happens() {
        let all: Sums = zeroes("input=/a:scratch=/b:input=/c").unwrap();
        assert_eq!(all.0.keys().collect::<Vec<_>>(), ["input", "network", "other", "scratch", "unnamed"]);
        assert!(all.0.values().all(|ops| ops.len() == Op::ALL.len() && ops.values().all(|s| s.count() == 0)));
        assert!(zeroes::<Sum>("input").is_err());
    }
}
