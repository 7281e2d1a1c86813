//! What the kernel has counted for processes that still run, found from outside their pid namespaces.

use std::collections::HashMap;
use std::fs;

/// Bytes that a process and the children it waited for read and wrote by system calls (`rchar`, `wchar` of `proc(5)`).
#[derive(Clone, Copy)]
pub struct Moved {
    pub read: u64,
    pub written: u64,
}

/// A process anywhere on this machine: the pid namespace that is its own, its pid there, and its start time in ticks.
pub type Who = (u64, u64, u64);

/// All that may be looked at.
pub fn running() -> HashMap<Who, Moved> {
    let Ok(entries) = fs::read_dir("/proc") else { return HashMap::new() };
    entries.flatten().filter_map(|entry| process(&entry.path().to_string_lossy())).collect()
}

fn process(directory: &str) -> Option<(Who, Moved)> {
    let status = fs::read_to_string(format!("{directory}/status")).ok()?;
    let stat = fs::read_to_string(format!("{directory}/stat")).ok()?;
    let io = fs::read_to_string(format!("{directory}/io")).ok()?;
    let space = fs::read_link(format!("{directory}/ns/pid")).ok()?;
    let space = space.to_str()?.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()?;
    let pid = line(&status, "NSpid:")?.split_whitespace().last()?.parse().ok()?;
    let start = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let number = |label| line(&io, label)?.trim().parse().ok();
    Some(((space, pid, start), Moved { read: number("rchar:")?, written: number("wchar:")? }))
}

fn line<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(label))
}
