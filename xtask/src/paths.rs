//! Directories: the workspace, the tools that `setup` installs, the programs that cargo builds.

use std::sync::LazyLock;

use camino::{Utf8Path, Utf8PathBuf};

/// The workspace's root directory.
pub(crate) static ROOT: LazyLock<Utf8PathBuf> = LazyLock::new(|| {
    // The manifest directory is `<root>/xtask`, absolute, as cargo passes it.
    let xtask = Utf8Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
});

/// The directory of the programs that `setup` installs. All builds share it, whatever `CARGO_TARGET_DIR` is.
pub(crate) fn tools() -> Utf8PathBuf {
    ROOT.join("target/tools")
}

/// The target directory of cargo.
pub(crate) fn target() -> Utf8PathBuf {
    match std::env::var("CARGO_TARGET_DIR") {
        Ok(directory) if !directory.is_empty() => ROOT.join(directory),
        _ => ROOT.join("target"),
    }
}
