//! Two mounts of one daemon see each other's changes, as Lustre clients do, although both cache.

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Invalidation travels beside the answers, so the other side may be late by a moment.
fn soon(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(2), "{what} not seen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn changes_of_one_mount_reach_the_other() {
    let Some(lab) = common::start(2, &["--profile", "lustre"]) else {
        return;
    };
    let (a, b) = (&lab.mounts[0], &lab.mounts[1]);
    fs::write(a.join("file"), "one").unwrap();
    assert_eq!(read(&b.join("file")), "one");

    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(a.join("file"))
        .unwrap();
    file.write_all(b" two").unwrap();
    soon("an append", || read(&b.join("file")) == "one two");
    soon("a size", || {
        fs::metadata(b.join("file")).unwrap().len() == 7
    });

    fs::write(a.join("file"), "ONE").unwrap();
    soon("an overwrite", || read(&b.join("file")) == "ONE");

    fs::rename(a.join("file"), a.join("other")).unwrap();
    soon("a rename", || {
        !b.join("file").exists() && read(&b.join("other")) == "ONE"
    });

    fs::hard_link(b.join("other"), b.join("link")).unwrap();
    use std::os::unix::fs::MetadataExt;
    soon("a link count", || {
        fs::metadata(a.join("other")).unwrap().nlink() == 2
    });

    fs::remove_file(b.join("other")).unwrap();
    soon("a removal", || !a.join("other").exists());

    fs::create_dir(a.join("dir")).unwrap();
    assert!(b.join("dir").is_dir());
    fs::write(b.join("dir/x"), "").unwrap();
    assert_eq!(fs::read_dir(a.join("dir")).unwrap().count(), 1);
}

fn listing(dir: &Path) -> Vec<String> {
    let mut lines: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| format!("{:?} {:?}", entry.file_name(), read(&entry.path())))
        .collect();
    lines.sort();
    lines
}

/// One user's changes: any of them may fail, because the others change the same few names.
fn meddle(dir: &Path, user: usize, steps: usize) {
    for step in 0..steps {
        let name = |n: usize| dir.join(format!("f{}", (step * 7 + user * 3 + n) % 5));
        let _ = match (step + user) % 5 {
            0 | 1 => fs::write(name(0), format!("{user} {step}")),
            2 => fs::rename(name(0), name(1)),
            3 => fs::remove_file(name(0)),
            _ => fs::read(name(0)).map(drop),
        };
    }
}

#[test]
fn many_users_of_both_mounts_do_not_block_and_agree_in_the_end() {
    let fast = ["--profile", "lustre", "--set", "metadata.round_trip_us=50"];
    let Some(lab) = common::start(2, &fast) else {
        return;
    };
    std::thread::scope(|scope| {
        for user in 0..6 {
            let dir = &lab.mounts[user % 2];
            scope.spawn(move || meddle(dir, user, 1_000));
        }
    });
    let want = listing(&lab.source());
    for mount in &lab.mounts {
        // A listing that is late differs from one that is wrong for good: the second is shown.
        let start = Instant::now();
        while listing(mount) != want && start.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(listing(mount), want, "{}", mount.display());
    }
}
