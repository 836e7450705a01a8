//! Confinements as data, and the expansion of a directory with excluded paths. Tests with real programs check the
//! enforcement (`tests/process` and the crate that chooses the backends).

use std::collections::BTreeSet;
use std::fs::create_dir_all;

use camino::Utf8Path;

use super::paths::{Entry, ExpandedPaths, expand};
use super::*;

#[test]
fn a_confinement_survives_the_command_line() {
    let confinement = Confinement {
        backends: SandboxBackends {
            landlock: true,
            seccomp: true,
            bubblewrap: Some("/usr/bin/bwrap".into()),
            private_ipc: true,
        },
        readable: vec!["/".into(), "/with \"quotes\" and\nlines".into()],
        executable: Some(vec!["/bin/sh".into()]),
        network: Network::Internet,
        limits: ResourceLimits { memory: Some(1 << 30), ..ResourceLimits::default() },
        ..Confinement::default()
    };
    let argument = confinement.to_argument().unwrap();
    assert_eq!(Confinement::from_argument(Some(argument.into())).unwrap(), confinement);
    for broken in ["", "{", "{\"means\":{}}"] {
        assert!(Confinement::from_argument(Some(broken.into())).is_err(), "{broken}");
    }
    assert!(Confinement::from_argument(None).is_err());
}

#[test]
fn excluded_paths_expand_to_their_siblings() {
    let directory = tempfile::tempdir().unwrap();
    let root = crate::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
    for inner in ["home/.ssh", "home/.config/gh", "home/.config/other/deep", "home/work", "opt"] {
        create_dir_all(root.join(inner)).unwrap();
    }
    std::os::unix::fs::symlink(root.join("home/.ssh"), root.join("home/link")).unwrap();
    std::os::unix::fs::symlink(root.join("home/.ssh"), root.join("keys")).unwrap();
    let expand_names = |roots: &[&str], excluded: &[&str]| {
        let absolute = |paths: &[&str]| paths.iter().map(|path| root.join(path)).collect::<Vec<_>>();
        let ExpandedPaths { granted, listed } = expand(&absolute(roots), &absolute(excluded), &[]).unwrap();
        let join_names = |entries: BTreeSet<Entry>| {
            let names = entries.iter().map(|entry| entry.path.strip_prefix(&root).unwrap().to_string());
            names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
        };
        (join_names(granted), join_names(listed))
    };
    let is = |granted: &str, listed: &str| (granted.to_owned(), listed.to_owned());
    assert_eq!(expand_names(&["home", "nowhere"], &["elsewhere"]), is("home", ""));
    assert_eq!(
        expand_names(&[""], &["home/.ssh", "home/.config/gh"]),
        is("home/.config/other home/work opt", " home home/.config")
    );
    assert_eq!(
        expand_names(&["opt", "home/.ssh"], &["home/.ssh"]),
        is("opt", ""),
        "what is left out is, even if it is named"
    );
    assert_eq!(expand_names(&["home/link"], &["home/.ssh"]), is("", ""), "links are resolved on one side");
    assert_eq!(expand_names(&["home"], &["keys"]), is("home/.config home/work", "home"), "and on the other");
}
