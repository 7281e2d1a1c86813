//! Before glibc 2.34 dlsym and the thread keys live in libraries of their own: name those as needed. And finds out whether the
//! compiler has naked functions, which Rust has had since 1.88.
//!
//! For an old glibc (WEFT_OLD_GLIBC, set by tools/build) the linker has these libraries under their plain names only.

use std::env;
use std::process::Command;

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
    println!("cargo:rustc-check-cfg=cfg(naked_functions)");
    if minor_version().is_some_and(|minor| minor >= 88) {
        println!("cargo:rustc-cfg=naked_functions");
    }
}

/// 85 of "rustc 1.85.0 (...)".
fn minor_version() -> Option<u32> {
    let printed = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    String::from_utf8(printed.stdout).ok()?.split('.').nth(1)?.parse().ok()
}
