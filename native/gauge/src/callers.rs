//! Threads that call at the same time, and how long each of their calls took.

use std::io;
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::Instant;

/// When a caller stops: after a time in seconds, or a number of files of its own.
pub struct Limit {
    pub seconds: f64,
    pub files: usize,
}

/// The calls of one caller: seconds of each, and when the last one ended, in seconds since all callers began.
pub struct Latencies {
    pub seconds: Vec<f64>,
    pub ended: f64,
}

impl Limit {
    /// Call with 0, 1, 2, ... until the time since `begin` is over, at least once and at most `most` times.
    pub fn timed(
        &self,
        begin: Instant,
        most: usize,
        mut call: impl FnMut(usize) -> io::Result<()>,
    ) -> io::Result<Latencies> {
        let mut seconds = Vec::new();
        while seconds.len() < most {
            let before = Instant::now();
            call(seconds.len())?;
            seconds.push(before.elapsed().as_secs_f64());
            if begin.elapsed().as_secs_f64() >= self.seconds {
                break;
            }
        }
        Ok(Latencies {
            seconds,
            ended: begin.elapsed().as_secs_f64(),
        })
    }
}

/// Run a step in one thread per caller, all from the same moment, which each is given; the first error is returned.
///
/// Threads that have to wait for a processor begin late: only times since that moment can be compared and added.
pub fn each<Caller: Send, Found: Send>(
    callers: &mut [Caller],
    step: impl Fn(&mut Caller, Instant) -> io::Result<Found> + Sync,
) -> io::Result<Vec<Found>> {
    let (barrier, begin) = (Barrier::new(callers.len()), OnceLock::new());
    thread::scope(|scope| {
        let running: Vec<_> = callers
            .iter_mut()
            .map(|caller| {
                let (barrier, begin, step) = (&barrier, &begin, &step);
                scope.spawn(move || {
                    barrier.wait();
                    step(caller, *begin.get_or_init(Instant::now))
                })
            })
            .collect();
        running
            .into_iter()
            .map(|one| one.join().expect("no caller panics"))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{each, Limit};
    use std::io;
    use std::time::Instant;

    #[test]
    fn a_limit_is_a_time_or_a_number() {
        let endless = Limit {
            seconds: f64::INFINITY,
            files: 0,
        };
        assert_eq!(
            endless
                .timed(Instant::now(), 7, |_| Ok(()))
                .unwrap()
                .seconds
                .len(),
            7
        );
        let over = Limit {
            seconds: 0.0,
            files: 0,
        };
        assert_eq!(
            over.timed(Instant::now(), usize::MAX, |_| Ok(()))
                .unwrap()
                .seconds
                .len(),
            1
        );
    }

    #[test]
    fn an_error_of_a_caller_is_the_error_of_all() {
        let mut numbers = [1, 2, 3];
        let found = each(&mut numbers, |number, _| match number {
            2 => Err(io::Error::other("two")),
            _ => Ok(*number),
        });
        assert_eq!(found.unwrap_err().to_string(), "two");
    }
}
