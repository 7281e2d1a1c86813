//! What children, new programs and libc itself get of pooled descriptors.

use super::changes;
use super::descriptors::{close, handle, ofd, on, point, Pooled, CACHE, MAX_FDS, TABLE};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering::*};
use weft_scratch_core::sys::{self, Result};

fn each_use(f: impl Fn(&AtomicU32) -> u32) {
    if on() {
        TABLE.iter().map(|w| w.load(Relaxed)).filter(|&n| n != 0).for_each(|n| {
            f(&ofd(n).refs);
        });
    }
}

/// The child will hold each description once more.
pub fn before_fork() {
    if on() {
        changes::hold();
        each_use(|refs| refs.fetch_add(1, AcqRel));
    }
}

/// In the parent; `failed` if there is no child.
pub fn after_fork(failed: bool) {
    if changes::held() {
        if failed {
            each_use(|refs| refs.fetch_sub(1, AcqRel));
        }
        changes::free();
    }
}

/// In a child, before it does anything: its other threads, which may have held locks, are no more.
pub fn in_child() {
    changes::free_in_child();
    CACHE.unlock_in_child();
}

/// In a child that was counted beforehand: from now on it is like any process.
pub fn settled() {
    changes::settled();
}

/// In a child, whether a fork hook saw it come or not: then it counts for itself what it has.
pub fn forked() {
    in_child();
    if !changes::held() {
        each_use(|refs| refs.fetch_add(1, AcqRel));
    }
}

/// A new program knows nothing of placeholders: those it will inherit become real descriptors.
/// `keep_table` is set in a vfork child, whose memory is its parent's.
pub fn before_exec(keep_table: bool) {
    if !on() {
        return;
    }
    for fd in 0..MAX_FDS as c_int {
        if let Some(p) = handle(fd) {
            let inherits = sys::fcntl(fd, libc::F_GETFD, 0).is_ok_and(|f| f & libc::FD_CLOEXEC == 0);
            if inherits && p.entry().become_real(fd, p.pos()).is_ok() && !keep_table {
                close(fd);
            }
        } else if fd <= 2 && keep_table {
            reveal(fd);
        }
    }
}

/// A vfork child's dup2 onto a standard descriptor went past us: finds the file by what it is.
fn reveal(fd: c_int) {
    let Ok(flags) = sys::fcntl(fd, libc::F_GETFL, 0) else { return };
    let Ok(st) = sys::fstat(fd) else { return };
    if flags & libc::O_PATH == 0 {
        return;
    }
    let same = |w: &&AtomicU32| {
        let n = w.load(Relaxed);
        n != 0 && CACHE.entry(ofd(n).entry.load(Relaxed)).is(&st)
    };
    if let Some(w) = TABLE.iter().find(same) {
        let p = Pooled { ofd: w.load(Relaxed) };
        let _ = p.entry().become_real(fd, p.pos());
    }
}

/// libc reads standard streams past all hooks: a pooled file there becomes a real one, with all descriptors that share its
/// position.
pub fn standard(fd: c_int) -> Result<()> {
    if handle(fd).is_none() {
        return Ok(());
    }
    // In one change: a number that another thread closes meanwhile would be another file's by the time it is replaced.
    let _held = changes::one();
    let Some(p) = handle(fd) else { return Ok(()) };
    let real = p.entry().real(fd, p.pos())?;
    let mut sharing = (0..MAX_FDS as c_int).filter(|d| handle(*d).is_some_and(|other| other.ofd == p.ofd));
    let done = sharing.try_for_each(|d| replace(d, real));
    sys::close(real)?;
    done
}

fn replace(fd: c_int, real: c_int) -> Result<()> {
    let closes = sys::fcntl(fd, libc::F_GETFD, 0)? & libc::FD_CLOEXEC != 0;
    sys::dup3(real, fd, if closes { libc::O_CLOEXEC } else { 0 })?;
    point(&TABLE[fd as usize], 0);
    Ok(())
}
