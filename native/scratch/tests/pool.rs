//! The read pool, by programs that read the same input in every way.

mod common;
use common::{compiled, has, text, World};
use std::process::Command;
use std::{fs, iter};

fn pooled() -> (World, std::path::PathBuf) {
    let mut w = World::bare();
    let input = w.sub("input");
    let digits: Vec<u8> = iter::repeat_n(b"0123456789", 5000).flatten().copied().collect();
    fs::write(input.join("table"), digits).unwrap();
    w.set("WEFT_POOL_PREFIXES", &input);
    (w, input.join("table"))
}

#[test]
fn pooled_inputs_are_opened_once() {
    let mut w = World::bare();
    let input = w.sub("input");
    fs::write(input.join("table"), iter::repeat_n(b"0123456789", 5000).flatten().copied().collect::<Vec<u8>>())
        .unwrap();
    w.set("WEFT_POOL_PREFIXES", &input);
    let program = compiled("pool", &["-lpthread"]);
    assert_eq!(text(w.command(&program).arg(input.join("table")).output().unwrap()), "OK\n");
    if has("strace") {
        let trace = w.dir.join("trace");
        let mut strace = Command::new("strace");
        strace.args(["-f", "-o"]).arg(&trace);
        for (k, v) in &w.vars {
            strace.arg("-E").arg(format!("{k}={}", v.display()));
        }
        text(strace.arg(&program).arg(input.join("table")).output().unwrap());
        let trace = fs::read_to_string(trace).unwrap();
        let opens =
            trace.lines().filter(|l| l.contains("openat(") && l.contains("input/table") && l.contains("O_RDONLY"));
        // Once at first, and once more after the file was changed.
        assert_eq!(opens.count(), 2);
    }
    if has("python3") {
        let script = "import sys,subprocess;f=open(sys.argv[1],'rb');f.read(10) if 0 else None;
print(subprocess.run(['head','-c','4'],stdin=open(sys.argv[1],'rb'),capture_output=True).stdout)";
        let mut python = w.command("python3");
        assert_eq!(text(python.args(["-c", script]).arg(input.join("table")).output().unwrap()), "b'0123'\n");
    }
}

#[test]
fn what_a_process_changes_is_pooled_no_longer() {
    let mut w = World::bare();
    let input = w.sub("input");
    w.set("WEFT_POOL_PREFIXES", &input);
    assert_eq!(text(w.command(compiled("poolchanges", &[])).arg(&input).output().unwrap()), "OK\n");
}

#[test]
fn a_child_that_closes_nothing_uses_no_pooled_file_up() {
    let mut w = World::bare();
    let input = w.sub("input");
    fs::write(input.join("table"), "0123456789").unwrap();
    w.set("WEFT_POOL_PREFIXES", &input);
    let printed = text(w.command(compiled("poolforks", &[])).arg(input.join("table")).output().unwrap());
    assert!(["OK\n", "no limit\n"].contains(&&*printed), "{printed}");
}

#[test]
fn forks_and_threads_that_open_files_at_once() {
    let (w, table) = pooled();
    // What it would find may be that all of them wait.
    let mut timed = w.command("timeout");
    timed.arg("300").arg(compiled("poolraces", &["-lpthread"])).arg(table);
    assert_eq!(text(timed.output().unwrap()), "OK\n");
}

#[test]
fn a_handler_that_forks_within_a_fork_waits_for_nobody() {
    let (w, table) = pooled();
    let mut timed = w.command("timeout");
    timed.arg("30").arg(compiled("nestedforks", &["-lpthread"])).arg(table);
    assert_eq!(text(timed.output().unwrap()), "012\n");
}

#[test]
fn a_pooled_file_may_become_standard_input() {
    let (w, table) = pooled();
    fs::write(&table, "one two\nthree\n").unwrap();
    let program = compiled("standard", &[]);
    let expected = text(Command::new(&program).arg(&table).output().unwrap());
    assert_eq!(text(w.command(&program).arg(&table).output().unwrap()), expected);
}
