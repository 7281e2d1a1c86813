//! The kinds of call that are distinguished: on files, and those that wait for a network.

macro_rules! ops {
    ($($id:ident $name:literal),* $(,)?) => {
        /// A kind of call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Op { $($id),* }

        impl Op {
            /// Every kind, in the order of the mapped file.
            pub const ALL: &'static [Op] = &[$(Op::$id),*];
            /// The name in reports.
            pub fn name(self) -> &'static str {
                match self { $(Op::$id => $name),* }
            }
        }
    };
}

ops! {
    Open "open", Close "close", Stat "stat", Rename "rename", Unlink "unlink", Mkdir "mkdir",
    Rmdir "rmdir", Opendir "opendir", Readdir "readdir", Read "read", Write "write", Seek "seek",
    Truncate "truncate", Sync "sync", Transfer "transfer", Mmap "mmap", Dup "dup",
    OtherMeta "other_meta", Recv "recv", Send "send", Poll "poll", EpollWait "epoll_wait",
}

impl Op {
    /// True for calls that move bytes: these have a size histogram.
    pub fn moves_data(self) -> bool {
        matches!(self, Op::Read | Op::Write | Op::Transfer | Op::Mmap | Op::Recv | Op::Send)
    }
}
