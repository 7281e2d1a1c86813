//! sendfile, splice and copy_file_range where at least one side is served.

use super::handle::{handle, Handle, Piece};
use crate::scratch::store;
use core::ffi::c_int;
use libc::{iovec, off64_t};
use weft_scratch_core::sys::{self, Result};

const BLOCK: usize = 64 << 10;
/// One call moves at most this much: callers loop, and the kernel has such a limit too.
const MOST: usize = 16 << 20;

/// The offset of one side: given by the caller, or the descriptor's own position.
struct Side {
    fd: c_int,
    given: *mut off64_t,
}

impl Side {
    fn offset(&self) -> Result<Option<i64>> {
        if self.given.is_null() {
            return Ok(None);
        }
        // SAFETY: a non-null offset is the hook caller's own.
        match unsafe { *self.given } {
            v if v < 0 => Err(libc::EINVAL),
            v => Ok(Some(v)),
        }
    }

    /// Where a served side is.
    fn position(&self) -> Result<u64> {
        match (self.offset()?, handle(self.fd)) {
            (Some(at), _) => Ok(at as u64),
            (None, Some(h)) => Ok(h.seek(0, libc::SEEK_CUR)? as u64),
            (None, None) => Err(libc::EBADF),
        }
    }

    fn advance(&self, n: usize) {
        if !self.given.is_null() {
            // SAFETY: as above.
            unsafe { *self.given += n as i64 };
        }
    }

    /// Reads at most `len` bytes to `to`, which has room for them.
    fn read(&self, to: *mut u8, len: usize) -> Result<usize> {
        let at = self.offset()?;
        let n = match (handle(self.fd), at) {
            (Some(h), at) => h.read(piece(to, len, &mut iov()), at)?,
            (None, Some(at)) => sys::pread(self.fd, to, len, at as u64)?,
            (None, None) => sys::read(self.fd, to, len)?,
        };
        self.advance(n);
        Ok(n)
    }

    /// Writes the `len` bytes at `from`.
    fn write(&self, from: *mut u8, len: usize) -> Result<usize> {
        let at = self.offset()?;
        let n = match (handle(self.fd), at) {
            (Some(h), at) => h.write(piece(from, len, &mut iov()), at)?,
            (None, Some(at)) => sys::pwrite(self.fd, from, len, at as u64)?,
            (None, None) => sys::write(self.fd, from, len)?,
        };
        self.advance(n);
        Ok(n)
    }

    /// Takes back bytes that were read and could not be written.
    fn unread(&self, n: usize) {
        if !self.given.is_null() {
            // SAFETY: as above.
            unsafe { *self.given -= n as i64 };
        } else if let Some(h) = handle(self.fd) {
            let _ = h.seek(-(n as i64), libc::SEEK_CUR);
        } else {
            let _ = sys::lseek(self.fd, -(n as i64), libc::SEEK_CUR);
        }
    }
}

fn iov() -> iovec {
    iovec { iov_base: core::ptr::null_mut(), iov_len: 0 }
}

fn piece(at: *mut u8, len: usize, v: &mut iovec) -> Piece {
    *v = iovec { iov_base: at.cast(), iov_len: len };
    Piece::new(v, 1)
}

/// The kernel looks at both sides before it moves anything.
fn check(input: c_int, out: c_int, append: i32) -> Result<()> {
    let (from, to) = (handle(input), handle(out));
    let unreadable = |h: &Handle| match h {
        Handle::Scratch(o) => store().and_then(|s| s.may_send(o)).err(),
        Handle::Pool(_) => None,
    };
    if from.as_ref().and_then(unreadable) == Some(libc::EBADF) {
        return Err(libc::EBADF);
    }
    match to {
        Some(Handle::Scratch(o)) => store()?.may_receive(&o, append)?,
        Some(Handle::Pool(_)) => return Err(libc::EBADF),
        None => {}
    }
    from.as_ref().and_then(unreadable).map_or(Ok(()), Err)
}

/// sendfile(2).
pub fn send(input: c_int, from: *mut off64_t, out: c_int, n: usize) -> Result<usize> {
    check(input, out, libc::EINVAL)?;
    copy(input, from, out, core::ptr::null_mut(), n)
}

/// copy_file_range(2).
pub fn copy_range(input: c_int, from: *mut off64_t, out: c_int, to: *mut off64_t, n: usize) -> Result<usize> {
    check(input, out, libc::EBADF)?;
    apart(&Side { fd: input, given: from }, &Side { fd: out, given: to }, n)?;
    copy(input, from, out, to, n)
}

/// Two ranges of one file must not overlap; the first ends where the file does.
fn apart(input: &Side, out: &Side, n: usize) -> Result<()> {
    let (Some(Handle::Scratch(from)), Some(Handle::Scratch(to))) = (handle(input.fd), handle(out.fd)) else {
        return Ok(());
    };
    if from.inode != to.inode {
        return Ok(());
    }
    let (start, target) = (input.position()?, out.position()?);
    let n = store()?.stat_open(&from)?.size.saturating_sub(start).min(n as u64);
    if start.abs_diff(target) < n {
        return Err(libc::EINVAL);
    }
    Ok(())
}

/// Moves bytes from `input` to `out`.
fn copy(input: c_int, from: *mut off64_t, out: c_int, to: *mut off64_t, n: usize) -> Result<usize> {
    let (input, out) = (Side { fd: input, given: from }, Side { fd: out, given: to });
    match handle(input.fd) {
        Some(h) if handle(out.fd).is_none() && to.is_null() && !needs_copying(h)? => {
            direct(h, &input, n.min(MOST), || is_pipe(out.fd), |fd, off, len| sys::sendfile(out.fd, fd, off, len))
        }
        _ => by_hand(&input, &out, n.min(MOST)),
    }
}

/// splice: a served file is spliced from its segment; towards one the bytes are copied.
pub fn splice(input: c_int, from: *mut off64_t, out: c_int, to: *mut off64_t, n: usize, flags: u32) -> Result<usize> {
    check(input, out, libc::EINVAL)?;
    let (input, out) = (Side { fd: input, given: from }, Side { fd: out, given: to });
    match handle(input.fd) {
        Some(h) if handle(out.fd).is_none() && !needs_copying(h)? => {
            direct(h, &input, n.min(MOST), || true, |fd, off, len| sys::splice(fd, off, out.fd, len, flags))
        }
        _ => by_hand(&input, &out, n.min(BLOCK)),
    }
}

fn needs_copying(h: Handle) -> Result<bool> {
    match h {
        Handle::Scratch(o) => Ok(store()?.needs_copying(&o)),
        Handle::Pool(_) => Ok(false),
    }
}

fn is_pipe(fd: c_int) -> bool {
    sys::fstat(fd).is_ok_and(|st| st.st_mode & libc::S_IFMT == libc::S_IFIFO)
}

/// Lets the kernel move the bytes from where they lie. `once` asks for a single piece: a pipe that it filled is perhaps
/// emptied only after this call.
fn direct(
    h: Handle,
    input: &Side,
    n: usize,
    once: impl Fn() -> bool,
    mv: impl Fn(c_int, &mut u64, usize) -> Result<usize>,
) -> Result<usize> {
    let start = input.position()?;
    let mut done = 0;
    while done < n {
        match step(h, start + done as u64, n - done, &mv) {
            Ok(0) => break,
            Ok(k) => done += k,
            Err(e) if done == 0 => return Err(e),
            Err(_) => break,
        }
        if done < n && once() {
            break;
        }
    }
    match input.offset()? {
        Some(_) => input.advance(done),
        None => drop(h.seek(done as i64, libc::SEEK_CUR)?),
    }
    Ok(done)
}

fn step(h: Handle, pos: u64, n: usize, mv: impl Fn(c_int, &mut u64, usize) -> Result<usize>) -> Result<usize> {
    let Some((fd, mut off, len)) = whereabouts(h, pos, n)? else { return Ok(0) };
    match mv(fd, &mut off, len)? {
        // Behind the segment's end there are only pages that were reserved and never written; a pooled file has ended.
        0 if matches!(h, Handle::Scratch(_)) => zeroes(len, mv),
        k => Ok(k),
    }
}

fn whereabouts(h: Handle, pos: u64, n: usize) -> Result<Option<(c_int, u64, usize)>> {
    match h {
        Handle::Pool(p) => Ok(p.whereabouts(pos, n)),
        Handle::Scratch(o) => {
            let s = store()?;
            let size = s.stat_open(&o)?.size;
            if pos >= size {
                return Ok(None);
            }
            let len = (n as u64).min(size - pos);
            match s.locate(&o, pos, len)? {
                Some((fd, off, len)) => Ok(Some((fd, off, len as usize))),
                None => Ok(Some((zero_fd()?, 0, (len as usize).min(BLOCK)))),
            }
        }
    }
}

fn zeroes(n: usize, mv: impl Fn(c_int, &mut u64, usize) -> Result<usize>) -> Result<usize> {
    mv(zero_fd()?, &mut 0, n.min(BLOCK))
}

/// A file of zeroes to send holes from.
fn zero_fd() -> Result<c_int> {
    use core::sync::atomic::{AtomicI32, Ordering::*};
    static FD: AtomicI32 = AtomicI32::new(-1);
    let have = FD.load(Acquire);
    if have >= 0 {
        return Ok(have);
    }
    let fd = store()?.private.lift(sys::memfd()?)?;
    sys::ftruncate(fd, BLOCK as u64)?;
    match FD.compare_exchange(-1, fd, AcqRel, Acquire) {
        Ok(_) => Ok(fd),
        Err(other) => {
            store()?.private.close(fd);
            Ok(other)
        }
    }
}

/// Copies through a buffer; a pipe or socket that gives less than asked ends the call.
fn by_hand(input: &Side, out: &Side, n: usize) -> Result<usize> {
    // Not zeroed: most copies are of a few bytes.
    let mut buf = core::mem::MaybeUninit::<[u8; BLOCK]>::uninit();
    let buf = buf.as_mut_ptr().cast::<u8>();
    let mut done = 0;
    while done < n {
        let want = (n - done).min(BLOCK);
        let got = match input.read(buf, want) {
            Ok(got) => got,
            Err(e) if done == 0 => return Err(e),
            Err(_) => break,
        };
        if got == 0 {
            break;
        }
        match out.write(buf, got) {
            Ok(put) => {
                done += put;
                if put < got {
                    input.unread(got - put);
                    break;
                }
            }
            Err(e) => {
                input.unread(got);
                if done == 0 {
                    return Err(e);
                }
                break;
            }
        }
        if got < want {
            break;
        }
    }
    Ok(done)
}
