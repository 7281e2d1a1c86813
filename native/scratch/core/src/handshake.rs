//! The handshake file of a node: each program that loads the library reports it, and before a process executes another
//! program it reports which. A program that was executed and has reported nothing runs without the library: the loader
//! ignores one that it cannot load.
//!
//! A line has seven fields between tabs: event, pid, start ticks and pid namespace of the process, the jobs that
//! the library does in it, the command that weft started it with, and a program.

use crate::identity::Identity;
use crate::sys::{self, Result};
use crate::text::{PathText, Text};

/// Of a program's path, so many bytes from its end are reported.
const PROGRAM_BYTES: usize = 512;

/// What a line reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The library works in this program.
    Started,
    /// The process executes a program that has to load the library.
    Executes,
    /// A child was started with a program that has to load the library.
    Spawned,
    /// The process did not execute the program: the call failed.
    Failed,
    /// The process executes a program that cannot load a library: static, or with privileges.
    CannotLoad,
    /// The process executes a program whose environment does not name the library.
    Without,
}

impl Event {
    pub const fn name(self) -> &'static [u8] {
        match self {
            Event::Started => b"started",
            Event::Executes => b"executes",
            Event::Spawned => b"spawned",
            Event::Failed => b"failed",
            Event::CannotLoad => b"cannot-load",
            Event::Without => b"without",
        }
    }
}

/// The process that reports.
pub struct Reporter<'s> {
    pub id: Identity,
    pub pid_space: u64,
    /// A letter for each job: c counts, s serves a scratch prefix, p pools input.
    pub jobs: &'s [u8],
    pub command: &'s [u8],
}

/// Appends a line; one write, so that lines of several processes do not mix. Needs no memory: a vfork child may call it.
pub fn append(file: &PathText, event: Event, by: &Reporter, program: &[u8]) -> Result<()> {
    let line = line(event, by, program)?;
    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    let fd = sys::openat(libc::AT_FDCWD, file.c_path(), flags, 0o600)?;
    let bytes = line.as_bytes();
    let written = sys::write(fd, bytes.as_ptr(), bytes.len());
    sys::close(fd)?;
    written.map(drop)
}

fn line(event: Event, by: &Reporter, program: &[u8]) -> Result<Text<1024>> {
    let mut text = Text::of(&[event.name()])?;
    for number in [u64::from(by.id.pid), by.id.start, by.pid_space] {
        text.push(b"\t")?;
        text.push_num(number)?;
    }
    for word in [by.jobs, by.command, &program[program.len().saturating_sub(PROGRAM_BYTES)..]] {
        text.push(b"\t")?;
        // A name may hold anything.
        for &byte in word {
            text.push(&[if byte.is_ascii_control() { b'?' } else { byte }])?;
        }
    }
    text.push(b"\n")?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_whatever_the_program_is_called() {
        let id = Identity { pid: 7, start: 42 };
        let by = Reporter { id, pid_space: 3, jobs: b"cs", command: b"worker" };
        let text = line(Event::Started, &by, b"/a b/\tc\nd").unwrap();
        assert_eq!(text.as_bytes(), b"started\t7\t42\t3\tcs\tworker\t/a b/?c?d\n");
        let long = line(Event::Executes, &by, &[b'x'; 3000]).unwrap();
        assert_eq!(long.as_bytes().len(), b"executes\t7\t42\t3\tcs\tworker\t\n".len() + PROGRAM_BYTES);
    }
}
