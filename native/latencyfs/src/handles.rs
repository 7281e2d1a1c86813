//! Open files and directories by the number the kernel sends back with each request.

use crate::sys;
use fuser::{BackingId, FileHandle, FileType};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::tree::record_kind;

/// An open file or directory of the source.
#[derive(Debug)]
pub struct Handle {
    pub file: File,
    /// Whether the close request was sent already, at the first close of a copied descriptor.
    pub closed: AtomicBool,
    /// Directory entries that the next request brings along without a new one.
    pub prefetched: AtomicU64,
    /// Keeps the kernel's passthrough of this file alive.
    pub backing: OnceLock<Arc<BackingId>>,
}

/// The table of open handles.
#[derive(Debug, Default)]
pub struct Handles {
    next: AtomicU64,
    open: RwLock<HashMap<u64, Arc<Handle>>>,
}

impl Handles {
    pub fn insert(&self, file: File) -> FileHandle {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let handle = Arc::new(Handle {
            file,
            closed: AtomicBool::new(false),
            prefetched: AtomicU64::new(0),
            backing: OnceLock::new(),
        });
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        open.insert(number, handle);
        FileHandle(number)
    }

    pub fn get(&self, fh: FileHandle) -> io::Result<Arc<Handle>> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let handle = open.get(&fh.0).cloned();
        handle.ok_or_else(|| io::Error::from_raw_os_error(libc::EBADF))
    }

    pub fn remove(&self, fh: FileHandle) -> io::Result<Arc<Handle>> {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        let handle = open.remove(&fh.0);
        handle.ok_or_else(|| io::Error::from_raw_os_error(libc::EBADF))
    }
}

/// One entry of a directory; `offset` is where the next one starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub number: u64,
    pub offset: u64,
    pub kind: FileType,
    pub name: OsString,
}

impl Handle {
    /// The entries from an offset on, some of them: empty only at the end.
    pub fn records(&self, offset: u64) -> io::Result<Vec<Record>> {
        let mut buffer = vec![0u8; 32_768];
        sys::seek(self.file.as_fd(), offset as i64, libc::SEEK_SET)?;
        let used = sys::directory_records(self.file.as_fd(), &mut buffer)?;
        Ok(parse_records(&buffer[..used]))
    }
}

/// `struct linux_dirent64`: number (8 bytes), offset (8), length (2), type (1), name with a zero.
fn parse_records(mut bytes: &[u8]) -> Vec<Record> {
    let word = |bytes: &[u8], at: usize| {
        let mut word = [0u8; 8];
        word.copy_from_slice(&bytes[at..at + 8]);
        u64::from_ne_bytes(word)
    };
    let mut records = Vec::new();
    while bytes.len() >= 19 {
        let length = usize::from(u16::from_ne_bytes([bytes[16], bytes[17]]));
        let name = bytes[19..length].split(|&b| b == 0).next();
        records.push(Record {
            number: word(bytes, 0),
            offset: word(bytes, 8),
            kind: record_kind(bytes[18]),
            name: OsStr::from_bytes(name.unwrap_or_default()).to_os_string(),
        });
        bytes = &bytes[length..];
    }
    records
}

#[cfg(test)]
mod tests {
    use super::Handles;
    use std::fs::File;

    #[test]
    fn a_directory_is_read_whole_and_from_any_offset() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..50 {
            File::create(dir.path().join(format!("file{number}"))).unwrap();
        }
        let handles = Handles::default();
        let fh = handles.insert(File::open(dir.path()).unwrap());
        let handle = handles.get(fh).unwrap();
        let all = handle.records(0).unwrap();
        assert_eq!(all.len(), 52, "the files, . and ..");
        let rest = handle.records(all[9].offset).unwrap();
        assert_eq!(rest, all[10..]);
        assert!(handle.records(all[51].offset).unwrap().is_empty());
        handles.remove(fh).unwrap();
        assert!(handles.get(fh).is_err());
    }
}
