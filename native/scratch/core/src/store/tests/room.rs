//! Memory, a disk or a quota that has no room.

use super::{at, body, get, make, open, put, World};
use std::sync::atomic::Ordering::*;

#[test]
fn a_write_longer_than_a_segment_in_memory_goes_to_the_store() {
    let w = World::new(b"0");
    let s = w.store();
    s.r.head().memory_limit.store(2 << 30, Relaxed);
    let (_, h) = open(&s, "a", libc::O_CREAT | libc::O_RDWR).unwrap();
    s.allocate(&h, 0, 0, 80 << 20).unwrap();
    assert_eq!((s.r.head().segment_high.load(Relaxed), s.r.segment(0).is_memory()), (1, false));
}

#[test]
fn a_full_store_does_not_end_the_use_of_memory() {
    let w = World::new(b"1m");
    let s = w.store();
    make(&s, "long", &body(1, 200_000));
    let full = crate::sys::openat(libc::AT_FDCWD, crate::sys::CPath::new(b"/dev/full\0"), libc::O_RDWR, 0).unwrap();
    crate::sys::dup3(full, s.segment_fd(0).unwrap(), libc::O_CLOEXEC).unwrap();
    let (_, h) = open(&s, "a", libc::O_CREAT | libc::O_RDWR).unwrap();
    put(&s, &h, &body(2, 5000), 0).unwrap();
    assert_eq!(put(&s, &h, &body(2, 200_000), 8192), Err(libc::ENOSPC));
    assert_ne!(s.r.head().memory_limit.load(Relaxed), 0);
    make(&s, "small", &body(3, 5000));
    assert_eq!((get(&s, "small").unwrap(), get(&s, "a").unwrap()), (body(3, 5000), body(2, 5000)));
}

#[test]
fn space_that_is_held_back_comes_back_when_a_disk_or_a_quota_is_full() {
    for error in [libc::ENOSPC, libc::EDQUOT] {
        let w = World::new(b"0");
        let s = w.store();
        make(&s, "a", &body(1, 5000));
        make(&s, "b", &body(2, 5000));
        s.remove_file(&at("a")).unwrap();
        assert!(s.found_room(error) && !s.found_room(error));
    }
}

#[test]
fn a_removed_segment_takes_no_room_while_another_process_has_it_open() {
    let w = World::new(b"0");
    let (writer, remover) = (w.store(), w.store());
    make(&writer, "a", &body(1, 50_000));
    writer.leave().unwrap();
    remover.remove_file(&at("a")).unwrap();
    let left = crate::sys::fstat(writer.segment_fd(0).unwrap()).unwrap();
    assert_eq!((left.st_nlink, left.st_size), (0, 0));
}
