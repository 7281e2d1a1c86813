//! Whether a program will load us: static and privileged programs do not.

use crate::sys::{self, CPath, Fd, Result};
use crate::text::PathText;

/// What the loader will do with a preload library in this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loads {
    Yes,
    Static,
    Privileged,
    /// Not an ELF file, or not readable: nothing is known.
    Unknown,
}

/// Looks at the program at `path`; follows one `#!` line.
pub fn inspect(path: CPath) -> Loads {
    look(path, 1).unwrap_or(Loads::Unknown)
}

fn look(path: CPath, hops: u32) -> Result<Loads> {
    let fd = sys::openat(libc::AT_FDCWD, path, libc::O_RDONLY | libc::O_CLOEXEC, 0)?;
    let answer = look_fd(fd, hops);
    sys::close(fd)?;
    answer
}

fn look_fd(fd: Fd, hops: u32) -> Result<Loads> {
    let st = sys::fstat(fd)?;
    let mut head = [0u8; 4096];
    let n = sys::pread(fd, head.as_mut_ptr(), head.len(), 0)?;
    if head.starts_with(b"#!") && hops > 0 {
        return look(interpreter(&head[2..n])?.c_path(), hops - 1);
    }
    let other_user = st.st_mode & libc::S_ISUID != 0 && st.st_uid != sys::geteuid();
    let other_group = st.st_mode & libc::S_ISGID != 0 && st.st_gid != sys::getegid();
    if other_user || other_group || sys::has_attribute(fd, c"security.capability") {
        return Ok(Loads::Privileged);
    }
    Ok(has_interp(&head[..n]))
}

fn interpreter(line: &[u8]) -> Result<PathText> {
    let line = line.split(|&c| c == b'\n').next().unwrap_or(b"");
    let word = line.split(|&c| c == b' ' || c == b'\t').find(|w| !w.is_empty());
    PathText::of(&[word.ok_or(libc::ENOEXEC)?])
}

fn word(b: &[u8], at: usize, len: usize) -> Option<u64> {
    let mut v = [0u8; 8];
    v[..len].copy_from_slice(b.get(at..at + len)?);
    Some(u64::from_le_bytes(v))
}

/// Program headers stand near the start of the file, inside the first page in practice.
fn has_interp(head: &[u8]) -> Loads {
    const PT_INTERP: u64 = 3;
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return Loads::Unknown;
    }
    let header = (word(head, 32, 8), word(head, 54, 2), word(head, 56, 2));
    let (Some(off), Some(size), Some(count)) = header else { return Loads::Unknown };
    let mut kinds = (0..count).map(|i| word(head, (off + i * size) as usize, 4));
    if kinds.any(|k| k == Some(PT_INTERP)) {
        Loads::Yes
    } else {
        Loads::Static
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_s_shell_loads_us_and_text_does_not_matter() {
        assert_eq!(inspect(CPath::new(b"/bin/sh\0")), Loads::Yes);
        assert_eq!(inspect(CPath::new(b"/proc/self/status\0")), Loads::Unknown);
        assert_eq!(inspect(CPath::new(b"/no/such/program\0")), Loads::Unknown);
    }

    #[test]
    fn a_script_is_its_interpreter() {
        let path = std::env::temp_dir().join(format!("weft-elf-{}", std::process::id()));
        std::fs::write(&path, "#! /bin/sh -e\n").unwrap();
        let mut name = path.clone().into_os_string().into_encoded_bytes();
        name.push(0);
        assert_eq!(inspect(CPath::new(&name)), Loads::Yes);
        std::fs::remove_file(path).unwrap();
    }
}
