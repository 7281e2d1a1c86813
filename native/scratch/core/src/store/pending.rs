//! Freed runs waiting to be given back to the file system: neighbours are joined, because on a parallel file
//! system each hole punched is a request.

use super::extents::Run;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering::*};

const SLOTS: usize = 32;
/// The runs one process holds back; what is lost with it comes back with the whole segment.
pub struct Pending {
    busy: AtomicU32,
    /// A run of this many bytes is worth a request of its own.
    enough: u64,
    runs: UnsafeCell<[Run; SLOTS]>,
}

// SAFETY: `runs` is only touched while `busy` was taken.
unsafe impl Sync for Pending {}

fn joined(a: &Run, b: &Run) -> Option<Run> {
    if a.segment != b.segment || a.pages == 0 || b.pages == 0 {
        return None;
    }
    let (first, second) = if a.off < b.off { (a, b) } else { (b, a) };
    let meet = first.off + first.bytes() == second.off;
    meet.then_some(Run { pages: first.pages + second.pages, ..*first })
}

impl Pending {
    pub fn new(enough: u64) -> Pending {
        Pending { busy: AtomicU32::new(0), enough, runs: UnsafeCell::new([Run::default(); SLOTS]) }
    }

    /// Holds a run back; answers one that should be given back now.
    pub fn add(&self, run: Run) -> Option<Run> {
        // Never waits: a forked child may find it taken for ever.
        if self.busy.swap(1, Acquire) == 1 {
            return Some(run);
        }
        // SAFETY: `busy` was taken.
        let due = place(unsafe { &mut *self.runs.get() }, run, self.enough);
        self.busy.store(0, Release);
        due
    }

    /// Takes one run out, until there is none.
    pub fn take(&self) -> Option<Run> {
        if self.busy.swap(1, Acquire) == 1 {
            return None;
        }
        // SAFETY: `busy` was taken.
        let found = unsafe { &mut *self.runs.get() }.iter_mut().find(|r| r.pages > 0);
        let run = found.map(core::mem::take);
        self.busy.store(0, Release);
        run
    }
}

fn place(runs: &mut [Run; SLOTS], mut run: Run, enough: u64) -> Option<Run> {
    // At most two neighbours: one before, one behind.
    for _ in 0..2 {
        if let Some((slot, both)) = runs.iter_mut().find_map(|r| joined(r, &run).map(|both| (r, both))) {
            *slot = Run::default();
            run = both;
        }
    }
    if run.bytes() >= enough {
        return Some(run);
    }
    let slot = match runs.iter().position(|r| r.pages == 0) {
        Some(free) => free,
        None => (0..SLOTS).max_by_key(|&n| runs[n].pages)?,
    };
    let old = core::mem::replace(&mut runs[slot], run);
    (old.pages > 0).then_some(old)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(off: u64, pages: u32) -> Run {
        Run { at: 0, off: off * 4096, segment: 1, pages }
    }

    #[test]
    fn neighbours_join_from_either_side() {
        let p = Pending::new(16 << 20);
        assert_eq!(p.add(run(0, 2)), None);
        assert_eq!(p.add(run(5, 1)), None);
        assert_eq!(p.add(run(2, 3)), None);
        assert_eq!(p.take(), Some(run(0, 6)));
        assert_eq!(p.take(), None);
    }

    #[test]
    fn long_runs_and_the_longest_of_many_are_due() {
        let p = Pending::new(16 << 20);
        assert_eq!(p.add(run(0, 4095)), None);
        assert_eq!(p.add(run(4095, 1)), Some(run(0, 4096)));
        let strangers = (0..32).map(|n| run(10_000 + n * 100, 1 + n as u32));
        assert!(strangers.clone().all(|r| p.add(r).is_none()));
        assert_eq!(p.add(run(9_000, 1)), Some(run(13_100, 32)));
    }
}
