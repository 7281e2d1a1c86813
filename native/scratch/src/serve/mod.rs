//! Leads calls to the scratch store or the read pool.

mod handle;
mod lifetime;
mod names;
mod spot;
mod transfer;

pub use handle::*;
pub use lifetime::*;
pub use names::*;
pub use spot::Spot;
pub use transfer::{copy_range, send, splice};
