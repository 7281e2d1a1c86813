//! Looks into a scratch store from outside, and removes it.

use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::atomic::Ordering::*;
use std::{env, fs};
use weft_scratch_core::config::Config;
use weft_scratch_core::store::io::Buf;
use weft_scratch_core::store::layout::{MAX_SEGMENTS, ROOT};
use weft_scratch_core::store::ops::Place;
use weft_scratch_core::store::{memory_path, packed, Reason, Store};
use weft_scratch_core::sys;
use weft_scratch_core::text::number;

fn errno<T>(r: Result<T, i32>) -> io::Result<T> {
    r.map_err(io::Error::from_raw_os_error)
}

/// The configuration of the environment; the strings live as long as the program.
fn config() -> io::Result<Box<Config>> {
    let vars: Vec<(Vec<u8>, &'static [u8])> =
        env::vars_os().map(|(k, v)| (k.into_vec(), &*Vec::leak(v.into_vec()))).collect();
    let mut c = Box::new(Config::new());
    c.load(|name| vars.iter().find(|v| v.0 == name).map(|v| v.1), |_| false);
    if c.prefix.is_empty() {
        let needed = "WEFT_SCRATCH_PREFIX, WEFT_SCRATCH_STORE and WEFT_SCRATCH_INDEX must be absolute paths";
        return Err(io::Error::other(needed));
    }
    Ok(c)
}

fn store(c: &Config) -> io::Result<Store> {
    errno(Store::open(c, false))
}

/// Every file and directory below `dir`, depth first.
fn walk(s: &Store, dir: u32, path: &[u8], tell: &mut impl FnMut(&[u8], bool, u64)) -> io::Result<()> {
    let mut children = Vec::new();
    errno(s.each_child(dir, |name, _, is_dir| children.push((name.to_vec(), is_dir))))?;
    children.sort();
    for (name, is_dir) in children {
        let whole = [path, b"/", &name].concat();
        let place = Place { base: dir, path: &name };
        // What vanished since the listing is no error.
        let Ok(meta) = s.stat(&place) else { continue };
        tell(&whole, is_dir, meta.size);
        if let (true, Ok(below)) = (is_dir, s.directory(&place)) {
            walk(s, below, &whole, tell)?;
        }
    }
    Ok(())
}

pub fn list() -> io::Result<()> {
    let s = store(&*config()?)?;
    let mut out = io::stdout().lock();
    walk(&s, ROOT, b"", &mut |path, is_dir, size| {
        let mark = if is_dir { "/" } else { "" };
        let _ = writeln!(out, "{size:>14} {}{mark}", String::from_utf8_lossy(path));
    })
}

pub fn cat(paths: &[&str]) -> io::Result<()> {
    let s = store(&*config()?)?;
    let mut buf = vec![0u8; 1 << 20];
    for path in paths {
        let fd = errno(s.open_file(&Place { base: ROOT, path: path.as_bytes() }, libc::O_RDONLY, 0))?;
        let h = s.open_of(fd).ok_or_else(|| io::Error::other("the file went away"))?;
        loop {
            let n = errno(s.read(&h, &[Buf { at: buf.as_mut_ptr(), len: buf.len() }], None))?;
            if n == 0 {
                break;
            }
            io::stdout().write_all(&buf[..n])?;
        }
        errno(s.close(fd).and(sys::close(fd)))?;
    }
    Ok(())
}

/// What `index` prints.
#[derive(Serialize)]
struct Description {
    sound: bool,
    audit: String,
    node: String,
    store: String,
    entries: u32,
    max_files: u32,
    segments: usize,
    segments_ever: usize,
    live_bytes: u64,
    memory_bytes: u64,
    memory_limit: u64,
    refused: BTreeMap<&'static str, u64>,
}

pub fn describe() -> io::Result<()> {
    let s = store(&*config()?)?;
    let head = s.r.head();
    let segments = || (0..head.segment_high.load(Relaxed).min(MAX_SEGMENTS)).map(|n| s.r.segment(n));
    let in_use = || segments().filter(|g| g.state.load(Relaxed) == 1);
    let audit = errno(s.audit())?;
    let text = |of| String::from_utf8_lossy(&packed(of)).into_owned();
    let description = Description {
        sound: audit == Default::default(),
        audit: format!("{audit:?}"),
        node: text(&head.node),
        store: text(&head.store),
        entries: head.files.load(Relaxed),
        max_files: head.max_files.load(Relaxed),
        segments: in_use().filter(|g| !g.is_memory()).count(),
        segments_ever: segments().filter(|g| !g.is_memory()).count(),
        live_bytes: in_use().map(|g| g.live.load(Relaxed)).sum(),
        memory_bytes: head.memory_used.load(Relaxed),
        memory_limit: head.memory_limit.load(Relaxed),
        refused: Reason::ALL.iter().map(|&(r, name)| (name, head.refused[r as usize].load(Relaxed))).collect(),
    };
    println!("{}", serde_json::to_string(&description)?);
    Ok(())
}

/// Removes all that a job left: safe to run twice, and when the index is already gone.
pub fn clean() -> io::Result<()> {
    let c = config()?;
    let (beginning, numbers) = match store(&c) {
        Ok(s) => {
            let node = packed(&s.r.head().node);
            (format!("weft-{}-{}-", String::from_utf8_lossy(&node), s.r.head().id.load(Relaxed)), 1)
        }
        Err(_) => (format!("weft-{}-", own_node(&c)?), 2),
    };
    let path = |text: &[u8]| OsStr::from_bytes(text).to_owned();
    for entry in found(fs::read_dir(path(c.store.as_bytes())))?.into_iter().flatten() {
        let entry = entry?;
        if is_of(&beginning, numbers, entry.file_name().as_bytes()) {
            found(fs::remove_file(entry.path()))?;
        }
    }
    found(fs::remove_file(path(errno(memory_path(&c))?.as_bytes())))?;
    found(fs::remove_file(path(c.index.as_bytes())))?;
    remove_empty(path(c.prefix.as_bytes()).as_ref(), false)
}

/// Whether a file of the store has a name that begins so and goes on with just so many numbers: that of a node with a longer
/// name may begin alike.
fn is_of(beginning: &str, numbers: usize, name: &[u8]) -> bool {
    let rest = name.strip_prefix(beginning.as_bytes());
    let rest = rest.and_then(|rest| rest.strip_suffix(b".segment").or_else(|| rest.strip_suffix(b".file")));
    let found = rest.and_then(|rest| rest.split(|&c| c == b'-').map(number).collect::<Option<Vec<_>>>());
    found.is_some_and(|found| found.len() == numbers)
}

fn own_node(c: &Config) -> io::Result<String> {
    if !c.node.is_empty() {
        return Ok(String::from_utf8_lossy(c.node.as_bytes()).into_owned());
    }
    let name = fs::read_to_string("/proc/sys/kernel/hostname")?;
    Ok(name.trim().to_owned())
}

/// Directories made as working directories are empty; anything else is not ours to remove.
fn remove_empty(dir: &std::path::Path, itself: bool) -> io::Result<()> {
    for entry in found(fs::read_dir(dir))?.into_iter().flatten() {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_empty(&entry.path(), true)?;
        }
    }
    if itself {
        let _ = fs::remove_dir(dir);
    }
    Ok(())
}

fn found<T>(r: io::Result<T>) -> io::Result<Option<T>> {
    match r {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
