//! What POSIX promises and programs rely on, with and without caches.

mod common;

use common::{errno, Lab};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{symlink, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::time::{Duration, SystemTime};

/// Runs a test with a page cache through the daemon, without caches, and with passthrough.
fn everywhere(test: fn(&Lab)) {
    let cached = ["--profile", "zero", "--set", "client.passthrough=false"];
    let direct = [
        "--profile",
        "zero",
        "--set",
        "client.page_cache=false",
        "--set",
        "client.attr_timeout_us=0",
        "--set",
        "client.readdirplus=true",
    ];
    for args in [&cached[..], &direct[..], &["--profile", "zero"]] {
        if let Some(lab) = common::start(1, args) {
            println!("{args:?}");
            test(&lab);
        }
    }
}

#[test]
fn rename_replaces_and_honours_its_flags() {
    everywhere(|lab| {
        let (a, b) = (lab.mount().join("a"), lab.mount().join("b"));
        fs::write(&a, "a").unwrap();
        fs::write(&b, "b").unwrap();
        let mut old = File::open(&b).unwrap();
        fs::rename(&a, &b).unwrap();
        assert_eq!(fs::read(&b).unwrap(), b"a");
        let mut text = String::new();
        old.read_to_string(&mut text).unwrap();
        assert_eq!(text, "b", "the replaced file lives while it is open");

        fs::write(&a, "new").unwrap();
        assert_eq!(rename_with(&a, &b, libc::RENAME_NOREPLACE), libc::EEXIST);
        assert_eq!(rename_with(&a, &b, libc::RENAME_EXCHANGE), 0);
        assert_eq!(fs::read(&a).unwrap(), b"a");
        assert_eq!(fs::read(&b).unwrap(), b"new");

        fs::create_dir(lab.mount().join("full")).unwrap();
        fs::write(lab.mount().join("full/x"), "").unwrap();
        fs::create_dir(lab.mount().join("dir")).unwrap();
        let over = fs::rename(lab.mount().join("dir"), lab.mount().join("full"));
        assert_eq!(errno(over), libc::ENOTEMPTY);
    });
}

fn rename_with(from: &std::path::Path, to: &std::path::Path, flags: u32) -> i32 {
    use std::os::unix::ffi::OsStrExt;
    let name =
        |path: &std::path::Path| std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap();
    let (from, to) = (name(from), name(to));
    // SAFETY: both paths outlive the call.
    let rc = unsafe {
        libc::renameat2(
            libc::AT_FDCWD,
            from.as_ptr(),
            libc::AT_FDCWD,
            to.as_ptr(),
            flags,
        )
    };
    match rc {
        0 => 0,
        _ => std::io::Error::last_os_error().raw_os_error().unwrap(),
    }
}

#[test]
fn an_unlinked_file_lives_while_open() {
    everywhere(|lab| {
        let path = lab.mount().join("gone");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!path.exists());
        file.write_all(b"still here").unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "still here");
        assert_eq!(file.metadata().unwrap().nlink(), 0);
        file.set_len(3).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 3);
    });
}

#[test]
fn exclusive_creation_and_append() {
    everywhere(|lab| {
        let path = lab.mount().join("log");
        let mut new = OpenOptions::new();
        new.write(true).create_new(true);
        new.open(&path).unwrap();
        assert_eq!(errno(new.open(&path)), libc::EEXIST);
        let append = || OpenOptions::new().append(true).open(&path).unwrap();
        let (mut one, mut two) = (append(), append());
        for _ in 0..20 {
            one.write_all(b"one ").unwrap();
            two.write_all(b"two ").unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "one two ".repeat(20));
    });
}

#[test]
fn a_mapping_of_a_file_that_is_open_for_appending_changes_it_in_place() {
    everywhere(|lab| {
        use std::os::fd::AsRawFd;
        let path = lab.mount().join("log");
        fs::write(&path, "0123456789").unwrap();
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(&path)
            .unwrap();
        let (protection, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: the file is longer than what is mapped, and nothing else uses the mapping.
        unsafe {
            let fd = file.as_raw_fd();
            let at = libc::mmap(std::ptr::null_mut(), 10, protection, shared, fd, 0);
            assert_ne!(at, libc::MAP_FAILED);
            at.cast::<u8>().write(b'x');
            assert_eq!(libc::msync(at, 10, libc::MS_SYNC), 0);
            assert_eq!(libc::munmap(at, 10), 0);
        }
        file.write_all(b" end").unwrap();
        let written = fs::read_to_string(lab.source().join("log")).unwrap();
        assert_eq!(written, "x123456789 end");
    });
}

#[test]
fn modes_owners_and_times() {
    everywhere(|lab| {
        let dir = lab.mount().join("shared");
        fs::create_dir(&dir).unwrap();
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o3777)).unwrap();
        assert_eq!(fs::metadata(&dir).unwrap().mode() & 0o7777, 0o3777);
        let path = dir.join("file");
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o640)
            .open(&path)
            .unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
        std::os::unix::fs::chown(&path, Some(1234), Some(5678)).unwrap();
        let seen = fs::metadata(&path).unwrap();
        assert_eq!((seen.uid(), seen.gid()), (1234, 5678));
        let time = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), time);
    });
}

#[test]
fn another_user_owns_what_it_makes_and_is_refused_elsewhere() {
    everywhere(|lab| {
        let open = lab.mount().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o1777)).unwrap();
        fs::set_permissions(lab.mount(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(open.join("roots"), "").unwrap();
        let parent = lab.mount().parent().unwrap();
        fs::set_permissions(parent, fs::Permissions::from_mode(0o755)).unwrap();
        let shell = "touch open/mine && mkdir open/dir && ! touch mine 2>/dev/null && ! rm -f open/roots 2>/dev/null";
        let mut command = std::process::Command::new("sh");
        command.args(["-c", shell]).current_dir(lab.mount());
        use std::os::unix::process::CommandExt;
        assert!(command.uid(1234).gid(1234).status().unwrap().success());
        for name in ["mine", "dir"] {
            let seen = fs::metadata(open.join(name)).unwrap();
            assert_eq!((seen.uid(), seen.gid()), (1234, 1234), "{name}");
        }
    });
}

#[test]
fn links_are_counted_and_followed() {
    everywhere(|lab| {
        let (a, b) = (lab.mount().join("a"), lab.mount().join("b"));
        fs::write(&a, "text").unwrap();
        fs::hard_link(&a, &b).unwrap();
        let (one, two) = (fs::metadata(&a).unwrap(), fs::metadata(&b).unwrap());
        assert_eq!((one.ino(), one.nlink()), (two.ino(), 2));
        fs::remove_file(&a).unwrap();
        assert_eq!(fs::metadata(&b).unwrap().nlink(), 1);
        symlink("b", &a).unwrap();
        assert_eq!(fs::read_link(&a).unwrap().to_str(), Some("b"));
        assert_eq!(fs::read(&a).unwrap(), b"text");
        symlink("loop", lab.mount().join("loop")).unwrap();
        assert_eq!(errno(File::open(lab.mount().join("loop"))), libc::ELOOP);
        fs::create_dir(lab.mount().join("d")).unwrap();
        fs::create_dir(lab.mount().join("d/e")).unwrap();
        assert_eq!(
            fs::metadata(lab.mount().join("d")).unwrap().nlink(),
            fs::metadata(lab.source().join("d")).unwrap().nlink()
        );
    });
}

#[test]
fn truncation_and_holes() {
    everywhere(|lab| {
        let path = lab.mount().join("file");
        fs::write(&path, "0123456789").unwrap();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .unwrap();
        file.set_len(4).unwrap();
        file.set_len(6).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"0123\0\0");
        file.write_all_at(b"x", 1 << 20).unwrap();
        let mut data = file.try_clone().unwrap();
        assert_eq!(seek_data(&mut data, 65_536), 1 << 20);
        OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(&path)
            .unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    });
}

fn seek_data(file: &mut File, from: i64) -> i64 {
    use std::os::fd::AsRawFd;
    // SAFETY: the descriptor is open for the length of the call.
    unsafe { libc::lseek(file.as_raw_fd(), from, libc::SEEK_DATA) }
}

#[test]
fn ten_thousand_entries_are_listed_once_and_deleted_while_listing() {
    everywhere(|lab| {
        let dir = lab.mount().join("many");
        fs::create_dir(&dir).unwrap();
        for number in 0..10_000 {
            fs::write(lab.source().join(format!("many/file-{number}")), "").unwrap();
        }
        let names: std::collections::HashSet<_> = fs::read_dir(&dir)
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(names.len(), 10_000);
        for entry in fs::read_dir(&dir).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
        fs::remove_dir(&dir).unwrap();
    });
}

#[test]
fn locks_pipes_and_attributes() {
    everywhere(|lab| {
        use std::os::fd::AsRawFd;
        let path = lab.mount().join("file");
        fs::write(&path, "").unwrap();
        let (one, two) = (File::open(&path).unwrap(), File::open(&path).unwrap());
        // SAFETY: both descriptors are open for the length of the calls.
        unsafe {
            assert_eq!(libc::flock(one.as_raw_fd(), libc::LOCK_EX), 0);
            assert_eq!(
                libc::flock(two.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB),
                -1
            );
        }
        let pipe = lab.mount().join("pipe");
        let status = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(status.unwrap().success());
        let write = pipe.clone();
        let writer = std::thread::spawn(move || fs::write(write, "through").unwrap());
        assert_eq!(fs::read_to_string(&pipe).unwrap(), "through");
        writer.join().unwrap();
        assert!(fs::metadata(lab.mount()).unwrap().ino() > 0);
    });
}
