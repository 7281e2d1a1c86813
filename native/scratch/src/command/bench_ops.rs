//! The calls that are timed, in a process of their own; prints one `name microseconds` line each.

use std::ffi::CString;
use std::io;
use std::time::Instant;

const BLOCK: usize = 65536;

fn ok(r: i64) -> io::Result<i64> {
    if r < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(r)
    }
}

struct Names(Vec<CString>);

impl Names {
    fn new(dir: &str, stem: &str, n: usize) -> io::Result<Names> {
        let name = |i| CString::new(format!("{dir}/{stem}-{i}")).map_err(io::Error::other);
        Ok(Names((0..n).map(name).collect::<io::Result<_>>()?))
    }

    /// Times `f` over all names and prints the mean.
    fn time(&self, what: &str, f: impl Fn(&CString) -> io::Result<()>) -> io::Result<()> {
        let begin = Instant::now();
        self.0.iter().try_for_each(f)?;
        println!("{what} {:.3}", begin.elapsed().as_secs_f64() * 1e6 / self.0.len() as f64);
        Ok(())
    }
}

fn open(name: &CString, flags: i32) -> io::Result<i32> {
    // SAFETY: the name is a C string.
    ok(unsafe { libc::open(name.as_ptr(), flags | libc::O_CLOEXEC, 0o600) } as i64).map(|fd| fd as i32)
}

fn close(fd: i32) -> io::Result<()> {
    // SAFETY: the descriptor is ours.
    ok(unsafe { libc::close(fd) } as i64).map(drop)
}

fn create(name: &CString) -> io::Result<()> {
    let fd = open(name, libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY)?;
    let body = [7u8; BLOCK];
    // SAFETY: the buffer lives through the call.
    ok(unsafe { libc::write(fd, body.as_ptr().cast(), BLOCK) } as i64)?;
    close(fd)
}

fn open_read(name: &CString) -> io::Result<()> {
    let fd = open(name, libc::O_RDONLY)?;
    let mut buf = [0u8; 4096];
    // SAFETY: stat and buffer live through the calls.
    unsafe {
        let mut st = std::mem::zeroed();
        ok(libc::fstat(fd, &mut st) as i64)?;
        ok(libc::pread(fd, buf.as_mut_ptr().cast(), buf.len(), 0) as i64)?;
    }
    close(fd)
}

fn stat_hit_and_miss(name: &CString) -> io::Result<()> {
    // SAFETY: the names are C strings and the stat lives through the calls.
    unsafe {
        let mut st = std::mem::zeroed();
        ok(libc::stat(name.as_ptr(), &mut st) as i64)?;
        let mut missing = name.as_bytes().to_vec();
        missing.extend_from_slice(b"?\0");
        libc::stat(missing.as_ptr().cast(), &mut st);
    }
    Ok(())
}

/// Runs every operation in `dir` on `files` files.
pub fn run(dir: &str, files: &str) -> io::Result<()> {
    let n: usize = files.parse().map_err(io::Error::other)?;
    let names = Names::new(dir, &format!("bench-{}", std::process::id()), n)?;
    let moved = Names::new(dir, &format!("moved-{}", std::process::id()), n)?;
    names.time("create+write64K+close", create)?;
    names.time("open+fstat+pread4K+close", open_read)?;
    names.time("stat-hit+miss", stat_hit_and_miss)?;
    let begin = Instant::now();
    for (from, to) in names.0.iter().zip(&moved.0) {
        // SAFETY: both are C strings.
        ok(unsafe { libc::rename(from.as_ptr(), to.as_ptr()) } as i64)?;
    }
    println!("rename {:.3}", begin.elapsed().as_secs_f64() * 1e6 / n as f64);
    let fd = open(&moved.0[0], libc::O_RDONLY)?;
    // SAFETY: the descriptor is open.
    names.time("lseek", |_| ok(unsafe { libc::lseek(fd, 1, libc::SEEK_SET) }).map(drop))?;
    close(fd)?;
    // SAFETY: the name is a C string.
    moved.time("unlink", |name| ok(unsafe { libc::unlink(name.as_ptr()) } as i64).map(drop))
}
