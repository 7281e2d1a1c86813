//! Kinds of thread, recognised by what a thread's name begins with.

use crate::sys::{Errno, Result};
use crate::text::Text;

/// Most kinds that may exist, the built-in one included.
pub const MAX_KINDS: usize = 6;
/// Threads that no rule knows.
pub const OTHER: u8 = 0;
/// Bytes of a thread's name as the kernel keeps it, with its NUL.
pub const NAME_BYTES: usize = 16;

const MAX_RULES: usize = 128;

/// A beginning and the kind of the names that have it.
#[derive(Clone)]
struct Rule {
    beginning: Text<NAME_BYTES>,
    kind: u8,
}

/// The rules that apply to this process, in order: the first that fits decides.
pub struct Threads {
    names: [Text<NAME_BYTES>; MAX_KINDS],
    count: usize,
    rules: [Rule; MAX_RULES],
    rule_count: usize,
}

impl Default for Threads {
    fn default() -> Self {
        Threads::new()
    }
}

impl Threads {
    pub const fn new() -> Self {
        const NAME: Text<NAME_BYTES> = Text::new();
        const RULE: Rule = Rule { beginning: Text::new(), kind: OTHER };
        Threads { names: [NAME; MAX_KINDS], count: 0, rules: [RULE; MAX_RULES], rule_count: 0 }
    }

    /// Takes `kind=beginning:kind@Program=beginning:kind@Program`: the second only in processes that run the program,
    /// the third, without a beginning, for all names. Kinds of other programs exist too, so that all processes
    /// count alike.
    pub fn load(&mut self, spec: &[u8], runs: impl Fn(&[u8]) -> bool) -> Result<()> {
        (self.count, self.rule_count) = (0, 0);
        self.intern(b"other")?;
        for item in spec.split(|&c| c == b':').filter(|i| !i.is_empty()) {
            let (head, beginning) = halves(item, b'=');
            let (name, program) = halves(head, b'@');
            let kind = self.intern(name)?;
            if program.is_none_or(&runs) {
                self.add(kind, beginning.unwrap_or(b""))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, kind: u8, beginning: &[u8]) -> Result<()> {
        if self.rule_count == MAX_RULES {
            return Err(libc::EINVAL as Errno);
        }
        self.rules[self.rule_count] = Rule { beginning: Text::of(&[beginning])?, kind };
        self.rule_count += 1;
        Ok(())
    }

    fn intern(&mut self, name: &[u8]) -> Result<u8> {
        if let Some(i) = (0..self.count).find(|&i| self.names[i].as_bytes() == name) {
            return Ok(i as u8);
        }
        if self.count == MAX_KINDS || name.is_empty() {
            return Err(libc::EINVAL);
        }
        self.names[self.count] = Text::of(&[name])?;
        self.count += 1;
        Ok(self.count as u8 - 1)
    }

    /// The kind of a thread of this name.
    pub fn of(&self, name: &[u8]) -> u8 {
        let fits = |r: &&Rule| name.starts_with(r.beginning.as_bytes());
        self.rules[..self.rule_count].iter().find(fits).map_or(OTHER, |r| r.kind)
    }

    /// False where every thread is of the same kind, whatever its name.
    pub fn differ(&self) -> bool {
        self.rule_count > 0
    }

    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names[..self.count].iter().map(|n| n.as_bytes())
    }
}

fn halves(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&c| c == at) {
        Some(i) => (&text[..i], Some(&text[i + 1..])),
        None => (text, None),
    }
}

/// True if an argument is this program: its file, a class of that name in some package, or a module of Python in full.
pub fn names(argument: &[u8], program: &[u8]) -> bool {
    let at = argument.iter().rposition(|&c| matches!(c, b'.' | b'/')).map_or(0, |i| i + 1);
    &argument[at..] == program || argument == program
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &[u8] = b"collector=GC Thread#:task@Executor=Executor task :server@Executor=rpc-:\
                          server@Manager=Flink Netty :task@Manager:python@pyspark.daemon";

    fn threads(command_line: &[u8]) -> Threads {
        let mut t = Threads::new();
        t.load(SPEC, |program| command_line.split(|&c| c == b' ').any(|a| names(a, program))).unwrap();
        t
    }

    fn kind<'t>(t: &'t Threads, name: &[u8]) -> &'t [u8] {
        t.names().nth(t.of(name) as usize).unwrap()
    }

    #[test]
    fn a_name_is_of_the_first_kind_it_fits_in_its_program() {
        let spark = threads(b"java -cp /a:/b org.apache.spark.executor.Executor --id 1");
        assert_eq!(kind(&spark, b"Executor task l"), b"task");
        assert_eq!(kind(&spark, b"rpc-server-4-1"), b"server");
        assert_eq!(kind(&spark, b"GC Thread#0"), b"collector");
        assert_eq!(kind(&spark, b"Flink Netty Ser"), b"other");
        let flink = threads(b"java Manager");
        assert_eq!(kind(&flink, b"Flink Netty Ser"), b"server");
        assert_eq!(kind(&flink, b"Map -> Sink (1/"), b"task");
        assert_eq!(kind(&flink, b"GC Thread#0"), b"collector");
        let python = threads(b"/env/bin/python3 -m pyspark.daemon pyspark.worker");
        assert_eq!(kind(&python, b"python3"), b"python");
        let driver = threads(b"java Executors daemon");
        assert_eq!(kind(&driver, b"Executor task l"), b"other");
        assert!(driver.names().eq(flink.names()), "the same kinds in all processes");
    }

    #[test]
    fn nonsense_is_refused() {
        let mut t = Threads::new();
        assert!(t.load(b"task=a name longer than the kernel keeps", |_| true).is_err());
        assert!(t.load(b"=x", |_| true).is_err());
        assert!(t.load(b"a=1:b=2:c=3:d=4:e=5:f=6", |_| true).is_err());
        assert!(t.load(b"", |_| true).is_ok() && !t.differ());
    }
}
