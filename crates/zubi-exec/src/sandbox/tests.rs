//! Levels and manifests as data. `tests/sandbox.rs` tests their effect on real programs.

use super::*;

#[test]
fn the_highest_working_level_is_selected_and_missing_backends_are_reported() {
    let reason_text = |text: &str| text.to_owned();
    let check = |landlock: bool, seccomp: bool, bwrap: bool| {
        let capabilities = Capabilities {
            landlock: if landlock {
                Availability::Has(7)
            } else {
                Availability::Lacks(reason_text("Landlock: the kernel does not have it"))
            },
            seccomp: if seccomp {
                Availability::Has(())
            } else {
                Availability::Lacks(reason_text("no filter for this processor"))
            },
            bubblewrap: if bwrap {
                Availability::Has("/usr/bin/bwrap".into())
            } else {
                Availability::Lacks(reason_text("no `bwrap` on PATH"))
            },
        };
        SandboxStatus::from_capabilities(capabilities).to_string()
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
    let bwrap = Utf8Path::new("/usr/bin/bwrap");
    let backends = |level: Level| {
        let backends = level.backends(Some(bwrap));
        (backends.landlock, backends.seccomp, backends.bubblewrap.is_some())
    };
    assert_eq!(backends(Level::None), (false, false, false));
    assert_eq!(backends(Level::Seccomp), (false, true, false));
    assert_eq!(backends(Level::Landlock), (true, false, false));
    assert_eq!(backends(Level::LandlockSeccomp), (true, true, false));
    assert_eq!(backends(Level::Bubblewrap), (true, true, true));
}

#[test]
fn unknown_manifest_fields_are_rejected() {
    let read = |text: &str| serde_json::from_str::<SandboxRequest>(text);
    assert_eq!(read("{}").unwrap(), SandboxRequest::default());
    let manifest = read(r#"{"fs": {"write": ["out"]}, "net": "internet", "exec": ["git"], "env": ["CI"]}"#).unwrap();
    assert_eq!((manifest.net, manifest.fs.write.unwrap().len()), (Net::Internet, 1));
    assert!(read(r#"{"network": true}"#).is_err() && read(r#"{"net": "yes"}"#).is_err());
}
