//! What all workers of a job know together.

use crate::channel::share;
use timely::worker::Worker;

/// The result of every worker, or the same problem on all if one of them has one.
pub fn agree<T>(worker: &mut Worker, result: Result<T, String>) -> Result<T, String> {
    let own = result.as_ref().err().cloned().unwrap_or_default();
    let problem = share(worker, own.into_bytes())
        .into_iter()
        .find(|problem| !problem.is_empty());
    problem.map_or(result, |problem| {
        Err(String::from_utf8_lossy(&problem).into_owned())
    })
}

/// The sum of a number of each worker; it wraps, as sums of hashes do.
pub fn sum(worker: &mut Worker, own: u64) -> u64 {
    let all = share(worker, own.to_le_bytes().to_vec());
    all.iter()
        .map(|bytes| u64::from_le_bytes(bytes[..].try_into().expect("8 bytes were sent")))
        .fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::agree;
    use timely::execute::Config;

    #[test]
    fn a_problem_of_one_worker_is_that_of_all() {
        let guards = timely::execute(Config::process(3), |worker| {
            let own = if worker.index() == 1 {
                Err("no disk".to_string())
            } else {
                Ok(5)
            };
            (agree(worker, Ok(1)), agree(worker, own))
        });
        for found in guards.unwrap().join() {
            assert_eq!(found.unwrap(), (Ok(1), Err("no disk".to_string())));
        }
    }
}
