//! fsx: random operations on one file, each checked against a model in memory.
//!
//! With `--processes N` each process works on its own file `PATH.<n>` with its own seed.

use clap::Parser;
use fsx::exercise::{self, Kind, Plan};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Exercise a file with random operations and compare it with a model in memory.
#[derive(Parser)]
#[command(version)]
struct Cli {
    /// The file to work on; it is created and removed after success.
    #[arg(long)]
    path: PathBuf,
    /// Operations per process.
    #[arg(long, default_value_t = 10_000)]
    ops: u64,
    /// Seed; process n uses seed + n.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processes, each with its own file.
    #[arg(long, default_value_t = 1)]
    processes: u64,
    /// Largest file size in bytes.
    #[arg(long, default_value_t = 262_144)]
    max_size: usize,
    /// Operations to leave out, e.g. `mapread,mapwrite,punch`.
    #[arg(long, value_delimiter = ',')]
    without: Vec<Kind>,
    /// Keep the file after success.
    #[arg(long)]
    keep: bool,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = if cli.processes > 1 {
        run_processes(&cli)
    } else {
        run_here(&cli)
    };
    match outcome {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("fsx: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run_here(cli: &Cli) -> Result<String, String> {
    let plan = Plan::new(cli.ops, cli.seed, cli.max_size, &cli.without)?;
    let summary = exercise::run(&cli.path, &plan)?;
    if !cli.keep {
        std::fs::remove_file(&cli.path).map_err(|e| format!("remove {:?}: {e}", cli.path))?;
    }
    Ok(format!(
        "fsx: {} seed {}: {summary}",
        cli.path.display(),
        cli.seed
    ))
}

/// Real processes, not threads, so that a preload library is exercised as jobs exercise it.
fn run_processes(cli: &Cli) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|e| format!("own path: {e}"))?;
    let children: Result<Vec<_>, _> = (0..cli.processes)
        .map(|n| child_command(&program, cli, n).spawn())
        .collect();
    let children = children.map_err(|e| format!("start a process: {e}"))?;
    let failed = children
        .into_iter()
        .map(|mut child| child.wait())
        .filter(|status| !matches!(status, Ok(s) if s.success()))
        .count();
    match failed {
        0 => Ok(format!("fsx: {} processes agree", cli.processes)),
        n => Err(format!("{n} of {} processes failed", cli.processes)),
    }
}

fn child_command(program: &Path, cli: &Cli, n: u64) -> Command {
    let mut path = cli.path.clone().into_os_string();
    path.push(format!(".{n}"));
    let mut command = Command::new(program);
    command.arg("--path").arg(path);
    command.args(["--ops", &cli.ops.to_string()]);
    command.args(["--seed", &(cli.seed + n).to_string()]);
    command.args(["--max-size", &cli.max_size.to_string()]);
    for kind in &cli.without {
        command.args(["--without", kind.name()]);
    }
    if cli.keep {
        command.arg("--keep");
    }
    command
}
