//! Where things are: the workspace, the tools that `setup` installs, the programs cargo builds.

use std::sync::LazyLock;

use camino::{Utf8Path, Utf8PathBuf};

/// The workspace's root directory.
pub(crate) static ROOT: LazyLock<Utf8PathBuf> = LazyLock::new(|| {
    // The manifest directory is `<root>/xtask`, as absolute as cargo was told it.
    let xtask = Utf8Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
});

/// Where `setup` puts programs. Not below `CARGO_TARGET_DIR`: tools are downloaded once, whoever builds where.
pub(crate) fn tools() -> Utf8PathBuf {
    ROOT.join("target/tools")
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> Utf8PathBuf {
    match std::env::var("CARGO_TARGET_DIR") {
        Ok(directory) if !directory.is_empty() => ROOT.join(directory),
        _ => ROOT.join("target"),
    }
}
