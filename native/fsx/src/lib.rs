//! Random operations on one file, each checked against a model in memory.

pub mod exercise;
mod file;
mod held;
mod model;
mod peer;
mod rng;
