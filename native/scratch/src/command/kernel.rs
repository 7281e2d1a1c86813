//! What the kernel has counted for processes that still run, found from outside their pid namespaces.

use std::collections::HashMap;
use std::fs;

/// Bytes that a process and the children it waited for read and wrote by system calls (`rchar`, `wchar` of `proc(5)`).
#[derive(Clone, Copy)]
pub struct Moved {
    pub read: u64,
    pub written: u64,
}

/// By pid in the process's own namespace and start time in ticks.
pub fn running() -> HashMap<(u64, u64), Moved> {
    let Ok(entries) = fs::read_dir("/proc") else { return HashMap::new() };
    entries.flatten().filter_map(|entry| process(&entry.path().to_string_lossy())).collect()
}

fn process(directory: &str) -> Option<((u64, u64), Moved)> {
    let status = fs::read_to_string(format!("{directory}/status")).ok()?;
    let stat = fs::read_to_string(format!("{directory}/stat")).ok()?;
    let io = fs::read_to_string(format!("{directory}/io")).ok()?;
    let pid = line(&status, "NSpid:")?.split_whitespace().last()?.parse().ok()?;
    let start = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let number = |label| line(&io, label)?.trim().parse().ok();
    Some(((pid, start), Moved { read: number("rchar:")?, written: number("wchar:")? }))
}

fn line<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(label))
}
