//! How a client program is made ready: its toolchain, its packages (pinned in `tests/clients`), its build.
//!
//! All that is fetched or built goes to `target/weir-clients`, besides what the package managers keep in caches of their
//! own. What is there already is taken as it is: the second run asks no network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use weir_harness::Program;
use weir_harness::provision::place;

/// Why a client does not run here. Anything else that goes wrong is a failed test.
#[derive(Debug)]
pub(crate) struct Skipped(pub(crate) String);

/// The client programs, each in a folder of `tests/clients`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Driver {
    Go,
    Java,
    Node,
    Python,
    Rust,
}

impl Driver {
    /// The folder of its sources.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::Java => "java",
            Self::Node => "node",
            Self::Python => "python",
            Self::Rust => "rust",
        }
    }

    fn sources(self) -> PathBuf {
        place::workspace().join("tests/clients").join(self.folder())
    }

    /// Where it is fetched to and built.
    fn workshop(self) -> PathBuf {
        let folder = place::target().join("weir-clients").join(self.folder());
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Fetches and builds what is missing and returns the command that runs the program.
    pub(crate) fn ready(self) -> Result<Command, Skipped> {
        match self {
            Self::Go => self.go(),
            Self::Java => self.java(),
            Self::Node => self.node(),
            Self::Python => self.python(),
            Self::Rust => self.rust(),
        }
    }

    fn go(self) -> Result<Command, Skipped> {
        let go = tool("go")?;
        fetch(Command::new(&go).args(["mod", "download"]).current_dir(self.sources()))?;
        let program = self.workshop().join("client");
        build(Command::new(&go).args(["build", "-o"]).arg(&program).arg(".").current_dir(self.sources()));
        Ok(Command::new(program))
    }

    fn java(self) -> Result<Command, Skipped> {
        let (java, javac, mvn) = (tool("java")?, tool("javac")?, tool("mvn")?);
        let (pom, libraries) = (self.sources().join("pom.xml"), self.workshop().join("libraries"));
        let output = format!("-DoutputDirectory={}", libraries.display());
        let copy = |online: bool| {
            let mut command = Command::new(&mvn);
            command.args(["--batch-mode", "--quiet"]).args((!online).then_some("--offline"));
            command.args(["dependency:copy-dependencies", &output, "--file"]).arg(&pom);
            command.current_dir(self.workshop());
            command
        };
        stamped(&libraries, &[&pom], || fetch(&mut copy(false)).or_else(|_| fetch(&mut copy(true))))?;
        let classes = self.workshop().join("classes");
        fs::create_dir_all(&classes).unwrap();
        let path = format!("{}/*:{}", libraries.display(), classes.display());
        build(
            Command::new(javac)
                .args(["-Xlint:all", "-Werror", "-encoding", "UTF-8", "-cp", &path, "-d"])
                .arg(&classes)
                .args(files(&self.sources().join("src"), "java")),
        );
        let mut command = Command::new(java);
        command.args([
            "-Dfile.encoding=UTF-8",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-cp",
            &path,
            "Client",
        ]);
        Ok(command)
    }

    fn node(self) -> Result<Command, Skipped> {
        let (node, npm) = (tool("node")?, tool("npm")?);
        let (sources, workshop) = (self.sources(), self.workshop());
        for entry in fs::read_dir(&sources).unwrap().flatten() {
            fs::copy(entry.path(), workshop.join(entry.file_name())).unwrap();
        }
        let modules = workshop.join("node_modules");
        stamped(&modules, &[&sources.join("package-lock.json")], || {
            let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
            fetch(Command::new(&npm).args(arguments).current_dir(&workshop))
        })?;
        let mut command = Command::new(node);
        command.arg(workshop.join("client.mjs"));
        Ok(command)
    }

    fn python(self) -> Result<Command, Skipped> {
        let python = tool("python3.11").or_else(|_| tool("python3"))?;
        let (environment, requirements) =
            (self.workshop().join("venv"), self.sources().join("requirements.txt"));
        stamped(&environment, &[&requirements], || {
            fetch(Command::new(&python).args(["-m", "venv", "--clear"]).arg(&environment))?;
            let mut install = Command::new(environment.join("bin/pip"));
            install.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r"]);
            fetch(install.arg(&requirements))
        })?;
        let mut command = Command::new(environment.join("bin/python"));
        command.arg("-B").arg(self.sources().join("client.py"));
        Ok(command)
    }

    fn rust(self) -> Result<Command, Skipped> {
        let cargo = std::env::var_os("CARGO").map_or_else(|| tool("cargo"), |cargo| Ok(cargo.into()))?;
        let manifest = self.sources().join("Cargo.toml");
        let run = |words: &[&str]| {
            let mut command = Command::new(&cargo);
            command.args(words).args(["--quiet", "--locked", "--manifest-path"]).arg(&manifest);
            command.env("CARGO_TARGET_DIR", self.workshop());
            command
        };
        fetch(&mut run(&["fetch"]))?;
        build(&mut run(&["build", "--offline"]));
        Ok(Command::new(self.workshop().join("debug/weir-client")))
    }
}

/// A program of the system.
pub(crate) fn tool(name: &str) -> Result<PathBuf, Skipped> {
    Program::find(name).ok_or_else(|| Skipped(format!("no {name}")))
}

/// Runs a package manager; without network its own words become the reason to skip.
fn fetch(command: &mut Command) -> Result<(), Skipped> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| Skipped(format!("{name}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    let last = words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Err(Skipped(format!("{name} {}: {last}", output.status)))
}

/// Runs a compiler.
fn build(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let words = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&words));
}

/// Makes `folder` unless it was made from these very files before.
fn stamped(
    folder: &Path,
    files: &[&Path],
    make: impl FnOnce() -> Result<(), Skipped>,
) -> Result<(), Skipped> {
    let texts: Vec<_> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let stamp = folder.join("made-from");
    if fs::read_to_string(&stamp).is_ok_and(|text| text == texts.concat()) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    make()?;
    fs::write(stamp, texts.concat()).unwrap();
    Ok(())
}

/// The files of a folder with this extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    files
}
