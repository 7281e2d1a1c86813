//! Before glibc 2.34 dlsym and the thread keys live in libraries of their own: name those as needed. And finds out whether the
//! compiler has naked functions, which Rust has had since 1.88.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for arg in ["-Wl,--no-as-needed", "-l:libdl.so.2", "-l:libpthread.so.0", "-Wl,--as-needed"] {
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
