//! Where the harness may write: cargo's target folder and nothing else.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The workspace as it was when this binary was built; tests and the harness are never installed elsewhere.
#[must_use]
pub fn workspace() -> PathBuf {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR"));
    harness.parent().unwrap_or(harness).to_path_buf()
}

/// Cargo's target folder: the nearest one above this program that cargo has tagged, else the workspace's own.
#[must_use]
pub fn target() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|exe| {
            exe.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_path_buf)
        })
        .unwrap_or_else(|| workspace().join("target"))
}

/// The folder of everything that was downloaded or prepared once.
#[must_use]
pub fn tools() -> PathBuf {
    target().join("weir-tools")
}

/// Waits until no other process holds `folder/name.lock`; free again when the file is dropped.
pub(crate) fn lock(folder: &Path, name: &str) -> Result<File> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(format!("{name}.lock"));
    let file = File::options().create(true).append(true).open(&path);
    let file = file.with_context(|| format!("cannot open {}", path.display()))?;
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

/// An empty folder beside the final one, to be renamed when complete. What an interrupted run left is removed.
///
/// Called under [`lock`] only.
pub(crate) fn draft(folder: &Path, name: &str) -> Result<PathBuf> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?.flatten()
    {
        if entry.file_name().to_string_lossy().starts_with(&format!("{name}.part")) {
            fs::remove_dir_all(entry.path())
                .with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    // Never the name of an earlier draft: a helper that outlived its parent may still write there.
    let draft = folder.join(format!("{name}.part-{}", std::process::id()));
    fs::create_dir_all(&draft).with_context(|| format!("cannot create {}", draft.display()))?;
    Ok(draft)
}

/// Puts a complete draft in its place.
pub(crate) fn publish(draft: &Path, place: &Path) -> Result<()> {
    if place.exists() {
        fs::remove_dir_all(place).with_context(|| format!("cannot remove {}", place.display()))?;
    }
    fs::rename(draft, place).with_context(|| format!("cannot rename to {}", place.display()))
}
