//! Runs answers at their deadlines: a heap of deadlines and a few threads, one of which waits.

use crate::clock;
use crate::delay::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Answer = Box<dyn FnOnce() + Send>;

struct Entry {
    at: Nanos,
    order: u64,
    answer: Answer,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

/// How late answers were given.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Lateness {
    pub answers: u64,
    pub total_ns: u64,
    pub max_ns: u64,
}

#[derive(Default)]
struct State {
    heap: BinaryHeap<Reverse<Entry>>,
    order: u64,
    led: bool,
    lateness: Lateness,
}

struct Shared {
    state: Mutex<State>,
    /// Wakes the thread that waits for the next deadline.
    leader: Condvar,
    /// Wakes one thread to become the leader.
    followers: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A handle to the timer threads, which live as long as the process.
#[derive(Clone)]
pub struct Timer(Arc<Shared>);

impl Timer {
    pub fn start(threads: usize) -> std::io::Result<Timer> {
        let timer = Timer(Arc::new(Shared {
            state: Mutex::default(),
            leader: Condvar::new(),
            followers: Condvar::new(),
        }));
        for _ in 0..threads {
            let shared = timer.0.clone();
            std::thread::Builder::new()
                .name("timer".into())
                .spawn(move || serve(&shared))?;
        }
        Ok(timer)
    }

    /// Runs the answer at the deadline, or at once when it has passed.
    pub fn at(&self, at: Nanos, answer: impl FnOnce() + Send + 'static) {
        if at <= clock::now() {
            return answer();
        }
        let mut state = self.0.lock();
        state.order += 1;
        let order = state.order;
        let earliest = state.heap.peek().is_none_or(|Reverse(head)| at < head.at);
        state.heap.push(Reverse(Entry {
            at,
            order,
            answer: Box::new(answer),
        }));
        if earliest {
            self.0.leader.notify_one();
            self.0.followers.notify_one();
        }
    }

    pub fn lateness(&self) -> Lateness {
        self.0.lock().lateness
    }
}

fn serve(shared: &Shared) {
    clock::wake_precisely();
    let mut state = shared.lock();
    loop {
        while state.led {
            state = wait(&shared.followers, state);
        }
        state.led = true;
        let (after, entry) = lead(shared, state);
        state = after;
        state.led = false;
        shared.followers.notify_one();
        drop(state);
        (entry.answer)();
        state = shared.lock();
    }
}

/// Waits as the only thread for the next deadline and takes that answer.
fn lead<'a>(
    shared: &'a Shared,
    mut state: MutexGuard<'a, State>,
) -> (MutexGuard<'a, State>, Entry) {
    loop {
        let Some(Reverse(head)) = state.heap.peek() else {
            state = wait(&shared.leader, state);
            continue;
        };
        let (at, now) = (head.at, clock::now());
        if at <= now {
            let late = &mut state.lateness;
            late.answers += 1;
            late.total_ns += now - at;
            late.max_ns = late.max_ns.max(now - at);
            if let Some(Reverse(entry)) = state.heap.pop() {
                return (state, entry);
            }
            continue;
        }
        state = shared
            .leader
            .wait_timeout(state, Duration::from_nanos(at - now))
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
}

fn wait<'a>(condition: &Condvar, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    condition
        .wait(state)
        .unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::Timer;
    use crate::clock;
    use std::sync::mpsc;

    #[test]
    fn answers_come_in_the_order_of_their_deadlines_and_not_early() {
        let timer = Timer::start(2).unwrap();
        let (send, receive) = mpsc::channel();
        let start = clock::now();
        for delay in [30_000_000, 10_000_000, 20_000_000] {
            let send = send.clone();
            timer.at(start + delay, move || {
                send.send((delay, clock::now() - start)).unwrap();
            });
        }
        let seen: Vec<(u64, u64)> = receive.iter().take(3).collect();
        assert!(seen.iter().all(|(delay, at)| at >= delay));
        let order: Vec<u64> = seen.iter().map(|(delay, _)| *delay).collect();
        assert_eq!(order, [10_000_000, 20_000_000, 30_000_000]);
    }

    #[test]
    fn hundreds_wait_at_once() {
        let timer = Timer::start(2).unwrap();
        let (send, receive) = mpsc::channel();
        let start = clock::now();
        for _ in 0..500 {
            let send = send.clone();
            timer.at(start + 20_000_000, move || send.send(clock::now()).unwrap());
        }
        let last = receive.iter().take(500).max().unwrap();
        assert!(
            last - start < 200_000_000,
            "all within 200 ms, not 500 x 20 ms"
        );
    }
}
