//! The file exerciser on a mount, with and without caches, by several users at once.

mod common;

use fsx::exercise::{run, Plan};

fn exercise(args: &[&str], ops: u64) {
    let Some(lab) = common::start(1, args) else {
        return;
    };
    std::thread::scope(|scope| {
        for user in 0..3u64 {
            let path = lab.mount().join(format!("file{user}"));
            scope.spawn(move || {
                let plan = Plan::new(ops, 100 + user, 200_000, &[]).unwrap();
                println!("{}", run(&path, &plan).unwrap());
            });
        }
    });
}

#[test]
fn with_kernel_passthrough() {
    exercise(&["--profile", "zero"], 2_000);
}

#[test]
fn through_the_daemon_with_a_page_cache() {
    exercise(
        &["--profile", "zero", "--set", "client.passthrough=false"],
        2_000,
    );
}

#[test]
fn without_any_cache() {
    let args = [
        "--profile",
        "zero",
        "--set",
        "client.page_cache=false",
        "--set",
        "client.attr_timeout_us=0",
    ];
    exercise(&args, 2_000);
}

#[test]
fn with_the_lustre_profile() {
    exercise(&["--profile", "lustre"], 1_000);
}
