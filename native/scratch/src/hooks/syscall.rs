//! `syscall(2)` as a function: file calls made through it are led to their hooks or noted as not covered.

use crate::count;
use crate::process::gate::hook;
use crate::process::real::{self, Real};
use core::ffi::c_long;
use weft_scratch_core::coverage::Missed;

const SYS_IO_URING_SETUP: c_long = 425;

/// The stat layout of the kernel, in the old spelling that every glibc exports.
const STAT_VERSION: core::ffi::c_int = if cfg!(target_arch = "x86_64") { 1 } else { 0 };

type Args = [usize; 6];

/// Makes the hook's call for a number that has a hook with the kernel's own argument order.
#[cfg(target_arch = "x86_64")]
unsafe fn legacy(n: c_long, a: Args) -> Option<c_long> {
    use crate::hooks::{open as o, path as p, stat as s};
    // SAFETY: the arguments are the caller's own, in the order of the call named by `n`.
    Some(unsafe {
        match n {
            libc::SYS_open => o::open64(a[0] as _, a[1] as _, a[2] as _) as c_long,
            libc::SYS_stat => s::__xstat64(STAT_VERSION, a[0] as _, a[1] as _) as c_long,
            libc::SYS_lstat => s::__lxstat64(STAT_VERSION, a[0] as _, a[1] as _) as c_long,
            libc::SYS_access => s::access(a[0] as _, a[1] as _) as c_long,
            libc::SYS_rename => p::rename(a[0] as _, a[1] as _) as c_long,
            libc::SYS_unlink => p::unlink(a[0] as _) as c_long,
            libc::SYS_mkdir => p::mkdir(a[0] as _, a[1] as _) as c_long,
            libc::SYS_rmdir => p::rmdir(a[0] as _) as c_long,
            libc::SYS_dup2 => o::dup2(a[0] as _, a[1] as _) as c_long,
            _ => return None,
        }
    })
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn legacy(_n: c_long, _a: Args) -> Option<c_long> {
    None
}

/// False where this libc is older than the function a hook would hand over to.
fn handed_over(n: c_long) -> bool {
    let newer = match n {
        libc::SYS_statx => Real::statx,
        libc::SYS_copy_file_range => Real::copy_file_range,
        libc::SYS_renameat2 => Real::renameat2,
        libc::SYS_close_range => Real::close_range,
        _ => return true,
    };
    !real::get(newer).is_null()
}

unsafe fn hooked(n: c_long, a: Args) -> Option<c_long> {
    if !handed_over(n) {
        return None;
    }
    use crate::hooks::{data as d, open as o, path as p, stat as s};
    // SAFETY: the arguments are the caller's own, in the order of the call named by `n`.
    Some(unsafe {
        match n {
            libc::SYS_openat => o::openat64(a[0] as _, a[1] as _, a[2] as _, a[3] as _) as c_long,
            libc::SYS_openat2 => return o::openat2(a[0] as _, a[1] as _, a[2] as _, a[3]).map(c_long::from),
            libc::SYS_close => o::close(a[0] as _) as c_long,
            libc::SYS_close_range => o::close_range(a[0] as _, a[1] as _, a[2] as _) as c_long,
            libc::SYS_dup => o::dup(a[0] as _) as c_long,
            libc::SYS_dup3 => o::dup3(a[0] as _, a[1] as _, a[2] as _) as c_long,
            libc::SYS_read => d::read(a[0] as _, a[1] as _, a[2]) as c_long,
            libc::SYS_write => d::write(a[0] as _, a[1] as _, a[2]) as c_long,
            libc::SYS_pread64 => d::pread64(a[0] as _, a[1] as _, a[2], a[3] as _) as c_long,
            libc::SYS_pwrite64 => d::pwrite64(a[0] as _, a[1] as _, a[2], a[3] as _) as c_long,
            libc::SYS_lseek => d::lseek64(a[0] as _, a[1] as _, a[2] as _),
            libc::SYS_ftruncate => d::ftruncate64(a[0] as _, a[1] as _) as c_long,
            libc::SYS_fallocate => d::fallocate64(a[0] as _, a[1] as _, a[2] as _, a[3] as _) as c_long,
            libc::SYS_fsync => d::fsync(a[0] as _) as c_long,
            libc::SYS_sendfile => d::sendfile64(a[0] as _, a[1] as _, a[2] as _, a[3]) as c_long,
            libc::SYS_copy_file_range => {
                d::copy_file_range(a[0] as _, a[1] as _, a[2] as _, a[3] as _, a[4], a[5] as _) as c_long
            }
            libc::SYS_fstat => s::__fxstat64(STAT_VERSION, a[0] as _, a[1] as _) as c_long,
            libc::SYS_newfstatat => s::__fxstatat64(STAT_VERSION, a[0] as _, a[1] as _, a[2] as _, a[3] as _) as c_long,
            libc::SYS_statx => s::statx(a[0] as _, a[1] as _, a[2] as _, a[3] as _, a[4] as _) as c_long,
            libc::SYS_faccessat => s::faccessat(a[0] as _, a[1] as _, a[2] as _, 0) as c_long,
            libc::SYS_renameat2 => p::renameat2(a[0] as _, a[1] as _, a[2] as _, a[3] as _, a[4] as _) as c_long,
            libc::SYS_unlinkat => p::unlinkat(a[0] as _, a[1] as _, a[2] as _) as c_long,
            libc::SYS_mkdirat => p::mkdirat(a[0] as _, a[1] as _, a[2] as _) as c_long,
            _ => return legacy(n, a),
        }
    })
}

/// Numbers that touch files and that no hook takes over.
fn is_file_call(n: c_long) -> bool {
    const FILE_CALLS: &[c_long] = &[
        libc::SYS_readv,
        libc::SYS_writev,
        libc::SYS_preadv,
        libc::SYS_pwritev,
        libc::SYS_preadv2,
        libc::SYS_pwritev2,
        libc::SYS_splice,
        libc::SYS_tee,
        libc::SYS_vmsplice,
        libc::SYS_getdents64,
        libc::SYS_openat2,
        libc::SYS_io_setup,
        libc::SYS_io_submit,
        libc::SYS_faccessat2,
        libc::SYS_truncate,
        libc::SYS_fdatasync,
        libc::SYS_open_by_handle_at,
        libc::SYS_linkat,
        libc::SYS_symlinkat,
        libc::SYS_readlinkat,
        libc::SYS_utimensat,
        libc::SYS_fchmodat,
        libc::SYS_fchownat,
    ];
    FILE_CALLS.contains(&n)
}

hook! {
    fn syscall(n: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long |real| {
        if let Some(r) = hooked(n, [a, b, c, d, e, f]) {
            return r;
        }
        if n == SYS_IO_URING_SETUP {
            count::missed(Missed::IoUring, n as u64, b"");
        } else if is_file_call(n) {
            count::missed(Missed::RawSyscall, n as u64, b"");
        }
        real()
    }
}
