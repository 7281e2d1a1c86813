//! Files in directories where every user may create some: only our own are opened, and no links are followed.

use crate::sys::{self, CPath, Fd, Result};

/// Another process may create or remove the file between two of our attempts.
const ATTEMPTS: u32 = 100;
/// What other users must not have: any right.
const OF_OTHERS: u32 = 0o077;

/// Opens a file that only this user can access, for reading and writing; creates it if `create` is set.
/// EPERM if there is one that another user made, may access, or has a second name for; ELOOP for a symbolic link.
pub fn open(path: CPath, create: bool) -> Result<Fd> {
    let flags = libc::O_RDWR | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
    for _ in 0..ATTEMPTS {
        match sys::openat(libc::AT_FDCWD, path, flags, 0) {
            Err(libc::ENOENT) if create => {}
            Err(e) => return Err(e),
            Ok(fd) => return verified(fd),
        }
        match sys::openat(libc::AT_FDCWD, path, flags | libc::O_CREAT | libc::O_EXCL, 0o600) {
            Err(libc::EEXIST) => {}
            Err(e) => return Err(e),
            Ok(fd) => return verified(fd),
        }
    }
    Err(libc::EAGAIN)
}

fn verified(fd: Fd) -> Result<Fd> {
    match sys::fstat(fd) {
        Ok(st) if is_private(&st, sys::geteuid()) => Ok(fd),
        Ok(_) => sys::close(fd).and(Err(libc::EPERM)),
        Err(e) => sys::close(fd).and(Err(e)),
    }
}

/// Whether a file is an ordinary one of `user` with a single name, closed to everybody else.
fn is_private(st: &libc::stat64, user: u32) -> bool {
    let ordinary = st.st_mode & libc::S_IFMT == libc::S_IFREG;
    ordinary && st.st_uid == user && st.st_mode & OF_OTHERS == 0 && st.st_nlink == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{symlink, PermissionsExt};
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU32, Ordering::*};
    use std::{env, fs};

    struct Directory(PathBuf);

    impl Directory {
        fn new() -> Directory {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let name = format!("weft-owned-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
            let dir = env::temp_dir().join(name);
            fs::create_dir(&dir).unwrap();
            Directory(dir)
        }

        fn file(&self, name: &str, mode: u32) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, "theirs").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn opened(path: &Path, create: bool) -> Result<()> {
        let text = [path.as_os_str().as_bytes(), b"\0"].concat();
        open(CPath::new(&text), create).and_then(sys::close)
    }

    #[test]
    fn a_file_of_our_own_is_created_private_and_opened_again() {
        let dir = Directory::new();
        let path = dir.0.join("new");
        assert_eq!(opened(&path, false), Err(libc::ENOENT));
        assert_eq!(opened(&path, true), Ok(()));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!((opened(&path, false), opened(&path, true)), (Ok(()), Ok(())));
    }

    #[test]
    fn what_others_may_access_or_have_a_name_for_is_refused_and_unchanged() {
        let dir = Directory::new();
        let (open_to_all, own) = (dir.file("open", 0o666), dir.file("own", 0o600));
        fs::hard_link(&own, dir.0.join("second")).unwrap();
        symlink(&own, dir.0.join("link")).unwrap();
        symlink(dir.0.join("nothing"), dir.0.join("dangling")).unwrap();
        for create in [false, true] {
            assert_eq!(opened(&open_to_all, create), Err(libc::EPERM));
            assert_eq!(opened(&dir.0.join("second"), create), Err(libc::EPERM));
            assert_eq!(opened(&dir.0.join("link"), create), Err(libc::ELOOP));
            assert_eq!(opened(&dir.0.join("dangling"), create), Err(libc::ELOOP));
        }
        assert!(!dir.0.join("nothing").exists());
        assert_eq!(fs::read(&open_to_all).unwrap(), b"theirs");
    }

    #[test]
    fn a_pipe_or_a_file_of_another_user_is_refused() {
        let dir = Directory::new();
        let path = [dir.0.join("pipe").as_os_str().as_bytes(), b"\0"].concat();
        // SAFETY: the path ends with NUL.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr().cast(), 0o600) }, 0);
        assert_eq!(opened(&dir.0.join("pipe"), true), Err(libc::EPERM));
        let mut st = sys::fstatat(libc::AT_FDCWD, CPath::new(&path), 0).unwrap();
        (st.st_mode, st.st_nlink) = (libc::S_IFREG | 0o600, 1);
        assert!(is_private(&st, st.st_uid) && !is_private(&st, st.st_uid + 1));
    }
}
