//! New processes: fork, vfork, exec and spawn.

use crate::process::gate::{self, hook};
use crate::process::{alive, real};
use crate::{count, pool, serve};
use core::ffi::{c_char, c_int, c_void};
use libc::pid_t;
use weft_scratch_core::coverage::Missed;
use weft_scratch_core::elf::{inspect, Loads};
use weft_scratch_core::sys;
use weft_scratch_core::text::PathText;

type Words = *const *const c_char;

hook! {
    fn fork() -> pid_t |real| { forking(real) }
    fn _Fork() -> pid_t |real| { forking(real) }
}

/// Even a vfork child may note what it executes: a note is atomic additions to a shared mapping.
macro_rules! exec {
    ($($name:ident($($a:ident: $t:ty),*) runs $file:ident search $search:literal;)*) => {$(
        /// # Safety
        /// As for the C function of the same name.
        #[no_mangle]
        pub unsafe extern "C-unwind" fn $name($($a: $t),*) -> c_int {
            if alive::on() {
                // SAFETY: the caller passed a C string.
                gate::safely((), || {
                    look(unsafe { real::bytes($file) }, $search);
                    pool::before_exec(gate::borrowed());
                });
            }
            let f = real::get(real::Real::$name);
            // SAFETY: the symbol of this name has this C signature; the arguments are the caller's own.
            unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn($($t),*) -> c_int>(f)($($a),*) }
        }
    )*};
}

exec! {
    execve(path: *const c_char, argv: Words, envp: Words) runs path search false;
    execv(path: *const c_char, argv: Words) runs path search false;
    execvp(file: *const c_char, argv: Words) runs file search true;
    execvpe(file: *const c_char, argv: Words, envp: Words) runs file search true;
    posix_spawn(pid: *mut pid_t, path: *const c_char, acts: *const c_void, attr: *const c_void, argv: Words, envp: Words) runs path search false;
    posix_spawnp(pid: *mut pid_t, file: *const c_char, acts: *const c_void, attr: *const c_void, argv: Words, envp: Words) runs file search true;
}

fn forking(real: impl FnOnce() -> pid_t) -> pid_t {
    let ticket = gate::exclusive(|| Some(serve::before_fork()));
    let pid = real();
    match pid {
        0 => {
            serve::in_child(ticket.flatten());
            alive::on();
        }
        p => serve::in_parent(ticket.flatten(), p),
    }
    pid
}

/// Notes a program that will not load us; the search along PATH is the one execvp makes.
fn look(file: &[u8], search: bool) {
    if !search || file.contains(&b'/') {
        return judge(file);
    }
    // SAFETY: getenv reads the environment; the result is used before anything can change it.
    let path = unsafe { real::bytes(libc::getenv(c"PATH".as_ptr())) };
    for dir in path.split(|&c| c == b':') {
        let Ok(whole) = PathText::of(&[dir, b"/", file]) else { continue };
        if sys::faccessat(libc::AT_FDCWD, whole.c_path(), libc::X_OK).is_ok() {
            return judge(whole.as_bytes());
        }
    }
}

fn judge(path: &[u8]) {
    let Ok(name) = PathText::of(&[path]) else { return };
    match inspect(name.c_path()) {
        Loads::Static => count::missed(Missed::StaticProgram, 0, path),
        Loads::Privileged => count::missed(Missed::PrivilegedProgram, 0, path),
        Loads::Yes | Loads::Unknown => {}
    }
}
