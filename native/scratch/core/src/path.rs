//! Paths as text: prefixes, and resolving without asking the file system.

use crate::sys::Result;
use crate::text::{PathText, Text};

/// What stands for the node's name in variables that processes on every node have.
pub const ANY_NODE: &[u8] = b"@NODE@";

/// True if `path` is `prefix` or lies below it.
#[inline]
pub fn is_under(path: &[u8], prefix: &[u8]) -> bool {
    path.starts_with(prefix) && (path.len() == prefix.len() || path[prefix.len()] == b'/')
}

/// Drops trailing slashes, so that `/a/` and `/a` are one prefix.
pub fn trimmed(mut path: &[u8]) -> &[u8] {
    while path.len() > 1 && path.last() == Some(&b'/') {
        path = &path[..path.len() - 1];
    }
    path
}

/// A path as it is on a node; ENOENT if it has the name of one, and nobody knows it.
pub fn on_node<const N: usize>(path: &[u8], node: &[u8]) -> Result<Text<N>> {
    let (mut found, mut rest) = (Text::new(), path);
    while let Some(at) = rest.windows(ANY_NODE.len()).position(|w| w == ANY_NODE) {
        if node.is_empty() {
            return Err(libc::ENOENT);
        }
        found.push(&rest[..at])?;
        found.push(node)?;
        rest = &rest[at + ANY_NODE.len()..];
    }
    found.push(rest)?;
    Ok(found)
}

/// A path may climb with `..` only as far as the prefix.
pub fn stays_inside(rest: &[u8]) -> bool {
    let mut depth = 0i32;
    for name in rest.split(|&c| c == b'/') {
        depth += match name {
            b"" | b"." => 0,
            b".." => -1,
            _ => 1,
        };
        if depth < 0 {
            return false;
        }
    }
    true
}

/// True if nothing in a path needs resolving.
pub fn is_plain(path: &[u8]) -> bool {
    !path.windows(2).any(|w| w == b"//" || w == b"/.") && !path.starts_with(b".")
}

/// Joins and resolves `.` and `..` by text alone.
pub fn resolve(base: &[u8], path: &[u8]) -> Result<PathText> {
    let mut out = PathText::new();
    let mut ends = [0usize; 1024];
    let mut depth = 0usize;
    for name in base.split(|&c| c == b'/').chain(path.split(|&c| c == b'/')) {
        match name {
            b"" | b"." => {}
            b".." => {
                depth = depth.saturating_sub(1);
                out.truncate(ends[depth]);
            }
            _ => {
                *ends.get_mut(depth).ok_or(libc::ENAMETOOLONG)? = out.as_bytes().len();
                depth += 1;
                out.push(b"/")?;
                out.push(name)?;
            }
        }
    }
    if path.ends_with(b"/") {
        out.push(b"/")?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_resolve_by_text() {
        assert_eq!(resolve(b"/a/b", b"../c/./d").unwrap().as_bytes(), b"/a/c/d");
        assert_eq!(resolve(b"", b"//x/..//y/").unwrap().as_bytes(), b"/y/");
        assert!(stays_inside(b"/a/../b") && !stays_inside(b"/a/../../b"));
    }

    #[test]
    fn a_path_of_every_node_is_found_on_this_one() {
        let on = |path, node: &[u8]| on_node::<16>(path, node).map(|t| t.as_bytes().to_vec());
        assert_eq!(on(b"/a/@NODE@/b@NODE@", b"n1"), Ok(b"/a/n1/bn1".to_vec()));
        assert_eq!(on(b"/a/@NODE", b""), Ok(b"/a/@NODE".to_vec()));
        assert_eq!(on(b"/a/@NODE@", b""), Err(libc::ENOENT));
        assert_eq!(on(b"/a/@NODE@", b"a-longer-name"), Err(libc::ENAMETOOLONG));
    }
}
