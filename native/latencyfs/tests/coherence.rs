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
