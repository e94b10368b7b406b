//! `weir`: a MySQL-protocol proxy.

mod admin;
mod app;
mod certificate;
mod cli;
mod life;

fn main() -> std::process::ExitCode {
    cli::run()
}
