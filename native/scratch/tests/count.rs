//! The counters say what strace says.

mod common;
use common::{compiled, has, text, World};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, thread};

type Counts = BTreeMap<String, u64>;

/// Runs a counted program under strace and answers the calls that name `dir`, as strace saw them.
fn straced(world: &World, program: &str, args: &[&Path], dir: &Path) -> Counts {
    let trace = world.dir.join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-s", "4096", "-o"]).arg(&trace);
    for (name, value) in &world.vars {
        strace.arg("-E").arg(format!("{name}={}", value.display()));
    }
    text(strace.arg(program).args(args).output().unwrap());
    let dir = dir.to_str().unwrap();
    let mut counts = Counts::new();
    for line in fs::read_to_string(trace).unwrap().lines() {
        let call = line.split_once(' ').map_or("", |l| l.1.trim_start());
        // A call cut in two has its arguments in the first part.
        if let (Some((name, args)), false) = (call.split_once('('), call.starts_with('<')) {
            if args.contains(dir) && !name.contains("execve") {
                *counts.entry(name.to_string()).or_default() += 1;
            }
        }
    }
    counts
}

fn sum(counts: &Counts, names: &[&str]) -> u64 {
    names.iter().filter_map(|n| counts.get(*n)).sum()
}

/// The counter of an operation on a class, from what `stats` reports; it is there, zero or not.
fn counted(reported: &Value, class: &str, op: &str) -> u64 {
    reported["total"][class][op]["count"].as_u64().unwrap_or_else(|| panic!("no {op} on {class} in {reported}"))
}

fn counting(classes: &str) -> World {
    let mut w = World::bare();
    let dir = w.sub("counters");
    w.set("WEFT_COUNT_DIR", dir);
    w.set("WEFT_COUNT_CLASSES", classes);
    w
}

fn stats(w: &World) -> Value {
    let classes = w.vars.iter().rfind(|v| v.0 == "WEFT_COUNT_CLASSES").unwrap();
    asked(w, &["--classes", classes.1.to_str().unwrap()])
}

fn asked(w: &World, more: &[&str]) -> Value {
    let dir = w.dir.join("counters");
    serde_json::from_str(&w.tool(&[&["stats", dir.to_str().unwrap(), "--json"], more].concat())).unwrap()
}

/// What some process could not count, of one kind.
fn not_covered<'t>(reported: &'t Value, kind: &str) -> Vec<&'t Value> {
    let processes = reported["processes"].as_array().unwrap();
    let notes = processes.iter().flat_map(|p| p["not_covered"].as_array().unwrap());
    notes.filter(|note| note["kind"] == kind).collect()
}

const STATS: &[&str] = &["stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat", "faccessat2"];

/// Operation of ours against the system calls it stands for.
const SAME: &[(&str, &[&str])] = &[
    ("write", &["write", "pwrite64", "writev", "pwritev"]),
    ("read", &["read", "pread64", "readv", "preadv"]),
    ("seek", &["lseek"]),
    ("rename", &["rename", "renameat", "renameat2"]),
    ("unlink", &["unlink", "unlinkat"]),
    ("mkdir", &["mkdir", "mkdirat"]),
    ("rmdir", &["rmdir"]),
    ("truncate", &["ftruncate", "truncate"]),
    ("sync", &["fsync", "fdatasync"]),
    ("transfer", &["sendfile", "copy_file_range", "splice"]),
    ("mmap", &["mmap"]),
    ("close", &["close"]),
];

#[test]
fn a_c_program_counts_as_strace_counts_it() {
    if !has("strace") {
        return;
    }
    let program = compiled("calls", &["-ldl"]);
    for old in [false, true] {
        let mut w = counting("work=/nowhere");
        let work = w.sub("work");
        w.set("WEFT_COUNT_CLASSES", format!("work={}", work.display()));
        // The second argument asks for the retired spelling of stat as well.
        let args: &[&Path] = if old { &[&work, Path::new("old")] } else { &[&work] };
        let expected = straced(&w, program.to_str().unwrap(), args, &work);
        let reported = stats(&w);
        for (op, calls) in SAME {
            assert_eq!(counted(&reported, "work", op), sum(&expected, calls), "{op}\n{expected:?}");
        }
        // opendir opens and stats inside libc.
        assert_eq!(counted(&reported, "work", "open") + 1, sum(&expected, &["open", "openat"]), "{expected:?}");
        assert_eq!(counted(&reported, "work", "stat") + 1, sum(&expected, STATS), "{expected:?}");
        assert_eq!(counted(&reported, "work", "dup"), 3);
        assert_eq!(counted(&reported, "work", "opendir"), 1);
        assert_eq!(counted(&reported, "work", "readdir"), 6);
        assert_eq!(reported["covered"], true, "{reported}");
    }
}

#[test]
fn java_counts_as_strace_counts_it() {
    if !has("strace") || !has("java") {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/SparkLike.java");
    let mut w = counting("work=/nowhere");
    let work = w.sub("work");
    w.set("WEFT_COUNT_CLASSES", format!("work={}", work.display()));
    let expected = straced(&w, "java", &[&source, &work], &work);
    let reported = stats(&w);
    // libc's remove tries unlink before rmdir, and a transfer into the directory is its source's.
    for (op, calls) in SAME.iter().filter(|s| !["unlink", "rmdir", "transfer"].contains(&s.0)) {
        assert_eq!(counted(&reported, "work", op), sum(&expected, calls), "{op}\n{expected:?}");
    }
    let opens = sum(&expected, &["open", "openat"]);
    let inside_libc = opens - counted(&reported, "work", "open");
    assert!(inside_libc <= counted(&reported, "work", "opendir"), "{expected:?}");
}

#[test]
fn what_cannot_be_counted_is_told() {
    let w = counting("work=/nowhere");
    let dynamic = compiled("unseen", &[]);
    let fixed = compiled("unseen", &["-static"]);
    text(w.command(dynamic).arg(&fixed).output().unwrap());
    let reported = stats(&w);
    assert_eq!(reported["covered"], false, "{reported}");
    let raw = not_covered(&reported, "raw_syscall");
    assert!(raw.iter().any(|note| note["number"] == libc::SYS_readv && note["count"] == 2), "{reported}");
    assert_eq!(not_covered(&reported, "io_uring").len(), 1, "{reported}");
    let fixed = serde_json::json!({"kind": "static_program", "number": 0, "count": 1, "detail": fixed});
    assert_eq!(not_covered(&reported, "static_program"), [&fixed]);
}

#[test]
fn streams_of_libc_are_told_where_they_matter() {
    let program = compiled("unseen", &[]);
    for (classes, reported) in [("work=/etc", true), ("work=/nowhere", false)] {
        let w = counting(classes);
        text(w.command(&program).output().unwrap());
        let now = stats(&w);
        let mut notes = not_covered(&now, "stdio_stream").into_iter();
        assert_eq!(notes.any(|note| note["number"] == 3 && note["count"] == 1), reported, "{now}");
    }
}

#[test]
fn counters_survive_kill_and_exec_and_are_read_meanwhile() {
    let w = counting("work=/etc");
    let mut victim = w.command("bash");
    let mut victim = victim.args(["-c", "while :; do read -r line < /etc/passwd; done"]).spawn().unwrap();
    let mut last = 0;
    for _ in 0..3 {
        // Reading never disturbs the writer; the figure only ever grows.
        while counted(&stats(&w), "work", "open") <= last {
            thread::sleep(std::time::Duration::from_millis(20));
        }
        last = counted(&stats(&w), "work", "open");
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(counted(&stats(&w), "work", "open") >= last);
    let before = stats(&w)["processes"].as_array().unwrap().len();
    w.shell("read -r x < /etc/passwd; exec bash -c 'read -r x < /etc/passwd; read -r x < /etc/passwd'");
    let reported = stats(&w);
    let processes = reported["processes"].as_array().unwrap();
    assert_eq!(processes.len(), before + 1, "exec keeps the file of its process");
    assert!(processes.iter().any(|p| p["execs"] == 2), "{reported}");
}

#[test]
fn what_the_kernel_counted_is_kept_at_the_end_and_found_while_a_process_runs() {
    const SIZE: u64 = 1 << 20;
    let mut w = counting("work=/nowhere");
    let file = w.sub("work").join("file");
    w.set("WEFT_COUNT_CLASSES", format!("work={}", w.dir.join("work").display()));
    fs::write(&file, vec![7; SIZE as usize]).unwrap();
    let mut cat = w.command("cat").arg(&file).arg("-").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let meanwhile = || asked(&w, &["--kernel"]);
    let near = |reported: &Value| {
        reported["processes"][0]["kernel_read"].as_u64().is_some_and(|n| (SIZE..SIZE + SIZE / 8).contains(&n))
    };
    while !near(&meanwhile()) {
        thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(meanwhile()["processes"][0]["ended"], false);
    assert_eq!(stats(&w)["processes"][0]["kernel_read"], Value::Null);
    drop(cat.stdin.take());
    assert!(cat.wait().unwrap().success());
    let reported = stats(&w);
    assert!(reported["processes"][0]["ended"] == true && near(&reported), "{reported}");
    assert_eq!(reported["processes"][0]["parent"], std::process::id(), "{reported}");
}

#[test]
fn a_counter_is_zero_before_it_counts() {
    let w = counting("work=/etc:never=/nowhere");
    let before = stats(&w);
    assert!(before["processes"].as_array().unwrap().is_empty());
    w.shell("read -r line < /etc/passwd");
    let after = stats(&w);
    for class in ["work", "never", "other", "unnamed"] {
        let names =
            |reported: &Value| reported["total"][class].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&before), names(&after));
        assert_eq!(counted(&before, class, "open"), 0);
    }
    // Without being given the classes, they are known once a process has counted.
    assert_eq!(asked(&w, &[]), after);
    assert_eq!((counted(&after, "work", "open"), counted(&after, "never", "open")), (1, 0));
    let own = after["processes"][0]["classes"].as_object().unwrap();
    assert!(own.contains_key("work") && !own.contains_key("never"), "{after}");
}

const KINDS: &str = "task@kinds=Executor task :server=rpc-:collector@java=GC Thread#";

/// Opens of a file of the class `work` by threads of a kind.
fn opened(reported: &Value, kind: &str) -> u64 {
    reported["threads"][kind]["work"]["open"]["count"].as_u64().unwrap_or_else(|| panic!("no {kind} in {reported}"))
}

#[test]
fn calls_are_told_apart_by_what_their_thread_is_for() {
    let program = compiled("kinds", &["-lpthread"]);
    let named = program.file_name().unwrap().to_str().unwrap();
    let mut w = counting("work=/etc");
    w.set("WEFT_COUNT_THREADS", KINDS.replace("@kinds", &format!("@{named}")));
    let before = asked(&w, &["--classes", "work=/etc", "--threads", KINDS]);
    assert_eq!(["task", "server", "collector", "other"].map(|kind| opened(&before, kind)), [0; 4]);
    text(w.command(&program).output().unwrap());
    let reported = stats(&w);
    assert_eq!((opened(&reported, "task"), opened(&reported, "collector")), (50, 0));
    let server = opened(&reported, "server") - 7;
    assert!((1000 - 256..1000).contains(&server), "{server}");
    assert_eq!(opened(&reported, "other"), 4 + 3 + 1001 - server);
    for figure in ["count", "errors", "bytes", "ns"] {
        let kinds = reported["threads"].as_object().unwrap().values();
        let sum: u64 = kinds.map(|sums| sums["work"]["open"][figure].as_u64().unwrap()).sum();
        assert_eq!(reported["total"]["work"]["open"][figure], sum, "{figure}");
    }
    let own = reported["processes"][0]["threads"].as_object().unwrap();
    assert!(own.contains_key("task") && !own.contains_key("collector"), "{reported}");
}

#[test]
fn a_rule_for_another_program_does_not_apply() {
    let program = compiled("kinds", &["-lpthread"]);
    let mut w = counting("work=/etc");
    w.set("WEFT_COUNT_THREADS", KINDS);
    text(w.command(&program).output().unwrap());
    assert_eq!(opened(&stats(&w), "task"), 0);
}
