//! What every test of the library needs: the library, compiled C programs, and a world of its own.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::OnceLock;
use std::{env, fs};

/// The library in the profile of this test program; cargo builds no cdylib for tests by itself.
pub fn library() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(build).clone()
}

fn build() -> PathBuf {
    let exe = env::current_exe().unwrap();
    let profile_dir = exe.parent().unwrap().parent().unwrap();
    let mut cargo = cargo();
    cargo.args(["build", "--quiet", "--lib", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    cargo.arg("--target-dir").arg(profile_dir.parent().unwrap());
    if profile_dir.ends_with("release") {
        cargo.arg("--release");
    }
    text(cargo.output().unwrap());
    profile_dir.join("libweft_scratch.so")
}

/// Cargo, which names itself to tests; where another program starts them, that says what to call.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()))
}

/// The command line program.
pub fn weft_scratch() -> Command {
    Command::new(env!("CARGO_BIN_EXE_weft-scratch"))
}

/// Memory for small files: all in the store, some in memory, all in memory.
pub const MEMORIES: [&str; 3] = ["0", "256k", "256m"];

/// A scratch prefix, store, index and counter directory of one test; removed at its end.
pub struct World {
    pub dir: PathBuf,
    pub vars: Vec<(&'static str, PathBuf)>,
}

impl World {
    /// Nothing switched on.
    pub fn bare() -> World {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let base = if Path::new("/dev/shm").is_dir() { PathBuf::from("/dev/shm") } else { env::temp_dir() };
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = base.join(format!("weft-scratch-test-{}-{n}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        World { dir, vars: vec![("LD_PRELOAD", library())] }
    }

    /// Serving switched on.
    pub fn served() -> World {
        let mut w = World::bare();
        for (name, sub) in [("WEFT_SCRATCH_PREFIX", "prefix"), ("WEFT_SCRATCH_STORE", "store")] {
            fs::create_dir(w.dir.join(sub)).unwrap();
            w.vars.push((name, w.dir.join(sub)));
        }
        w.vars.push(("WEFT_SCRATCH_INDEX", w.dir.join("index")));
        w
    }

    /// Serving switched on, with so much of small files in memory.
    pub fn served_with(memory: &str) -> World {
        let mut w = World::served();
        w.set("WEFT_SCRATCH_MEMORY", memory);
        w
    }

    pub fn prefix(&self) -> PathBuf {
        self.dir.join("prefix")
    }

    pub fn set(&mut self, name: &'static str, value: impl Into<PathBuf>) {
        self.vars.push((name, value.into()));
    }

    /// A directory of the test that is not served.
    pub fn sub(&self, name: &str) -> PathBuf {
        fs::create_dir_all(self.dir.join(name)).unwrap();
        self.dir.join(name)
    }

    /// A program run under the library.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut c = Command::new(program.as_ref());
        c.envs(self.vars.iter().map(|(k, v)| (k, v)));
        c
    }

    pub fn shell(&self, script: &str) -> String {
        let mut c = self.command("bash");
        c.args(["-euc", script]).env("P", self.prefix()).env("D", &self.dir);
        text(c.output().unwrap())
    }

    /// The command line program with this world's variables, not under the library.
    pub fn tool(&self, args: &[&str]) -> String {
        let mut c = weft_scratch();
        c.args(args).envs(self.vars.iter().filter(|v| v.0 != "LD_PRELOAD").map(|(k, v)| (k, v)));
        text(c.output().unwrap())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Standard output of a program that must have succeeded.
pub fn text(out: Output) -> String {
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{:?}\n{}\n{err}", out.status, String::from_utf8_lossy(&out.stdout));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Compiles a program of tests/c with the system's compiler.
pub fn compiled(name: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(format!("{name}.c"));
    let kind = flags.join("");
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}{kind}-{}", std::process::id()));
    // Renamed when whole: another test of this program may run it already.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let part = out.with_extension(COUNT.fetch_add(1, Ordering::Relaxed).to_string());
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-w", "-o"]).arg(&part).arg(source).args(flags);
    text(cc.output().unwrap());
    fs::rename(part, &out).unwrap();
    out
}

/// True if a program can be run here; tests that need one say so and pass without it. Where the machine has all
/// that they need (tools/rustneeds.py), that fails.
pub fn has(program: &str) -> bool {
    let found =
        Command::new("sh").args(["-c", &format!("command -v {program}")]).output().is_ok_and(|o| o.status.success());
    possible(found, &format!("no {program}"))
}

/// True if `unshare` can make these namespaces here; the same holds for tests that need them.
pub fn unshares(args: &[&str], what: &str) -> bool {
    let made = Command::new("unshare").args(args).status().is_ok_and(|s| s.success());
    possible(made, &format!("no {what}"))
}

fn possible(found: bool, lacks: &str) -> bool {
    if !found {
        assert!(env::var_os("WEFT_TEST_REQUIRED").is_none(), "{lacks} here, and WEFT_TEST_REQUIRED is set");
        eprintln!("skipped: {lacks} here");
    }
    found
}
