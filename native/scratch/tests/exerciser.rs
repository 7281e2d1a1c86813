//! The workspace's fsx on a served prefix: random operations on a file, each checked against memory.

mod common;
use common::{cargo, text, World, MEMORIES};
use std::path::PathBuf;

/// The fsx program of this workspace, built in the profile of this test.
fn fsx() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let profile = exe.parent().unwrap().parent().unwrap().to_owned();
    let mut cargo = cargo();
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    cargo
        .args(["build", "--quiet", "-p", "fsx", "--manifest-path", manifest, "--target-dir"])
        .arg(profile.parent().unwrap());
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    text(cargo.output().unwrap());
    profile.join("fsx")
}

/// Two processes, each with another that maps its file. WEFT_TEST_LONG=1 makes it two million operations.
#[test]
fn fsx_agrees() {
    let program = fsx();
    let (seeds, ops) = if std::env::var_os("WEFT_TEST_LONG").is_some() { (10, "100000") } else { (3, "1500") };
    for seed in 1..=seeds {
        let w = World::served_with(MEMORIES[seed % MEMORIES.len()]);
        let mut c = w.command(&program);
        c.arg("--path").arg(w.prefix().join("f")).args(["--processes", "2", "--ops", ops]);
        c.args(["--seed", &(10 * seed).to_string(), "--max-size", ["262144", "3000000"][seed % 2]]);
        println!("{}", text(c.output().unwrap()));
        let reported = w.tool(&["index"]);
        assert!(reported.contains("\"sound\":true") && reported.contains("\"live_bytes\":0,"), "{reported}");
    }
}
