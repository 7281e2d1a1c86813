//! Another process that maps the file, changes it and reads it through its mapping, on request.

use crate::file::{self, Access, Mapping};
use crate::held::Expected;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

const MAP: u8 = 0;
const WRITE: u8 = 1;
const READ: u8 = 2;

/// The other process, and what it has mapped.
pub struct Peer {
    line: UnixStream,
    pid: libc::pid_t,
    at: usize,
    len: usize,
    expected: Expected,
}

impl Peer {
    pub fn start(path: &Path) -> io::Result<Peer> {
        let (line, other) = UnixStream::pair()?;
        // SAFETY: the child only uses what it has itself, and ends here.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(line);
                let _ = serve(other, path);
                // SAFETY: nothing of the parent's may run at the child's end.
                unsafe { libc::_exit(0) }
            }
            pid => Ok(Peer {
                line,
                pid,
                at: 0,
                len: 0,
                expected: Expected::default(),
            }),
        }
    }

    fn tell(&mut self, what: u8, at: usize, len: usize, data: &[u8]) -> io::Result<()> {
        let words = [what as u64, at as u64, len as u64].map(u64::to_le_bytes);
        self.line.write_all(words.as_flattened())?;
        self.line.write_all(data)?;
        let mut error = [0; 4];
        self.line.read_exact(&mut error)?;
        match i32::from_le_bytes(error) {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }

    pub fn map(&mut self, at: usize, len: usize, expected: &Expected) -> io::Result<()> {
        (self.at, self.len) = (at - at % file::page(), 0);
        self.tell(MAP, self.at, len, b"")?;
        (self.len, self.expected) = (len, expected.clone());
        Ok(())
    }

    /// Bytes of its mapping that lie before the file's end.
    fn visible(&self) -> usize {
        self.expected
            .borrow()
            .len()
            .saturating_sub(self.at)
            .min(self.len)
    }

    pub fn write(&mut self, data: &[u8], from: usize) -> io::Result<()> {
        let data = &data[..data.len().min(self.visible().saturating_sub(from))];
        if !data.is_empty() {
            self.expected.borrow_mut().write(self.at + from, data);
            self.tell(WRITE, from, data.len(), data)?;
        }
        Ok(())
    }

    /// What its mapping shows that is wrong.
    pub fn check(&mut self) -> io::Result<Option<String>> {
        let mut seen = vec![0; self.visible()];
        self.tell(READ, 0, seen.len(), b"")?;
        self.line.read_exact(&mut seen)?;
        Ok(self
            .expected
            .borrow()
            .difference(self.at, seen.len(), &seen))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.line.shutdown(std::net::Shutdown::Both);
        // SAFETY: our own child, waited for once.
        unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), 0) };
    }
}

fn serve(mut line: UnixStream, path: &Path) -> io::Result<()> {
    let mut mapping: Option<Mapping> = None;
    loop {
        let mut words = [[0; 8]; 3];
        line.read_exact(words.as_flattened_mut())?;
        let [what, at, len] = words.map(|word| u64::from_le_bytes(word) as usize);
        let mut error = 0;
        if what as u8 == MAP {
            mapping = None;
            let made = file::open(path, false)
                .and_then(|file| Mapping::new(&file, at, len, Access::Write));
            error = made
                .as_ref()
                .err()
                .and_then(io::Error::raw_os_error)
                .unwrap_or(0);
            mapping = made.ok().or(mapping);
        }
        if let (WRITE, Some(mapping)) = (what as u8, &mut mapping) {
            let mut data = vec![0; len];
            line.read_exact(&mut data)?;
            mapping.put(at, &data);
        }
        line.write_all(&error.to_le_bytes())?;
        if what as u8 == READ {
            line.write_all(
                mapping
                    .as_ref()
                    .map_or(&[][..], |mapping| &mapping.bytes()[..len]),
            )?;
        }
    }
}
