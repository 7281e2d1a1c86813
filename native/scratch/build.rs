//! Before glibc 2.34 dlsym and the thread keys live in libraries of their own: name those as needed.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for arg in ["-Wl,--no-as-needed", "-l:libdl.so.2", "-l:libpthread.so.0", "-Wl,--as-needed"] {
        println!("cargo:rustc-link-arg-cdylib={arg}");
    }
}
