//! A program that may live outside the system's folders.
//!
//! An unpacked program runs through the dynamic loader and the libraries it was built for. The loader maps the
//! program into its own process, so process ids and signals are exactly those of the program.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// How to start one program.
#[derive(Debug, Clone)]
pub struct Program {
    file: PathBuf,
    loader: Option<Loader>,
    env: Vec<(OsString, OsString)>,
}

/// A dynamic loader and the folders of libraries it searches.
#[derive(Debug, Clone)]
pub(crate) struct Loader {
    pub(crate) file: PathBuf,
    pub(crate) libraries: OsString,
}

impl Program {
    /// A program that runs as it is.
    #[must_use]
    pub fn system(file: PathBuf) -> Self {
        Self { file, loader: None, env: Vec::new() }
    }

    pub(crate) fn through(file: PathBuf, loader: Loader) -> Self {
        Self { file, loader: Some(loader), env: Vec::new() }
    }

    pub(crate) fn with_env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The program on the search path or in the usual folders for servers, if it is there.
    #[must_use]
    pub fn find(name: &str) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let usual = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/mysql/bin"].map(PathBuf::from);
        std::env::split_paths(&path).chain(usual).map(|folder| folder.join(name)).find(|file| file.is_file())
    }

    /// The program's own file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Another program of the same folder, if it is there: it runs in the same way.
    #[must_use]
    pub fn beside(&self, name: &str) -> Option<Self> {
        let file = self.file.with_file_name(name);
        file.is_file().then(|| Self { file, ..self.clone() })
    }

    /// A command with the loader's arguments already in it; the program's own arguments follow.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = match &self.loader {
            None => Command::new(&self.file),
            Some(loader) => {
                let name = self.file.file_name().unwrap_or(self.file.as_os_str());
                let mut command = Command::new(&loader.file);
                command.arg("--argv0").arg(name);
                if !loader.libraries.is_empty() {
                    command.arg("--library-path").arg(&loader.libraries);
                }
                command.arg(&self.file);
                command
            }
        };
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The first line of what the program says about its version.
    pub fn version(&self, flag: &str) -> Result<String> {
        let output = self.command().arg(flag).stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("cannot run {self}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{self} {flag} failed: {}", complaint.trim());
        Ok(text.lines().next().unwrap_or_default().trim().to_owned())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())
    }
}

/// Runs a helper of the system to its end and returns what it printed; its complaints become the error.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {name}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} failed ({}): {}", output.status, complaint.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
