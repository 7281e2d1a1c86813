#![allow(unused)]
use core::ffi::{c_char, c_int, c_long};
use libc::*;
use weft_scratch_core::sys::Result;
pub const CLOSE_RANGE_CLOEXEC: c_int = 4;
pub struct Spot;
#[derive(Clone, Copy)]
pub struct Handle;
pub struct Listing;
pub struct Times;
pub struct Piece;
pub enum Reason {
    Freopen,
}
type R = Result<usize>;
impl Piece {
    pub fn new(i: *const iovec, n: c_int) -> Piece {
        Piece
    }
}
impl Times {
    pub fn seconds(t: *const utimbuf) -> Times {
        Times
    }
    pub fn micros(t: *const timeval) -> Times {
        Times
    }
    pub fn nanos(t: *const timespec) -> Times {
        Times
    }
}
impl Listing {
    pub fn fd(&self) -> c_int {
        0
    }
    pub fn next(&mut self) -> *mut dirent64 {
        todo!()
    }
    pub fn next_into(&mut self, e: *mut dirent64, o: *mut *mut dirent64) -> c_int {
        0
    }
    pub fn free(&mut self) {}
    pub fn rewind(&mut self) -> R {
        Err(5)
    }
    pub fn seek(&mut self, a: c_long) {}
    pub fn tell(&self) -> c_long {
        0
    }
}
impl Handle {
    pub fn read(self, p: Piece, o: Option<i64>) -> R {
        Err(5)
    }
    pub fn write(self, p: Piece, o: Option<i64>) -> R {
        Err(5)
    }
    pub fn seek(self, o: i64, w: c_int) -> R {
        Err(5)
    }
    pub fn set_len(self, l: i64) -> R {
        Err(5)
    }
    pub fn allocate(self, m: c_int, o: i64, l: i64) -> R {
        Err(5)
    }
    pub fn sync(self) -> R {
        Err(5)
    }
    pub fn stat(self, s: *mut stat64) -> R {
        Err(5)
    }
    pub fn statx(self, s: *mut libc::statx) -> R {
        Err(5)
    }
    pub fn chmod(self, m: mode_t) -> R {
        Err(5)
    }
    pub fn chown(self, u: u32, g: u32) -> R {
        Err(5)
    }
    pub fn set_times(self, t: Times) -> R {
        Err(5)
    }
    pub fn chdir(self) -> R {
        Err(5)
    }
    pub fn flock(self, o: c_int) -> R {
        Err(5)
    }
    pub fn lockf(self, c: c_int, l: i64) -> R {
        Err(5)
    }
    pub fn control(self, c: c_int, a: usize) -> R {
        Err(5)
    }
    pub fn map(self, a: usize, l: usize, p: c_int, f: c_int, o: i64) -> R {
        Err(5)
    }
    pub fn list(self, fd: c_int) -> R {
        Err(5)
    }
}
impl Spot {
    pub fn set_len(&self, l: i64) -> R {
        Err(5)
    }
    pub fn stat(&self, s: *mut stat64, f: c_int) -> R {
        Err(5)
    }
    pub fn statx(&self, s: *mut libc::statx, f: c_int) -> R {
        Err(5)
    }
    pub fn access(&self, m: c_int) -> R {
        Err(5)
    }
    pub fn exists(&self) -> Result<()> {
        Err(5)
    }
    pub fn unlink(&self) -> R {
        Err(5)
    }
    pub fn rmdir(&self) -> R {
        Err(5)
    }
    pub fn mkdir(&self, m: mode_t) -> R {
        Err(5)
    }
    pub fn link(&self) -> R {
        Err(5)
    }
    pub fn refuse_node(&self) -> R {
        Err(5)
    }
    pub fn not_a_link(&self) -> R {
        Err(5)
    }
    pub fn real_path(&self, o: *mut c_char) -> R {
        Err(5)
    }
    pub fn chmod(&self, m: mode_t) -> R {
        Err(5)
    }
    pub fn chown(&self, u: u32, g: u32) -> R {
        Err(5)
    }
    pub fn set_times(&self, t: Times) -> R {
        Err(5)
    }
    pub fn chdir(&self) -> R {
        Err(5)
    }
    pub fn open(&self, f: c_int, m: mode_t) -> R {
        Err(5)
    }
    pub fn list(&self, c: u8) -> R {
        Err(5)
    }
}
pub fn start() {}
pub fn forked() {}
pub fn handle(fd: c_int) -> Option<Handle> {
    None
}
pub unsafe fn spot(d: c_int, p: *const c_char, f: impl FnOnce(&Spot) -> R) -> Option<R> {
    None
}
pub unsafe fn covers(d: c_int, p: *const c_char) -> bool {
    false
}
pub fn copy(i: c_int, f: *mut i64, o: c_int, t: *mut i64, n: usize) -> R {
    Err(5)
}
pub fn splice(i: c_int, f: *mut i64, o: c_int, t: *mut i64, n: usize, g: u32) -> R {
    Err(5)
}
pub unsafe fn rename(o: (c_int, *const c_char), n: (c_int, *const c_char), f: u32) -> Option<R> {
    None
}
pub unsafe fn invent(n: *mut c_char, f: impl Fn(*const c_char) -> R) -> Option<R> {
    None
}
pub fn mkdir_at(p: *const c_char, m: mode_t) -> R {
    Err(5)
}
pub fn open_at(p: *const c_char, f: c_int, m: mode_t) -> R {
    Err(5)
}
pub fn is_ours(fd: c_int) -> bool {
    false
}
pub fn dropped(fd: c_int) {}
pub fn duplicated(o: c_int, n: c_int) -> Result<()> {
    Ok(())
}
pub fn listing(d: *mut DIR) -> Option<&'static mut Listing> {
    None
}
pub fn refused(r: Reason) {}
pub struct Ticket;
pub fn before_fork() -> Option<Ticket> {
    None
}
pub fn in_child(t: Option<Ticket>) {}
pub fn in_parent(t: Option<Ticket>, p: pid_t) {}
