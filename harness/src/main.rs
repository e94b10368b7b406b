//! The `weir-harness` binary.

mod cli;

use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    cli::Cli::parse().run()
}
