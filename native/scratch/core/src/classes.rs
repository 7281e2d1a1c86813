//! Path classes: which configured prefix a path lies under, or which pattern it fits, decides where its calls are counted.

use crate::path::{is_under, on_node, trimmed};
use crate::sys::{Errno, Result};
use crate::text::Text;

/// Most classes that may exist, the three built-in ones included.
pub const MAX_CLASSES: usize = 16;
/// Descriptors that no hooked open returned: sockets, pipes, inherited ones.
pub const UNNAMED: u8 = 0;
/// Paths under no configured prefix, which fit no pattern.
pub const OTHER: u8 = 1;
/// Connections of a network, and what waits for any of them.
pub const NETWORK: u8 = 2;

const MAX_RULES: usize = 48;

#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// `/data`: everything below it.
    Prefix,
    /// `*.py`: everything that ends so.
    Suffix,
    /// `*/python3*`: everything in which it occurs.
    Part,
}

#[derive(Clone)]
struct Rule {
    form: Form,
    text: Text<512>,
    class: u8,
}

/// The configured list of prefixes and patterns, and the names of their classes.
pub struct Classes {
    names: [Text<32>; MAX_CLASSES],
    count: usize,
    rules: [Rule; MAX_RULES],
    rule_count: usize,
}

impl Default for Classes {
    fn default() -> Self {
        Classes::new()
    }
}

impl Classes {
    pub const fn new() -> Self {
        const NAME: Text<32> = Text::new();
        const RULE: Rule = Rule { form: Form::Prefix, text: Text::new(), class: OTHER };
        Classes { names: [NAME; MAX_CLASSES], count: 0, rules: [RULE; MAX_RULES], rule_count: 0 }
    }

    /// Takes `name=/prefix:name=*.suffix:name=*/part*`, with the node's name for `@NODE@`; the same name may be there several times.
    pub fn load(&mut self, spec: &[u8], node: &[u8]) -> Result<()> {
        self.count = 0;
        self.rule_count = 0;
        self.intern(b"unnamed")?;
        self.intern(b"other")?;
        self.intern(b"network")?;
        for item in spec.split(|&c| c == b':').filter(|i| !i.is_empty()) {
            let eq = item.iter().position(|&c| c == b'=').ok_or(libc::EINVAL)?;
            let pattern: Text<512> = on_node(&item[eq + 1..], node)?;
            self.add(&item[..eq], trimmed(pattern.as_bytes()))?;
        }
        Ok(())
    }

    fn add(&mut self, name: &[u8], pattern: &[u8]) -> Result<()> {
        let (form, text) = match pattern {
            [b'/', ..] => (Form::Prefix, pattern),
            [b'*', text @ .., b'*'] => (Form::Part, text),
            [b'*', text @ ..] => (Form::Suffix, text),
            _ => return Err(libc::EINVAL as Errno),
        };
        if text.is_empty() || self.rule_count == MAX_RULES {
            return Err(libc::EINVAL as Errno);
        }
        let class = self.intern(name)?;
        self.rules[self.rule_count] = Rule { form, text: Text::of(&[text])?, class };
        self.rule_count += 1;
        Ok(())
    }

    fn intern(&mut self, name: &[u8]) -> Result<u8> {
        if let Some(i) = (0..self.count).find(|&i| self.names[i].as_bytes() == name) {
            return Ok(i as u8);
        }
        if self.count == MAX_CLASSES {
            return Err(libc::EINVAL);
        }
        self.names[self.count] = Text::of(&[name])?;
        self.count += 1;
        Ok(self.count as u8 - 1)
    }

    /// The class of an absolute path: of the first pattern that it fits, otherwise of the longest prefix.
    #[inline]
    pub fn of(&self, path: &[u8]) -> u8 {
        let mut best = (0, OTHER);
        for r in &self.rules[..self.rule_count] {
            let text = r.text.as_bytes();
            match r.form {
                Form::Prefix if text.len() > best.0 && is_under(path, text) => best = (text.len(), r.class),
                Form::Suffix if path.ends_with(text) => return r.class,
                Form::Part if contains(path, text) => return r.class,
                _ => {}
            }
        }
        best.1
    }

    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names[..self.count].iter().map(|n| n.as_bytes())
    }

    pub fn count(&self) -> usize {
        self.count
    }
}

/// Looks at the text's first byte alone until it is there: paths are short, and mostly nothing is found.
fn contains(path: &[u8], text: &[u8]) -> bool {
    (0..(path.len() + 1).saturating_sub(text.len())).any(|at| path[at] == text[0] && path[at..].starts_with(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(spec: &[u8]) -> Classes {
        let mut c = Classes::new();
        c.load(spec, b"n1").unwrap();
        c
    }

    #[test]
    fn longest_prefix_at_a_component_boundary_wins() {
        let c = classes(b"input=/data:scratch=/data/tmp/:input=/more");
        assert_eq!(c.of(b"/data/x"), 3);
        assert_eq!(c.of(b"/data/tmp/x"), 4);
        assert_eq!(c.of(b"/data/tmpx"), 3);
        assert_eq!(c.of(b"/database"), OTHER);
        assert_eq!(c.of(b"/more"), 3);
        assert_eq!(c.names().nth(4), Some(&b"scratch"[..]));
    }

    #[test]
    fn a_pattern_wins_wherever_the_path_is() {
        let c = classes(b"input=/data:python=*.py:python=*.pyc:python=*/python3*");
        for path in [&b"/data/env/a.py"[..], b"/a.pyc", b"/usr/lib/python3", b"/env/lib/python3.11/x", b"/python3"] {
            assert_eq!(c.of(path), 4, "{}", String::from_utf8_lossy(path));
        }
        for path in [&b"/data/a.pyx"[..], b"/data/python2/x", b"/data/python", b"/data/a.py/x"] {
            assert_eq!(c.of(path), 3, "{}", String::from_utf8_lossy(path));
        }
        assert_eq!(c.of(b"/"), OTHER);
    }

    #[test]
    fn so_many_names_may_be_given_as_the_readme_says() {
        let spec = |names: u8| (0..names).flat_map(|n| [b'a' + n, b'=', b'/', b'a' + n, b':']).collect::<Vec<u8>>();
        let mut c = Classes::new();
        assert!(c.load(&spec(13), b"").is_ok() && c.count() == MAX_CLASSES);
        assert!(c.load(&spec(14), b"").is_err());
        assert!(include_str!("../../README.md").contains("at most 13 names"));
    }

    #[test]
    fn nonsense_is_refused() {
        let mut c = Classes::new();
        assert!(c.load(b"input", b"").is_err());
        assert!(c.load(b"input=relative", b"").is_err());
        assert!(c.load(b"input=*", b"").is_err());
        assert!(c.load(b"input=**", b"").is_err());
    }
}
