//! Real directories for use as working directories.

use crate::process::settings::config;
use core::sync::atomic::Ordering::*;
use weft_scratch_core::store::layout::DIR;
use weft_scratch_core::store::{Reason, Store};
use weft_scratch_core::sys::{self, Result};
use weft_scratch_core::text::PathText;

/// A working directory must be a real one: makes empty ones of the same name.
pub fn enter(s: &Store, dir: u32) -> Result<usize> {
    if s.r.inode(dir).kind.load(Relaxed) != DIR {
        return Err(libc::ENOTDIR);
    }
    let below = s.path_of(dir)?;
    let mut path = config().prefix.clone();
    make_real(&path)?;
    for name in below.as_bytes().split(|&c| c == b'/').filter(|n| !n.is_empty()) {
        path.push(b"/")?;
        path.push(name)?;
        make_real(&path)?;
    }
    s.refuse(Reason::ShadowDir);
    sys::chdir(path.c_path()).map(|()| 0)
}

fn make_real(path: &PathText) -> Result<()> {
    let make = || match sys::mkdirat(libc::AT_FDCWD, path.c_path(), 0o700) {
        Err(libc::EEXIST) => Ok(()),
        other => other,
    };
    match make() {
        // It was closed when the index was made; the process that removes stand-ins needs it open.
        Err(libc::EACCES) => sys::chmod(config().prefix.c_path(), 0o700).and_then(|()| make()),
        other => other,
    }
}
