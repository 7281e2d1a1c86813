//! New processes: fork, vfork, exec and spawn.

use crate::process::gate::{self, hook};
use crate::process::{alive, handshake, real};
use crate::{count, pool, serve};
use core::ffi::{c_char, c_int, c_void};
use libc::pid_t;
use weft_scratch_core::coverage::Missed;
use weft_scratch_core::elf::{inspect, Loads};
use weft_scratch_core::handshake::Event;
use weft_scratch_core::sys;
use weft_scratch_core::text::PathText;

type Words = *const *const c_char;

hook! {
    fn fork() -> pid_t |real| { forking(real) }
    fn _Fork() -> pid_t |real| { forking(real) }
}

/// What was found out about a program before it is executed.
struct Next {
    path: PathText,
    event: Event,
}

/// Even a vfork child may note what it executes: a note is atomic additions to a shared mapping, or a line of a file.
macro_rules! exec {
    ($($name:ident($($a:ident: $t:ty),*) runs $file:ident search $search:literal with $envp:expr;)*) => {$(
        /// # Safety
        /// As for the C function of the same name.
        #[no_mangle]
        pub unsafe extern "C-unwind" fn $name($($a: $t),*) -> c_int {
            // SAFETY: the caller passed a C string, and a null-terminated array of them.
            let next = before(|| unsafe { (real::bytes($file), names_us($envp)) }, $search);
            report(&next, |next| handshake::executes(next.event, next.path.as_bytes()));
            let f = real::get(real::Real::$name);
            // SAFETY: the symbol of this name has this C signature; the arguments are the caller's own.
            let failed = unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn($($t),*) -> c_int>(f)($($a),*) };
            report(&next, |next| handshake::executes(Event::Failed, next.path.as_bytes()));
            failed
        }
    )*};
}

exec! {
    execve(path: *const c_char, argv: Words, envp: Words) runs path search false with envp;
    execv(path: *const c_char, argv: Words) runs path search false with environ.cast();
    execvp(file: *const c_char, argv: Words) runs file search true with environ.cast();
    execvpe(file: *const c_char, argv: Words, envp: Words) runs file search true with envp;
}

macro_rules! spawn {
    ($($name:ident($($a:ident: $t:ty),*) runs $file:ident search $search:literal;)*) => {$(
        /// # Safety
        /// As for the C function of the same name.
        #[no_mangle]
        pub unsafe extern "C-unwind" fn $name(pid: *mut pid_t, $($a: $t),*, argv: Words, envp: Words) -> c_int {
            // SAFETY: the caller passed a C string, and a null-terminated array of them.
            let next = before(|| unsafe { (real::bytes($file), names_us(envp)) }, $search);
            let mut child: pid_t = 0;
            let f = real::get(real::Real::$name);
            // SAFETY: the symbol of this name has this C signature; the other arguments are the caller's own.
            let error = unsafe {
                core::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(*mut pid_t, $($t),*, Words, Words) -> c_int>(f)(&raw mut child, $($a),*, argv, envp)
            };
            if error == 0 {
                if !pid.is_null() {
                    // SAFETY: the caller passed a place for the pid, or null.
                    unsafe { *pid = child };
                }
                report(&next, |next| handshake::spawned(next.event, child as u32, next.path.as_bytes()));
            }
            error
        }
    )*};
}

spawn! {
    posix_spawn(path: *const c_char, acts: *const c_void, attr: *const c_void) runs path search false;
    posix_spawnp(file: *const c_char, acts: *const c_void, attr: *const c_void) runs file search true;
}

extern "C" {
    static environ: *const *mut c_char;
}

const PRELOAD: &[u8] = b"LD_PRELOAD=";
const LIBRARY: &[u8] = b"libweft_scratch.so";

/// Whether an environment names this library.
unsafe fn names_us(mut envp: Words) -> bool {
    // SAFETY: the caller vouches for the array, whose end is a null, and for the strings in it.
    unsafe {
        while !envp.is_null() && !(*envp).is_null() {
            if let Some(value) = real::bytes(*envp).strip_prefix(PRELOAD) {
                return value.windows(LIBRARY.len()).any(|w| w == LIBRARY);
            }
            envp = envp.add(1);
        }
    }
    false
}

fn before<'f>(call: impl FnOnce() -> (&'f [u8], bool), search: bool) -> Option<Next> {
    if !alive::on() {
        return None;
    }
    gate::safely(None, || {
        let (file, named) = call();
        let next = look(file, search, named);
        gate::exclusive(|| {
            pool::before_exec(gate::borrowed());
            Some(())
        });
        next
    })
}

fn report(next: &Option<Next>, how: impl FnOnce(&Next)) {
    if let Some(next) = next {
        let errno = real::errno();
        gate::safely((), || how(next));
        real::set_errno(errno);
    }
}

fn forking(real: impl FnOnce() -> pid_t) -> pid_t {
    let ticket = gate::exclusive(|| Some(serve::before_fork()));
    let pid = real();
    match (pid, ticket) {
        (0, ticket) => {
            if ticket.is_none() {
                // Nothing was counted for it: it does that itself.
                pool::settled();
            }
            serve::in_child(ticket.flatten());
            alive::on();
            pool::settled();
        }
        (p, Some(prepared)) => {
            // A signal handler must not wait for what this thread is about to give back.
            gate::exclusive(|| {
                serve::in_parent(prepared, p);
                Some(())
            });
        }
        // Inside our own work, in a signal handler: nothing was prepared.
        (_, None) => {}
    }
    pid
}

/// Notes a program that will not load us; the search along PATH is the one execvp makes.
fn look(file: &[u8], search: bool, named: bool) -> Option<Next> {
    if !search || file.contains(&b'/') {
        return judge(file, named);
    }
    // SAFETY: getenv reads the environment; the result is used before anything can change it.
    let path = unsafe { real::bytes(libc::getenv(c"PATH".as_ptr())) };
    for dir in path.split(|&c| c == b':') {
        let Ok(whole) = PathText::of(&[dir, b"/", file]) else { continue };
        if sys::faccessat(libc::AT_FDCWD, whole.c_path(), libc::X_OK).is_ok() {
            return judge(whole.as_bytes(), named);
        }
    }
    None
}

fn judge(path: &[u8], named: bool) -> Option<Next> {
    let name = PathText::of(&[path]).ok()?;
    let loads = inspect(name.c_path());
    match loads {
        Loads::Static => count::missed(Missed::StaticProgram, 0, path),
        Loads::Privileged => count::missed(Missed::PrivilegedProgram, 0, path),
        Loads::Yes | Loads::Unknown => {}
    }
    Some(Next { path: name, event: handshake::expected(loads, named) })
}
