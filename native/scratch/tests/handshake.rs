//! The handshake: every program that loads the library reports it, and what each executes is known before.

mod common;

use common::{unshares, World};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A line: the event, the process, the jobs, the command, the program's name.
type Line = (String, String, String, String, String);

fn world() -> World {
    let mut w = World::served();
    w.set("WEFT_HANDSHAKE", w.dir.join("handshake"));
    w.set("WEFT_COMMAND", "worker");
    w
}

fn lines(w: &World) -> Vec<Line> {
    let text = fs::read_to_string(w.dir.join("handshake")).unwrap_or_default();
    let line = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!(fields.len(), 7, "{line}");
        let name = Path::new(fields[6]).file_name().unwrap().to_str().unwrap();
        (fields[0].to_owned(), fields[1..4].join(" "), fields[4].to_owned(), fields[5].to_owned(), name.to_owned())
    };
    text.lines().map(line).collect()
}

fn reported(w: &World, what: &str) -> Vec<String> {
    lines(w).into_iter().filter(|l| l.0 == what).map(|l| l.4).collect()
}

#[test]
fn each_program_reports_that_it_started_with_its_jobs_and_its_command() {
    let mut w = world();
    w.set("WEFT_COUNT_DIR", w.sub("counters"));
    assert!(w.command("true").status().unwrap().success());
    let (what, _, jobs, command, program) = lines(&w).pop().unwrap();
    assert_eq!((&*what, &*jobs, &*command, &*program), ("started", "cs", "worker", "true"));
}

#[test]
fn a_job_that_is_not_switched_on_is_not_named() {
    let mut w = World::bare();
    w.set("WEFT_HANDSHAKE", w.dir.join("handshake"));
    w.set("WEFT_COUNT_DIR", w.dir.join("nowhere/counters"));
    w.set("WEFT_POOL_PREFIXES", "/usr");
    assert!(w.command("true").status().unwrap().success());
    assert_eq!(lines(&w)[0].2, "p");
    let served = world();
    fs::write(served.dir.join("index"), "another user's").unwrap();
    fs::set_permissions(served.dir.join("index"), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(served.command("true").status().unwrap().success());
    assert_eq!(lines(&served)[0].2, "");
}

#[test]
fn what_a_process_executes_starts_as_the_same_process() {
    let w = world();
    w.shell("/bin/true; exec env true");
    let all = lines(&w);
    let executed: Vec<&Line> = all.iter().filter(|l| l.0 == "executes").collect();
    assert_eq!(executed.len(), 3, "{all:?}");
    for line in executed {
        assert!(all.iter().any(|l| (&*l.0, &l.1) == ("started", &line.1)), "{line:?} of {all:?}");
    }
}

#[test]
fn a_spawned_program_is_known_by_its_process() {
    let w = world();
    let spawn = "import os\npid = os.posix_spawn('/bin/true', ['true'], os.environ)\nos.waitpid(pid, 0)\nprint(pid)";
    let out = w.command("python3").args(["-c", spawn]).output().unwrap();
    let pid = String::from_utf8(out.stdout).unwrap().trim().to_owned();
    let all = lines(&w);
    for what in ["spawned", "started"] {
        let found = all.iter().any(|l| l.0 == what && l.1.split(' ').next() == Some(&pid));
        assert!(found, "{what} {pid} in {all:?}");
    }
}

#[test]
fn a_program_that_the_loader_gives_no_library_reports_nothing() {
    let w = world();
    // The loader reports on stderr that it ignores a library that is cut short, and runs the program.
    fs::write(w.dir.join("libweft_scratch.so"), "").unwrap();
    w.shell("export LD_PRELOAD=$D/libweft_scratch.so; exec /bin/true");
    assert_eq!(reported(&w, "executes"), ["true"]);
    assert_eq!(reported(&w, "started"), ["bash"]);
}

#[test]
fn a_child_in_another_pid_namespace_is_one_process_before_and_after() {
    let enter = ["--user", "--map-root-user", "--pid", "--fork", "true"];
    if !unshares(&enter, "pid namespaces") {
        return;
    }
    let w = world();
    assert!(w.command("unshare").args(enter).status().unwrap().success());
    let all = lines(&w);
    let executed = all.iter().find(|l| l.0 == "executes" && l.4 == "true").unwrap();
    assert!(all.iter().any(|l| l.0 == "started" && l.1 == executed.1 && l.4 == "true"), "{all:?}");
}

#[test]
fn a_call_that_fails_is_taken_back() {
    let w = world();
    w.shell("(exec /no/such/program) || (exec ./neither) || :");
    let failed = reported(&w, "failed").len();
    assert!(failed > 0);
    assert_eq!(reported(&w, "executes").len(), failed);
}

#[test]
fn an_environment_without_the_library_is_reported() {
    let w = world();
    w.shell("env -u LD_PRELOAD true; env -i /bin/true");
    assert_eq!(reported(&w, "without"), ["true", "true"]);
}
