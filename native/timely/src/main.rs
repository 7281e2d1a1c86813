//! weft-timely: workloads on timely dataflow. One process per node, connected with TCP, waits for jobs; the first
//! process accepts them on its control port.

mod agreement;
mod channel;
mod client;
mod control;
mod failure;
mod files;
mod jobs;
mod keepalive;
mod mesh;
mod proof;
mod ranges;
mod worker;

use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

/// Run weft's workloads on timely dataflow.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Be one process of a cluster, until it is killed.
    Serve(Serve),
    /// Run a job on a cluster, and write its outcome as JSON.
    Submit {
        /// The control port of the first process.
        #[arg(long)]
        control: SocketAddr,
        /// The file with the cluster's secret.
        #[arg(long)]
        secret: Option<PathBuf>,
        /// A job and its options.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        job: Vec<String>,
    },
}

#[derive(Args)]
struct Serve {
    /// NAME=ADDRESS:PORT of each process, in order.
    #[arg(long = "peer", required = true)]
    peers: Vec<String>,
    /// The index of this process.
    #[arg(long)]
    index: usize,
    /// Worker threads of each process; the same for all.
    #[arg(long)]
    threads: usize,
    /// Bytes of memory that a job can use in each process.
    #[arg(long)]
    memory: u64,
    /// Where the first process accepts jobs.
    #[arg(long)]
    control: SocketAddr,
    /// The file with the cluster's secret.
    #[arg(long)]
    secret: Option<PathBuf>,
}

fn main() -> ExitCode {
    let done = match Cli::parse().what {
        What::Serve(serve) => run(&serve).map(|()| ExitCode::SUCCESS),
        What::Submit {
            control,
            secret,
            job,
        } => read(secret.as_ref()).and_then(|secret| client::submit(control, &secret, &job)),
    };
    done.unwrap_or_else(|error| {
        eprintln!("weft-timely: {error}");
        ExitCode::FAILURE
    })
}

fn run(serve: &Serve) -> Result<(), String> {
    let secret = read(serve.secret.as_ref())?;
    let peers: Vec<mesh::Peer> = serve
        .peers
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    failure::install(peers.iter().map(|peer| peer.name.clone()).collect());
    let control = (serve.index == 0)
        .then(|| control::Control::start(serve.control, &secret, &peers[0].name))
        .transpose()?;
    let seen = control.as_ref().map(control::Control::status);
    let sockets = mesh::connect(&peers, serve.index, &secret, |index| {
        if let Some(status) = &seen {
            status.connected(&peers[index].name);
        }
    })?;
    worker::run(sockets, serve.index, serve.threads, serve.memory, control)
}

/// The secret in a file; empty without one.
fn read(path: Option<&PathBuf>) -> Result<String, String> {
    path.map_or_else(
        || Ok(String::new()),
        |path| {
            std::fs::read_to_string(path)
                .map(|text| text.trim().to_string())
                .map_err(|error| format!("{} could not be read: {error}", path.display()))
        },
    )
}
