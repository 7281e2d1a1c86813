//! The read pool.

mod cache;
mod changes;
mod descriptors;
mod inherited;
mod lock;
mod paths;

pub use descriptors::{close, duplicated, forget, handle, is_ours, on, open, start, stat, Pooled};
pub use inherited::{after_fork, before_exec, before_fork, forked, in_child, settled, standard};
