//! The scratch store as this process has it: mapped at first need, for good.

use crate::process::settings::config;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use weft_scratch_core::store::{Reason, Store};
use weft_scratch_core::sys::{self, Result};
use weft_scratch_core::text::Text;

const OFF: u32 = 0;
const UNMAPPED: u32 = 1;
const MAPPING: u32 = 2;
const READY: u32 = 3;
/// The index belongs to others: every call on the prefix fails.
const REFUSED: u32 = 4;
static STATE: AtomicU32 = AtomicU32::new(OFF);

struct Slot(UnsafeCell<MaybeUninit<Store>>);
// SAFETY: written only in state MAPPING, which one thread holds; read only in state READY.
unsafe impl Sync for Slot {}
static STORE: Slot = Slot(UnsafeCell::new(MaybeUninit::uninit()));

/// Switches serving on; an index that exists may hold descriptors that survived exec. False if there is nothing to
/// serve, or there is an index that cannot be ours: calls on the prefix then fail.
pub fn start() -> bool {
    if config().prefix.is_empty() {
        return false;
    }
    STATE.store(UNMAPPED, Release);
    let found = map(false);
    if matches!(found, Err(e) if e != libc::ENOENT) {
        say();
    }
    if let Some(s) = mapped() {
        s.resume();
    }
    matches!(found, Ok(()) | Err(libc::ENOENT))
}

/// True if there is a prefix to serve.
#[inline]
pub fn on() -> bool {
    STATE.load(Relaxed) != OFF
}

/// The store, if its index is mapped already.
#[inline]
pub fn mapped() -> Option<&'static Store> {
    if STATE.load(Acquire) != READY {
        return None;
    }
    // SAFETY: READY is only set after the value was written, and it is never dropped.
    Some(unsafe { (*STORE.0.get()).assume_init_ref() })
}

/// The store; creates the index at first need.
pub fn store() -> Result<&'static Store> {
    loop {
        if let Some(s) = mapped() {
            return Ok(s);
        }
        match STATE.load(Acquire) {
            MAPPING => core::hint::spin_loop(),
            REFUSED => return Err(libc::EPERM),
            _ => map(true).inspect_err(|_| say())?,
        }
    }
}

/// In a forked child: true if it is in another pid namespace than its parent, where the index is not its own.
pub fn forked_away() -> bool {
    let Some(s) = mapped().filter(|s| s.is_foreign()) else { return false };
    s.refuse(Reason::PidNamespace);
    STATE.store(REFUSED, Release);
    say();
    true
}

/// Reports once what no program says clearly: why its calls on the prefix fail.
fn say() {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if REPORTED.swap(true, Relaxed) {
        return;
    }
    let (c, mut line) = (config(), Text::<8192>::new());
    let words =
        [b"weft-scratch: ", c.prefix.as_bytes(), b" is not served in this program, its index ", c.index.as_bytes()];
    let why = b" belongs to another pid namespace, user or version, or cannot be used\n";
    if words.into_iter().chain([&why[..]]).try_for_each(|word| line.push(word)).is_ok() {
        let _ = sys::write(2, line.as_bytes().as_ptr(), line.as_bytes().len());
    }
}

fn map(create: bool) -> Result<()> {
    if STATE.compare_exchange(UNMAPPED, MAPPING, AcqRel, Acquire).is_err() {
        return Ok(());
    }
    match Store::open(config(), create) {
        Ok(s) => {
            // SAFETY: this thread alone moved the state to MAPPING.
            unsafe { (*STORE.0.get()).write(s) };
            STATE.store(READY, Release);
            Ok(())
        }
        Err(e) => {
            STATE.store(if e == libc::EPERM { REFUSED } else { UNMAPPED }, Release);
            Err(e)
        }
    }
}
