//! Files in the statistics directory: counters, faults and the state of the daemon, rewritten
//! every 200 ms by renaming, and the control file, polled every 100 ms.

use crate::profile::Profile;
use crate::shared::{lock, Shared};
use serde_json::json;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What was read from the control file so far.
#[derive(Default)]
struct Control {
    used: usize,
    lines: u64,
    errors: Vec<String>,
}

/// Writes the statistics of one daemon.
pub struct Reporter {
    dir: PathBuf,
    shared: Arc<Shared>,
    profile: Profile,
    control: Mutex<Control>,
}

const TICK: Duration = Duration::from_millis(100);

impl Reporter {
    pub fn new(dir: &Path, shared: Arc<Shared>, profile: Profile) -> io::Result<Reporter> {
        fs::create_dir_all(dir)?;
        // Lines of an earlier daemon must not act on this one.
        fs::write(dir.join("control"), "")?;
        Ok(Reporter {
            dir: dir.to_path_buf(),
            shared,
            profile,
            control: Mutex::default(),
        })
    }

    /// Works until the process ends.
    pub fn start(self: &Arc<Self>) -> io::Result<()> {
        let reporter = self.clone();
        let work = move || {
            for tick in 0u64.. {
                reporter.obey();
                if tick % 2 == 0 {
                    reporter.write();
                }
                std::thread::sleep(TICK);
            }
        };
        std::thread::Builder::new()
            .name("stats".into())
            .spawn(work)
            .map(drop)
    }

    /// Writes every file; a full disk must not stop the file system, so errors are passed over.
    pub fn write(&self) {
        let stamp = timestamp();
        for client in &self.shared.clients {
            let counters = lock(&client.counters).clone();
            let name = &client.name;
            self.replace(&format!("llite.{name}.stats"), &counters.llite(&stamp));
            self.replace(&format!("mdc.{name}.stats"), &counters.mdc(&stamp));
            self.replace(&format!("mdc.{name}.md_stats"), &counters.md(&stamp));
        }
        self.replace("faults.json", &format!("{:#}\n", self.faults()));
        self.replace("latencyfs.json", &format!("{:#}\n", self.state()));
    }

    fn replace(&self, name: &str, text: &str) {
        let part = self.dir.join(format!(".{name}.part"));
        let _ = fs::write(&part, text).and_then(|()| fs::rename(&part, self.dir.join(name)));
    }

    fn faults(&self) -> serde_json::Value {
        let control = lock(&self.control);
        let faults: Vec<_> = self
            .shared
            .faults()
            .iter()
            .map(|f| json!({"spec": f.text, "seen": f.seen, "injected": f.injected}))
            .collect();
        json!({
            "seed": self.shared.seed,
            "control_lines": control.lines,
            "control_errors": control.errors,
            "faults": faults,
        })
    }

    fn state(&self) -> serde_json::Value {
        let mounts: Vec<_> = self
            .shared
            .clients
            .iter()
            .map(|client| {
                json!({
                    "name": client.name,
                    "opens_through_kernel": client.passthrough_opens.load(Ordering::Relaxed),
                    "opens_through_daemon": client.userspace_opens.load(Ordering::Relaxed),
                })
            })
            .collect();
        json!({
            "profile": self.profile,
            "mounts": mounts,
            "timer": self.shared.timer.lateness(),
        })
    }

    /// Acts on the whole lines appended to the control file since the last look.
    fn obey(&self) {
        // As bytes: in a file that was replaced by another one, the place may be inside of a character.
        let Ok(text) = fs::read(self.dir.join("control")) else {
            return;
        };
        let mut control = lock(&self.control);
        if text.len() < control.used {
            control.used = 0;
        }
        let Some(end) = text[control.used..].iter().rposition(|&byte| byte == b'\n') else {
            return;
        };
        let new = String::from_utf8_lossy(&text[control.used..=control.used + end]);
        for line in new.lines().filter(|line| !line.trim().is_empty()) {
            control.lines += 1;
            if let Err(error) = self.command(line.trim()) {
                control.errors.push(error);
            }
        }
        control.used += end + 1;
    }

    fn command(&self, line: &str) -> Result<(), String> {
        match line.split_once(' ') {
            Some(("add", spec)) => self.shared.add_fault(spec.trim()),
            None if line == "clear" => {
                self.shared.clear_faults();
                Ok(())
            }
            _ => Err(format!(
                "control line {line:?} is neither add SPEC nor clear"
            )),
        }
    }
}

fn timestamp() -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("{}.{:09}", now.as_secs(), now.subsec_nanos())
}
