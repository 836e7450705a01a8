//! Levels and manifests as data. `tests/sandbox.rs` tests their effect on real programs.

use super::*;

#[test]
fn the_highest_working_level_is_selected_and_missing_backends_are_reported() {
    let check = |landlock: bool, seccomp: bool, bwrap: bool| {
        let lacks = |text: &str| text.to_owned();
        let kernel = Capabilities {
            landlock: if landlock {
                Availability::Has(7)
            } else {
                Availability::Lacks(lacks("Landlock: the kernel does not have it"))
            },
            seccomp: if seccomp {
                Availability::Has(())
            } else {
                Availability::Lacks(lacks("no filter for this processor"))
            },
            private_ipc: Availability::Has(()),
        };
        let bubblewrap = if bwrap {
            Availability::Has("/usr/bin/bwrap".into())
        } else {
            Availability::Lacks(lacks("no `bwrap` on PATH"))
        };
        SandboxStatus::from_capabilities(kernel, bubblewrap).to_string()
    };
    assert_eq!(check(true, true, true), "bubblewrap (Landlock ABI 7)");
    assert_eq!(check(true, true, false), "landlock+seccomp (Landlock ABI 7) · bubblewrap: no `bwrap` on PATH");
    assert_eq!(
        check(false, true, true),
        "seccomp · Landlock: the kernel does not have it",
        "namespaces alone do not hold what may be read"
    );
    assert_eq!(
        check(false, false, false),
        "no sandbox · bubblewrap: no `bwrap` on PATH · Landlock: the kernel does not have it · seccomp: no filter for this processor"
    );
}

#[test]
fn backends_match_the_level() {
    let status = SandboxStatus {
        level: Level::Bubblewrap,
        missing_backends: Vec::new(),
        landlock_abi: Some(7),
        bwrap: Some("/usr/bin/bwrap".into()),
        has_private_ipc: true,
    };
    let check = |level: Level| {
        let backends = backends(level, &status);
        (backends.landlock, backends.seccomp, backends.bubblewrap.is_some(), backends.private_ipc)
    };
    assert_eq!(check(Level::None), (false, false, false, false));
    assert_eq!(check(Level::Seccomp), (false, true, false, false));
    assert_eq!(check(Level::Landlock), (true, false, false, true));
    assert_eq!(check(Level::LandlockSeccomp), (true, true, false, true));
    assert_eq!(check(Level::Bubblewrap), (true, true, true, false));
}

/// A description promises nothing that the level does not hold.
#[test]
fn description_promises_what_the_level_holds() {
    let check = |level: Level| level.describe(&["writes only here".to_owned()], "no network");
    assert_eq!(check(Level::None), "no sandbox: nothing holds it, it can do whatever you can");
    assert_eq!(
        check(Level::Seccomp),
        "seccomp: no network; files are not held, it can read and write whatever you can"
    );
    assert_eq!(check(Level::Landlock), "landlock: writes only here; sockets and other processes are not held");
    assert_eq!(check(Level::LandlockSeccomp), "landlock+seccomp: writes only here, no network");
    assert_eq!(check(Level::Bubblewrap), "bubblewrap: writes only here, no network, sees no other process");
}

#[test]
fn unknown_manifest_fields_are_rejected() {
    let read = |text: &str| serde_json::from_str::<SandboxRequest>(text);
    assert_eq!(read("{}").unwrap(), SandboxRequest::default());
    let manifest = read(r#"{"fs": {"write": ["out"]}, "net": "internet", "exec": ["git"], "env": ["CI"]}"#).unwrap();
    assert_eq!((manifest.net, manifest.fs.write.unwrap().len()), (Net::Internet, 1));
    assert!(read(r#"{"network": true}"#).is_err() && read(r#"{"net": "yes"}"#).is_err());
}
