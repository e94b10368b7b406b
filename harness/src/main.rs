//! The `weir-harness` binary.

mod cli;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let Err(error) = cli::Cli::parse().run() else { return ExitCode::SUCCESS };
    let mut out = std::io::stderr().lock();
    // The causes, one below the other; a backtrace would say nothing to a user. Nobody may be listening.
    for (at, cause) in error.chain().enumerate() {
        let lead = if at == 0 { "error: " } else { "  because: " };
        drop(writeln!(out, "{lead}{cause}"));
    }
    ExitCode::FAILURE
}
