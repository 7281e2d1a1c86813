//! Jobs: the options that the other engines' programs have, and the outcome that they leave.

mod groupby;
mod hashing;
mod outcome;
mod pagerank;
mod rankpart;
mod records;
mod room;
mod teracount;
mod terasort;
mod text;
mod wordcount;

use clap::{Parser, Subcommand};
pub use outcome::Outcome;
pub use room::Room;
use timely::worker::Worker;

/// A job and its options.
#[derive(Parser, Debug)]
#[command(no_binary_name = true)]
pub struct Request {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand, Debug)]
enum Job {
    #[command(name = "TeraSort")]
    TeraSort(terasort::TeraSort),
    #[command(name = "TeraCount")]
    TeraCount(teracount::TeraCount),
    #[command(name = "WordCount")]
    WordCount(wordcount::WordCount),
    #[command(name = "GroupBy")]
    GroupBy(groupby::GroupBy),
    #[command(name = "PageRank")]
    PageRank(pagerank::PageRank),
}

impl Request {
    /// The job of a command line; an error is one sentence.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        Self::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            line.trim_start_matches("error: ").to_string()
        })
    }

    /// Do the work; called on all workers at once. The outcome of the first one counts.
    pub fn run(&self, worker: &mut Worker, room: Room) -> Outcome {
        let mut outcome = Outcome::default();
        let done = match &self.job {
            Job::TeraSort(job) => job.run(worker, room, &mut outcome),
            Job::TeraCount(job) => job.run(worker, &mut outcome),
            Job::WordCount(job) => job.run(worker, &mut outcome),
            Job::GroupBy(job) => job.run(worker, room, &mut outcome),
            Job::PageRank(job) => job.run(worker, &mut outcome),
        };
        if let Err(problem) = done {
            outcome.problem(problem);
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::{Request, Room};
    use timely::execute::Config;

    /// The outcome of a command line, done by workers of one process.
    pub fn outcome(workers: usize, line: &str) -> serde_json::Value {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        let room = Room {
            processes: 1,
            memory: 1 << 30,
        };
        let guards = timely::execute(Config::process(workers), move |worker| {
            Request::parse(&words).unwrap().run(worker, room).json()
        });
        guards.unwrap().join().remove(0).unwrap()
    }

    #[test]
    fn an_unknown_job_and_a_missing_option_are_named() {
        let words = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
        let problem = |text: &str| Request::parse(&words(text)).unwrap_err();
        assert!(problem("Nothing").contains("Nothing"));
        assert!(problem("TeraSort --input x").contains("required"));
        assert!(problem("TeraSort --input x --output y --method kryo").contains("kryo"));
    }
}
