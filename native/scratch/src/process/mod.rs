//! The process the library is loaded into: its environment, libc's own functions, when hooks may act.

pub mod alive;
pub mod cwd;
pub mod gate;
pub mod handshake;
mod old_glibc;
pub mod real;
pub mod settings;
pub mod umask;
