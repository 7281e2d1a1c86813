//! Threads and processes that act on what they saw before others changed it.

use super::super::io::Buf;
use super::super::layout::ROOT;
use super::{close, die, open, World};
use crate::identity::Identity;
use std::sync::atomic::Ordering::*;

#[test]
fn a_write_that_outlives_its_descriptor_moves_no_other_position() {
    let w = World::new(b"0");
    let s = w.store();
    let (fd, h) = open(&s, "a", libc::O_CREAT | libc::O_RDWR).unwrap();
    // So that closing does not wait to give back what the writer reserved.
    open(&s, "a", libc::O_RDWR).unwrap();
    let bytes = vec![1u8; 64 << 20];
    let next = std::thread::scope(|threads| {
        threads.spawn(|| s.write(&h, &[Buf { at: bytes.as_ptr().cast_mut(), len: bytes.len() }], None));
        while s.r.inode(h.inode).lock.load(Relaxed) == 0 {
            std::thread::yield_now();
        }
        close(&s, fd);
        open(&s, "b", libc::O_CREAT | libc::O_RDWR).unwrap().1
    });
    assert_eq!((next.ofd, s.seek(&next, 0, libc::SEEK_CUR)), (h.ofd, Ok(0)));
    assert_eq!(s.seek(&h, 5, libc::SEEK_SET), Err(libc::EBADF));
}

#[test]
fn who_buries_late_closes_nothing_of_the_next_in_the_slot() {
    let w = World::new(b"0");
    let [dead, late, other, next] = [w.store(), w.store(), w.store(), w.store()];
    open(&dead, "a", libc::O_CREAT | libc::O_RDWR).unwrap();
    let slot = dead.slot().unwrap();
    late.me().unwrap();
    other.me().unwrap();
    die(&dead);
    let gone = Identity { start: 1, ..Identity::own() };
    let same = || dead.r.proc(slot).start.load(Relaxed) == gone.start;
    // After the late one has looked, another process buries the dead one, and a third takes the slot and the number.
    late.close_where(slot, |fd| {
        let was = same();
        if was {
            other.bury_process(slot, gone).unwrap();
            next.me().unwrap();
            let t = next.txn().unwrap();
            let ofd = next.new_ofd(&t, ROOT, libc::O_RDONLY).unwrap();
            next.set_entry(&t, fd, ofd).unwrap();
            t.commit().unwrap();
        }
        was
    });
    assert_eq!(next.slot(), Some(slot));
    assert_eq!(next.r.head().ofd_free.load(Relaxed), 0, "its descriptor is open");
    assert_eq!(next.audit().unwrap(), Default::default());
}
