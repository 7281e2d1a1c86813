//! The operations a client can ask for, and the names Lustre gives them in its counters.

/// One kind of file system operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    Lookup,
    Getattr,
    Setattr,
    Truncate,
    Readlink,
    Mknod,
    Mkdir,
    Unlink,
    Rmdir,
    Symlink,
    Rename,
    Link,
    Open,
    Create,
    Close,
    Readdir,
    Statfs,
    Setxattr,
    Getxattr,
    Listxattr,
    Removexattr,
    Fallocate,
    Seek,
    Read,
    Write,
    Fsync,
}

/// Names of one operation: ours, then the counters in `llite.*.stats`, `mdc.*.stats`, `mdc.*.md_stats`.
struct Names(Op, &'static str, &'static str, &'static str, &'static str);

/// An empty name means that Lustre has no such counter for the operation.
#[rustfmt::skip]
const NAMES: [Names; 26] = [
    Names(Op::Lookup,      "lookup",      "",            "ldlm_ibits_enqueue", "intent_lock"),
    Names(Op::Getattr,     "getattr",     "getattr",     "mds_getattr",        "getattr"),
    Names(Op::Setattr,     "setattr",     "setattr",     "mds_reint_setattr",  "setattr"),
    Names(Op::Truncate,    "truncate",    "truncate",    "mds_reint_setattr",  "setattr"),
    Names(Op::Readlink,    "readlink",    "",            "mds_getattr",        "getattr"),
    Names(Op::Mknod,       "mknod",       "mknod",       "mds_reint_create",   "create"),
    Names(Op::Mkdir,       "mkdir",       "mkdir",       "mds_reint_create",   "create"),
    Names(Op::Unlink,      "unlink",      "unlink",      "mds_reint_unlink",   "unlink"),
    Names(Op::Rmdir,       "rmdir",       "rmdir",       "mds_reint_unlink",   "unlink"),
    Names(Op::Symlink,     "symlink",     "symlink",     "mds_reint_create",   "create"),
    Names(Op::Rename,      "rename",      "rename",      "mds_reint_rename",   "rename"),
    Names(Op::Link,        "link",        "link",        "mds_reint_link",     "link"),
    Names(Op::Open,        "open",        "open",        "ldlm_ibits_enqueue", "intent_lock"),
    Names(Op::Create,      "create",      "create",      "ldlm_ibits_enqueue", "intent_lock"),
    Names(Op::Close,       "close",       "close",       "mds_close",          "close"),
    Names(Op::Readdir,     "readdir",     "readdir",     "mds_readpage",       "read_page"),
    Names(Op::Statfs,      "statfs",      "statfs",      "mds_statfs",         ""),
    Names(Op::Setxattr,    "setxattr",    "setxattr",    "mds_reint_setxattr", "setxattr"),
    Names(Op::Getxattr,    "getxattr",    "getxattr",    "mds_getxattr",       "getxattr"),
    Names(Op::Listxattr,   "listxattr",   "listxattr",   "mds_getxattr",       "getxattr"),
    Names(Op::Removexattr, "removexattr", "removexattr", "mds_reint_setxattr", "setxattr"),
    Names(Op::Fallocate,   "fallocate",   "fallocate",   "",                   ""),
    Names(Op::Seek,        "seek",        "seek",        "",                   ""),
    Names(Op::Read,        "read",        "read",        "",                   ""),
    Names(Op::Write,       "write",       "write",       "",                   ""),
    Names(Op::Fsync,       "fsync",       "fsync",       "mds_sync",           "fsync"),
];

impl Op {
    /// How many operations there are; `index` is below it.
    pub const COUNT: usize = NAMES.len();

    pub fn all() -> impl Iterator<Item = Op> {
        NAMES.iter().map(|names| names.0)
    }

    pub fn index(self) -> usize {
        self as usize
    }

    pub fn name(self) -> &'static str {
        NAMES[self.index()].1
    }

    pub fn from_name(name: &str) -> Option<Op> {
        Op::all().find(|op| op.name() == name)
    }

    /// The counter in `llite.*.stats`, or empty.
    pub fn llite(self) -> &'static str {
        NAMES[self.index()].2
    }

    /// The request counter in `mdc.*.stats`, or empty when the metadata server is not asked.
    pub fn mdc(self) -> &'static str {
        NAMES[self.index()].3
    }

    /// The counter in `mdc.*.md_stats`, or empty.
    pub fn md(self) -> &'static str {
        NAMES[self.index()].4
    }

    /// Operations whose cost is a pair of round trips and server work; the others move data.
    pub fn is_metadata(self) -> bool {
        !matches!(self, Op::Read | Op::Write | Op::Seek | Op::Fsync)
    }
}

#[cfg(test)]
mod tests {
    use super::{Op, NAMES};

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (position, names) in NAMES.iter().enumerate() {
            assert_eq!(names.0.index(), position);
            assert_eq!(Op::from_name(names.1), Some(names.0));
        }
    }
}
