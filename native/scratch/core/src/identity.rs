//! Who a process is: its pid together with its start time, which no later process shares.

use crate::sys::{self, Result};
use crate::text::{number, Text};

/// A process, safe against reuse of its pid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub pid: u32,
    pub start: u64,
}

struct Stat {
    state: u8,
    threads: u64,
    start: u64,
}

/// Below a process's directory. Not by its shortest name: qemu-user answers that itself, with a start that no other process sees.
const STAT: &[u8] = b"/task/../stat";

fn stat_of(pid: u32) -> Result<Stat> {
    let mut path = Text::<32>::of(&[b"/proc/"])?;
    path.push_num(pid as u64)?;
    path.push(STAT)?;
    read(path.c_path())
}

fn read(path: sys::CPath) -> Result<Stat> {
    let mut buf = [0u8; 1024];
    let n = sys::slurp(path, &mut buf)?;
    parse(&buf[..n]).ok_or(libc::EIO)
}

/// The command name may hold anything, so fields are counted from its last parenthesis.
fn parse(line: &[u8]) -> Option<Stat> {
    let close = line.iter().rposition(|&c| c == b')')?;
    let field = |n: usize| line[close + 1..].split(|&c| c == b' ').filter(|f| !f.is_empty()).nth(n - 3);
    Some(Stat { state: *field(3)?.first()?, threads: number(field(20)?)?, start: number(field(22)?)? })
}

/// The number in "pid:[4026531836]", the caller's pid namespace; 0 where /proc does not say.
pub fn pid_space() -> u64 {
    let mut buf = [0u8; 32];
    let link = sys::CPath::new(b"/proc/self/ns/pid\0");
    let text = sys::readlinkat(libc::AT_FDCWD, link, &mut buf).map_or(&buf[..0], |n| &buf[..n]);
    text.strip_prefix(b"pid:[").and_then(|t| number(t.strip_suffix(b"]")?)).unwrap_or(0)
}

impl Identity {
    /// The calling process.
    pub fn own() -> Identity {
        Identity::of(sys::getpid())
    }

    /// The calling process, also where /proc shows another pid namespace than its own.
    pub fn here() -> Identity {
        let path = Text::<32>::of(&[b"/proc/self", STAT]);
        let stat = path.and_then(|path| read(path.c_path()));
        Identity { pid: sys::getpid(), start: stat.map_or(0, |s| s.start) }
    }

    /// The process of a pid; its start is 0 where /proc does not say.
    pub fn of(pid: u32) -> Identity {
        Identity { pid, start: stat_of(pid).map_or(0, |s| s.start) }
    }

    /// False once the process has ended, reaped or not; true when in doubt.
    pub fn alive(&self) -> bool {
        if sys::kill0(self.pid) == Err(libc::ESRCH) {
            return false;
        }
        match stat_of(self.pid) {
            Ok(s) if self.start != 0 && s.start != self.start => false,
            Ok(s) => !(matches!(s.state, b'Z' | b'X' | b'x') && s.threads <= 1),
            Err(libc::ENOENT | libc::ESRCH) => false,
            Err(_) => true,
        }
    }

    /// A cheap look that sees only pids that are gone.
    pub fn surely_gone(&self) -> bool {
        sys::kill0(self.pid) == Err(libc::ESRCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_command_names_do_not_shift_fields() {
        let line = b"7 (a) b (c) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 4242 9 9";
        let s = parse(line).unwrap();
        assert_eq!((s.state, s.threads, s.start), (b'S', 3, 4242));
    }

    #[test]
    fn a_zombie_and_a_stranger_are_not_alive() {
        assert!(Identity::own().alive());
        assert!(!Identity { start: 1, ..Identity::own() }.alive());
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = Identity { pid: child.id(), start: 0 };
        while id.alive() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(id.surely_gone());
    }
}
