//! The constructor and destructor of the library, and how it starts over in a forked child.

use crate::process::{alive, gate, handshake, real, settings};
use crate::{count, pool, scratch, serve};
use core::ffi::{c_char, c_int};

/// Its own counter file, its own place in the index.
fn start_over() {
    count::forked();
    serve::forked();
}

extern "C" fn start(_argc: c_int, argv: *const *const c_char, envp: *const *const c_char) {
    real::resolve_all();
    // SAFETY: the loader calls the constructor once, with null-terminated arrays of C strings.
    if !unsafe { settings::load(argv, envp) } {
        return;
    }
    let _ = alive::begin(start_over, || {
        std::panic::set_hook(Box::new(|_| ()));
        count::start();
        pool::start();
        let serves = scratch::start();
        let jobs = [(b'c', count::on()), (b's', serves), (b'p', pool::on())];
        handshake::started(handshake::letters(jobs).as_bytes());
    });
}

/// At a normal end the segment is given up, so that an empty one is removed at once, and the kernel's sums are kept.
extern "C" fn end() {
    if alive::begun() {
        gate::safely((), serve::end);
        gate::safely((), count::end);
    }
}

#[used]
#[link_section = ".fini_array"]
static END: extern "C" fn() = end;

#[used]
#[link_section = ".init_array"]
static START: extern "C" fn(c_int, *const *const c_char, *const *const c_char) = start;
