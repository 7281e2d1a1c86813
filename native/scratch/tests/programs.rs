//! Real programs on a served prefix: shells, Python, Java, forks, another user, other preload libraries.

mod common;
use common::{compiled, has, library, text, unshares, weft_scratch, World, MEMORIES};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

fn source(name: &str) -> String {
    format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn sound(world: &World) {
    let reported = world.tool(&["index"]);
    assert!(reported.contains("\"sound\":true"), "{reported}");
}

#[test]
fn shell_and_tools() {
    let w = World::served();
    let out = w.shell(
        "echo one > $P/a; echo two >> $P/a; cat $P/a
         mkdir -p $P/d/e; seq 1000 > $P/d/e/seq; wc -l < $P/d/e/seq; sort -rn $P/d/e/seq | head -1
         ls $P > $P/list 2>&1; cat $P/list; mv $P/a $P/d; cat $P/d/a; cp -r $P/d $P/copy; cmp $P/d/e/seq $P/copy/e/seq
         cd $P/copy; cat e/seq | tail -1; cd ..; ls; find . -type f | sort; [ -e $P/none ] || echo missing
         (echo sub; cat) < $P/d/a > $P/both 2>&1; cat $P/both; rm -r $P/*; ls $P | wc -l",
    );
    let expected = "one\ntwo\n1000\n1000\na\nd\nlist\none\ntwo\n1000\ncopy\nd\nlist\n./copy/a\n./copy/e/seq\n./d/a\n./d/e/seq\n./list\nmissing\nsub\none\ntwo\n0\n";
    assert_eq!(out, expected);
    sound(&w);
    w.tool(&["clean"]);
    w.tool(&["clean"]);
    assert!(!w.dir.join("index").exists());
    assert_eq!(fs::read_dir(w.dir.join("store")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(w.prefix()).unwrap().count(), 0, "stand-in directories are gone");
}

#[test]
fn other_processes_see_what_one_wrote() {
    let w = World::served();
    w.shell("head -c 300000 /dev/urandom > $D/random; cp $D/random $P/x; mkdir $P/d; cp $D/random $P/d/y");
    assert_eq!(w.shell("cmp $P/x $D/random; cmp $P/d/y $D/random; stat -c %s $P/x"), "300000\n");
    let listed = w.tool(&["ls"]);
    assert!(listed.contains("300000 /x") && listed.contains("/d/\n"), "{listed}");
    let mut cat = weft_scratch();
    cat.args(["cat", "d/y"]).envs(w.vars.iter().filter(|v| v.0 != "LD_PRELOAD").map(|(k, v)| (k, v)));
    assert_eq!(cat.output().unwrap().stdout, fs::read(w.dir.join("random")).unwrap());
    w.shell("echo one > $P/d/z");
    let mut many = Command::new("sh");
    many.args(["-c", "ulimit -n 64; exec \"$0\" cat \"$@\""]).arg(weft_scratch().get_program()).args(["d/z"; 100]);
    many.envs(w.vars.iter().filter(|v| v.0 != "LD_PRELOAD").map(|(k, v)| (k, v)));
    assert_eq!(text(many.output().unwrap()), "one\n".repeat(100));
    assert_eq!(fs::read_dir(w.prefix()).unwrap().count(), 0, "the kernel knows nothing of it");
}

#[test]
fn java_of_every_version_here() {
    let here = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|e| e.path().join("bin/java"));
    let javas: Vec<_> = here.filter(|j| j.exists() && !j.to_string_lossy().contains("java-1.")).collect();
    for java in javas {
        let w = World::served();
        let out = text(w.command(&java).arg(source("java/SparkLike.java")).arg(w.prefix()).output().unwrap());
        assert!(out.starts_with("OK "), "{java:?}: {out}");
        sound(&w);
    }
}

#[test]
fn python() {
    if has("python3") {
        let w = World::served();
        let out = text(w.command("python3").arg(source("python/scratch.py")).arg(w.prefix()).output().unwrap());
        assert_eq!(out, "OK\n");
        sound(&w);
    }
}

fn script(w: &World, name: &str) {
    if has("python3") {
        let out =
            text(w.command("python3").arg(source(&format!("python/{name}.py"))).arg(w.prefix()).output().unwrap());
        assert_eq!(out, "OK\n", "{name}");
        sound(w);
    }
}

#[test]
fn mappings_see_every_write_and_keep_their_pages() {
    for memory in MEMORIES {
        let w = World::served_with(memory);
        script(&w, "mappings");
        assert!(w.tool(&["index"]).contains("\"mapping\":1"), "what would have moved pages was refused, and counted");
    }
}

#[test]
fn another_pid_namespace_is_refused() {
    if unshares(&["--pid", "--fork", "true"], "pid namespaces") {
        let mut w = World::served();
        w.set("WEFT_HANDSHAKE", w.dir.join("handshake"));
        script(&w, "namespaces");
        assert!(!w.tool(&["index"]).contains("\"pid_namespace\":0"), "each program is counted");
        let reported = fs::read_to_string(w.dir.join("handshake")).unwrap();
        let unserved =
            reported.lines().filter(|l| l.starts_with("started\t") && l.split('\t').nth(4) == Some("")).count();
        assert_eq!(unserved, 4, "two programs and two forked children: {reported}");
    }
}

#[test]
fn openat2_by_its_number_is_served() {
    script(&World::served(), "past");
}

#[test]
fn a_static_program_creates_no_file_below_the_prefix_unless_it_is_root() {
    let w = World::served();
    w.shell("echo x > $P/a");
    assert_eq!(fs::metadata(w.prefix()).unwrap().permissions().mode() & 0o7777, 0o500);
    let program = compiled("static", &["-static"]);
    if has("setpriv") && text(Command::new("id").arg("-u").output().unwrap()) == "0\n" {
        let own = w.dir.join("static");
        fs::copy(program, &own).unwrap();
        text(Command::new("chown").arg("65534:65534").args([&w.dir, &w.prefix()]).output().unwrap());
        let mut c = Command::new("setpriv");
        c.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(own).arg(w.prefix().join("b"));
        assert_eq!(text(c.output().unwrap()), format!("{}\n", libc::EACCES));
    }
    w.tool(&["clean"]);
}

#[test]
fn a_signal_handler_inside_a_served_call_reaches_no_real_file() {
    let w = World::served_with("0");
    let program = compiled("handler", &[]);
    assert_eq!(text(w.command(&program).arg(w.prefix()).output().unwrap()), "OK 0\n");
    assert_eq!(fs::read_dir(w.prefix()).unwrap().count(), 0);
    sound(&w);
}

#[test]
fn a_descriptor_is_opened_again_by_its_name() {
    for memory in MEMORIES {
        let w = World::served_with(memory);
        let write = "exec 3>$P/f; echo one | tee /dev/fd/3 >/dev/null; echo two >>/proc/self/fd/3";
        assert_eq!(w.shell(&format!("{write}; exec 4<$P/f; rm $P/f; cat /dev/fd/4")), "one\ntwo\n", "{memory}");
        sound(&w);
    }
}

#[test]
fn fork_vfork_exec_and_duplicates() {
    let w = World::served();
    let program = compiled("forks", &[]);
    let plain = w.sub("plain");
    let expected = text(Command::new(&program).arg(&plain).output().unwrap());
    assert_eq!(text(w.command(&program).arg(w.prefix()).output().unwrap()), expected);
    sound(&w);
}

#[test]
fn a_handler_that_forks_within_a_fork_waits_for_nobody_and_only_its_child_has_no_file() {
    let w = World::served();
    w.shell("echo 0123456789 > $P/f");
    let mut timed = w.command("timeout");
    timed.arg("30").arg(compiled("nestedforks", &["-lpthread"])).arg(w.prefix().join("f"));
    assert_eq!(text(timed.output().unwrap()), "?01\n");
    sound(&w);
}

#[test]
fn many_threads_and_processes_share_numbers_and_space() {
    let w = World::served();
    let program = compiled("threads", &["-O2", "-lpthread"]);
    let turns = if std::env::var_os("WEFT_TEST_LONG").is_some() { "5000" } else { "300" };
    let start = |k: &i32| {
        let dir = w.prefix().join(k.to_string());
        w.shell(&format!("mkdir $P/{k}"));
        w.command(&program).arg(dir).arg(turns).stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<_> = [1, 2].iter().map(start).collect();
    for process in running {
        assert_eq!(text(process.wait_with_output().unwrap()), "OK\n");
    }
    sound(&w);
}

#[test]
fn an_unprivileged_user() {
    if !has("setpriv") || !text(Command::new("id").arg("-u").output().unwrap()).starts_with("0\n") {
        return;
    }
    let w = World::served();
    for dir in [&w.dir, &w.prefix(), &w.dir.join("store")] {
        text(Command::new("chown").arg("65534:65534").arg(dir).output().unwrap());
    }
    // The build directory may be closed to others.
    fs::copy(library(), w.dir.join("lib.so")).unwrap();
    let mut c = Command::new("setpriv");
    c.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "bash", "-euc"]);
    c.arg(
        "echo hi > $P/a; mkdir $P/d; mv $P/a $P/d; cat $P/d/a; chmod 0 $P/d/a; cat $P/d/a 2>/dev/null || echo denied",
    );
    c.envs(w.vars.iter().map(|(k, v)| (k, v))).env("LD_PRELOAD", w.dir.join("lib.so")).env("P", w.prefix());
    assert_eq!(text(c.output().unwrap()), "hi\ndenied\n");
}

#[test]
fn beside_another_preload_library_in_either_order() {
    let other = compiled("other", &["-shared", "-fPIC", "-ldl"]);
    for ours_first in [true, false] {
        let mut w = World::served();
        let pair = if ours_first { [library(), other.clone()] } else { [other.clone(), library()] };
        w.set("LD_PRELOAD", pair.map(|p| p.to_str().unwrap().to_owned()).join(":"));
        w.set("OTHER_LOG", w.dir.join("log"));
        assert_eq!(w.shell("echo x > $P/a; cat $P/a; cat /proc/self/status > /dev/null"), "x\n");
        let log = fs::read_to_string(w.dir.join("log")).unwrap();
        assert!(log.lines().any(|l| l != "0"), "the other library saw opens too: {log}");
    }
}

#[test]
fn harmless_when_nothing_is_set() {
    let w = World::bare();
    assert_eq!(w.shell("ls / > /dev/null; echo $((1 + 1)); python3 -c 'print(3)' 2> /dev/null || echo 3"), "2\n3\n");
    assert_eq!(fs::read_dir(&w.dir).unwrap().count(), 0);
}

#[test]
fn loads_on_old_systems() {
    if !has("objdump") {
        return;
    }
    let table = text(Command::new("objdump").arg("-T").arg(library()).output().unwrap());
    for line in table.lines().filter(|l| l.contains("*UND*") && l.contains("GLIBC_2.")) {
        let version = line.split("GLIBC_2.").nth(1).unwrap().split([')', ' ']).next().unwrap();
        let minor: u32 = version.split('.').next().unwrap().parse().unwrap();
        let weak = line.split_whitespace().nth(1) == Some("w");
        assert!(minor <= 17 || weak, "{line}");
    }
    let needed = ["open", "open64", "__open_2", "openat64", "stat64", "__xstat64", "__fxstatat", "statx", "realpath"];
    let needed =
        needed.iter().chain(["sendfile", "sendfile64", "splice", "copy_file_range", "vfork", "syscall"].iter());
    for name in needed {
        assert!(
            table.lines().any(|l| l.ends_with(&format!(" {name}")) && !l.contains("*UND*")),
            "{name} is not exported"
        );
    }
}

#[test]
fn a_full_store_is_told_and_harms_nothing() {
    let w = World::served_with("0");
    if !unshares(&["-m", "true"], "mounts") {
        return;
    }
    let script = "mount -t tmpfs -o size=1m tmpfs $D/store; head -c 300000 /dev/urandom > $D/small; cp $D/small $P/kept
                  head -c 5000000 /dev/zero > $D/large; cp $D/large $P/huge 2> $D/err && echo fits
                  grep -o 'No space left' $D/err; cmp $P/kept $D/small && echo intact
                  rm $P/huge; cp $D/small $P/again; cmp $P/again $D/small && echo usable";
    let mut c = w.command("unshare");
    c.args(["-m", "bash", "-euc", script]).env("P", w.prefix()).env("D", &w.dir);
    assert_eq!(text(c.output().unwrap()), "No space left\nintact\nusable\n");
    sound(&w);
}

#[test]
fn where_memory_runs_out_files_move_to_the_store() {
    let mut w = World::served();
    if !unshares(&["-m", "true"], "mounts") || !has("python3") {
        return;
    }
    w.set("WEFT_SCRATCH_INDEX", w.sub("shm").join("index"));
    // One process that has its place in the index already: the index cannot grow either.
    let script = "mount -t tmpfs -o size=24m tmpfs $D/shm; exec env LD_PRELOAD=$L python3 -c '
import os
body, prefix = os.urandom(60000), os.environ[\"P\"]
def add(name, mode):
    with open(f\"{prefix}/{name}\", mode) as f: f.write(body)
def read(name):
    with open(f\"{prefix}/{name}\", \"rb\") as f: return f.read()
add(\"first\", \"wb\")
others = os.open(os.environ[\"D\"] + \"/shm/others\", os.O_WRONLY | os.O_CREAT)
try:
    while os.write(others, bytes(4096)): pass
except OSError: pass
for n in range(20): add(n, \"wb\")
add(\"first\", \"ab\")
print(all(read(n) == body for n in range(20)) and read(\"first\") == body * 2, flush=True)
os.execle(os.environ[\"T\"], \"weft-scratch\", \"index\", {k: v for k, v in os.environ.items() if k != \"LD_PRELOAD\"})'";
    let mut c = w.command("unshare");
    c.env_remove("LD_PRELOAD").args(["-m", "bash", "-euc", script]).env("L", library());
    c.env("P", w.prefix()).env("D", &w.dir);
    let reported = text(c.env("T", env!("CARGO_BIN_EXE_weft-scratch")).output().unwrap());
    assert!(reported.starts_with("True\n") && reported.contains("\"memory_limit\":0,"), "{reported}");
}

#[test]
fn a_file_sent_into_a_pipe_stops_where_the_pipe_is_full() {
    let program = compiled("pipes", &[]);
    for memory in MEMORIES {
        let w = World::served_with(memory);
        let expected = text(Command::new(&program).arg(w.sub("plain")).output().unwrap());
        assert_eq!(text(w.command(&program).arg(w.prefix()).output().unwrap()), expected, "{memory}");
    }
}

#[test]
fn cleaning_removes_nothing_of_a_node_with_a_longer_name() {
    let mut w = World::served();
    w.set("WEFT_NODE", "node");
    let store = w.dir.join("store");
    let others = ["weft-node-2-7-0.segment", "weft-node-x-7-0.segment"];
    for name in ["weft-node-7-0.segment", "weft-node-7-1.file"].iter().chain(&others) {
        fs::write(store.join(name), "").unwrap();
    }
    w.tool(&["clean"]);
    let mut left: Vec<_> = fs::read_dir(store).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, others);
}

#[test]
fn a_cancelled_thread_unwinds_through_a_hook() {
    let program = compiled("cancel", &["-lpthread"]);
    for counting in [false, true] {
        let mut w = World::bare();
        if counting {
            let dir = w.sub("counters");
            w.set("WEFT_COUNT_DIR", dir);
        }
        assert_eq!(text(w.command(&program).output().unwrap()), "1 1\n");
    }
}

#[test]
fn the_store_sees_one_open_per_segment_whatever_the_files() {
    if !has("strace") {
        return;
    }
    let w = World::served_with("0");
    let trace = w.dir.join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-o"]).arg(&trace);
    for (k, v) in &w.vars {
        strace.arg("-E").arg(format!("{k}={}", v.display()));
    }
    let mut worker = strace.arg(env!("CARGO_BIN_EXE_weft-scratch"));
    worker = worker.arg("bench-worker").arg(w.prefix()).arg("300");
    text(worker.output().unwrap());
    let store = w.dir.join("store");
    let trace = fs::read_to_string(trace).unwrap();
    let touching =
        |call: &str| trace.lines().filter(|l| l.contains(call) && l.contains(store.to_str().unwrap())).count();
    assert_eq!(touching("openat("), 1);
    assert_eq!(touching("stat") + touching("rename") + touching("access"), 0);
    assert_eq!(touching("unlink"), 1, "the empty segment at the end");
}

#[test]
fn a_file_may_become_a_standard_stream() {
    let program = compiled("standard", &[]);
    for memory in MEMORIES {
        let w = World::served_with(memory);
        let run =
            |mut c: Command, dir: std::path::PathBuf| text(c.args([dir.join("in"), dir.join("out")]).output().unwrap());
        let expected = run(Command::new(&program), w.sub("plain"));
        assert_eq!(run(w.command(&program), w.prefix()), expected, "{memory}");
        sound(&w);
    }
}

#[test]
fn locks_of_descriptions_end_with_these_and_copies_within_a_file_do_not_overlap() {
    let program = compiled("ranges", &[]);
    for memory in MEMORIES {
        let w = World::served_with(memory);
        let expected = text(Command::new(&program).arg(w.sub("plain").join("f")).output().unwrap());
        assert_eq!(text(w.command(&program).arg(w.prefix().join("f")).output().unwrap()), expected, "{memory}");
        sound(&w);
    }
}
