//! latencyfs: a FUSE pass-through file system that answers as late as a parallel file system would.

mod call;
mod cli;
mod clock;
mod content;
mod counters;
mod daemon;
mod delay;
mod fault;
mod filesystem;
mod handles;
mod intent;
mod invalidate;
mod mount;
mod mount_calls;
mod op;
mod passthrough;
mod profile;
mod shared;
mod stats;
mod sys;
mod timer;
mod tree;
mod work;

use clap::Parser;
use std::process::ExitCode;

const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match cli.command {
        Some(cli::Command::Profiles { json }) => match cli::describe(json) {
            Ok(text) => {
                println!("{text}");
                ExitCode::SUCCESS
            }
            Err(error) => fail(&error, 1),
        },
        None => match cli.mount.plan() {
            Ok(plan) => daemon::run(plan).map_or_else(|e| fail(&e, 1), |()| ExitCode::SUCCESS),
            Err(error) => fail(&error, USAGE),
        },
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    eprintln!("latencyfs: {message}");
    ExitCode::from(code)
}
