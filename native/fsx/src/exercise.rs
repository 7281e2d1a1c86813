//! Draws operations, does each on the file and on the model, and compares.

use crate::file::{self, Mapping};
use crate::model::Model;
use crate::rng::Rng;
use clap::ValueEnum;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What can be done to the file; every kind is drawn with the same chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Read,
    Write,
    Append,
    Truncate,
    Mapread,
    Mapwrite,
    Copy,
    Punch,
    Allocate,
    Sync,
    Reopen,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Append => "append",
            Kind::Truncate => "truncate",
            Kind::Mapread => "mapread",
            Kind::Mapwrite => "mapwrite",
            Kind::Copy => "copy",
            Kind::Punch => "punch",
            Kind::Allocate => "allocate",
            Kind::Sync => "sync",
            Kind::Reopen => "reopen",
        }
    }
}

/// What to run: operations, seed, largest size and the kinds to draw from.
pub struct Plan {
    ops: u64,
    seed: u64,
    max_size: usize,
    kinds: Vec<Kind>,
}

impl Plan {
    pub fn new(ops: u64, seed: u64, max_size: usize, without: &[Kind]) -> Result<Plan, String> {
        let kinds: Vec<Kind> = Kind::value_variants()
            .iter()
            .copied()
            .filter(|k| !without.contains(k))
            .collect();
        if kinds.is_empty() || max_size == 0 {
            return Err("nothing to do: no operations left, or a largest size of 0".into());
        }
        Ok(Plan {
            ops,
            seed,
            max_size,
            kinds,
        })
    }
}

struct State<'a> {
    path: &'a Path,
    file: File,
    model: Model,
    max_size: usize,
}

/// Runs the plan; the error text holds the last operations before the difference.
pub fn run(path: &Path, plan: &Plan) -> Result<String, String> {
    let file = file::open(path, true).map_err(|e| format!("open {path:?}: {e}"))?;
    let mut state = State {
        path,
        file,
        model: Model::default(),
        max_size: plan.max_size,
    };
    let mut rng = Rng::new(plan.seed);
    let mut last: VecDeque<String> = VecDeque::new();
    let mut unsupported = 0;
    for number in 0..plan.ops {
        let kind = plan.kinds[rng.below(plan.kinds.len())];
        let at = rng.below(plan.max_size);
        let len = 1 + rng.below((plan.max_size - at).min(65_536));
        if last.len() == 20 {
            last.pop_front();
        }
        last.push_back(format!("{number} {} at {at} length {len}", kind.name()));
        match state
            .step(kind, at, len, &mut rng)
            .and_then(|()| state.check_size())
        {
            Ok(()) => {}
            Err(Failure::Unsupported) => unsupported += 1,
            Err(Failure::Wrong(what)) => return Err(explain(path, &last, &what)),
        }
    }
    state
        .check_all()
        .map_err(|what| explain(path, &last, &what))?;
    let size = state.model.len();
    Ok(format!(
        "{} operations agree, {unsupported} not supported, final size {size}",
        plan.ops
    ))
}

fn explain(path: &Path, last: &VecDeque<String>, what: &str) -> String {
    let log: Vec<&str> = last.iter().map(String::as_str).collect();
    format!(
        "{}: {what}\nlast operations:\n  {}",
        path.display(),
        log.join("\n  ")
    )
}

enum Failure {
    Unsupported,
    Wrong(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EXDEV) => Failure::Unsupported,
            _ => Failure::Wrong(error.to_string()),
        }
    }
}

impl State<'_> {
    fn step(&mut self, kind: Kind, at: usize, len: usize, rng: &mut Rng) -> Result<(), Failure> {
        match kind {
            Kind::Read => {
                let seen = file::read(&self.file, at, len)?;
                return self.compare(at, len, &seen);
            }
            Kind::Write => self.write(at, &rng.bytes(len))?,
            Kind::Append => self.append(&rng.bytes(len))?,
            Kind::Truncate => {
                self.file.set_len(at as u64)?;
                self.model.truncate(at);
            }
            Kind::Mapread => return self.map_read(at, len),
            Kind::Mapwrite => self.map_write(at, &rng.bytes(len))?,
            Kind::Copy => self.copy(at, rng.below(self.max_size), len)?,
            Kind::Punch => {
                let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                file::allocate(&self.file, mode, at, len)?;
                self.model.punch(at, len);
            }
            Kind::Allocate => {
                file::allocate(&self.file, 0, at, len)?;
                self.model.extend_to(at + len);
            }
            Kind::Sync => self.file.sync_all()?,
            Kind::Reopen => self.file = file::open(self.path, false)?,
        }
        Ok(())
    }

    fn compare(&self, at: usize, len: usize, seen: &[u8]) -> Result<(), Failure> {
        match self.model.difference(at, len, seen) {
            None => Ok(()),
            Some(what) => Err(Failure::Wrong(what)),
        }
    }

    fn write(&mut self, at: usize, data: &[u8]) -> io::Result<()> {
        self.file.write_all_at(data, at as u64)?;
        self.model.write(at, data);
        Ok(())
    }

    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        let room = self.max_size.saturating_sub(self.model.len());
        let data = &data[..data.len().min(room)];
        file::append(self.path, data)?;
        self.model.write(self.model.len(), data);
        Ok(())
    }

    fn map_read(&self, at: usize, len: usize) -> Result<(), Failure> {
        let len = self.model.slice(at, len).len();
        if len == 0 {
            return Ok(());
        }
        let mapping = Mapping::new(&self.file, at, len, false)?;
        self.compare(at, len, mapping.bytes())
    }

    fn map_write(&mut self, at: usize, data: &[u8]) -> io::Result<()> {
        if self.model.len() < at + data.len() {
            self.file.set_len((at + data.len()) as u64)?;
            self.model.extend_to(at + data.len());
        }
        Mapping::new(&self.file, at, data.len(), true)?.store(data)?;
        self.model.write(at, data);
        Ok(())
    }

    /// Ranges that overlap are refused by the kernel, so they are not drawn.
    fn copy(&mut self, from: usize, to: usize, len: usize) -> io::Result<()> {
        let len = self.model.slice(from, len).len().min(self.max_size - to);
        if len == 0 || from.abs_diff(to) < len {
            return Ok(());
        }
        file::copy(&self.file, from, to, len)?;
        self.model.copy(from, to, len);
        Ok(())
    }

    fn check_size(&self) -> Result<(), Failure> {
        let size = self.file.metadata()?.len() as usize;
        if size == self.model.len() {
            return Ok(());
        }
        let want = self.model.len();
        Err(Failure::Wrong(format!("size {size} instead of {want}")))
    }

    fn check_all(&self) -> Result<(), String> {
        let len = self.max_size + 1;
        let seen = file::read(&self.file, 0, len).map_err(|e| e.to_string())?;
        match self.model.difference(0, len, &seen) {
            None => Ok(()),
            Some(what) => Err(format!("at the end: {what}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{run, Plan};

    #[test]
    fn a_plain_directory_agrees_with_the_model() {
        let dir = tempfile::tempdir().unwrap();
        let plan = Plan::new(2_000, 7, 100_000, &[]).unwrap();
        run(&dir.path().join("file"), &plan).unwrap();
    }
}
