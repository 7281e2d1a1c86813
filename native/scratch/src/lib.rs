//! `libweft_scratch.so`: counts file calls, serves a scratch prefix and pools read-only inputs.
//!
//! Layers, the lowest first; none knows one above it. `process` is the process we live in, `count` times and sums calls,
//! `scratch` and `pool` hold served files, `serve` leads a call to one of them, `hooks` are the thin unsafe edge with the
//! C signatures, and `start` switches all on. Everything that can be tested without symbol interposition lives in the
//! crate `weft-scratch-core`.
#![allow(clippy::missing_safety_doc)]

mod count;
mod hooks;
mod pool;
mod process;
mod scratch;
mod serve;
mod start;
