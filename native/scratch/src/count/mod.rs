//! Counting of file calls.

mod calls;

pub use calls::*;
