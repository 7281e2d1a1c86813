//! Binds the few functions that moved into libc.so with glibc 2.34 to their old versions, so that the
//! library also loads on glibc 2.17; the linker would take the newest version of each.

/// A hidden function of the same name satisfies our own references and jumps to the old version.
#[cfg(target_arch = "x86_64")]
macro_rules! bind {
    ($($name:literal)*) => {$(
        core::arch::global_asm!(
            concat!(".symver weft_old_", $name, ", ", $name, "@GLIBC_2.2.5"),
            concat!(".globl ", $name), concat!(".hidden ", $name), concat!(".type ", $name, ",@function"),
            concat!($name, ": jmp qword ptr [rip + weft_old_", $name, "@GOTPCREL]"),
        );
    )*};
}

/// A hidden function of the same name satisfies our own references and jumps to the old version.
#[cfg(target_arch = "aarch64")]
macro_rules! bind {
    ($($name:literal)*) => {$(
        core::arch::global_asm!(
            concat!(".symver weft_old_", $name, ", ", $name, "@GLIBC_2.17"),
            concat!(".globl ", $name), concat!(".hidden ", $name), concat!(".type ", $name, ",%function"),
            concat!($name, ": adrp x16, :got:weft_old_", $name),
            concat!("ldr x16, [x16, :got_lo12:weft_old_", $name, "]"),
            "br x16",
        );
    )*};
}

bind! { "dlsym" "dlvsym" "pthread_key_create" "pthread_key_delete" "pthread_setspecific" }
