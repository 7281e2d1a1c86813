//! What this process reports in the handshake file.

use super::settings::config;
use weft_scratch_core::elf::Loads;
use weft_scratch_core::handshake::{self, Event, Reporter};
use weft_scratch_core::identity::{self, Identity};
use weft_scratch_core::sys;
use weft_scratch_core::text::Text;

/// Every program that loads us reports it, once its `jobs` are switched on.
pub fn started(jobs: &[u8]) {
    if config().handshake.is_empty() {
        return;
    }
    let mut program = [0u8; 512];
    let link = sys::CPath::new(b"/proc/self/exe\0");
    let n = sys::readlinkat(libc::AT_FDCWD, link, &mut program).unwrap_or(0);
    report(Event::Started, Identity::here(), jobs, &program[..n]);
}

/// What to report of a program about to be executed; `named`: whether its environment names the library.
pub fn expected(loads: Loads, named: bool) -> Event {
    match loads {
        Loads::Static | Loads::Privileged => Event::CannotLoad,
        _ if !named => Event::Without,
        Loads::Yes | Loads::Unknown => Event::Executes,
    }
}

/// This process is about to execute a program.
pub fn executes(event: Event, program: &[u8]) {
    if !config().handshake.is_empty() {
        report(event, Identity::here(), b"", program);
    }
}

/// A child was started with a program.
pub fn spawned(event: Event, pid: u32, program: &[u8]) {
    if !config().handshake.is_empty() {
        let event = if event == Event::Executes { Event::Spawned } else { event };
        report(event, Identity::of(pid), b"", program);
    }
}

fn report(event: Event, id: Identity, jobs: &[u8], program: &[u8]) {
    let c = config();
    // Not kept: a child of a process that entered another pid namespace counts there.
    let by = Reporter { id, pid_space: identity::pid_space(), jobs, command: c.command.as_bytes() };
    let _ = handshake::append(&c.handshake, event, &by, program);
}

/// The letters of the jobs that are switched on.
pub fn letters<const N: usize>(jobs: [(u8, bool); N]) -> Text<8> {
    let mut text = Text::new();
    for (letter, on) in jobs {
        if on {
            let _ = text.push(&[letter]);
        }
    }
    text
}
