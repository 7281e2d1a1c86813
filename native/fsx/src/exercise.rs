//! Draws operations, does each on the file and on the model, and compares.

use crate::file::{self, Access, Mapping};
use crate::held::{Expected, Held};
use crate::peer::Peer;
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
    /// Maps a part of the file and keeps the mapping, with one of three kinds of access.
    Hold,
    /// Writes through a mapping that is kept.
    Poke,
    /// Unmaps a part of such a mapping, all of it, or changes its length.
    Reshape,
    /// Has another process map, change and read the file.
    Peer,
    /// Removes the file and makes a new one; the mappings stay.
    Remove,
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
            Kind::Hold => "hold",
            Kind::Poke => "poke",
            Kind::Reshape => "reshape",
            Kind::Peer => "peer",
            Kind::Remove => "remove",
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
    model: Expected,
    held: VecDeque<Held>,
    peer: Peer,
    max_size: usize,
}

/// Mappings kept at once.
const MOST_HELD: usize = 6;

/// Runs the plan; the error text holds the last operations before the difference.
pub fn run(path: &Path, plan: &Plan) -> Result<String, String> {
    let file = file::open(path, true).map_err(|e| format!("open {path:?}: {e}"))?;
    let mut state = State {
        path,
        file,
        model: Expected::default(),
        held: VecDeque::new(),
        peer: Peer::start(path).map_err(|e| format!("start another process: {e}"))?,
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
            .and_then(|()| state.check_held())
        {
            Ok(()) => {}
            Err(Failure::Unsupported) => unsupported += 1,
            Err(Failure::Wrong(what)) => return Err(explain(path, &last, &what)),
        }
    }
    state
        .check_all()
        .map_err(|what| explain(path, &last, &what))?;
    let size = state.model.borrow().len();
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
                // Of a private mapping's own pages the rules do not define whether they outlast this.
                self.held.retain(|held| !held.would_lose(at));
                self.file.set_len(at as u64)?;
                self.model.borrow_mut().truncate(at);
            }
            Kind::Mapread => return self.map_read(at, len),
            Kind::Mapwrite => self.map_write(at, &rng.bytes(len))?,
            Kind::Copy => self.copy(at, rng.below(self.max_size), len)?,
            Kind::Punch => {
                let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                file::allocate(&self.file, mode, at, len)?;
                self.model.borrow_mut().punch(at, len);
            }
            Kind::Allocate => {
                file::allocate(&self.file, 0, at, len)?;
                self.model.borrow_mut().extend_to(at + len);
            }
            Kind::Sync => self.file.sync_all()?,
            Kind::Reopen => self.file = file::open(self.path, false)?,
            Kind::Hold => self.hold(at, len, rng)?,
            Kind::Poke => {
                let n = rng.below(MOST_HELD);
                if let Some(held) = self.held.get_mut(n) {
                    held.write(rng);
                }
            }
            Kind::Reshape => self.reshape(rng)?,
            Kind::Peer => self.ask_peer(at, len, rng)?,
            Kind::Remove => {
                std::fs::remove_file(self.path)?;
                self.file = file::open(self.path, true)?;
                self.model = Expected::default();
            }
        }
        Ok(())
    }

    fn compare(&self, at: usize, len: usize, seen: &[u8]) -> Result<(), Failure> {
        match self.model.borrow().difference(at, len, seen) {
            None => Ok(()),
            Some(what) => Err(Failure::Wrong(what)),
        }
    }

    fn write(&mut self, at: usize, data: &[u8]) -> io::Result<()> {
        self.file.write_all_at(data, at as u64)?;
        self.model.borrow_mut().write(at, data);
        Ok(())
    }

    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        let room = self.max_size.saturating_sub(self.model.borrow().len());
        let data = &data[..data.len().min(room)];
        file::append(self.path, data)?;
        let end = self.model.borrow().len();
        self.model.borrow_mut().write(end, data);
        Ok(())
    }

    fn map_read(&self, at: usize, len: usize) -> Result<(), Failure> {
        let len = self.model.borrow().slice(at, len).len();
        if len == 0 {
            return Ok(());
        }
        let mapping = Mapping::new(&self.file, at, len, Access::Read)?;
        self.compare(at, len, mapping.bytes())
    }

    fn map_write(&mut self, at: usize, data: &[u8]) -> io::Result<()> {
        if self.model.borrow().len() < at + data.len() {
            self.file.set_len((at + data.len()) as u64)?;
            self.model.borrow_mut().extend_to(at + data.len());
        }
        Mapping::new(&self.file, at, data.len(), Access::Write)?.store(data)?;
        self.model.borrow_mut().write(at, data);
        Ok(())
    }

    /// Ranges that overlap are refused by the kernel, so they are not drawn.
    fn copy(&mut self, from: usize, to: usize, len: usize) -> io::Result<()> {
        let len = self
            .model
            .borrow()
            .slice(from, len)
            .len()
            .min(self.max_size - to);
        if len == 0 || from.abs_diff(to) < len {
            return Ok(());
        }
        file::copy(&self.file, from, to, len)?;
        self.model.borrow_mut().copy(from, to, len);
        Ok(())
    }

    fn hold(&mut self, at: usize, len: usize, rng: &mut Rng) -> io::Result<()> {
        let access = [Access::Read, Access::Write, Access::Private][rng.below(3)];
        if self.held.len() == MOST_HELD {
            self.held.pop_front();
        }
        let held = Held::new(&self.file, at, len, access, &self.model)?;
        self.held.push_back(held);
        Ok(())
    }

    fn reshape(&mut self, rng: &mut Rng) -> io::Result<()> {
        let n = rng.below(MOST_HELD);
        if let Some(held) = self.held.get_mut(n) {
            if !held.reshape(rng)? {
                self.held.remove(n);
            }
        }
        Ok(())
    }

    /// The other process maps the file; what it maps it reads and writes later, too.
    fn ask_peer(&mut self, at: usize, len: usize, rng: &mut Rng) -> Result<(), Failure> {
        if rng.below(3) == 0 {
            return Ok(self.peer.map(at, len, &self.model)?);
        }
        if rng.below(2) == 0 {
            return Ok(self.peer.write(&rng.bytes(len), rng.below(len))?);
        }
        self.peer.check()?.map_or(Ok(()), |what| {
            Err(Failure::Wrong(format!("another process: {what}")))
        })
    }

    fn check_held(&self) -> Result<(), Failure> {
        self.held
            .iter()
            .try_for_each(Held::check)
            .map_err(Failure::Wrong)
    }

    fn check_size(&self) -> Result<(), Failure> {
        let size = self.file.metadata()?.len() as usize;
        if size == self.model.borrow().len() {
            return Ok(());
        }
        let want = self.model.borrow().len();
        Err(Failure::Wrong(format!("size {size} instead of {want}")))
    }

    fn check_all(&self) -> Result<(), String> {
        let len = self.max_size + 1;
        let seen = file::read(&self.file, 0, len).map_err(|e| e.to_string())?;
        match self.model.borrow().difference(0, len, &seen) {
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
