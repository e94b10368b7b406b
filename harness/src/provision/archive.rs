//! Packages of a Debian or Ubuntu archive, unpacked into a folder of ours.
//!
//! Uses the system's own apt, its addresses, proxies and keys, but lists, caches and results of our own: nothing of
//! the system changes, and root is not needed. The package lists are fetched freshly, so a container without any
//! works as well. Refuses systems without apt, with what to install by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use super::place;
use super::program::{Loader, Program, run};
use crate::progress::Progress;

/// Packages that the programs list as dependencies and never touch when run from a folder.
const NEEDLESS: [&str; 12] = [
    "adduser",
    "cdebconf",
    "debconf",
    "debianutils",
    "dpkg",
    "install-info",
    "libdb5",
    "libgdbm",
    "libperl",
    "passwd",
    "perl",
    "tar",
];
/// Index files of a suite that are no package lists.
const INDEXES: [&str; 8] = [
    "DEP-11",
    "DEP-11-icons-small",
    "DEP-11-icons",
    "DEP-11-icons-hidpi",
    "DEP-11-icons-large",
    "DEP-11-icons-large-hidpi",
    "Contents-deb",
    "CNF",
];

/// The distribution this machine runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Debian,
    Ubuntu,
}

/// Which suite of the archive to take packages from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Suite {
    /// The one this machine runs.
    Own,
    /// Debian's unstable: the only one that has MySQL.
    Unstable,
}

/// The archive that this machine's apt already trusts.
#[derive(Debug, Clone)]
pub(super) struct Archive {
    pub(super) family: Family,
    codename: String,
    architecture: String,
    /// (address, suite, component) of every package list apt is configured with.
    targets: Vec<(String, String, String)>,
}

impl Archive {
    pub(super) fn of_this_machine() -> Result<Self> {
        let release = fs::read_to_string("/etc/os-release").context("cannot tell the distribution")?;
        let field = |name: &str| {
            let value = release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            value.map(|value| value.trim_matches('"').to_owned()).unwrap_or_default()
        };
        let kin = format!("{} {}", field("ID"), field("ID_LIKE"));
        let (family, codename) = if kin.split(' ').any(|word| word == "ubuntu") {
            let ubuntu = field("UBUNTU_CODENAME");
            (Family::Ubuntu, if ubuntu.is_empty() { field("VERSION_CODENAME") } else { ubuntu })
        } else if kin.split(' ').any(|word| word == "debian") {
            (Family::Debian, field("VERSION_CODENAME"))
        } else {
            bail!("packages can be unpacked on Debian and Ubuntu only, this is {}", field("PRETTY_NAME"));
        };
        let architecture = run(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
        let listing = run(Command::new("apt-get")
            .args(["indextargets", "--format"])
            .args(["$(REPO_URI)|$(RELEASE)|$(COMPONENT)", "Created-By: Packages"]))?;
        let targets = listing.lines().filter_map(|line| {
            let mut fields = line.split('|').map(str::to_owned);
            Some((fields.next()?, fields.next()?, fields.next()?))
        });
        let mut targets: Vec<_> = targets.collect();
        targets.sort();
        targets.dedup();
        Ok(Self { family, codename, architecture, targets })
    }

    /// The name of the folder that packages of `suite` go to.
    fn label(&self, suite: Suite) -> String {
        let codename = match suite {
            Suite::Own => &self.codename,
            Suite::Unstable => "sid",
        };
        format!("{codename}-{}", self.architecture)
    }

    /// The folder with at least `packages` in it, unpacked now or earlier.
    pub(super) fn unpack(
        &self,
        suite: Suite,
        packages: &[&str],
        progress: &dyn Progress,
    ) -> Result<Unpacked> {
        let tools = place::tools();
        let label = self.label(suite);
        let root = tools.join(&label);
        let _alone = place::lock(&tools, &label)?;
        let have = fs::read_to_string(root.join(MARKER)).unwrap_or_default();
        let wanted = have.lines().next().unwrap_or_default();
        if packages.iter().all(|package| wanted.split(' ').any(|had| had == *package)) {
            return self.open(root);
        }
        let mut all: Vec<&str> = wanted.split(' ').filter(|name| !name.is_empty()).collect();
        all.extend(packages.iter().filter(|package| !wanted.split(' ').any(|had| had == **package)));
        let draft = place::draft(&tools, &label)?;
        if let Err(error) = self.fill(suite, &all, &draft, progress) {
            // The next try starts anew; what is left would only take room.
            drop(fs::remove_dir_all(&draft));
            return Err(error);
        }
        place::publish(&draft, &root)?;
        self.open(root)
    }

    fn fill(&self, suite: Suite, packages: &[&str], draft: &Path, progress: &dyn Progress) -> Result<()> {
        let fetched = self.fetch(suite, packages, &draft.join("fetch"), progress)?;
        progress.step(&format!("unpacking {}", packages.join(", ")));
        spread(&fetched, draft)?;
        fs::remove_dir_all(draft.join("fetch")).context("cannot remove the downloads")?;
        let mut files: Vec<_> = fetched.iter().filter_map(|file| file.file_stem()?.to_str()).collect();
        files.sort_unstable();
        fs::write(draft.join(MARKER), format!("{}\n{}\n", packages.join(" "), files.join("\n")))?;
        Ok(())
    }

    /// Downloads packages with everything they need; apt checks the signatures.
    fn fetch(
        &self,
        suite: Suite,
        packages: &[&str],
        work: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<PathBuf>> {
        let debs = work.join("debs");
        for folder in ["lists/partial", "cache", "debs"] {
            fs::create_dir_all(work.join(folder)).context("cannot create a folder for downloads")?;
        }
        fs::write(work.join("sources.list"), self.sources(suite)?)?;
        fs::write(work.join("apt.conf"), settings(work))?;
        let config = work.join("apt.conf");
        progress.step(&format!("reading the package lists of {}", self.label(suite)));
        run(Command::new("apt-get").arg("-c").arg(&config).args(["-qq", "update"]))
            .context("cannot read the package lists")?;
        let tree = run(Command::new("apt-cache")
            .arg("-c")
            .arg(&config)
            .args(["depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts"])
            .args(["--no-breaks", "--no-replaces", "--no-enhances"])
            .args(packages))
        .with_context(|| format!("no package {}", packages.join(" or ")))?;
        let mut names: Vec<_> = tree.lines().filter(|line| needed(line)).collect();
        names.sort_unstable();
        names.dedup();
        progress.step(&format!("downloading {} ({} packages)", packages.join(", "), names.len()));
        run(Command::new("apt-get")
            .arg("-c")
            .arg(&config)
            .args(["-qq", "download"])
            .args(names)
            .current_dir(&debs))
        .context("cannot download packages")?;
        let files = fs::read_dir(&debs)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        ensure!(!files.is_empty(), "apt-get downloaded nothing");
        Ok(files)
    }

    /// The sources.list for `suite`, from the addresses apt already has.
    fn sources(&self, suite: Suite) -> Result<String> {
        let (keyring, components): (_, &[&str]) = match self.family {
            Family::Debian => ("debian-archive-keyring.gpg", &["main"]),
            Family::Ubuntu => ("ubuntu-archive-keyring.gpg", &["main", "universe"]),
        };
        let keyring = Path::new("/usr/share/keyrings").join(keyring);
        let signed =
            if keyring.is_file() { format!("[signed-by={}] ", keyring.display()) } else { String::new() };
        let ours = |release: &str| {
            let rest = release.strip_prefix(&self.codename);
            rest.is_some_and(|rest| ["", "-updates", "-security"].contains(&rest))
                || ["stable", "oldstable", "testing", "unstable", "sid"].contains(&release)
        };
        let own = self
            .targets
            .iter()
            .filter(|(_, release, component)| ours(release) && components.contains(&component.as_str()));
        let lines: Vec<String> = match suite {
            Suite::Own => {
                own.map(|(uri, release, part)| format!("deb {signed}{uri} {release} {part}\n")).collect()
            }
            Suite::Unstable => own
                .filter(|(_, release, _)| !release.contains('-'))
                .map(|(uri, ..)| format!("deb {signed}{uri} sid main\n"))
                .take(1)
                .collect(),
        };
        ensure!(!lines.is_empty(), "apt has no package source for {} on this machine", self.codename);
        Ok(lines.concat())
    }

    fn open(&self, root: PathBuf) -> Result<Unpacked> {
        let (triplet, loader) = match self.architecture.as_str() {
            "amd64" => ("x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
            "arm64" => ("aarch64-linux-gnu", "ld-linux-aarch64.so.1"),
            other => bail!("no unpacked programs for the architecture {other}"),
        };
        Ok(Unpacked { root, triplet, loader })
    }
}

/// Names what is in an unpacked folder: asked packages on the first line, then every file's version.
const MARKER: &str = "weir-packages";

/// A folder with unpacked packages.
#[derive(Debug, Clone)]
pub(super) struct Unpacked {
    root: PathBuf,
    triplet: &'static str,
    loader: &'static str,
}

impl Unpacked {
    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    pub(super) fn library(&self, below: &str) -> PathBuf {
        self.root.join("usr/lib").join(self.triplet).join(below)
    }

    pub(super) fn program(&self, name: &str) -> Result<Program> {
        let places = ["usr/bin", "usr/sbin", "usr/libexec"].map(|folder| self.root.join(folder).join(name));
        let file = places.into_iter().find(|file| file.is_file());
        let file = file.with_context(|| format!("the packages in {} have no {name}", self.root.display()))?;
        let mut libraries = self.library("").into_os_string();
        libraries.push(":");
        libraries.push(self.path("usr/lib/mysql/private"));
        Ok(Program::through(file, Loader { file: self.library(self.loader), libraries }))
    }
}

/// Whether a line of `apt-cache depends` is a package to take.
fn needed(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_lowercase())
        && !line.contains(':')
        && !NEEDLESS.iter().any(|name| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(|c: char| "-.".contains(c) || c.is_numeric())
            })
        })
}

/// An apt configuration that keeps to `work` and runs none of the system's hooks.
fn settings(work: &Path) -> String {
    let work = work.display();
    let user = if rustix::process::geteuid().is_root() { "APT::Sandbox::User \"root\";\n" } else { "" };
    let indexes = INDEXES.map(|name| format!("#clear Acquire::IndexTargets::deb::{name};\n")).concat();
    format!(
        "Dir::Etc::sourcelist \"{work}/sources.list\";\n\
         Dir::Etc::sourceparts \"/dev/null\";\n\
         Dir::State::Lists \"{work}/lists/\";\n\
         Dir::Cache \"{work}/cache/\";\n\
         Dir::Cache::pkgcache \"\";\n\
         Dir::Cache::srcpkgcache \"\";\n\
         Acquire::Languages \"none\";\n\
         Acquire::Retries \"3\";\n\
         APT::Update::Error-Mode \"any\";\n\
         #clear APT::Update::Pre-Invoke;\n\
         #clear APT::Update::Post-Invoke;\n\
         #clear APT::Update::Post-Invoke-Success;\n\
         {indexes}{user}"
    )
}

/// Unpacks packages one over the other into `root`, which looks like a system with merged /usr afterwards.
fn spread(packages: &[PathBuf], root: &Path) -> Result<()> {
    for folder in ["lib", "lib64", "bin", "sbin"] {
        fs::create_dir_all(root.join("usr").join(folder))?;
        std::os::unix::fs::symlink(format!("usr/{folder}"), root.join(folder))?;
    }
    for package in packages {
        let context = || format!("cannot unpack {}", package.display());
        let mut data = Command::new("dpkg-deb")
            .arg("--fsys-tarfile")
            .arg(package)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(context)?;
        let stream = data.stdout.take().with_context(context)?;
        let status = Command::new("tar")
            .args(["-x", "--keep-directory-symlink", "--no-same-owner", "--no-same-permissions", "-C"])
            .arg(root)
            .stdin(stream)
            .status()
            .with_context(context)?;
        ensure!(data.wait()?.success() && status.success(), context());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(family: Family, codename: &str, targets: &[(&str, &str, &str)]) -> Archive {
        let targets =
            targets.iter().map(|(uri, release, part)| ((*uri).into(), (*release).into(), (*part).into()));
        Archive {
            family,
            codename: codename.into(),
            architecture: "amd64".into(),
            targets: targets.collect(),
        }
    }

    #[test]
    fn takes_unstable_from_the_main_archive_and_no_other() {
        let archive = archive(
            Family::Debian,
            "bookworm",
            &[
                ("http://security/", "bookworm-security", "main"),
                ("http://third/", "bookworm", "stable"),
                ("http://archive/", "bookworm-updates", "main"),
                ("http://archive/", "bookworm", "main"),
            ],
        );
        let sources = archive.sources(Suite::Unstable).unwrap();
        assert!(sources.starts_with("deb "), "{sources}");
        assert!(sources.ends_with("http://archive/ sid main\n"), "{sources}");
        assert_eq!(sources.lines().count(), 1);
    }

    #[test]
    fn own_suite_keeps_updates_and_security_and_drops_strangers() {
        let archive = archive(
            Family::Ubuntu,
            "noble",
            &[
                ("http://archive/", "noble", "main"),
                ("http://archive/", "noble", "universe"),
                ("http://archive/", "noble-security", "universe"),
                ("http://archive/", "noble-backports", "main"),
                ("http://third/", "noble-pgdg", "main"),
            ],
        );
        let sources = archive.sources(Suite::Own).unwrap();
        assert_eq!(sources.lines().count(), 3, "{sources}");
        assert!(!sources.contains("backports") && !sources.contains("third"), "{sources}");
    }

    #[test]
    fn says_so_when_apt_has_no_source() {
        let error = archive(Family::Debian, "bookworm", &[]).sources(Suite::Own).unwrap_err();
        assert!(error.to_string().contains("bookworm"), "{error}");
    }

    #[test]
    fn leaves_out_what_never_runs() {
        for (line, wanted) in [
            ("libaio1t64", true),
            ("perl-base", false),
            ("perl", false),
            ("libperl5.40", false),
            ("libgdbm6t64", false),
            ("debconf-2.0", false),
            ("tar", false),
            ("libc6:i386", false),
            ("  Depends: libaio1t64", false),
            ("<mysql-common:any>", false),
        ] {
            assert_eq!(needed(line), wanted, "{line}");
        }
    }
}
