//! Namespaces, with bubblewrap: the program has its own file system, sees no other process, and without network does
//! not even have a loopback device. Landlock and seccomp apply inside as they do outside.

use std::ffi::OsString;

use camino::{Utf8Path, Utf8PathBuf};

use super::confinement::{Confinement, Network};
use crate::fs;

/// Returns `bwrap` with its options, without the command (bwrap(1)).
pub(super) fn command(bwrap: &Utf8Path, confinement: &Confinement) -> Vec<OsString> {
    let mut words: Vec<String> = [bwrap.as_str(), "--die-with-parent", "--unshare-user-try", "--unshare-pid"]
        .into_iter()
        .chain(["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"])
        .map(str::to_owned)
        .collect();
    if confinement.network == Network::None {
        words.push("--unshare-net".to_owned());
    }
    let mut add = |option: &[&str]| words.extend(option.iter().map(|word| (*word).to_owned()));
    // Landlock decides which of these paths the program may read; the arguments here decide which are writable or
    // absent.
    add(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    for path in canonical_paths(&confinement.writable) {
        add(&["--bind", path.as_str(), path.as_str()]);
    }
    for path in canonical_paths(&confinement.excluded) {
        if path.is_dir() { add(&["--tmpfs", path.as_str()]) } else { add(&["--ro-bind", "/dev/null", path.as_str()]) }
    }
    add(&["--"]);
    words.into_iter().map(OsString::from).collect()
}

fn canonical_paths(paths: &[Utf8PathBuf]) -> impl Iterator<Item = Utf8PathBuf> {
    paths.iter().filter_map(|path| fs::canonical(path).ok())
}
