//! The store without symbol interposition: changes cut short at every word, and random use against a model.

use super::index::Store;
use super::io::Buf;
use super::layout::{Inode, ROOT};
use super::ofds::Open;
use super::ops::Place;
use super::txn::{death, slot_of};
use super::view::Wanted;
use crate::config::{
    Config, SCRATCH_INDEX, SCRATCH_MAX_FILES, SCRATCH_MEMORY, SCRATCH_PREFIX, SCRATCH_SEGMENT_BYTES, SCRATCH_STORE,
};
use crate::sys::Result;
use std::collections::BTreeMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::{env, fs};

mod forks;
mod late;
mod room;

struct World {
    dir: PathBuf,
    config: Box<Config>,
}

impl World {
    /// `memory` is what may be used of it.
    fn new(memory: &'static [u8]) -> World {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("weft-store-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let dir = env::temp_dir().join(name);
        fs::create_dir(&dir).unwrap();
        let text = |sub: &str| -> &'static [u8] { dir.join(sub).into_os_string().into_encoded_bytes().leak() };
        let (store, index) = (text(""), text("index"));
        let mut config = Box::new(Config::new());
        config.load(
            |k| match k {
                SCRATCH_PREFIX => Some(&b"/served"[..]),
                SCRATCH_STORE => Some(store),
                SCRATCH_INDEX => Some(index),
                SCRATCH_MAX_FILES => Some(b"4096"),
                SCRATCH_SEGMENT_BYTES => Some(b"4m"),
                SCRATCH_MEMORY => Some(memory),
                _ => None,
            },
            |_| false,
        );
        World { dir, config }
    }

    fn store(&self) -> Store {
        Store::open(&self.config, true).unwrap()
    }
}

/// All in the store; some in memory; most in memory.
const MEMORIES: [&[u8]; 3] = [b"0", b"128k", b"64m"];

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn at(path: &str) -> Place<'_> {
    Place { base: ROOT, path: path.as_bytes() }
}

fn open(s: &Store, path: &str, flags: i32) -> Result<(i32, Open)> {
    let fd = s.open_file(&at(path), flags | libc::O_CLOEXEC, 0o600)?;
    Ok((fd, s.open_of(fd).unwrap()))
}

fn close(s: &Store, fd: i32) {
    s.close(fd).unwrap();
    crate::sys::close(fd).unwrap();
}

fn put(s: &Store, h: &Open, body: &[u8], pos: u64) -> Result<usize> {
    s.write(h, &[Buf { at: body.as_ptr().cast_mut(), len: body.len() }], Some(pos))
}

fn get(s: &Store, path: &str) -> Result<Vec<u8>> {
    let (fd, h) = open(s, path, libc::O_RDONLY)?;
    let mut body = vec![0; s.stat(&at(path))?.size as usize];
    let n = s.read(&h, &[Buf { at: body.as_mut_ptr(), len: body.len() }], Some(0))?;
    close(s, fd);
    assert_eq!(n, body.len());
    Ok(body)
}

fn body(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + seed * 7 + i / 251) as u8 | 1).collect()
}

/// Makes this store's process look dead, as others see it.
fn die(s: &Store) {
    if let Some(slot) = s.slot() {
        s.r.proc(slot).start.store(1, Relaxed);
        let _ = slot_of(slot);
    }
}

/// Gives back the descriptors of a store that is used no more.
fn retire(s: Store) {
    let limit = crate::sys::nofile_limit().min(1 << 20) as i32;
    (0..limit).filter(|&fd| s.private.is_ours(fd)).for_each(|fd| s.private.close(fd));
}

/// Maps the beginning of a file, and leaves only the pin.
fn mapped(s: &Store, h: &Open, len: usize) -> Result<u32> {
    let want = Wanted { addr: 0, len, prot: libc::PROT_READ, flags: libc::MAP_SHARED, off: 0 };
    let (at, pin) = s.map(h, &want)?;
    crate::sys::munmap(at as *mut u8, len).map(|()| pin)
}

type Deed = (&'static str, fn(&Store));

/// Everything a process may be doing when it is killed.
const DEEDS: &[Deed] = &[
    ("create", |s| {
        let _ = open(s, "new", libc::O_CREAT | libc::O_RDWR);
    }),
    ("mkdir", |s| {
        let _ = s.make_dir(&at("d/e"), 0o700);
    }),
    ("rename over", |s| {
        let _ = s.rename(&at("a"), &at("d/b"), 0);
    }),
    ("rename dir", |s| {
        let _ = s.rename(&at("d"), &at("f"), 0);
    }),
    ("unlink", |s| {
        let _ = s.remove_file(&at("a"));
    }),
    ("truncate", |s| {
        let _ = s.truncate(&at("a"), 5000);
    }),
    ("append", |s| {
        if let Ok((_, h)) = open(s, "a", libc::O_WRONLY) {
            let _ = put(s, &h, &body(1, 3_000_000), 100_000);
        }
    }),
    ("holes", |s| {
        if let Ok((_, h)) = open(s, "holes", libc::O_CREAT | libc::O_RDWR) {
            for k in 0..12 {
                let _ = put(s, &h, &body(2, 10), (11 - k) * 100_000);
            }
            let _ = s.set_len(h.inode, 300_000, || Ok(()));
        }
    }),
    ("map and cut", |s| {
        if let Ok((_, h)) = open(s, "a", libc::O_RDWR) {
            if let Ok(pin) = mapped(s, &h, 200_000) {
                let _ = s.set_len(h.inode, 5000, || Ok(()));
                s.unpin(pin);
            }
        }
    }),
    ("close and unlink", |s| {
        if let Ok((fd, h)) = open(s, "gone", libc::O_CREAT | libc::O_RDWR) {
            let _ = put(s, &h, &body(3, 70_000), 0);
            let _ = s.remove_file(&at("gone"));
            let _ = s.close(fd);
        }
    }),
];

#[test]
fn an_index_whose_maker_was_killed_is_made_again() {
    let world = World::new(b"0");
    let index = world.dir.join("index");
    let size = {
        let _store = world.store();
        fs::metadata(&index).unwrap().len()
    };
    fs::write(&index, b"").unwrap();
    fs::File::options().write(true).open(&index).unwrap().set_len(size).unwrap();
    let s = world.store();
    open(&s, "a", libc::O_CREAT | libc::O_RDWR).unwrap();
    fs::write(&index, vec![0; 4096]).unwrap();
    assert_eq!(Store::open(&world.config, true).err(), Some(libc::EINVAL), "another file is left alone");
}

#[test]
fn a_change_cut_short_at_any_word_leaves_a_sound_index() {
    std::panic::set_hook(Box::new(|_| ()));
    for ((name, deed), memory) in DEEDS.iter().flat_map(|deed| MEMORIES.map(|memory| (deed, memory))) {
        for words in 0..400 {
            let w = World::new(memory);
            let first = w.store();
            for (path, seed) in [("a", 4), ("b", 5)] {
                let (fd, h) = open(&first, path, libc::O_CREAT | libc::O_RDWR).unwrap();
                put(&first, &h, &body(seed, 100_000), 0).unwrap();
                close(&first, fd);
            }
            first.make_dir(&at("d"), 0o700).unwrap();
            first.rename(&at("b"), &at("d/b"), 0).unwrap();
            let victim = w.store();
            victim.me().unwrap();
            death::after(words);
            let cut = catch_unwind(AssertUnwindSafe(|| deed(&victim))).is_err();
            death::cancel();
            die(&victim);
            check(name, words, &first);
            retire(first);
            retire(victim);
            if !cut {
                assert!(words > 5, "{name} was cut at every word it changes");
                break;
            }
        }
    }
    let _ = std::panic::take_hook();
}

fn check(name: &str, words: u32, s: &Store) {
    // Any change takes the lock from the dead and puts things right.
    let (fd, h) = open(s, "probe", libc::O_CREAT | libc::O_RDWR).unwrap();
    put(s, &h, b"probe", 0).unwrap();
    close(s, fd);
    let findings = s.audit().unwrap();
    assert_eq!(findings, Default::default(), "{name} cut at word {words}");
    let right = |bytes: &[u8], seed| bytes.iter().zip(&body(seed, 100_000)).all(|(a, b)| a == b);
    let b = get(s, "d/b").or_else(|_| get(s, "f/b")).unwrap();
    assert!(b.len() == 100_000 && (right(&b, 4) || right(&b, 5)), "{name} cut at word {words}: b is wrong");
    let (a, shortened) = (get(s, "a"), ["truncate", "map and cut"].contains(&name));
    let may_be_gone = ["rename over", "unlink"].contains(&name);
    assert!(may_be_gone || a.is_ok(), "{name} cut at word {words}: a is gone");
    let least = if shortened { 5000 } else { 100_000 };
    let whole = a.map_or(true, |a| a.len() >= least && right(&a, 4));
    assert!(whole, "{name} cut at word {words}: a is wrong");
    assert_eq!(get(s, "probe").unwrap(), b"probe");
}

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// Random writes, truncations, renames and removals against plain byte strings.
#[test]
fn random_use_matches_a_model() {
    for seed in 1..=20 {
        let w = World::new(MEMORIES[seed as usize % 3]);
        let s = w.store();
        let mut rng = Rng(seed);
        let mut model: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for step in 0..400 {
            let path = format!("f{}", rng.below(6));
            match rng.below(8) {
                0..=3 => {
                    let (fd, h) = open(&s, &path, libc::O_CREAT | libc::O_RDWR).unwrap();
                    let file = model.entry(path).or_default();
                    let (pos, bytes) = (rng.below(400_000) as usize, body(step, 1 + rng.below(90_000) as usize));
                    assert_eq!(put(&s, &h, &bytes, pos as u64).unwrap(), bytes.len());
                    file.resize(file.len().max(pos + bytes.len()), 0);
                    file[pos..pos + bytes.len()].copy_from_slice(&bytes);
                    close(&s, fd);
                }
                4 => {
                    let len = rng.below(500_000);
                    if s.truncate(&at(&path), len).is_ok() {
                        model.get_mut(&path).unwrap().resize(len as usize, 0);
                    }
                }
                5 => assert_eq!(s.remove_file(&at(&path)).is_ok(), model.remove(&path).is_some()),
                6 => {
                    let to = format!("f{}", rng.below(6));
                    if s.rename(&at(&path), &at(&to), 0).is_ok() {
                        let moved = model.remove(&path).unwrap();
                        model.insert(to, moved);
                    }
                }
                _ => {
                    for (path, bytes) in &model {
                        assert!(get(&s, path).unwrap() == *bytes, "seed {seed} step {step} {path}");
                    }
                }
            }
        }
        assert_eq!(s.audit().unwrap(), Default::default(), "seed {seed}");
        model.keys().for_each(|path| s.remove_file(&at(path)).unwrap());
        s.leave().unwrap();
        let left = fs::read_dir(&w.dir).unwrap().flatten().map(|e| e.file_name().into_string().unwrap());
        assert!(left.into_iter().all(|name| ["index", "index.memory"].contains(&&*name)), "space comes back");
        assert_eq!(s.r.head().memory_used.load(Relaxed), 0, "memory comes back");
    }
}

#[test]
fn a_reserve_is_given_back_and_files_lie_close() {
    let w = World::new(b"0");
    let s = w.store();
    for k in 0..50 {
        let (fd, h) = open(&s, &format!("f{k}"), libc::O_CREAT | libc::O_RDWR).unwrap();
        put(&s, &h, &body(k, 5000), 0).unwrap();
        close(&s, fd);
    }
    assert_eq!(s.r.segment(0).tail.load(Relaxed), 50 * 8192);
    assert_eq!(s.r.segment(0).live.load(Relaxed), 50 * 8192);
    assert_eq!(s.r.head().segment_high.load(Relaxed), 1);
}

#[test]
fn a_mapped_file_stays_where_it_is_until_the_last_mapping_is_gone() {
    let w = World::new(b"64m");
    let s = w.store();
    let (fd, h) = open(&s, "a", libc::O_CREAT | libc::O_RDWR).unwrap();
    put(&s, &h, &body(1, 50_000), 0).unwrap();
    let i = s.r.inode(h.inode);
    let pins = [mapped(&s, &h, 200_000).unwrap(), mapped(&s, &h, 4096).unwrap()];
    let live = s.r.segment(0).live.load(Relaxed);
    assert_eq!((s.gather(i), s.leave_memory(i, libc::ENOSPC)), (Err(libc::EBUSY), false));
    s.set_len(h.inode, 10, || Ok(())).unwrap();
    close(&s, fd);
    s.unpin(pins[0]);
    assert_eq!(s.r.segment(0).live.load(Relaxed), live, "one mapping is left");
    s.unpin(pins[1]);
    assert_eq!((i.maps.load(Relaxed), s.r.segment(0).live.load(Relaxed)), (0, 4096));
    let (_, h) = open(&s, "a", libc::O_RDWR).unwrap();
    s.set_len(h.inode, 60_000, || Ok(())).unwrap();
    let grown = get(&s, "a").unwrap();
    assert!(grown[..10] == body(1, 10) && grown[10..].iter().all(|&b| b == 0));
    assert_eq!(s.gather(i), Ok(()));
    assert!(get(&s, "a").unwrap() == grown);
    assert_eq!(s.audit().unwrap(), Default::default());
}

fn make(s: &Store, path: &str, bytes: &[u8]) {
    let (fd, h) = open(s, path, libc::O_CREAT | libc::O_RDWR).unwrap();
    put(s, &h, bytes, 0).unwrap();
    close(s, fd);
}

#[test]
fn small_files_stay_in_memory_until_it_is_full() {
    let w = World::new(b"1m");
    let s = w.store();
    let used = || s.r.head().memory_used.load(Relaxed);
    for k in 0..100 {
        make(&s, &format!("f{k}"), &body(k, 5000));
    }
    assert_eq!(used(), 100 * 8192);
    assert!((0..s.r.head().segment_high.load(Relaxed)).all(|n| s.r.segment(n).is_memory()));
    for k in 100..300 {
        make(&s, &format!("f{k}"), &body(k, 5000));
    }
    assert!(used() > 900_000 && used() <= 1 << 20);
    (0..300).for_each(|k| assert_eq!(get(&s, &format!("f{k}")).unwrap(), body(k, 5000)));
    (0..300).for_each(|k| s.remove_file(&at(&format!("f{k}"))).unwrap());
    make(&s, "large", &body(7, 900_000));
    s.return_pending(super::layout::Medium::Memory);
    assert_eq!(used(), 0, "what is removed comes back, and a large file takes nothing");
    assert_eq!(get(&s, "large").unwrap(), body(7, 900_000));
}

#[test]
fn attributes_change_and_errors_are_those_of_a_file_system() {
    let w = World::new(b"0");
    let s = w.store();
    s.make_dir(&at("d"), 0o755).unwrap();
    open(&s, "d/f", libc::O_CREAT | libc::O_RDWR).unwrap();
    s.alter(&at("d/f"), |i: &Inode| i.mode.store(0o640, Relaxed)).unwrap();
    assert_eq!(s.stat(&at("d/f")).unwrap().mode & 0o7777, 0o640);
    assert_eq!(s.make_dir(&at("d"), 0), Err(libc::EEXIST));
    assert_eq!(s.make_dir(&at("x/y"), 0), Err(libc::ENOENT));
    assert_eq!(s.make_dir(&at("d/f/g"), 0), Err(libc::ENOTDIR));
    assert_eq!(s.remove_dir(&at("d")), Err(libc::ENOTEMPTY));
    assert_eq!(s.remove_file(&at("d")), Err(libc::EISDIR));
    assert_eq!(s.rename(&at("d"), &at("d/sub"), 0), Err(libc::EINVAL));
    assert_eq!(s.rename(&at("d/f"), &at("d/f"), 1), Err(libc::EEXIST));
    assert_eq!(open(&s, &"n".repeat(256), libc::O_CREAT).err(), Some(libc::ENAMETOOLONG));
}
