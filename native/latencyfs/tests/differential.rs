//! Random operations on a mount and on a plain directory: both must agree, errors included.

mod common;

use common::errno;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{symlink, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// SplitMix64, so that a seed names a run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }

    /// Few names in few directories, so that operations meet.
    fn path(&mut self) -> PathBuf {
        let depth = [1, 1, 1, 2, 2, 3][self.below(6) as usize];
        (0..depth)
            .map(|_| ["a", "b", "c", "d"][self.below(4) as usize])
            .collect()
    }
}

/// One operation, the same for both worlds.
#[derive(Debug)]
enum Step {
    Write(PathBuf, usize),
    CreateNew(PathBuf),
    Append(PathBuf, usize),
    Read(PathBuf),
    Truncate(PathBuf, u64),
    Mkdir(PathBuf),
    Rmdir(PathBuf),
    Unlink(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    Symlink(PathBuf, PathBuf),
    Stat(PathBuf),
    Chmod(PathBuf, u32),
    List(PathBuf),
}

fn draw(rng: &mut Rng) -> Step {
    let (a, b) = (rng.path(), rng.path());
    let size = rng.below(20_000) as usize;
    match rng.below(14) {
        0 => Step::Write(a, size),
        1 => Step::CreateNew(a),
        2 => Step::Append(a, size),
        3 => Step::Read(a),
        4 => Step::Truncate(a, size as u64),
        5 => Step::Mkdir(a),
        6 => Step::Rmdir(a),
        7 => Step::Unlink(a),
        8 => Step::Rename(a, b),
        9 => Step::Link(a, b),
        10 => Step::Symlink(a, b),
        11 => Step::Stat(a),
        12 => Step::Chmod(a, [0o600, 0o644, 0o755, 0o7777][size % 4]),
        _ => Step::List(a),
    }
}

fn run(root: &Path, step: &Step) -> io::Result<String> {
    let data = |size: usize| (0..size).map(|n| (n * 7 + size) as u8).collect::<Vec<_>>();
    let open = |path: &Path, options: &mut OpenOptions| options.open(root.join(path));
    match step {
        Step::Write(path, size) => fs::write(root.join(path), data(*size))?,
        Step::CreateNew(path) => {
            open(path, OpenOptions::new().write(true).create_new(true))?;
        }
        Step::Append(path, size) => {
            open(path, OpenOptions::new().append(true))?.write_all(&data(*size))?;
        }
        Step::Read(path) => return fs::read(root.join(path)).map(|bytes| format!("{bytes:?}")),
        Step::Truncate(path, size) => open(path, OpenOptions::new().write(true))?.set_len(*size)?,
        Step::Mkdir(path) => fs::create_dir(root.join(path))?,
        Step::Rmdir(path) => fs::remove_dir(root.join(path))?,
        Step::Unlink(path) => fs::remove_file(root.join(path))?,
        Step::Rename(from, to) => fs::rename(root.join(from), root.join(to))?,
        Step::Link(from, to) => fs::hard_link(root.join(from), root.join(to))?,
        Step::Symlink(target, path) => symlink(target, root.join(path))?,
        Step::Stat(path) => return describe(&root.join(path)),
        Step::Chmod(path, mode) => {
            fs::set_permissions(root.join(path), fs::Permissions::from_mode(*mode))?;
        }
        Step::List(path) => return list(&root.join(path)),
    }
    Ok(String::new())
}

fn describe(path: &Path) -> io::Result<String> {
    let seen = fs::symlink_metadata(path)?;
    let size = if seen.is_dir() { 0 } else { seen.len() };
    Ok(format!("{:o} {} {size}", seen.mode(), seen.nlink()))
}

fn list(path: &Path) -> io::Result<String> {
    let mut names = fs::read_dir(path)?
        .map(|entry| entry.map(|e| format!("{:?} {:?}", e.file_name(), e.file_type().ok())))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names.join(", "))
}

/// Everything below a directory: attributes, targets and contents.
fn walk(root: &Path, dir: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(root.join(dir)).unwrap() {
        let path = dir.join(entry.unwrap().file_name());
        let full = root.join(&path);
        let mut text = describe(&full).unwrap();
        let kind = fs::symlink_metadata(&full).unwrap();
        if kind.is_dir() {
            walk(root, &path, found);
        } else if kind.is_symlink() {
            text += &format!(" -> {:?}", fs::read_link(&full).unwrap());
        } else {
            text += &format!(" {:?}", fs::read(&full).unwrap());
        }
        found.insert(path, text);
    }
}

fn compare(seed: u64, steps: usize, args: &[&str]) {
    let Some(lab) = common::start(1, args) else {
        return;
    };
    let plain = lab.plain();
    let mut rng = Rng(seed);
    let mut succeeded = 0;
    for number in 0..steps {
        let step = draw(&mut rng);
        let (here, there) = (run(lab.mount(), &step), run(&plain, &step));
        succeeded += usize::from(there.is_ok());
        match (&here, &there) {
            (Ok(seen), Ok(want)) => assert_eq!(seen, want, "seed {seed} step {number} {step:?}"),
            _ => assert_eq!(
                errno(here),
                errno(there),
                "seed {seed} step {number} {step:?}"
            ),
        }
    }
    let (mut seen, mut want) = (BTreeMap::new(), BTreeMap::new());
    walk(lab.mount(), Path::new(""), &mut seen);
    walk(&plain, Path::new(""), &mut want);
    assert_eq!(seen, want, "seed {seed}");
    println!("seed {seed}: {steps} steps agree, {succeeded} of them succeeded");
    assert!(succeeded > steps / 10, "too few operations meet");
}

#[test]
fn with_caches() {
    for seed in 1..4 {
        compare(
            seed,
            4_000,
            &["--profile", "zero", "--set", "client.passthrough=false"],
        );
    }
}

#[test]
fn with_kernel_passthrough() {
    compare(11, 4_000, &["--profile", "zero"]);
}

#[test]
fn with_the_lustre_cache_rules() {
    let fast = [
        "--profile",
        "lustre",
        "--set",
        "metadata.round_trip_us=20",
        "--set",
        "data.round_trip_us=20",
    ];
    compare(21, 3_000, &fast);
}

#[test]
fn without_caches() {
    let direct = [
        "--profile",
        "zero",
        "--set",
        "client.page_cache=false",
        "--set",
        "client.attr_timeout_us=0",
        "--set",
        "client.readdirplus=true",
    ];
    compare(31, 4_000, &direct);
}
