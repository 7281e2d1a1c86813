//! The functions behind our hooks: the next definition in link order, libc or another preload library.

use core::ffi::{c_char, c_void, CStr};
use core::sync::atomic::{AtomicPtr, Ordering::*};

macro_rules! reals {
    ($($name:ident)*) => {
        /// One interposed function each.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        #[repr(usize)]
        pub enum Real { $($name),* }

        const NAMES: &[&CStr] = &[$(
            // SAFETY: an identifier holds no NUL and one is appended.
            unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) }
        ),*];
    };
}

reals! {
    open open64 __open_2 __open64_2 openat openat64 __openat_2 __openat64_2 creat creat64
    mkstemp mkstemp64 mkostemp mkostemp64 mkdtemp close close_range closefrom
    dup dup2 dup3 fcntl fcntl64 flock lockf lockf64
    read pread pread64 readv preadv preadv64 __read_chk __pread_chk __pread64_chk
    write pwrite pwrite64 writev pwritev pwritev64 lseek lseek64
    ftruncate ftruncate64 truncate truncate64 fallocate fallocate64 posix_fallocate posix_fallocate64
    posix_fadvise posix_fadvise64 fsync fdatasync sync_file_range syncfs
    sendfile sendfile64 splice copy_file_range mmap mmap64
    stat stat64 lstat lstat64 fstat fstat64 fstatat fstatat64
    __xstat __xstat64 __lxstat __lxstat64 __fxstat __fxstat64 __fxstatat __fxstatat64 statx
    access faccessat euidaccess eaccess
    statvfs statvfs64 fstatvfs fstatvfs64 statfs statfs64 fstatfs fstatfs64 pathconf fpathconf
    rename renameat renameat2 unlink unlinkat remove rmdir mkdir mkdirat link linkat symlink symlinkat
    readlink readlinkat __readlink_chk __readlinkat_chk realpath __realpath_chk canonicalize_file_name
    chmod fchmod fchmodat chown lchown fchown fchownat
    utime utimes lutimes futimes futimesat utimensat futimens mknod mknodat mkfifo mkfifoat
    getxattr lgetxattr fgetxattr setxattr lsetxattr fsetxattr listxattr llistxattr flistxattr
    removexattr lremovexattr fremovexattr chdir fchdir umask munmap mremap socket accept accept4 socketpair pipe pipe2
    epoll_create epoll_create1 eventfd timerfd_create inotify_init1 memfd_create
    opendir fdopendir readdir readdir64 readdir_r readdir64_r closedir rewinddir dirfd seekdir telldir
    scandir scandir64 fopen fopen64 fdopen freopen freopen64 fclose fileno fileno_unlocked
    recv __recv_chk recvfrom recvmsg send sendto sendmsg poll __poll_chk ppoll select
    epoll_wait epoll_pwait epoll_pwait2 pthread_setname_np fork _Fork execve execv execvp execvpe posix_spawn posix_spawnp syscall
}

static FOUND: [AtomicPtr<c_void>; NAMES.len()] = [const { AtomicPtr::new(core::ptr::null_mut()) }; NAMES.len()];

/// Looks every function up, so that no later call has to enter the loader.
pub fn resolve_all() {
    for (at, name) in NAMES.iter().enumerate() {
        FOUND[at].store(find(name), Release);
    }
}

/// The function, or null where this libc has none.
#[inline]
pub fn get(which: Real) -> *mut c_void {
    let f = FOUND[which as usize].load(Relaxed);
    if f.is_null() {
        return late(which);
    }
    f
}

/// Constructors of other libraries may call before ours has run.
#[cold]
fn late(which: Real) -> *mut c_void {
    let f = find(NAMES[which as usize]);
    FOUND[which as usize].store(f, Release);
    f
}

fn find(name: &CStr) -> *mut c_void {
    // The unversioned lookup of realpath may give the ancient twin that refuses a null buffer.
    if name == c"realpath" {
        // SAFETY: both strings are NUL-terminated.
        let f = unsafe { libc::dlvsym(libc::RTLD_NEXT, name.as_ptr(), c"GLIBC_2.3".as_ptr()) };
        if !f.is_null() {
            return f;
        }
    }
    // SAFETY: the name is NUL-terminated.
    let f = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if !f.is_null() {
        return f;
    }
    // Retired spellings such as __xstat are only found together with their version.
    let base = if cfg!(target_arch = "x86_64") { c"GLIBC_2.2.5" } else { c"GLIBC_2.17" };
    // SAFETY: both strings are NUL-terminated.
    unsafe { libc::dlvsym(libc::RTLD_NEXT, name.as_ptr(), base.as_ptr()) }
}

pub fn errno() -> i32 {
    // SAFETY: the location is this thread's own errno.
    unsafe { *libc::__errno_location() }
}

/// Sets errno as the C library does.
pub fn set_errno(e: i32) {
    // SAFETY: the location is this thread's own errno.
    unsafe { *libc::__errno_location() = e }
}

/// Borrows a C string; null is the empty one.
///
/// # Safety
/// `p` must be null or point to a NUL-terminated string that outlives the borrow.
pub unsafe fn bytes<'a>(p: *const c_char) -> &'a [u8] {
    if p.is_null() {
        return b"";
    }
    // SAFETY: the caller vouches for the string.
    unsafe { CStr::from_ptr(p) }.to_bytes()
}
