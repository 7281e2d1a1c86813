//! `libweft_scratch.so`: counts file calls, serves a scratch prefix and pools read-only inputs.
//!
//! `hooks_*` are the thin unsafe edge with the C signatures; `route` leads a call to `serve`, `pool` or
//! the real function and `count` times it; everything that can be tested without symbol interposition
//! lives in the crate `weft-scratch-core`.
#![allow(clippy::missing_safety_doc)]

mod count;
mod cwd;
mod gate;
mod hooks_data;
mod hooks_dir;
mod hooks_fresh;
mod hooks_map;
mod hooks_open;
mod hooks_path;
mod hooks_proc;
mod hooks_stat;
mod hooks_stdio;
mod hooks_syscall;
mod locks;
mod maps;
mod old_glibc;
mod pool;
mod pool_cache;
mod real;
mod route;
mod serve;
mod serve_dir;
mod serve_file;
mod serve_path;
mod state;
mod transfer;
mod umask;
