//! The scratch store: files in append-only segments, their index in memory shared by the node's processes.

pub mod audit;
pub mod extents;
pub mod external;
pub mod index;
pub mod io;
pub mod layout;
pub mod lock;
pub mod memory;
pub mod names;
pub mod ofds;
pub mod ops;
pub mod owned;
pub mod pending;
pub mod private;
pub mod procs;
pub mod region;
pub mod resize;
pub mod segments;
pub mod tree;
pub mod txn;
pub mod view;

#[cfg(test)]
mod tests;

pub use index::*;
