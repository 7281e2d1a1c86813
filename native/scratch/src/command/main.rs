//! `weft-scratch`: reads what the preload library wrote, shows and removes a scratch store, and measures.

mod bench;
mod bench_cost;
mod bench_ops;
mod counterfile;
mod directories;
mod index;
mod kernel;
mod stats;
mod sums;

use stats::Asked;
use std::process::ExitCode;

const USAGE: &str = "usage:
  weft-scratch stats DIR [--json [--kernel]] [--classes LIST] [--threads LIST]
                                      merge the counter files of DIR; also what the kernel counts for those that run;
                                      the lists, as in WEFT_COUNT_CLASSES and WEFT_COUNT_THREADS, are there at zero
                                      before anything is counted
  weft-scratch index                  what the index holds, as JSON
  weft-scratch ls                     every served file, with its size
  weft-scratch cat PATH...            the bytes of served files (paths below the prefix)
  weft-scratch clean                  remove index, segments and empty stand-in directories
  weft-scratch bench LIBRARY [NAME=DIR...]  compare served files with tmpfs and plain directories
  weft-scratch cost LIBRARY           what counting adds to a call
index, ls, cat and clean take WEFT_SCRATCH_PREFIX, WEFT_SCRATCH_STORE and WEFT_SCRATCH_INDEX.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["stats", rest @ ..] => match Asked::of(rest) {
            Some(asked) => stats::run(&asked),
            None => return usage(),
        },
        ["index"] => index::describe(),
        ["ls"] => index::list(),
        ["cat", paths @ ..] if !paths.is_empty() => index::cat(paths),
        ["clean"] => index::clean(),
        ["bench", library, dirs @ ..] => bench::run(library, dirs),
        ["cost", library] => bench_cost::run(library),
        ["cost-worker"] => bench_cost::worker(),
        ["bench-worker", dir, files] => bench_ops::run(dir, files),
        ["--help" | "help"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("weft-scratch: {e}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(2)
}
