//! The parts of weft-scratch that know nothing of symbol interposition: counting, and the scratch store.
#![cfg_attr(not(test), no_std)]

pub mod classes;
pub mod clock;
pub mod config;
pub mod counters;
pub mod coverage;
pub mod directories;
pub mod elf;
pub mod handshake;
pub mod histogram;
pub mod identity;
pub mod ops;
pub mod path;
pub mod store;
pub mod sys;
pub mod text;
pub mod threads;
