//! vfork(2): the child runs on our stack, in our memory.

use super::proc::fork;
use crate::process::gate;
use crate::process::real;
use crate::serve;
use core::ffi::c_int;
use libc::pid_t;
use weft_scratch_core::sys;

/// A vfork child runs on our stack: the return address must survive in a register, as in libc's own.
///
/// # Safety
/// As for vfork(2).
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn vfork() -> pid_t {
    core::arch::naked_asm!(
        "sub rsp, 8",
        "call {prefers}",
        "add rsp, 8",
        "test eax, eax",
        "jne {fork}",
        "pop rdi",
        "mov eax, 58",
        "syscall",
        "push rdi",
        "sub rsp, 8",
        "mov rdi, rax",
        "call {after}",
        "add rsp, 8",
        "ret",
        prefers = sym prefers_fork,
        fork = sym fork,
        after = sym after_vfork,
    )
}

/// A vfork child runs on our stack: the return address is kept below it, where each side writes its own.
///
/// # Safety
/// As for vfork(2).
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn vfork() -> pid_t {
    core::arch::naked_asm!(
        "stp x29, x30, [sp, #-16]!",
        "bl {prefers}",
        "ldp x29, x30, [sp], #16",
        "cbz w0, 1f",
        "b {fork}",
        "1:",
        "mov x0, #0x4111",
        "mov x1, #0",
        "mov x8, #220",
        "svc 0",
        "stp x29, x30, [sp, #-16]!",
        "bl {after}",
        "ldp x29, x30, [sp], #16",
        "ret",
        prefers = sym prefers_fork,
        fork = sym fork,
        after = sym after_vfork,
    )
}

extern "C" fn prefers_fork() -> c_int {
    (gate::open() && serve::prefers_fork()) as c_int
}

extern "C" fn after_vfork(ret: isize) -> isize {
    gate::vforked(ret == 0);
    match sys::check(ret) {
        Ok(pid) => pid as isize,
        Err(e) => {
            real::set_errno(e);
            -1
        }
    }
}
