//! Counting: which class a call belongs to, how long it took, and where the numbers go.

use super::kinds::kind;
use crate::process::gate::{self, Ret};
use crate::process::settings::config;
use crate::process::{cwd, real};
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, AtomicU8, Ordering::*};
use weft_scratch_core::classes::{OTHER, UNNAMED};
use weft_scratch_core::counters::{Counters, Sample};
use weft_scratch_core::coverage::{self, Missed};
use weft_scratch_core::directories;
use weft_scratch_core::identity::Identity;
use weft_scratch_core::ops::Op;
use weft_scratch_core::{clock, text::PathText};

const OFF: u32 = 0;
const READY: u32 = 1;
/// A forked child makes its file at its first counted call, so that fork+exec makes none for nothing.
const PENDING: u32 = 2;
const ATTACHING: u32 = 3;

static STATE: AtomicU32 = AtomicU32::new(OFF);

struct Mapped(UnsafeCell<MaybeUninit<Counters>>);
// SAFETY: written only in state ATTACHING, which one thread holds; read only in state READY.
unsafe impl Sync for Mapped {}
static COUNTERS: Mapped = Mapped(UnsafeCell::new(MaybeUninit::uninit()));

/// Descriptors above this are counted as unnamed.
pub const MAX_FDS: usize = 1 << 16;
static CLASS_OF_FD: [AtomicU8; MAX_FDS] = [const { AtomicU8::new(UNNAMED) }; MAX_FDS];

pub fn start() {
    if !config().count_dir.is_empty() {
        STATE.store(PENDING, Release);
        ready();
    }
}

/// True if calls are counted, so far as is known.
pub fn on() -> bool {
    STATE.load(Relaxed) != OFF
}

pub fn forked() {
    if STATE.load(Relaxed) != OFF {
        STATE.store(PENDING, Release);
    }
}

/// At a normal end; a process that counted nothing leaves nothing.
pub fn end() {
    if STATE.load(Acquire) == READY {
        if let Some(counters) = ready() {
            counters.end();
        }
    }
}

#[inline]
fn ready() -> Option<&'static Counters> {
    if STATE.load(Acquire) != READY && !attach() {
        return None;
    }
    // SAFETY: READY is only set after the value was written.
    Some(unsafe { (*COUNTERS.0.get()).assume_init_ref() })
}

#[cold]
fn attach() -> bool {
    if STATE.compare_exchange(PENDING, ATTACHING, AcqRel, Acquire).is_err() {
        return false;
    }
    let c = config();
    let next = match Counters::attach(c, Identity::own()) {
        Ok(counters) => {
            // SAFETY: this thread alone moved the state to ATTACHING.
            unsafe { (*COUNTERS.0.get()).write(counters) };
            READY
        }
        Err(_) => OFF,
    };
    STATE.store(next, Release);
    next == READY
}

/// Threads are spread over stripes by where their control block lies.
#[inline]
fn stripe() -> usize {
    let tp: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: fs:0 holds the thread pointer in the x86_64 ABI.
    unsafe {
        core::arch::asm!("mov {}, fs:0", out(reg) tp, options(nostack, readonly, preserves_flags))
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: tpidr_el0 is readable in user mode.
    unsafe {
        core::arch::asm!("mrs {}, tpidr_el0", out(reg) tp, options(nostack, nomem))
    };
    tp.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48
}

/// Runs a call and counts it under `class`.
#[inline]
pub fn timed<R: Ret>(op: Op, class: impl FnOnce() -> u8, call: impl FnOnce() -> R) -> R {
    sized(op, class, call, R::bytes)
}

/// As `timed`, for calls whose byte count is not what they return.
#[inline]
pub fn sized<R: Ret>(op: Op, class: impl FnOnce() -> u8, call: impl FnOnce() -> R, bytes: impl FnOnce(R) -> u64) -> R {
    let Some(counters) = gate::safely(None, ready) else { return call() };
    let class = class();
    let begin = clock::monotonic();
    let r = call();
    let ns = clock::monotonic().wrapping_sub(begin);
    let sample = Sample { kind: kind(), ns, failed: r.failed(), bytes: bytes(r) };
    gate::safely((), || counters.add(stripe(), class, op, &sample));
    r
}

/// Notes something that could not be counted.
pub fn missed(kind: Missed, number: u64, text: &[u8]) {
    gate::safely((), || {
        if let Some(c) = ready() {
            coverage::note(c, kind, number, text);
        }
    });
}

/// The class kept for a descriptor.
#[inline]
pub fn fd_class(fd: c_int) -> u8 {
    CLASS_OF_FD.get(fd as usize).map_or(UNNAMED, |c| c.load(Relaxed))
}

/// Remembers the class of a descriptor.
#[inline]
pub fn set_fd_class(fd: c_int, class: u8) {
    if let Some(c) = CLASS_OF_FD.get(fd as usize) {
        c.store(class, Relaxed);
    }
}

/// The class of a path; below a directory descriptor it is that directory's.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn path_class(dir: c_int, path: *const c_char) -> u8 {
    if STATE.load(Relaxed) == OFF {
        return OTHER;
    }
    // SAFETY: passed on from the caller.
    gate::safely(OTHER, || class_of(dir, unsafe { real::bytes(path) }))
}

/// As `path_class`, and what is in no configured class is noted with its directory.
///
/// # Safety
/// As for `path_class`.
#[inline]
pub unsafe fn noted_class(op: Op, dir: c_int, path: *const c_char) -> u8 {
    // SAFETY: passed on from the caller.
    let class = unsafe { path_class(dir, path) };
    if class == OTHER && matches!(op, Op::Open | Op::Stat) {
        // SAFETY: as above.
        gate::safely((), || note_directory(op, dir, unsafe { real::bytes(path) }));
    }
    class
}

fn class_of(dir: c_int, path: &[u8]) -> u8 {
    if dir != libc::AT_FDCWD && path.first() != Some(&b'/') {
        return fd_class(dir);
    }
    with_whole(dir, path, |whole| config().classes.of(whole)).unwrap_or(OTHER)
}

fn note_directory(op: Op, dir: c_int, path: &[u8]) {
    let Some(counters) = ready() else { return };
    if with_whole(dir, path, |whole| directories::note(counters, op, whole)).is_none() {
        directories::lost(counters);
    }
}

/// Calls `f` with the absolute path; None below a directory's descriptor, whose path nobody keeps.
fn with_whole<R>(dir: c_int, path: &[u8], f: impl FnOnce(&[u8]) -> R) -> Option<R> {
    if path.first() == Some(&b'/') {
        return Some(f(path));
    }
    if dir != libc::AT_FDCWD {
        return None;
    }
    PathText::of(&[cwd::get(), b"/", path]).ok().map(|whole| f(whole.as_bytes()))
}
