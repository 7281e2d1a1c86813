//! As many processes as an index has room for.

use super::super::layout::MAX_PROCS;
use super::{open, World};
use crate::identity::Identity;
use std::process::Command;

/// The pid of a process that has ended.
fn gone() -> u32 {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

#[test]
fn the_slots_of_children_that_ended_are_free_for_the_next() {
    let w = World::new(b"0");
    let s = w.store();
    open(&s, "a", libc::O_CREAT | libc::O_RDWR).unwrap();
    let gone = gone();
    for number in 0..MAX_PROCS + 10 {
        let fork = s.before_fork();
        assert!(fork.is_some(), "child {number} has nothing of what its parent has open");
        s.in_parent(fork, gone as i32);
    }
    assert!(w.store().me().is_ok());
    assert_eq!(s.audit().unwrap(), Default::default());
}

#[test]
fn a_process_that_finds_no_slot_is_told_so() {
    let w = World::new(b"0");
    let (s, gone) = (w.store(), gone());
    while s.claim(Identity { pid: gone, start: 0 }, MAX_PROCS).is_ok() {}
    assert_eq!(s.me(), Err(libc::EUSERS));
}
