//! Every environment variable the library reads, in one place. A missing one turns its job off.

use crate::classes::Classes;
use crate::path::{on_node, trimmed};
use crate::sys::Result;
use crate::text::{number, size, PathText, Text};
use crate::threads::{names, Threads};

pub const OFF: &[u8] = b"WEFT_OFF";
pub const NODE: &[u8] = b"WEFT_NODE";
pub const HANDSHAKE: &[u8] = b"WEFT_HANDSHAKE";
pub const COMMAND: &[u8] = b"WEFT_COMMAND";
pub const COUNT_DIR: &[u8] = b"WEFT_COUNT_DIR";
pub const COUNT_CLASSES: &[u8] = b"WEFT_COUNT_CLASSES";
pub const COUNT_STRIPES: &[u8] = b"WEFT_COUNT_STRIPES";
pub const COUNT_THREADS: &[u8] = b"WEFT_COUNT_THREADS";
pub const SCRATCH_PREFIX: &[u8] = b"WEFT_SCRATCH_PREFIX";
pub const SCRATCH_STORE: &[u8] = b"WEFT_SCRATCH_STORE";
pub const SCRATCH_INDEX: &[u8] = b"WEFT_SCRATCH_INDEX";
pub const SCRATCH_SEGMENT_BYTES: &[u8] = b"WEFT_SCRATCH_SEGMENT_BYTES";
pub const SCRATCH_MEMORY: &[u8] = b"WEFT_SCRATCH_MEMORY";
pub const SCRATCH_MAX_FILES: &[u8] = b"WEFT_SCRATCH_MAX_FILES";
pub const POOL_PREFIXES: &[u8] = b"WEFT_POOL_PREFIXES";
pub const POOL_MAX_FDS: &[u8] = b"WEFT_POOL_MAX_FDS";

/// Most prefixes of the read pool.
pub const MAX_POOL_PREFIXES: usize = 16;

/// What the environment asked for.
pub struct Config {
    pub node: Text<64>,
    /// The file of `handshake`.
    pub handshake: PathText,
    /// The name of the command that weft started, which its children inherit.
    pub command: Text<128>,
    pub count_dir: PathText,
    pub stripes: u32,
    pub classes: Classes,
    pub threads: Threads,
    pub prefix: PathText,
    pub store: PathText,
    pub index: PathText,
    pub segment_bytes: u64,
    pub memory: u64,
    pub max_files: u32,
    pub pool: [Text<512>; MAX_POOL_PREFIXES],
    pub pool_count: usize,
    pub pool_fds: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config::new()
    }
}

impl Config {
    pub const fn new() -> Self {
        const PREFIX: Text<512> = Text::new();
        Config {
            node: Text::new(),
            handshake: Text::new(),
            command: Text::new(),
            count_dir: Text::new(),
            stripes: 4,
            classes: Classes::new(),
            threads: Threads::new(),
            prefix: Text::new(),
            store: Text::new(),
            index: Text::new(),
            segment_bytes: 4 << 30,
            memory: 256 << 20,
            max_files: 1 << 20,
            pool: [PREFIX; MAX_POOL_PREFIXES],
            pool_count: 0,
            pool_fds: 256,
        }
    }

    /// Fills itself from `look`; `arguments` returns whether one of the program's arguments fits. A value that makes no sense turns its own job off.
    pub fn load<'e>(
        &mut self,
        look: impl Fn(&[u8]) -> Option<&'e [u8]>,
        arguments: impl Fn(&dyn Fn(&[u8]) -> bool) -> bool,
    ) {
        if look(OFF).is_some_and(|v| v != b"0") {
            return;
        }
        let node = look(NODE).unwrap_or(b"");
        self.node = Text::of(&[node]).unwrap_or_default();
        self.handshake = absolute(look(HANDSHAKE)).unwrap_or_default();
        self.command = Text::of(&[look(COMMAND).unwrap_or(b"")]).unwrap_or_default();
        let runs = |program: &[u8]| arguments(&|argument| names(argument, program));
        if self.load_count(&look).is_err() || self.threads.load(look(COUNT_THREADS).unwrap_or(b""), runs).is_err() {
            self.count_dir.truncate(0);
        }
        if self.load_scratch(&look).is_err() {
            self.prefix.truncate(0);
        }
        if self.load_pool(&look).is_err() {
            self.pool_count = 0;
        }
    }

    fn load_count<'e>(&mut self, look: &impl Fn(&[u8]) -> Option<&'e [u8]>) -> Result<()> {
        self.count_dir = on_node(absolute(look(COUNT_DIR))?.as_bytes(), self.node.as_bytes())?;
        self.classes.load(look(COUNT_CLASSES).unwrap_or(b""), self.node.as_bytes())?;
        if let Some(n) = look(COUNT_STRIPES).and_then(number) {
            self.stripes = (n.clamp(1, 64) as u32).next_power_of_two();
        }
        Ok(())
    }

    fn load_scratch<'e>(&mut self, look: &impl Fn(&[u8]) -> Option<&'e [u8]>) -> Result<()> {
        self.prefix = absolute(look(SCRATCH_PREFIX))?;
        self.store = absolute(look(SCRATCH_STORE))?;
        self.index = absolute(look(SCRATCH_INDEX))?;
        if let Some(n) = look(SCRATCH_SEGMENT_BYTES).and_then(size) {
            self.segment_bytes = n.clamp(1 << 20, 1 << 40) & !4095;
        }
        if let Some(n) = look(SCRATCH_MEMORY).and_then(size) {
            self.memory = n.min(1 << 40) & !4095;
        }
        if let Some(n) = look(SCRATCH_MAX_FILES).and_then(size) {
            self.max_files = n.clamp(1 << 10, 1 << 24) as u32;
        }
        Ok(())
    }

    fn load_pool<'e>(&mut self, look: &impl Fn(&[u8]) -> Option<&'e [u8]>) -> Result<()> {
        let list = look(POOL_PREFIXES).unwrap_or(b"");
        for p in list.split(|&c| c == b':').filter(|p| p.first() == Some(&b'/')).take(MAX_POOL_PREFIXES) {
            self.pool[self.pool_count] = Text::of(&[trimmed(p)])?;
            self.pool_count += 1;
        }
        if let Some(n) = look(POOL_MAX_FDS).and_then(number) {
            self.pool_fds = n.clamp(1, 4096) as usize;
        }
        Ok(())
    }
}

fn absolute(value: Option<&[u8]>) -> Result<PathText> {
    let v = value.ok_or(libc::ENOENT)?;
    if v.first() != Some(&b'/') {
        return Err(libc::EINVAL);
    }
    Text::of(&[trimmed(v)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(vars: &[(&[u8], &'static [u8])]) -> Config {
        let mut c = Config::new();
        c.load(|k| vars.iter().find(|v| v.0 == k).map(|v| v.1), |_| false);
        c
    }

    #[test]
    fn nothing_set_means_nothing_on() {
        let c = load(&[]);
        assert!(c.count_dir.is_empty() && c.prefix.is_empty() && c.pool_count == 0);
    }

    #[test]
    fn each_job_has_its_own_switch() {
        let c = load(&[(COUNT_DIR, b"/c/"), (COUNT_STRIPES, b"3"), (COUNT_CLASSES, b"input=/d")]);
        assert_eq!(c.count_dir.as_bytes(), b"/c");
        assert_eq!((c.stripes, c.classes.count()), (4, 4));
        assert!(load(&[(COUNT_DIR, b"/c/"), (COUNT_THREADS, b"=x")]).count_dir.is_empty());
        let c = load(&[(NODE, b"n7"), (COUNT_DIR, b"/c/@NODE@/"), (COUNT_CLASSES, b"scratch=/s/@NODE@")]);
        assert_eq!((c.count_dir.as_bytes(), c.classes.of(b"/s/n7/x")), (&b"/c/n7"[..], 3));
        assert!(load(&[(COUNT_DIR, b"/c/@NODE@")]).count_dir.is_empty());
        assert!(c.prefix.is_empty());
        let c = load(&[
            (SCRATCH_PREFIX, b"/p"),
            (SCRATCH_STORE, b"/s"),
            (SCRATCH_INDEX, b"/i"),
            (SCRATCH_SEGMENT_BYTES, b"8m"),
            (SCRATCH_MEMORY, b"0"),
        ]);
        assert_eq!((c.prefix.as_bytes(), c.segment_bytes, c.memory), (&b"/p"[..], 8 << 20, 0));
        let c = load(&[(POOL_PREFIXES, b"/a:/b/:x"), (POOL_MAX_FDS, b"9")]);
        assert_eq!((c.pool_count, c.pool[1].as_bytes(), c.pool_fds), (2, &b"/b"[..], 9));
    }

    #[test]
    fn half_a_scratch_is_none_and_off_is_off() {
        assert!(load(&[(SCRATCH_PREFIX, b"/p"), (SCRATCH_STORE, b"/s")]).prefix.is_empty());
        assert!(load(&[(OFF, b"1"), (COUNT_DIR, b"/c")]).count_dir.is_empty());
    }
}
