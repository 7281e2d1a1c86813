//! The scratch store in this process: its index, its directory streams, its locks and mappings.

pub mod attributes;
pub mod listing;
pub mod locks;
pub mod maps;
pub mod stand_in;
mod store;

pub use store::*;
