//! What counting adds to one call: the same calls in processes with and without the library, round after round.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::Path;
use std::process::Command;
use std::{env, fs, io, thread};

const ROUNDS: usize = 15;
const CALLS: u32 = 200_000;
/// As an executor has them.
const CLASSES: &str =
    "python=*.py:python=*.pyc:python=*/python3*:input=/a/b/c:output=/a/b/d:scratch=/dev/shm:jars=/a/jars:\
                       jars=/a/java:logs=/a/runs";
const THREADS: &str = "collector=GC Thread#:compiler=C2 Compiler:server=shuffle-:server=rpc-:task=Executor task ";

/// Nanoseconds of each call, printed as `name ns` lines by a thread with a task's name.
pub fn worker() -> io::Result<()> {
    let tasks = thread::Builder::new().name("Executor task l".into()).spawn(|| {
        let path = CString::new("/dev/shm").unwrap_or_default();
        // SAFETY: the path is a C string; the descriptor is used while it is open.
        let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        // SAFETY: as above.
        time("lseek", || unsafe { libc::lseek(fd, 0, libc::SEEK_SET) } >= 0);
        // SAFETY: as above.
        time("access", || unsafe { libc::access(path.as_ptr(), libc::F_OK) } == 0);
    })?;
    tasks.join().map_err(|_| io::Error::other("a call failed"))
}

fn time(name: &str, call: impl Fn() -> bool) {
    let begin = processor_time();
    let done = (0..CALLS).filter(|_| call()).count();
    let ns = (processor_time() - begin) as f64 / f64::from(CALLS);
    assert_eq!(done, CALLS as usize, "{name}");
    println!("{name} {ns:.1}");
}

/// Nanoseconds that this thread has had a processor: other work on the machine is not counted.
fn processor_time() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a live timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

type Figures = BTreeMap<String, f64>;

fn round(vars: &[(&str, &Path)]) -> io::Result<Figures> {
    let out = Command::new(env::current_exe()?).arg("cost-worker").envs(vars.iter().copied()).output()?;
    let figure = |line: &str| line.split_once(' ').and_then(|(name, ns)| Some((name.to_owned(), ns.parse().ok()?)));
    match out.status.success() {
        true => Ok(String::from_utf8_lossy(&out.stdout).lines().filter_map(figure).collect()),
        false => Err(io::Error::other(String::from_utf8_lossy(&out.stderr).into_owned())),
    }
}

/// Prints a line of JSON for each round: by call its nanoseconds without and with counting.
pub fn run(library: &str) -> io::Result<()> {
    let library = fs::canonicalize(library)?;
    let counters = env::temp_dir().join(format!("weft-cost-{}", std::process::id()));
    fs::create_dir_all(&counters)?;
    let counted = [
        ("LD_PRELOAD", library.as_path()),
        ("WEFT_COUNT_DIR", &counters),
        ("WEFT_COUNT_CLASSES", Path::new(CLASSES)),
        ("WEFT_COUNT_THREADS", Path::new(THREADS)),
    ];
    let rounds: io::Result<Vec<_>> = (0..ROUNDS).map(|_| Ok((round(&[])?, round(&counted)?))).collect();
    fs::remove_dir_all(&counters)?;
    for (plain, with) in rounds? {
        let calls: Vec<_> = plain.iter().map(|(name, ns)| format!("\"{name}\": [{ns}, {}]", with[name])).collect();
        println!("{{{}}}", calls.join(", "));
    }
    Ok(())
}
