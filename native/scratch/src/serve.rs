//! Leads calls to the scratch store or the read pool, and ties their lives to that of the process.

pub use crate::serve_dir::{listing, Listing};
pub use crate::serve_file::{Handle, Piece, Times};
pub use crate::serve_path::Spot;
pub use crate::transfer::{copy_range, send, splice};
pub use weft_scratch_core::store::Reason;

use crate::real::bytes;
use crate::state::config;
use crate::{cwd, locks, pool};
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering::*};
use weft_scratch_core::path::{is_plain, is_under, resolve, stays_inside};
use weft_scratch_core::store::ops::Place;
use weft_scratch_core::store::procs::Fork;
use weft_scratch_core::store::Store;
use weft_scratch_core::sys::{self, Result};

pub const CLOSE_RANGE_CLOEXEC: c_int = 4;

const OFF: u32 = 0;
const UNMAPPED: u32 = 1;
const MAPPING: u32 = 2;
const READY: u32 = 3;
static STATE: AtomicU32 = AtomicU32::new(OFF);

struct Slot(UnsafeCell<MaybeUninit<Store>>);
// SAFETY: written only in state MAPPING, which one thread holds; read only in state READY.
unsafe impl Sync for Slot {}
static STORE: Slot = Slot(UnsafeCell::new(MaybeUninit::uninit()));

/// Switches serving on; an index that exists may hold descriptors that survived exec.
pub fn start() {
    pool::start();
    if config().prefix.is_empty() {
        return;
    }
    STATE.store(UNMAPPED, Release);
    if map(false).is_ok() {
        if let Some(s) = mapped() {
            s.resume();
        }
    }
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
        if STATE.load(Acquire) == MAPPING {
            core::hint::spin_loop();
            continue;
        }
        map(true)?;
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
            STATE.store(UNMAPPED, Release);
            Err(e)
        }
    }
}

/// What a descriptor is to us, if anything.
#[inline]
pub fn handle(fd: c_int) -> Option<Handle> {
    if let Some(h) = mapped().and_then(|s| s.open_of(fd)) {
        return Some(Handle::Scratch(h));
    }
    pool::handle(fd).map(Handle::Pool)
}

/// Calls `f` with the place below the prefix that a path means, if it lies there.
unsafe fn locate<R>(dir: c_int, path: *const c_char, f: impl FnOnce(Result<Place>) -> R) -> Option<R> {
    if STATE.load(Relaxed) == OFF || path.is_null() {
        return None;
    }
    // SAFETY: the caller passes a C string.
    let path = unsafe { bytes(path) };
    let prefix = config().prefix.as_bytes();
    const ROOT: u32 = weft_scratch_core::store::layout::ROOT;
    if path.first() == Some(&b'/') {
        if is_under(path, prefix) && stays_inside(&path[prefix.len()..]) {
            return Some(f(Ok(Place { base: ROOT, path: &path[prefix.len()..] })));
        }
        if is_plain(path) {
            return None;
        }
        let whole = resolve(b"", path).ok()?;
        let rest = whole.as_bytes().strip_prefix(prefix).filter(|r| r.is_empty() || r[0] == b'/')?;
        return Some(f(Ok(Place { base: ROOT, path: rest })));
    }
    if dir != libc::AT_FDCWD {
        let base = mapped()?.open_of(dir)?.inode;
        return Some(f(if path.is_empty() { Err(libc::ENOENT) } else { Ok(Place { base, path }) }));
    }
    let here = cwd::get();
    if !is_under(here, prefix) && !is_under(prefix, here) && !path.windows(2).any(|w| w == b"..") {
        return None;
    }
    if path.is_empty() {
        return None;
    }
    let whole = resolve(here, path).ok()?;
    let rest = whole.as_bytes().strip_prefix(prefix).filter(|r| r.is_empty() || r[0] == b'/')?;
    Some(f(Ok(Place { base: ROOT, path: rest })))
}

/// Runs a served call on a path, if the path is served.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn spot(dir: c_int, path: *const c_char, f: impl FnOnce(&Spot) -> Result<usize>) -> Option<Result<usize>> {
    // SAFETY: passed on from the caller.
    unsafe { locate(dir, path, |place| f(&Spot { store: store()?, place: place? })) }
}

/// True if the path is served.
///
/// # Safety
/// `path` must be null or a C string.
pub unsafe fn covers(dir: c_int, path: *const c_char) -> bool {
    // SAFETY: passed on from the caller.
    unsafe { locate(dir, path, |_| ()) }.is_some()
}

/// A name and the directory it is relative to.
pub type Named = (c_int, *const c_char);

/// Renames inside the prefix; across its border it is another file system.
///
/// # Safety
/// Both paths must be C strings.
pub unsafe fn rename(old: Named, new: Named, flags: u32) -> Option<Result<usize>> {
    // SAFETY: passed on from the caller.
    unsafe {
        if !covers(old.0, old.1) && !covers(new.0, new.1) {
            return None;
        }
        let both = spot(old.0, old.1, |from| {
            let to = spot(new.0, new.1, |to| from.store.rename(&from.place, &to.place, flags).map(|()| 0));
            to.unwrap_or(Err(libc::EXDEV))
        });
        Some(both.unwrap_or(Err(libc::EXDEV)))
    }
}

/// Fills the XXXXXX of a template until `make` succeeds; None if the template is not served.
///
/// # Safety
/// `name` must be a writable C string.
pub unsafe fn invent(name: *mut c_char, make: impl Fn(*const c_char) -> Result<usize>) -> Option<Result<usize>> {
    // SAFETY: passed on from the caller.
    if !unsafe { covers(libc::AT_FDCWD, name) } {
        return None;
    }
    // SAFETY: as above.
    let len = unsafe { bytes(name) }.len();
    // SAFETY: the template is writable for its whole length.
    let all = unsafe { core::slice::from_raw_parts_mut(name.cast::<u8>(), len) };
    if !all.ends_with(b"XXXXXX") {
        return Some(Err(libc::EINVAL));
    }
    static COUNT: AtomicU32 = AtomicU32::new(0);
    for _ in 0..1000 {
        let turn = COUNT.fetch_add(1, Relaxed) as u64;
        let mut seed = (weft_scratch_core::clock::wall() ^ turn << 32 ^ (sys::getpid() as u64) << 13)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for c in &mut all[len - 6..] {
            *c = b"abcdefghijklmnopqrstuvwxyz0123456789"[(seed >> 33) as usize % 36];
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        }
        match make(name) {
            Err(libc::EEXIST) => {}
            other => return Some(other),
        }
    }
    Some(Err(libc::EEXIST))
}

/// Opens a served path.
pub fn open_at(path: *const c_char, flags: c_int, mode: libc::mode_t) -> Result<usize> {
    // SAFETY: only called with the template of `invent`.
    let made = crate::gate::exclusive(|| unsafe { spot(libc::AT_FDCWD, path, |s| s.open(flags, mode)) });
    made.unwrap_or(Err(libc::EINVAL))
}

/// Makes a served directory.
pub fn mkdir_at(path: *const c_char, mode: libc::mode_t) -> Result<usize> {
    // SAFETY: only called with the template of `invent`.
    let made = crate::gate::exclusive(|| unsafe { spot(libc::AT_FDCWD, path, |s| s.mkdir(mode)) });
    made.unwrap_or(Err(libc::EINVAL))
}

/// True for descriptors the library holds for itself.
#[inline]
pub fn is_ours(fd: c_int) -> bool {
    mapped().is_some_and(|s| s.private.is_ours(fd)) || pool::is_ours(fd)
}

/// The program closes `fd`: forgets it before the kernel can give the number out again.
pub fn dropped(fd: c_int) {
    if let Some(s) = mapped() {
        if let Some(h) = s.open_of(fd) {
            locks::release(s, &h);
            let _ = s.close(fd);
        }
    }
    pool::close(fd);
}

/// A new descriptor of the kernel's: whatever we knew of its number is out of date.
#[inline]
pub fn fresh(fd: c_int) {
    if fd >= 0 && handle(fd).is_some() {
        crate::gate::exclusive(|| {
            dropped(fd);
            Some(())
        });
    }
}

/// `new` became a copy of `old`.
pub fn duplicated(old: c_int, new: c_int) -> Result<()> {
    if let Some(s) = mapped() {
        s.duplicated(old, new)?;
    }
    pool::duplicated(old, new)
}

/// libc itself reads and writes standard streams, past all hooks: a served file there becomes a real one.
pub fn standard(fd: c_int) -> Result<()> {
    match mapped() {
        Some(s) => s.make_real(fd),
        None => Ok(()),
    }
}

/// True if a child should be a whole process: a vfork child could not turn served files into real ones.
pub fn prefers_fork() -> bool {
    mapped().is_some_and(|s| s.has_open())
}

/// Counts something that could not be served.
pub fn refused(reason: Reason) {
    if let Some(s) = mapped() {
        s.refuse(reason);
    }
}

/// The process ends normally.
pub fn end() {
    crate::gate::exclusive(|| mapped()?.leave().ok());
}

pub fn before_fork() -> Option<Fork<'static>> {
    pool::before_fork();
    mapped()?.before_fork()
}

pub fn in_child(fork: Option<Fork>) {
    if let Some(s) = mapped() {
        s.in_child(fork);
    }
}

pub fn in_parent(fork: Option<Fork>, pid: libc::pid_t) {
    if pid < 0 {
        pool::no_fork();
    }
    if let Some(s) = mapped() {
        s.in_parent(fork, pid);
    }
}

/// In a child, whether a fork hook saw it come or not.
pub fn forked() {
    pool::forked();
    if let Some(s) = mapped() {
        s.forked_unseen();
    }
}
