//! The thin unsafe edge with the C signatures.

mod data;
mod dir;
mod fresh;
mod map;
mod network;
mod open;
mod path;
mod proc;
mod route;
mod stat;
mod stdio;
mod syscall;
mod thread;
#[cfg(naked_functions)]
mod vfork;
#[cfg(not(naked_functions))]
mod vfork_as_fork;
