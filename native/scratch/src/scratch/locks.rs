//! Record locks between the node's processes: each file has its own range of bytes of the index file, on
//! which the kernel keeps the locks, and from which it takes those of dead processes.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering::*};
use weft_scratch_core::store::ofds::Open;
use weft_scratch_core::store::Store;
use weft_scratch_core::sys::{self, Result};

/// Bytes of the range of one file; higher offsets fall on its last byte.
const RANGE: i64 = 1 << 38;
/// The byte that stands for flock(2).
const WHOLE: i64 = RANGE - 2;

/// Set once this process has locked anything: closing must then unlock.
static USED: AtomicBool = AtomicBool::new(false);
/// The same for locks of descriptions; all of this process's are one description's, that of the index.
static OF_DESCRIPTIONS: AtomicBool = AtomicBool::new(false);

fn base(h: &Open) -> i64 {
    h.inode as i64 * RANGE
}

fn set(s: &Store, cmd: c_int, l: &mut libc::flock) -> Result<usize> {
    let of_description = matches!(cmd, libc::F_OFD_SETLK | libc::F_OFD_SETLKW);
    if of_description { &OF_DESCRIPTIONS } else { &USED }.store(true, Relaxed);
    sys::fcntl(s.r.fd, cmd, l as *mut libc::flock as usize).map(|v| v as usize)
}

/// fcntl(2) with a lock command.
pub fn control(s: &Store, h: &Open, cmd: c_int, arg: *mut libc::flock) -> Result<usize> {
    if arg.is_null() {
        return Err(libc::EFAULT);
    }
    // SAFETY: the hook's caller passed a lock record.
    let asked = unsafe { *arg };
    let mut l = asked;
    let start = start_of(s, h, &asked)?;
    l.l_whence = libc::SEEK_SET as _;
    l.l_start = base(h) + start.min(WHOLE - 1);
    let room = base(h) + WHOLE - l.l_start;
    l.l_len = if asked.l_len == 0 { room } else { asked.l_len.min(room) };
    let answer = set(s, cmd, &mut l)?;
    if matches!(cmd, libc::F_GETLK | libc::F_OFD_GETLK) {
        let free = l.l_type == libc::F_UNLCK as libc::c_short;
        let open_end = l.l_start + l.l_len >= base(h) + WHOLE;
        let found = libc::flock { l_start: l.l_start - base(h), l_len: if open_end { 0 } else { l.l_len }, ..l };
        // SAFETY: as above.
        unsafe { *arg = if free { libc::flock { l_type: l.l_type, ..asked } } else { found } };
    }
    Ok(answer)
}

/// Where a lock starts, in the file; a negative length counts backwards and is not offered.
fn start_of(s: &Store, h: &Open, l: &libc::flock) -> Result<i64> {
    let from = match l.l_whence as c_int {
        libc::SEEK_SET => 0,
        libc::SEEK_CUR => s.r.ofd(h.ofd).pos.load(Relaxed) as i64,
        libc::SEEK_END => s.r.inode(h.inode).size.load(Relaxed) as i64,
        _ => return Err(libc::EINVAL),
    };
    let start = from.checked_add(l.l_start).ok_or(libc::EOVERFLOW)?;
    if start < 0 || l.l_len < 0 {
        return Err(libc::EINVAL);
    }
    Ok(start)
}

fn record(kind: c_int, start: i64, len: i64) -> libc::flock {
    // SAFETY: a lock record is plain old data; all zeroes is a value of it.
    let mut l: libc::flock = unsafe { core::mem::zeroed() };
    (l.l_type, l.l_whence) = (kind as _, libc::SEEK_SET as _);
    (l.l_start, l.l_len) = (start, len);
    l
}

/// flock(2), per process instead of per description.
pub fn whole(s: &Store, h: &Open, op: c_int) -> Result<usize> {
    let kind = match op & !libc::LOCK_NB {
        libc::LOCK_SH => libc::F_RDLCK,
        libc::LOCK_EX => libc::F_WRLCK,
        libc::LOCK_UN => libc::F_UNLCK,
        _ => return Err(libc::EINVAL),
    };
    let cmd = if op & libc::LOCK_NB != 0 { libc::F_SETLK } else { libc::F_SETLKW };
    set(s, cmd, &mut record(kind, base(h) + WHOLE, 1)).map_err(|e| if e == libc::EACCES { libc::EAGAIN } else { e })
}

/// lockf(3) from the current position.
pub fn lockf(s: &Store, h: &Open, cmd: c_int, len: i64) -> Result<usize> {
    let pos = s.r.ofd(h.ofd).pos.load(Relaxed) as i64;
    let (kind, how) = match cmd {
        libc::F_LOCK => (libc::F_WRLCK, libc::F_SETLKW),
        libc::F_TLOCK => (libc::F_WRLCK, libc::F_SETLK),
        libc::F_ULOCK => (libc::F_UNLCK, libc::F_SETLK),
        libc::F_TEST => (libc::F_WRLCK, libc::F_GETLK),
        _ => return Err(libc::EINVAL),
    };
    let mut l = record(kind, pos, len);
    control(s, h, how, &mut l)?;
    if cmd == libc::F_TEST && l.l_type != libc::F_UNLCK as libc::c_short {
        return Err(libc::EACCES);
    }
    Ok(0)
}

/// Closing any descriptor of a file gives up the process's locks on it.
pub fn release(s: &Store, h: &Open) {
    if USED.load(Relaxed) {
        give_up(s, h, libc::F_SETLK);
    }
}

/// After a close: the last of a description gives up its locks, unless another one of this process may have locked the
/// file. Of two threads that close at once, one at least comes here when both have closed.
pub fn closed(s: &Store, h: &Open) {
    if OF_DESCRIPTIONS.load(Relaxed) && s.still(h).is_err() && !s.has_open_of(h.inode) {
        give_up(s, h, libc::F_OFD_SETLK);
    }
}

fn give_up(s: &Store, h: &Open, cmd: c_int) {
    let mut all = record(libc::F_UNLCK, base(h), RANGE);
    let _ = sys::fcntl(s.r.fd, cmd, &raw mut all as usize);
}
