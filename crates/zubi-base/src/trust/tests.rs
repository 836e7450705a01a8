//! The extent of a record, and the files that are not valid records.

use super::*;

struct Fixture {
    _guard: tempfile::TempDir,
    root: Utf8PathBuf,
    store: TrustStore,
}

fn fixture() -> Fixture {
    let guard = tempfile::tempdir().unwrap();
    let root = crate::fs::canonical(Utf8Path::from_path(guard.path()).unwrap()).unwrap();
    std::fs::create_dir_all(root.join("work/project/src")).unwrap();
    std::fs::create_dir_all(root.join("workshop")).unwrap();
    let store = TrustStore::new(root.join("state"));
    Fixture { _guard: guard, root, store }
}

const NOW: Duration = Duration::from_secs(1_700_000_000);

#[test]
fn folder_trust_covers_descendants_only() {
    let Fixture { root, store, .. } = &fixture();
    assert!(!store.is_trusted(&root.join("work")));
    store.trust(&root.join("work"), &[], NOW).unwrap();
    for (path, trusted) in
        [("work", true), ("work/project", true), ("work/project/src", true), ("workshop", false), ("", false)]
    {
        let path = if path.is_empty() { root.clone() } else { root.join(path) };
        assert_eq!(store.is_trusted(&path), trusted, "{path}");
    }
    assert!(!store.is_trusted(Utf8Path::new("work")), "a relative path names no folder");
}

#[test]
fn link_is_trusted_as_its_target() {
    let Fixture { root, store, .. } = &fixture();
    let link = root.join("link");
    std::os::unix::fs::symlink(root.join("work/project"), &link).unwrap();
    let grant = store.trust(&link, &[], NOW).unwrap();
    assert_eq!(grant.folder, root.join("work/project"));
    assert!(!store.is_trusted(&link), "trust is recorded for resolved paths only");
}

#[test]
fn revoke_trust() {
    let Fixture { root, store, .. } = &fixture();
    let (work, project) = (root.join("work"), root.join("work/project"));
    assert!(matches!(store.revoke(&work), Err(TrustError::NotTrusted { .. })));
    store.trust(&work, &[], NOW).unwrap();
    assert!(matches!(store.revoke(&project), Err(TrustError::TrustedByParent { by, .. }) if by == work));
    assert_eq!(
        store.list().into_iter().map(|grant| (grant.folder, grant.since)).collect::<Vec<_>>(),
        [(work.clone(), NOW.as_secs())]
    );
    store.revoke(&work).unwrap();
    assert!(!store.is_trusted(&project));
    assert!(store.list().is_empty());
}

#[test]
fn folders_that_trust_refuses() {
    let Fixture { root, store, .. } = &fixture();
    assert!(matches!(store.trust(Utf8Path::new("/"), &[], NOW), Err(TrustError::TooWide { .. })));
    assert!(matches!(store.trust(&root.join("absent"), &[], NOW), Err(TrustError::NoFolder { .. })));
    crate::owner_only::write_atomic(&root.join("file"), b"").unwrap();
    assert!(matches!(store.trust(&root.join("file"), &[], NOW), Err(TrustError::NoFolder { .. })));
}

#[test]
fn records_writable_by_others_are_ignored() {
    use std::os::unix::fs::PermissionsExt as _;
    let Fixture { root, store, .. } = &fixture();
    let work = root.join("work");
    let trusted_record = || {
        store.trust(&work, &[], NOW).unwrap();
        assert!(store.is_trusted(&work));
        store.path_of(&work)
    };

    let record = trusted_record();
    std::fs::set_permissions(&record, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(!store.is_trusted(&work), "others may write it");

    let record = trusted_record();
    let moved = root.join("elsewhere.json");
    std::fs::rename(&record, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &record).unwrap();
    assert!(!store.is_trusted(&work), "a link");
    trusted_record();
    assert!(!std::fs::symlink_metadata(&record).unwrap().is_symlink(), "trusting replaces the link");

    let record = trusted_record();
    let other = store.path_of(&root.join("workshop"));
    std::fs::copy(&record, &other).unwrap();
    assert!(!store.is_trusted(&root.join("workshop")), "a record counts for its own folder only");

    let record = trusted_record();
    crate::owner_only::write_atomic(&record, b"{").unwrap();
    assert!(!store.is_trusted(&work), "not a record");
}

#[test]
fn files_are_trusted_by_content_and_by_their_own_folder() {
    let Fixture { root, store, .. } = &fixture();
    let (work, project) = (root.join("work"), root.join("work/project"));
    let file = project.join(".zubi.toml");
    crate::owner_only::write_atomic(&file, b"one").unwrap();
    let trust = Trust::new(store.clone(), false);
    let (one, two) = (ContentHash::from_bytes(b"one"), ContentHash::from_bytes(b"two"));

    store.trust(&work, &[], NOW).unwrap();
    assert!(trust.folder(&project));
    assert!(!trust.file(&project, &file, &one), "trust in a parent folder does not cover the file");
    store.trust(&project, &[file.clone(), project.join("absent.toml")], NOW).unwrap();
    assert!(trust.file(&project, &file, &one));
    assert!(!trust.file(&project, &file, &two));
    assert!(Trust::new(store.clone(), true).file(&project, &file, &two), "this session trusts everything");
}

#[test]
fn trusted_content_is_stored_for_comparison() {
    let guard = tempfile::tempdir().unwrap();
    let base = crate::fs::canonical(Utf8Path::from_path(guard.path()).unwrap()).unwrap();
    let (folder, file) = (base.join("work"), base.join("work/tools.json"));
    std::fs::create_dir(&folder).unwrap();
    crate::fs::write_atomic(&file, b"before").unwrap();
    let store = TrustStore::new(base.join("state"));
    assert_eq!(store.trusted_hash(&folder, &file), None);
    store.trust(&folder, std::slice::from_ref(&file), Duration::ZERO).unwrap();
    crate::fs::write_atomic(&file, b"after").unwrap();
    let hash = store.trusted_hash(&folder, &file).unwrap();
    assert_eq!(store.text_of(&hash).as_deref(), Some("before"));
    // A changed content is not the trusted one, and an invalid hash maps to a path that does not exist.
    crate::fs::write_atomic(&store.directory().join("contents").join(&hash.0), b"other").unwrap();
    assert_eq!(store.text_of(&hash), None);
    assert_eq!(store.text_of(&ContentHash("../../work/tools.json".to_owned())), None);
    assert_eq!(store.list().len(), 1, "stored contents are not records");
}
