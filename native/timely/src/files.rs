//! Input files as one stretch of bytes, and parts of an output that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The files of an input, in the order of their names.
pub struct Input {
    files: Vec<(PathBuf, u64)>,
}

impl Input {
    /// The files of a directory, or a file itself; names that begin with `_` or `.` are left out.
    pub fn list(path: &Path) -> Result<Self, String> {
        let problem = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => format!("The input {} does not exist.", path.display()),
            _ => format!("The input {} could not be read: {error}", path.display()),
        };
        let mut files = Vec::new();
        if fs::metadata(path).map_err(problem)?.is_dir() {
            for entry in fs::read_dir(path).map_err(problem)? {
                let entry = entry.map_err(problem)?;
                if !entry.file_name().as_encoded_bytes().starts_with(b"_")
                    && !entry.file_name().as_encoded_bytes().starts_with(b".")
                {
                    files.push((
                        entry.path(),
                        fs::metadata(entry.path()).map_err(problem)?.len(),
                    ));
                }
            }
        } else {
            files.push((
                path.to_path_buf(),
                fs::metadata(path).map_err(problem)?.len(),
            ));
        }
        if files.is_empty() {
            return Err(format!("The input {} holds no file.", path.display()));
        }
        files.sort();
        Ok(Self { files })
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, bytes)| bytes).sum()
    }

    /// The first file whose length is not a multiple of a record's.
    pub fn broken(&self, record: u64) -> Option<&(PathBuf, u64)> {
        self.files.iter().find(|(_, bytes)| bytes % record != 0)
    }

    /// The pieces of files that are bytes `from` to `to` of the whole.
    pub fn pieces(&self, from: u64, to: u64) -> Vec<Piece> {
        let mut start = 0;
        let mut pieces = Vec::new();
        for (path, bytes) in &self.files {
            let (low, high) = (from.max(start), to.min(start + bytes));
            if low < high {
                pieces.push(Piece {
                    path: path.clone(),
                    from: low - start,
                    bytes: high - low,
                });
            }
            start += bytes;
        }
        pieces
    }
}

/// Consecutive bytes of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    path: PathBuf,
    from: u64,
    bytes: u64,
}

impl Piece {
    /// Read it in batches of at most `batch` bytes.
    pub fn read(&self, batch: usize, mut use_: impl FnMut(&[u8])) -> Result<(), String> {
        let problem =
            |error: io::Error| format!("{} could not be read: {error}", self.path.display());
        let file = File::open(&self.path).map_err(problem)?;
        let mut buffer = vec![0; batch.min(usize::try_from(self.bytes).unwrap_or(batch))];
        let mut done = 0;
        while done < self.bytes {
            let length = buffer
                .len()
                .min(usize::try_from(self.bytes - done).unwrap_or(batch));
            file.read_exact_at(&mut buffer[..length], self.from + done)
                .map_err(problem)?;
            use_(&buffer[..length]);
            done += length as u64;
        }
        Ok(())
    }

    /// The byte before it in its file.
    pub fn before(&self) -> Result<Option<u8>, String> {
        if self.from == 0 {
            return Ok(None);
        }
        let mut byte = [0];
        File::open(&self.path)
            .and_then(|file| file.read_exact_at(&mut byte, self.from - 1))
            .map_err(|error| format!("{} could not be read: {error}", self.path.display()))?;
        Ok(Some(byte[0]))
    }

    /// Read what follows in its file, in batches, as long as `use_` returns true.
    pub fn after(&self, batch: usize, mut use_: impl FnMut(&[u8]) -> bool) -> Result<(), String> {
        let problem =
            |error: io::Error| format!("{} could not be read: {error}", self.path.display());
        let file = File::open(&self.path).map_err(problem)?;
        let mut buffer = vec![0; batch];
        let mut at = self.from + self.bytes;
        loop {
            let length = file.read_at(&mut buffer, at).map_err(problem)?;
            if length == 0 || !use_(&buffer[..length]) {
                return Ok(());
            }
            at += length as u64;
        }
    }
}

/// Write a file, which appears whole or not at all.
pub fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    fs::write(&part, bytes)?;
    fs::rename(&part, path)
}

/// The directory of an output's parts.
#[derive(Clone)]
pub struct Output {
    directory: PathBuf,
}

impl Output {
    /// An output directory, which must be empty or absent.
    pub fn new(directory: &Path) -> Result<Self, String> {
        match Input::list(directory) {
            Ok(_) => Err(format!(
                "The output directory {} is not empty.",
                directory.display()
            )),
            Err(_) => Ok(Self::of(directory)),
        }
    }

    /// One that was checked before.
    pub fn of(directory: &Path) -> Self {
        Self {
            directory: directory.to_path_buf(),
        }
    }

    fn aside(&self) -> PathBuf {
        self.directory.join("_temporary")
    }

    /// Write a part under a name of its own, and give it its final name when it is whole.
    pub fn part(
        &self,
        number: usize,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), String> {
        let name = format!("part-{number:05}");
        let (aside, target) = (self.aside().join(&name), self.directory.join(&name));
        let written = fs::create_dir_all(self.aside())
            .and_then(|()| File::create(&aside))
            .and_then(|mut file| write(&mut file).and_then(|()| file.flush()))
            .and_then(|()| fs::rename(&aside, &target));
        written.map_err(|error| format!("{} could not be written: {error}", target.display()))
    }

    /// Remove what parts that failed have left.
    pub fn tidy(&self) {
        // parts that failed are reported already, and a directory that remains is no part
        let _ = fs::remove_dir_all(self.aside());
    }
}

#[cfg(test)]
mod tests {
    use super::{Input, Output};
    use std::fs;
    use std::io::{self, Write};

    #[test]
    fn every_byte_is_in_one_piece_whatever_their_number() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("part-0", "abc"),
            ("part-1", ""),
            ("part-2", "defgh"),
            ("_x", "no"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let input = Input::list(folder.path()).unwrap();
        assert_eq!(input.bytes(), 8);
        for count in 1..10 {
            let mut found = Vec::new();
            for i in 0..count {
                for piece in input.pieces(8 * i / count, 8 * (i + 1) / count) {
                    piece
                        .read(2, |bytes| found.extend_from_slice(bytes))
                        .unwrap();
                }
            }
            assert_eq!(found, b"abcdefgh");
        }
    }

    #[test]
    fn a_part_that_fails_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::new(folder.path()).unwrap();
        output.part(1, |file| file.write_all(b"whole")).unwrap();
        output
            .part(2, |file| {
                file.write_all(b"half")?;
                Err(io::Error::other("full"))
            })
            .unwrap_err();
        output.tidy();
        let names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["part-00001"]);
        assert!(Output::new(folder.path()).is_err());
    }

    #[test]
    fn an_absent_input_is_named() {
        let error = Input::list("/nowhere/at/all".as_ref()).err().unwrap();
        assert_eq!(error, "The input /nowhere/at/all does not exist.");
    }
}
