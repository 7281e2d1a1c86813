//! The command line: exit codes, messages, signals, the death of the parent.

mod common;

use common::program;
use std::process::Command;
use std::time::{Duration, Instant};

fn fails(args: &[&str], code: i32, part: &str) {
    let out = program().args(args).output().unwrap();
    let message = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{message}");
    assert!(message.contains(part), "{message}");
}

#[test]
fn mistakes_are_named_and_exit_with_2() {
    fails(&[], 2, "--source DIR is missing");
    fails(
        &["--source", "/", "--mountpoint", "/no/such"],
        2,
        "is not a directory",
    );
    let base = ["--source", "/tmp", "--mountpoint", "/tmp"];
    let with = |more: &[&'static str]| [&base[..], more].concat();
    fails(&with(&["--profile", "lustr"]), 2, "did you mean \"lustre\"");
    fails(
        &with(&["--set", "metadata.rat=1"]),
        2,
        "did you mean \"metadata.rate\"",
    );
    fails(&with(&["--fault", "eio:opn:1"]), 2, "unknown operation");
    fails(&["--nonsense"], 2, "unexpected argument");
}

#[test]
fn profiles_are_printed_with_sources() {
    let out = program().args(["profiles", "--json"]).output().unwrap();
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("\"source\"") && text.contains("\"metadata.rate\""));
}

fn mounted(dir: &std::path::Path) -> bool {
    let table = std::fs::read_to_string("/proc/self/mounts").unwrap();
    table.contains(&format!(" {} ", dir.display()))
}

#[test]
fn signals_unmount_and_exit_with_0_even_in_use() {
    for signal in [libc::SIGTERM, libc::SIGINT] {
        let Some(mut lab) = common::start(2, &["--profile", "zero"]) else {
            return;
        };
        assert!(lab.mounts.iter().all(|dir| mounted(dir)));
        let _in_use = std::fs::File::create(lab.mount().join("file")).unwrap();
        assert_eq!(lab.stop(signal), Some(0));
        assert!(!lab.mounts.iter().any(|dir| mounted(dir)));
        assert!(lab.stats("llite.n0.stats").contains("create "));
    }
}

#[test]
fn the_death_of_the_parent_unmounts() {
    let Some(lab) = common::start(1, &["--profile", "zero"]) else {
        return;
    };
    let dir = lab.plain();
    let line = format!(
        "{} --source {} --mountpoint {} --profile zero & sleep 0.5",
        env!("CARGO_BIN_EXE_latencyfs"),
        lab.source().display(),
        dir.display()
    );
    let shell = Command::new("sh").args(["-c", &line]).status();
    assert!(shell.unwrap().success());
    let start = Instant::now();
    while mounted(&dir) {
        assert!(start.elapsed() < Duration::from_secs(5), "still mounted");
        std::thread::sleep(Duration::from_millis(20));
    }
}
