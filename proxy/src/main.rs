//! `weir`: a MySQL-protocol proxy.

mod admin;
mod app;
mod certificate;
mod cli;
mod figures;
mod life;
mod limits;
mod notify;
mod plugins;
mod upgrade;

fn main() -> std::process::ExitCode {
    cli::run()
}
