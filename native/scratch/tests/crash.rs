//! Writers killed at random points: every byte that can be read afterwards is the right one.

mod common;
use common::{compiled, text, World, MEMORIES};
use std::path::Path;
use std::process::Child;
use std::time::Duration;
use std::{fs, thread};

fn pause(seed: u64) -> Duration {
    Duration::from_millis(5 + seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) % 120)
}

fn check(world: &World, program: &Path) -> String {
    text(world.command(program).arg("check").arg(world.prefix()).output().unwrap())
}

fn start(world: &World, program: &Path, seed: u64) -> Child {
    world.command(program).arg("write").arg(world.prefix()).arg(seed.to_string()).spawn().unwrap()
}

#[test]
fn nothing_read_after_a_kill_is_wrong() {
    let program = compiled("crash", &["-O2"]);
    let rounds = if std::env::var_os("WEFT_TEST_LONG").is_some() { 60 } else { 5 };
    MEMORIES.iter().for_each(|memory| kill_and_look(&World::served_with(memory), &program, rounds));
}

fn kill_and_look(world: &World, program: &Path, rounds: u64) {
    for round in 0..rounds {
        let mut writers: Vec<Child> = (0..3).map(|k| start(world, program, round * 3 + k + 1)).collect();
        thread::sleep(pause(round));
        for (k, w) in writers.iter_mut().enumerate() {
            w.kill().unwrap();
            // The others still write while the reader looks.
            thread::sleep(pause(round * 7 + k as u64) / 4);
        }
        check(world, program);
        for w in &mut writers {
            w.wait().unwrap();
        }
        check(world, program);
        let reported = world.tool(&["index"]);
        assert!(reported.contains("\"sound\":true"), "round {round}: {reported}");
        world.shell("find $P -type f -delete; find $P -mindepth 1 -type d -delete");
    }
    let reported = world.tool(&["index"]);
    assert!(reported.contains("\"live_bytes\":0,"), "{reported}");
    assert!(reported.contains("\"memory_bytes\":0,"), "{reported}");
    assert_eq!(fs::read_dir(world.dir.join("store")).unwrap().count(), 0, "space of dead processes comes back");
}
