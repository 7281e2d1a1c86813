//! The read pool.

mod cache;
mod descriptors;
mod paths;

pub use descriptors::*;
