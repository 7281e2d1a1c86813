//! `weft-scratch`: reads what the preload library wrote, and measures it.

mod json;
mod stats;

use std::process::ExitCode;

const USAGE: &str = "usage:
  weft-scratch stats DIR [--json]          merge the counter files of DIR
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["stats", dir] => stats::run(dir, false),
        ["stats", dir, "--json"] | ["stats", "--json", dir] => stats::run(dir, true),
        ["--help" | "help"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("weft-scratch: {e}");
            ExitCode::FAILURE
        }
    }
}
