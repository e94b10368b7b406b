//! `weir`: a MySQL-protocol proxy.

mod admin;
mod app;
mod certificate;
mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
