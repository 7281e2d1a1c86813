//! Before glibc 2.34 dlsym and the thread keys live in libraries of their own: name those as needed. And finds out whether the
//! compiler has naked functions, which Rust has had since 1.88.
//!
//! For an old glibc (WEFT_OLD_GLIBC, set by tools/build) the linker has these libraries under their plain names only, and an
//! unwinder of its own.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// What Rust and glibc call of libgcc_s.
const UNWINDER: [&str; 16] = [
    "_Unwind_Backtrace",
    "_Unwind_DeleteException",
    "_Unwind_FindEnclosingFunction",
    "_Unwind_ForcedUnwind",
    "_Unwind_GetCFA",
    "_Unwind_GetDataRelBase",
    "_Unwind_GetGR",
    "_Unwind_GetIP",
    "_Unwind_GetIPInfo",
    "_Unwind_GetLanguageSpecificData",
    "_Unwind_GetRegionStart",
    "_Unwind_GetTextRelBase",
    "_Unwind_RaiseException",
    "_Unwind_Resume",
    "_Unwind_SetGR",
    "_Unwind_SetIP",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=WEFT_OLD_GLIBC");
    let libraries = match env::var_os("WEFT_OLD_GLIBC") {
        Some(_) => ["-ldl", "-lpthread"],
        None => ["-l:libdl.so.2", "-l:libpthread.so.0"],
    };
    for arg in ["-Wl,--no-as-needed", libraries[0], libraries[1], "-Wl,--as-needed"] {
        println!("cargo:rustc-link-arg-cdylib={arg}");
    }
    if env::var_os("WEFT_OLD_GLIBC").is_some() {
        use_the_unwinder_of_the_process();
    }
    println!("cargo:rustc-check-cfg=cfg(naked_functions)");
    if minor_version().is_some_and(|minor| minor >= 88) {
        println!("cargo:rustc-cfg=naked_functions");
    }
}

/// zig would link its own into the library. A cancelled thread is unwound by gcc's, and must not meet another in a hook's frame:
/// a library with gcc's names, linked before zig's, leaves them to the gcc of where it is loaded.
fn use_the_unwinder_of_the_process() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let source = out.join("unwinder.c");
    let text: String = UNWINDER.iter().map(|name| format!("void {name}(void) {{}}\n")).collect();
    fs::write(&source, text).expect("cargo's own directory");
    let mut linker = Command::new(env::var_os("RUSTC_LINKER").expect("set by cargo-zigbuild"));
    linker.args(["-shared", "-nostdlib", "-Wl,-soname,libgcc_s.so.1", "-o"]).arg(out.join("libunwinder.so"));
    assert!(linker.arg(source).status().expect("the linker starts").success());
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=dylib=unwinder");
}

/// 85 of "rustc 1.85.0 (...)".
fn minor_version() -> Option<u32> {
    let printed = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    String::from_utf8(printed.stdout).ok()?.split('.').nth(1)?.parse().ok()
}
