//! A running latencyfs for one test. Each test file uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub struct Lab {
    child: Child,
    pub dir: TempDir,
    pub mounts: Vec<PathBuf>,
}

pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_latencyfs"))
}

/// Says why a test leaves itself out; fails where the machine has all that tests need (tools/rustneeds.py).
fn skipped(why: &str) {
    assert!(
        std::env::var_os("WEFT_TEST_REQUIRED").is_none(),
        "{why}, and WEFT_TEST_REQUIRED is set"
    );
    println!("skipped: {why}");
}

/// Mounts `count` times; nothing, with a printed reason, where FUSE cannot be used.
pub fn start(count: usize, args: &[&str]) -> Option<Lab> {
    if let Err(error) = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/fuse")
    {
        skipped(&format!("/dev/fuse cannot be used: {error}"));
        return None;
    }
    // SAFETY: geteuid always succeeds.
    if unsafe { libc::geteuid() } != 0 {
        skipped("mounting needs root here");
        return None;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("source")).unwrap();
    let mounts: Vec<PathBuf> = (0..count)
        .map(|n| dir.path().join(format!("n{n}")))
        .collect();
    let mut command = program();
    command.arg("--source").arg(dir.path().join("source"));
    command.arg("--stats-dir").arg(dir.path().join("stats"));
    for (number, mount) in mounts.iter().enumerate() {
        fs::create_dir(mount).unwrap();
        command
            .arg("--mountpoint")
            .arg(format!("n{number}={}", mount.display()));
    }
    let mut child = command.args(args).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let out = child.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    Some(Lab { child, dir, mounts })
}

impl Lab {
    pub fn mount(&self) -> &Path {
        &self.mounts[0]
    }

    pub fn source(&self) -> PathBuf {
        self.dir.path().join("source")
    }

    /// A plain directory beside the mounts, on the same file system as the source.
    pub fn plain(&self) -> PathBuf {
        let plain = self.dir.path().join("plain");
        fs::create_dir_all(&plain).unwrap();
        plain
    }

    pub fn stats(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join("stats").join(name)).unwrap_or_default()
    }

    pub fn control(&self, line: &str) {
        use std::io::Write;
        let path = self.dir.path().join("stats/control");
        let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    /// Waits until a statistics file satisfies a condition.
    pub fn wait(&self, name: &str, condition: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let text = self.stats(name);
            if condition(&text) {
                return text;
            }
            assert!(start.elapsed() < Duration::from_secs(10), "{name}: {text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Ends the daemon by a signal and returns its exit code.
    pub fn stop(&mut self, signal: i32) -> Option<i32> {
        // SAFETY: the child is ours and not yet waited for.
        unsafe { libc::kill(self.pid(), signal) };
        self.child.wait().unwrap().code()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            self.stop(libc::SIGTERM);
        }
    }
}

pub fn errno<T>(result: std::io::Result<T>) -> i32 {
    match result {
        Ok(_) => 0,
        Err(error) => error.raw_os_error().unwrap_or(-1),
    }
}
