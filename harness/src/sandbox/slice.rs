//! A share of the processors for one program, by the kernel's control groups (version 1 or 2).
//!
//! Works where the mounted hierarchy may be written, usually for root; elsewhere the sandbox runs without and says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::watcher::Watcher;

/// The period of a quota: short, so that a throttled server stalls for milliseconds, not for a tenth of a second.
const PERIOD: u64 = 20_000;

/// A control group with a limit of processor time.
#[derive(Debug)]
pub struct Slice {
    folder: PathBuf,
}

impl Slice {
    /// Makes a group that may use `share` processors (0.5 is half of one).
    pub(super) fn new(name: &str, share: f64, watcher: &Arc<Watcher>) -> Result<Self> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of processors is small"
        )]
        let quota = ((share * 20_000.0) as u64).max(1000);
        let hierarchy = Hierarchy::find()?;
        let (Hierarchy::One(parent) | Hierarchy::Two(parent)) = &hierarchy;
        let slice = Self { folder: parent.join(name) };
        fs::create_dir(&slice.folder).with_context(|| format!("cannot create {}", slice.folder.display()))?;
        watcher.slice(&slice.folder);
        match hierarchy {
            Hierarchy::One(_) => {
                slice.write("cpu.cfs_period_us", &PERIOD.to_string())?;
                slice.write("cpu.cfs_quota_us", &quota.to_string())?;
            }
            Hierarchy::Two(_) => slice.write("cpu.max", &format!("{quota} {PERIOD}"))?,
        }
        Ok(slice)
    }

    /// Puts a program with all its threads into the group.
    pub fn take(&self, pid: u32) -> Result<()> {
        self.write("cgroup.procs", &pid.to_string())
    }

    fn write(&self, file: &str, value: &str) -> Result<()> {
        let path = self.folder.join(file);
        fs::write(&path, value).with_context(|| format!("cannot write {value} to {}", path.display()))
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        // The kernel lets go of a group a moment after its last process was reaped.
        for _ in 0..50 {
            if fs::remove_dir(&self.folder).is_ok() || !self.folder.exists() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The folder below which groups with a quota can be made.
enum Hierarchy {
    One(PathBuf),
    Two(PathBuf),
}

impl Hierarchy {
    fn find() -> Result<Self> {
        let mounts = fs::read_to_string("/proc/self/mounts").context("cannot read the mounts")?;
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let own = |controller: &str| {
            let path = own.lines().find_map(|line| {
                let mut fields = line.splitn(3, ':').skip(1);
                let named = fields.next()?.split(',').any(|name| name == controller);
                fields.next().filter(|_| named).map(|path| path.trim_start_matches('/').to_owned())
            });
            path.unwrap_or_default()
        };
        let mut second = None;
        for line in mounts.lines() {
            let fields: Vec<_> = line.split(' ').collect();
            let [_, folder, kind, options, ..] = fields.as_slice() else { continue };
            match *kind {
                "cgroup" if options.split(',').any(|option| option == "cpu") => {
                    let folder = Path::new(folder);
                    let nested = folder.join(own("cpu"));
                    let nested = nested.join("cpu.cfs_quota_us").exists().then_some(nested);
                    return Ok(Self::One(nested.unwrap_or_else(|| folder.to_path_buf())));
                }
                "cgroup2" => second = Some(PathBuf::from(folder)),
                _ => {}
            }
        }
        let Some(root) = second else { bail!("no control groups are mounted") };
        let nested = root.join(own(""));
        let able = [nested, root].into_iter().find(|folder| {
            let passed = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
            passed.split_whitespace().any(|name| name == "cpu")
        });
        able.map(Self::Two).context("the cpu controller is not handed down to groups of ours")
    }
}
