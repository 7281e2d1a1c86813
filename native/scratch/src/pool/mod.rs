//! The read pool.

mod cache;
mod descriptors;

pub use descriptors::*;
