//! Compares worlds by running the same calls in each, round after round, and taking medians.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const ROUNDS: usize = 9;
const FILES: &str = "500";

/// A directory and the environment it is used with.
struct World {
    name: String,
    dir: PathBuf,
    vars: Vec<(&'static str, PathBuf)>,
}

/// Removes what the benchmark made.
struct Litter(Vec<PathBuf>);

impl Drop for Litter {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = fs::remove_dir_all(path).or_else(|_| fs::remove_file(path));
        }
    }
}

fn fresh(parent: &Path, litter: &mut Litter) -> io::Result<PathBuf> {
    let dir = parent.join(format!("weft-bench-{}", std::process::id()));
    fs::create_dir_all(&dir)?;
    litter.0.push(dir.clone());
    Ok(dir)
}

fn worlds(library: &Path, dirs: &[&str], litter: &mut Litter) -> io::Result<Vec<World>> {
    let memory = fresh(Path::new("/dev/shm"), litter)?;
    let disk = fresh(&env::temp_dir(), litter)?;
    let mut all = vec![
        World { name: "tmpfs".into(), dir: sub(&memory, "plain")?, vars: vec![] },
        World {
            name: "tmpfs+count".into(),
            dir: sub(&memory, "counted")?,
            vars: vec![("LD_PRELOAD", library.into()), ("WEFT_COUNT_DIR", sub(&memory, "counters")?)],
        },
        World { name: "plain".into(), dir: sub(&disk, "plain")?, vars: vec![] },
        served("served/plain", library, &disk, "256m")?,
        served("store/plain", library, &disk, "0")?,
    ];
    // Each directory given is measured as it is and below a served prefix, with and without memory for small files.
    for given in dirs {
        let (name, dir) = given.split_once('=').unwrap_or((given, given));
        let dir = fresh(Path::new(dir), litter)?;
        all.push(World { name: name.into(), dir: sub(&dir, "plain")?, vars: vec![] });
        all.push(served(&format!("served/{name}"), library, &dir, "256m")?);
        all.push(served(&format!("store/{name}"), library, &dir, "0")?);
    }
    for index in all.iter().flat_map(|w| &w.vars).filter(|v| v.0 == "WEFT_SCRATCH_INDEX").map(|v| &v.1) {
        litter.0.extend([index.clone(), format!("{}.memory", index.display()).into()]);
    }
    Ok(all)
}

fn sub(dir: &Path, name: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(dir.join(name))?;
    Ok(dir.join(name))
}

fn served(name: &str, library: &Path, dir: &Path, memory: &str) -> io::Result<World> {
    let prefix = sub(dir, &name.replace('/', "-"))?;
    let index = format!("/dev/shm/weft-bench-index-{}-{}", std::process::id(), name.replace('/', "-"));
    let vars = vec![
        ("LD_PRELOAD", library.into()),
        ("WEFT_SCRATCH_PREFIX", prefix.clone()),
        ("WEFT_SCRATCH_STORE", sub(dir, "store")?),
        ("WEFT_SCRATCH_INDEX", index.into()),
        ("WEFT_SCRATCH_MEMORY", memory.into()),
    ];
    Ok(World { name: name.into(), dir: prefix, vars })
}

/// Operation, world, and a figure of every round.
type Figures = BTreeMap<String, BTreeMap<usize, Vec<f64>>>;

fn round(world: &World, at: usize, figures: &mut Figures) -> io::Result<()> {
    let mut worker = Command::new(env::current_exe()?);
    worker.arg("bench-worker").arg(&world.dir).arg(FILES);
    worker.envs(world.vars.iter().map(|v| (v.0, &v.1)));
    let out = worker.output()?;
    if !out.status.success() {
        return Err(io::Error::other(format!("{}: {}", world.name, String::from_utf8_lossy(&out.stderr))));
    }
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        if let Some((op, us)) = line.split_once(' ') {
            let us: f64 = us.parse().map_err(io::Error::other)?;
            figures.entry(op.into()).or_default().entry(at).or_default().push(us);
        }
    }
    Ok(())
}

fn median(v: &[f64]) -> f64 {
    let mut v = v.to_vec();
    v.sort_by(f64::total_cmp);
    v[v.len() / 2]
}

/// Prints microseconds per operation and, in brackets, the ratio to tmpfs.
pub fn run(library: &str, dirs: &[&str]) -> io::Result<()> {
    let library = fs::canonicalize(library)?;
    let mut litter = Litter(Vec::new());
    let worlds = worlds(&library, dirs, &mut litter)?;
    let mut figures = Figures::new();
    for _ in 0..ROUNDS {
        for (at, world) in worlds.iter().enumerate() {
            round(world, at, &mut figures)?;
        }
    }
    print!("{:<26}", "us/op (x tmpfs)");
    worlds.iter().for_each(|w| print!("{:>20}", w.name));
    println!();
    for (op, by_world) in &figures {
        let base = median(&by_world[&0]);
        print!("{op:<26}");
        by_world.values().map(|v| median(v)).for_each(|m| print!("{:>20}", format!("{m:.2} ({:.2})", m / base)));
        println!();
    }
    Ok(())
}
