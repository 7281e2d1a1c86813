//! The same random calls in a served prefix and in a plain directory must give the same results.

mod common;
use common::{compiled, World, MEMORIES};
use std::path::Path;
use std::{fs, thread};

/// WEFT_TEST_LONG=1 runs for minutes instead of seconds.
fn long() -> bool {
    std::env::var_os("WEFT_TEST_LONG").is_some()
}

fn run(world: &World, program: &Path, seed: usize, steps: usize) {
    let (plain, served) = (world.dir.join(format!("{seed}.plain")), world.dir.join(format!("{seed}.served")));
    let plain_dir = world.sub("plain").join(format!("w{seed}"));
    let args = [seed.to_string(), steps.to_string()];
    let status = std::process::Command::new(program).arg(plain_dir).args(&args).arg(&plain).status().unwrap();
    assert!(status.success());
    let status = world.command(program).arg(world.prefix().join(format!("w{seed}"))).args(&args).arg(&served).status();
    assert!(status.unwrap().success());
    let (a, b) = (fs::read_to_string(&plain).unwrap(), fs::read_to_string(&served).unwrap());
    for (n, (x, y)) in a.lines().zip(b.lines()).enumerate() {
        assert_eq!(x, y, "seed {seed} line {n}: plain left, served right");
    }
    assert_eq!(a.len(), b.len());
}

#[test]
fn many_processes_at_once_agree_with_a_plain_directory() {
    let program = compiled("ops", &[]);
    let (rounds, steps) = if long() { (51, 20_000) } else { (6, 2_000) };
    let worlds = MEMORIES.map(World::served_with);
    for round in 0..rounds {
        let world = &worlds[round % worlds.len()];
        thread::scope(|s| {
            for k in 0..4 {
                let program = &program;
                s.spawn(move || run(world, program, round * 4 + k, steps));
            }
        });
        fs::remove_dir_all(world.sub("plain")).unwrap();
        world.shell("rm -rf $P/*");
        assert!(world.tool(&["index"]).contains("\"sound\":true"));
    }
}
