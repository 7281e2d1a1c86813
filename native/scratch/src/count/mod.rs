//! Counting of file calls.

mod calls;
mod kinds;

pub use calls::*;
pub use kinds::renamed;
