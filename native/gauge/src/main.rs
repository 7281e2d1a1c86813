//! gauge: what a node, a directory and a network can do at most. Prints one line of JSON.

mod advice;
mod callers;
mod calls;
mod compute;
mod control;
mod dice;
mod files;
mod network;
mod ranges;
mod record;
mod scattered;
mod serial;
mod sort;
mod terasort;
mod transfer;

use clap::{Parser, Subcommand};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Measure what a node, a directory and a network can do at most.
#[derive(Parser)]
#[command(version)]
struct Cli {
    /// Seconds since the epoch at which to begin, so that programs on several nodes measure at the same time.
    #[arg(long)]
    at: Option<f64>,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Copy memory, sort records, encode and decode records, with all threads.
    Compute {
        #[arg(long)]
        threads: usize,
        /// Bytes of records to sort.
        #[arg(long, default_value_t = 128 << 20)]
        bytes: usize,
        #[arg(long, default_value_t = 3)]
        repeat: usize,
    },
    /// Create, open, stat, look up, read, write and unlink files.
    Calls {
        #[arg(long)]
        directory: PathBuf,
        #[arg(long)]
        callers: usize,
        /// Seconds for each operation.
        #[arg(long, default_value_t = 0.5)]
        seconds: f64,
        /// Most files of all callers together.
        #[arg(long, default_value_t = 20_000)]
        files: usize,
    },
    /// Do a fixed amount of computation and of file calls, about a second of all cores.
    Control {
        #[arg(long)]
        directory: PathBuf,
    },
    /// Write and read large files.
    Transfer {
        #[arg(long)]
        directory: PathBuf,
        #[arg(long)]
        callers: usize,
        /// Most bytes of all callers together.
        #[arg(long, default_value_t = 256 << 20)]
        bytes: usize,
        /// Most seconds of writing.
        #[arg(long, default_value_t = 3.0)]
        seconds: f64,
    },
    /// Sort records from files to files.
    Sort {
        #[arg(long)]
        directory: PathBuf,
        #[arg(long)]
        threads: usize,
        #[arg(long, default_value_t = 128 << 20)]
        bytes: usize,
    },
    /// The job of the engine `limit`: sort an input's records to numbered parts.
    #[command(name = "TeraSort")]
    TeraSort(terasort::TeraSort),
    /// Answer other nodes; the token is in WEFT_GAUGE_TOKEN. Prints the port.
    Serve {
        #[arg(long)]
        address: String,
        /// Seconds without a peer after which it ends.
        #[arg(long, default_value_t = 30.0)]
        patience: f64,
    },
    /// Measure the network to a node that serves at ADDRESS:PORT.
    Link {
        #[arg(long)]
        address: String,
        #[arg(long, default_value_t = 1.0)]
        seconds: f64,
        /// Numbers of connections to measure, one after another.
        #[arg(long, value_delimiter = ',', default_values_t = [1, 4])]
        connections: Vec<usize>,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli.what, begun(cli.at)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("gauge: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(what: What, zero: Instant) -> Result<String, Box<dyn std::error::Error>> {
    match what {
        What::Compute {
            threads,
            bytes,
            repeat,
        } => line(&compute::measure(threads.max(1), bytes, repeat.max(1))),
        What::Calls {
            directory,
            callers,
            seconds,
            files,
        } => {
            let limit = callers::Limit {
                seconds,
                files: (files / callers.max(1)).max(1),
            };
            line(&calls::measure(&directory, callers.max(1), &limit, zero)?)
        }
        What::Control { directory } => {
            let threads = thread::available_parallelism()?.get();
            line(&control::measure(&directory, threads)?)
        }
        What::Transfer {
            directory,
            callers,
            bytes,
            seconds,
        } => line(&transfer::measure(
            &directory,
            callers.max(1),
            bytes / callers.max(1),
            seconds,
            zero,
        )?),
        What::Sort {
            directory,
            threads,
            bytes,
        } => line(&files::measure(&directory, threads.max(1), bytes, zero)?),
        What::TeraSort(job) => {
            job.run()?;
            Ok(String::new())
        }
        What::Serve { address, patience } => {
            network::serve(&address, token()?.as_bytes(), patience, |port| {
                println!("{port}");
                std::io::stdout().flush().expect("standard output is open");
            })?;
            Ok(String::new())
        }
        What::Link {
            address,
            seconds,
            connections,
        } => line(&network::measure(
            &address,
            token()?.as_bytes(),
            seconds,
            &connections,
        )?),
    }
}

/// Wait for a moment, at most 5 s, as clocks of hosts differ; the time since then is what is measured.
fn begun(at: Option<f64>) -> Instant {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |passed| passed.as_secs_f64());
    let ahead = at.map_or(0.0, |at| at - now);
    if ahead >= 0.0 {
        thread::sleep(Duration::from_secs_f64(ahead.min(5.0)));
        return Instant::now();
    }
    let now = Instant::now();
    now.checked_sub(Duration::from_secs_f64((-ahead).min(5.0)))
        .unwrap_or(now)
}

fn token() -> Result<String, String> {
    std::env::var("WEFT_GAUGE_TOKEN").map_err(|_| "WEFT_GAUGE_TOKEN is not set".to_owned())
}

fn line(found: &impl Serialize) -> Result<String, Box<dyn std::error::Error>> {
    Ok(serde_json::to_string(found)?)
}
