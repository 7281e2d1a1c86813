//! Injected faults on a real mount: errors, a full disk, stalls, and switching at run time.

mod common;

use common::errno;
use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

const PLAIN: [&str; 2] = ["--profile", "zero"];

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    PLAIN.iter().chain(more).copied().collect()
}

#[test]
fn the_same_seed_strikes_the_same_opens() {
    let struck = |seed: &str| {
        let lab = common::start(1, &args(&["--fault", "eio:open:0.2", "--seed", seed]))?;
        fs::write(lab.mount().join("file"), "x").ok();
        let open = |_| errno(fs::File::open(lab.mount().join("file")));
        Some((0..100).map(open).collect::<Vec<_>>())
    };
    let Some(first) = struck("7") else { return };
    assert!(first.contains(&libc::EIO) && first.contains(&0));
    assert_eq!(Some(&first), struck("7").as_ref());
    assert_ne!(Some(&first), struck("8").as_ref());
}

#[test]
fn a_disk_fills_after_so_many_bytes() {
    let Some(lab) = common::start(1, &args(&["--fault", "enospc:write:after=1MB"])) else {
        return;
    };
    let mut file = fs::File::create(lab.mount().join("file")).unwrap();
    let chunk = vec![1u8; 100_000];
    let results: Vec<i32> = (0..12).map(|_| errno(file.write_all(&chunk))).collect();
    assert_eq!(results[..10], [0; 10]);
    assert_eq!(results[10..], [libc::ENOSPC; 2]);
    let seen = lab.wait("faults.json", |text| text.contains("\"injected\": 2"));
    assert!(seen.contains("enospc:write:after=1MB"));
    lab.wait("llite.n0.stats", |text| {
        sum(text, "write_bytes") == Some(1_000_000)
    });
}

#[test]
fn a_copy_in_the_file_system_is_counted_once_as_read_and_once_as_written() {
    let Some(lab) = common::start(1, &args(&["--set", "client.passthrough=false"])) else {
        return;
    };
    let (from, to) = (lab.mount().join("from"), lab.mount().join("to"));
    fs::write(&from, vec![1u8; 100_000]).unwrap();
    assert_eq!(fs::copy(&from, &to).unwrap(), 100_000);
    lab.wait("llite.n0.stats", |text| {
        sum(text, "write_bytes") == Some(200_000) && sum(text, "read_bytes") == Some(100_000)
    });
}

/// The sum of a counter, as Lustre writes it.
fn sum(text: &str, counter: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(counter))?;
    line.split_whitespace().nth(6)?.parse().ok()
}

#[test]
fn a_file_that_the_kernel_reads_itself_can_be_opened_after_a_fault_was_added() {
    let Some(lab) = common::start(1, &PLAIN) else {
        return;
    };
    let path = lab.mount().join("file");
    fs::write(&path, "x").unwrap();
    let _open = fs::File::open(&path).unwrap();
    lab.control("add eio:rmdir:1");
    lab.wait("faults.json", |text| text.contains("\"control_lines\": 1"));
    assert_eq!(errno(fs::File::open(&path)), 0);
}

#[test]
fn a_stalled_metadata_server_holds_operations() {
    let Some(lab) = common::start(1, &args(&["--fault", "stall:mds:at=0s,for=1500ms"])) else {
        return;
    };
    let start = Instant::now();
    fs::create_dir(lab.mount().join("dir")).unwrap();
    let held = start.elapsed();
    assert!(held > Duration::from_millis(500), "{held:?}");
    let start = Instant::now();
    fs::create_dir(lab.mount().join("next")).unwrap();
    assert!(start.elapsed() < Duration::from_millis(400));
}

#[test]
fn faults_are_switched_at_run_time() {
    let Some(lab) = common::start(1, &PLAIN) else {
        return;
    };
    let mkdir = |name: &str| errno(fs::create_dir(lab.mount().join(name)));
    assert_eq!(mkdir("a"), 0);
    lab.control("add edquot:mkdir:1");
    lab.wait("faults.json", |text| text.contains("\"control_lines\": 1"));
    assert_eq!(mkdir("b"), libc::EDQUOT);
    lab.control("clear");
    lab.wait("faults.json", |text| text.contains("\"control_lines\": 2"));
    assert_eq!(mkdir("b"), 0);
    lab.control("nonsense");
    lab.wait("faults.json", |text| {
        text.contains("neither add SPEC nor clear")
    });
}

#[test]
fn a_control_file_that_was_replaced_ends_no_watching() {
    let Some(lab) = common::start(1, &PLAIN) else {
        return;
    };
    lab.control("add edquot:mkdir:1");
    lab.wait("faults.json", |text| text.contains("\"control_lines\": 1"));
    // The place up to which it was read is now inside of a character.
    let longer = "\u{e4}".repeat(40) + "\nclear\n";
    fs::write(lab.dir.path().join("stats/control"), longer).unwrap();
    lab.wait("faults.json", |text| text.contains("\"control_lines\": 3"));
    assert_eq!(errno(fs::create_dir(lab.mount().join("a"))), 0);
}
