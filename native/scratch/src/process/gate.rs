//! When hooks may act: not before start-up, not in a vfork child, not inside their own work.

use super::alive;
use core::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};

thread_local! {
    /// Set while a vfork child runs on this thread's stack and memory.
    static BORROWED: Cell<bool> = const { Cell::new(false) };
    /// Set while this thread works on shared state: a signal handler must not wait for itself.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// True if this call may be counted and served.
#[inline]
pub fn open() -> bool {
    alive::on() && !BORROWED.get()
}

/// True in a vfork child, until it execs.
pub fn borrowed() -> bool {
    BORROWED.get()
}

/// Called by the vfork hook on both sides; the child shares this thread's memory until it execs.
pub fn vforked(in_child: bool) {
    BORROWED.set(in_child);
}

/// Runs `body` unless this thread is already inside one; None also if it panics.
#[inline]
pub fn exclusive<R>(body: impl FnOnce() -> Option<R>) -> Option<R> {
    if BUSY.replace(true) {
        return None;
    }
    let r = safely(None, body);
    BUSY.set(false);
    r
}

/// Runs our own work; a panic in it becomes `otherwise`. Real calls stay outside: a cancelled thread unwinds
/// through them, and nothing may catch that.
#[inline]
pub fn safely<R>(otherwise: R, work: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

/// What a C function returns: how success and failure look.
pub trait Ret: Copy {
    const FAILED: Self;
    fn done(v: usize) -> Self;
    fn failed(self) -> bool;
    fn bytes(self) -> u64;
}

macro_rules! signed {
    ($($t:ty)*) => {$(
        impl Ret for $t {
            const FAILED: Self = -1;
            #[inline]
            fn done(v: usize) -> Self { v as $t }
            #[inline]
            fn failed(self) -> bool { self == -1 }
            #[inline]
            fn bytes(self) -> u64 { self as u64 }
        }
    )*};
}
signed!(i32 isize i64);

impl<T> Ret for *mut T {
    const FAILED: Self = core::ptr::null_mut();
    fn done(v: usize) -> Self {
        v as *mut T
    }
    fn failed(self) -> bool {
        self.is_null() || self as usize == usize::MAX
    }
    fn bytes(self) -> u64 {
        0
    }
}

impl Ret for u32 {
    const FAILED: Self = u32::MAX;
    fn done(v: usize) -> Self {
        v as u32
    }
    fn failed(self) -> bool {
        false
    }
    fn bytes(self) -> u64 {
        0
    }
}

impl Ret for () {
    const FAILED: Self = ();
    fn done(_: usize) -> Self {}
    fn failed(self) -> bool {
        false
    }
    fn bytes(self) -> u64 {
        0
    }
}

/// Defines exported hooks; `|real|` names a closure that makes the real call with the same arguments.
macro_rules! hook {
    ($($(#[$m:meta])* fn $name:ident($($a:ident: $t:ty),* $(,)?) -> $r:ty |$real:ident| $body:block)*) => {$(
        $(#[$m])*
        /// # Safety
        /// As for the C function of the same name.
        #[no_mangle]
        pub unsafe extern "C-unwind" fn $name($($a: $t),*) -> $r {
            let $real = move || -> $r {
                let f = $crate::process::real::get($crate::process::real::Real::$name);
                if f.is_null() {
                    $crate::process::real::set_errno(libc::ENOSYS);
                    return <$r as $crate::process::gate::Ret>::FAILED;
                }
                // SAFETY: the symbol of this name has this C signature.
                let f = unsafe { core::mem::transmute::<*mut core::ffi::c_void, unsafe extern "C-unwind" fn($($t),*) -> $r>(f) };
                // SAFETY: the arguments are the caller's own.
                unsafe { f($($a),*) }
            };
            if !$crate::process::gate::open() {
                return $real();
            }
            $body
        }
    )*};
}

pub(crate) use hook;
