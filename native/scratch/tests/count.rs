//! The counters say what strace says.

mod common;
use common::{compiled, has, text, World};
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

/// The counter of an operation on a class, from the JSON of `stats`.
fn counted(json: &str, class: &str, op: &str) -> u64 {
    let total = &json[json.find("\"total\":").unwrap()..json.find("\"processes\":").unwrap()];
    let Some(at) = total.find(&format!("\"{class}\":{{")) else { return 0 };
    let end = total[at..].find("}}").map_or(total.len(), |e| at + e);
    let label = format!("\"{op}\":{{\"count\":");
    let Some(op_at) = total[at..end].find(&label) else { return 0 };
    let digits = &total[at + op_at + label.len()..];
    digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

fn counting(classes: &str) -> World {
    let mut w = World::bare();
    let dir = w.sub("counters");
    w.set("WEFT_COUNT_DIR", dir);
    w.set("WEFT_COUNT_CLASSES", classes);
    w
}

fn stats(w: &World) -> String {
    w.tool(&["stats", w.dir.join("counters").to_str().unwrap(), "--json"])
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
        let json = stats(&w);
        for (op, calls) in SAME {
            assert_eq!(counted(&json, "work", op), sum(&expected, calls), "{op}\n{expected:?}");
        }
        // opendir opens and stats inside libc.
        assert_eq!(counted(&json, "work", "open") + 1, sum(&expected, &["open", "openat"]), "{expected:?}");
        assert_eq!(counted(&json, "work", "stat") + 1, sum(&expected, STATS), "{expected:?}");
        assert_eq!(counted(&json, "work", "dup"), 3);
        assert_eq!(counted(&json, "work", "opendir"), 1);
        assert_eq!(counted(&json, "work", "readdir"), 6);
        assert!(json.contains("\"covered\":true"), "{json}");
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
    let json = stats(&w);
    // libc's remove tries unlink before rmdir, and a transfer into the directory is its source's.
    for (op, calls) in SAME.iter().filter(|s| !["unlink", "rmdir", "transfer"].contains(&s.0)) {
        assert_eq!(counted(&json, "work", op), sum(&expected, calls), "{op}\n{expected:?}");
    }
    let opens = sum(&expected, &["open", "openat"]);
    let inside_libc = opens - counted(&json, "work", "open");
    assert!(inside_libc <= counted(&json, "work", "opendir"), "{expected:?}");
}

#[test]
fn what_cannot_be_counted_is_told() {
    let w = counting("work=/nowhere");
    let dynamic = compiled("unseen", &[]);
    let fixed = compiled("unseen", &["-static"]);
    text(w.command(dynamic).arg(&fixed).output().unwrap());
    let json = stats(&w);
    assert!(json.contains("\"covered\":false"), "{json}");
    let readv = format!("\"kind\":\"raw_syscall\",\"number\":{},\"count\":2", libc::SYS_readv);
    assert!(json.contains(&readv), "{json}");
    assert!(json.contains("\"kind\":\"io_uring\""), "{json}");
    assert!(
        json.contains(&format!(
            "\"kind\":\"static_program\",\"number\":0,\"count\":1,\"detail\":\"{}\"",
            fixed.display()
        )),
        "{json}"
    );
}

#[test]
fn streams_of_libc_are_told_where_they_matter() {
    let program = compiled("unseen", &[]);
    for (classes, told) in [("work=/etc", true), ("work=/nowhere", false)] {
        let w = counting(classes);
        text(w.command(&program).output().unwrap());
        let json = stats(&w);
        assert_eq!(json.contains("\"kind\":\"stdio_stream\",\"number\":2,\"count\":1"), told, "{json}");
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
    let before = stats(&w).matches("\"pid\":").count();
    w.shell("read -r x < /etc/passwd; exec bash -c 'read -r x < /etc/passwd; read -r x < /etc/passwd'");
    let json = stats(&w);
    assert_eq!(json.matches("\"pid\":").count(), before + 1, "exec keeps the file of its process");
    assert!(json.contains("\"execs\":2"), "{json}");
}

/// A number of the one counted process, from the JSON of `stats`.
fn of_process(json: &str, name: &str) -> Option<u64> {
    let label = format!("\"{name}\":");
    let digits = &json[json.find(&label)? + label.len()..];
    digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

#[test]
fn what_the_kernel_counted_is_kept_at_the_end_and_found_while_a_process_runs() {
    const SIZE: u64 = 1 << 20;
    let mut w = counting("work=/nowhere");
    let file = w.sub("work").join("file");
    w.set("WEFT_COUNT_CLASSES", format!("work={}", w.dir.join("work").display()));
    fs::write(&file, vec![7; SIZE as usize]).unwrap();
    let mut cat = w.command("cat").arg(&file).arg("-").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let asked = || w.tool(&["stats", w.dir.join("counters").to_str().unwrap(), "--json", "--kernel"]);
    let near = |json: &str| of_process(json, "kernel_read").is_some_and(|n| (SIZE..SIZE + SIZE / 8).contains(&n));
    while !near(&asked()) {
        thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(asked().contains("\"ended\":false"), "{}", asked());
    assert_eq!(of_process(&stats(&w), "kernel_read"), None);
    drop(cat.stdin.take());
    assert!(cat.wait().unwrap().success());
    let json = stats(&w);
    assert!(json.contains("\"ended\":true") && near(&json), "{json}");
    assert_eq!(of_process(&json, "parent"), Some(u64::from(std::process::id())), "{json}");
}
