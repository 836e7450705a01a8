//! Tests of `workspace`.

use proptest::prelude::*;

use super::*;

struct Tree {
    _guard: tempfile::TempDir,
    root: Utf8PathBuf,
}

/// Creates the workspace `ws/`, and next to it `ws-other/` and `secret`, which no path may reach.
fn tree() -> Tree {
    let guard = tempfile::tempdir().unwrap();
    let root = fs::canonical(Utf8Path::from_path(guard.path()).unwrap()).unwrap();
    for directory in ["ws/src/deep", "ws-other", "b/src"] {
        std::fs::create_dir_all(root.join(directory)).unwrap();
    }
    for file in ["ws/src/a.rs", "ws/src/deep/b c.rs", "ws-other/x.rs", "secret", "b/src/a.rs", "b/only.rs"] {
        fs::write_atomic(&root.join(file), file.as_bytes()).unwrap();
    }
    #[cfg(unix)]
    for (target, link) in [
        ("../../secret", "ws/src/to-secret"),
        ("../..", "ws/src/up"),
        ("up/ws-other", "ws/src/chain"),
        ("loop", "ws/src/loop"),
        ("../../nowhere", "ws/src/dangling"),
        ("a.rs", "ws/src/to-a"),
    ] {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    }
    Tree { _guard: guard, root }
}

#[test]
fn entries_resolve_to_links_and_not_targets() {
    let tree = tree();
    let root = tree.root.join("ws");
    let workspace = WorkspaceFolders::open(std::slice::from_ref(&root)).unwrap();
    for (input, entry) in [
        ("src/a.rs", "src/a.rs"),
        ("src/to-a", "src/to-a"),
        ("src/to-secret", "src/to-secret"),
        ("src/dangling", "src/dangling"),
        ("src/up/ws/src/to-a", "src/to-a"),
    ] {
        assert_eq!(workspace.resolve_entry(input), Ok(root.join(entry)), "{input}");
    }
    // A trailing slash means the target directory of a link, as everywhere in POSIX.
    for input in ["src/up/secret", "src/chain/x.rs", "src/up/ws-other", "src/up/..", "src/up/", "none"] {
        assert!(workspace.resolve_entry(input).is_err(), "{input}");
    }
}

#[test]
fn paths_in_one_folder() {
    let tree = tree();
    let workspace = WorkspaceFolders::open(&[tree.root.join("ws")]).unwrap();
    let long = "x".repeat(5000);
    let table = [
        ("src/a.rs", "src/a.rs"),
        ("./src//a.rs", "src/a.rs"),
        ("src/deep/../a.rs", "src/a.rs"),
        ("src/to-a", "src/a.rs"),
        ("src/up/ws/src/a.rs", "src/a.rs"),
        (".", "."),
        ("src/deep/b c.rs", "src/deep/b c.rs"),
        ("none.rs", "not found"),
        ("none/below", "not found"),
        ("src/a.rs/below", "src/a.rs is a file"),
        ("src/a.rs/", "src/a.rs is a file"),
        ("src/to-a/below/../x", "src/to-a is a file"),
        ("src/up/ws/src/a.rs/below", "src/a.rs is a file"),
        ("src/loop", "src/loop -> loop leads in a circle"),
        ("src/loop/below", "src/loop -> loop leads in a circle"),
        ("src/dangling", "src/dangling -> ../../nowhere does not exist"),
        ("src/up/ws/src/dangling/below", "src/dangling -> ../../nowhere does not exist"),
        (&long, "File name too long (os error 36)"),
        ("../secret", "outside"),
        ("../ws-other/x.rs", "outside"),
        ("src/to-secret", "outside"),
        ("src/chain/x.rs", "outside"),
        ("src/up/secret", "outside"),
        ("/etc/passwd", "outside"),
        // Errors do not describe paths outside.
        ("/etc/passwd/below", "not found"),
        ("src/to-secret/below", "not found"),
        ("../secret/below", "not found"),
        ("", "no path"),
        ("a\0b", "no path"),
        ("https://x/y", "no path"),
        ("file:///a%00b", "no path"),
        ("file://host/a", "no path"),
    ];
    for (input, expected) in table {
        let resolved = match workspace.resolve(input) {
            Ok(path) => workspace.display(&path),
            Err(PathError::NotFound { .. }) => "not found".to_owned(),
            Err(PathError::Outside { .. }) => "outside".to_owned(),
            Err(PathError::NotAPath { .. }) => "no path".to_owned(),
            Err(PathError::DeadLink { link, target, reason, .. }) => format!("{link} -> {target} {reason}"),
            Err(PathError::BelowFile { file, .. }) => format!("{file} is a file"),
            Err(PathError::Unreachable { reason, .. }) => reason,
        };
        assert_eq!(resolved, expected, "{input:?}");
    }
    let uri = |path: &str| format!("file://{}/{path}", tree.root);
    assert!(workspace.resolve(&uri("ws/src/deep/b%20c.rs")).is_ok());
    assert!(workspace.resolve(&uri("ws/%2e%2e/secret")).is_err());
    assert!(workspace.resolve(&uri("ws%2f..%2fsecret")).is_err());
    for input in ["../new", "src/up/new", "src/dangling", "src/to-secret", "new/../../x", "/new"] {
        assert!(workspace.resolve_for_creation(input).is_err(), "{input}");
    }
    let created = workspace.resolve_for_creation("src/new/file.rs").unwrap();
    assert_eq!(created, tree.root.join("ws/src/new/file.rs"));
}

#[test]
fn displayed_paths_resolve_with_several_folders() {
    let tree = tree();
    // The first folder has a subfolder with the second one's name, so `b/…` has two interpretations.
    std::fs::create_dir_all(tree.root.join("ws/b")).unwrap();
    let folders = [tree.root.join("ws"), tree.root.join("b"), tree.root.join("ws")];
    let workspace = WorkspaceFolders::open(&folders).unwrap();
    assert_eq!(workspace.folders().len(), 2, "duplicates go");
    for path in ["ws/src/a.rs", "b/src/a.rs", "b/only.rs", "b", "ws"] {
        let resolved = workspace.resolve(path).unwrap();
        assert_eq!(resolved, tree.root.join(path));
        assert_eq!(workspace.display(&resolved), path);
    }
    assert_eq!(workspace.resolve("only.rs").unwrap(), tree.root.join("b/only.rs"));
    assert_eq!(workspace.resolve_for_creation("b/new.rs").unwrap(), tree.root.join("b/new.rs"));
    assert_eq!(workspace.display(Utf8Path::new("/usr/x")), "/usr/x");
}

/// Invisible characters of a name are printed as escapes, and the printed name resolves to the file; a file that really
/// has the escaped name takes precedence.
#[test]
fn names_with_hidden_characters() {
    let tree = tree();
    let workspace = WorkspaceFolders::open(&[tree.root.join("ws")]).unwrap();
    for (name, shown) in [
        ("a\u{202e}txt.exe", r"a\u{202e}txt.exe"),
        ("one\n2 files in .", r"one\n2 files in ."),
        ("\u{1b}[2J", r"\u{1b}[2J"),
        ("new\tfolder", r"new\tfolder"),
    ] {
        let path = tree.root.join("ws/src").join(name);
        fs::write_atomic(&path, b"x").unwrap();
        let printed = workspace.display(&path);
        assert_eq!(printed, format!("src/{shown}"));
        assert_eq!(workspace.resolve(&printed), Ok(path.clone()));
        assert_eq!(workspace.resolve_for_creation(&printed), Ok(path.clone()));
        assert_eq!(workspace.resolve_entry(path.as_str()), Ok(path));
        let literal = tree.root.join("ws/src").join(shown);
        fs::write_atomic(&literal, b"x").unwrap();
        assert_eq!(workspace.resolve(&printed), Ok(literal));
    }
    let absent = workspace.resolve_for_creation(r"src/not\u{202e}there").unwrap();
    assert_eq!(absent, tree.root.join(r"ws/src/not\u{202e}there"));
}

#[test]
fn folders_with_the_same_name_get_distinct_names() {
    let tree = tree();
    let folders = [tree.root.join("ws/src"), tree.root.join("b/src")];
    let workspace = WorkspaceFolders::open(&folders).unwrap();
    let names: Vec<_> = workspace.folders().iter().map(|folder| folder.name.as_str()).collect();
    assert_eq!(names, ["ws/src", "b/src"]);
    let path = workspace.resolve("b/src/a.rs").unwrap();
    assert_eq!(path, tree.root.join("b/src/a.rs"));
    assert_eq!(workspace.display(&path), "b/src/a.rs");
}

#[test]
fn nested_and_invalid_folders() {
    let tree = tree();
    let workspace = WorkspaceFolders::open(&[tree.root.join("ws"), tree.root.join("ws/src")]).unwrap();
    assert_eq!(workspace.display(&tree.root.join("ws/src/a.rs")), "src/a.rs");
    for invalid in [vec![], vec![tree.root.join("none")], vec![tree.root.join("secret")]] {
        assert!(WorkspaceFolders::open(&invalid).is_err(), "{invalid:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Every resolved path is inside the workspace after all links are resolved.
    #[test]
    fn paths_outside_are_never_resolved(
        segments in prop::collection::vec(prop::sample::select(vec![
            "..", ".", "", "src", "deep", "a.rs", "up", "ws", "ws-other", "chain", "loop", "dangling", "to-secret", "secret",
            "x.rs", "new", "%2e%2e", "b c.rs", "\0", "…",
        ]), 0..8),
        form in 0..3,
    ) {
        let tree = tree();
        let workspace = WorkspaceFolders::open(&[tree.root.join("ws")]).unwrap();
        let joined = segments.join("/");
        let input = match form {
            0 => joined,
            1 => format!("{}/ws/{joined}", tree.root),
            _ => format!("file://{}/ws/{joined}", tree.root),
        };
        let inside = |path: &Utf8Path| path.starts_with(tree.root.join("ws"));
        if let Ok(path) = workspace.resolve(&input) {
            prop_assert!(inside(&fs::canonical(&path).unwrap()), "{} from {:?}", path, input);
        }
        if let Ok(path) = workspace.resolve_for_creation(&input) {
            let existing = path.ancestors().find(|ancestor| ancestor.exists()).unwrap();
            prop_assert!(inside(&fs::canonical(existing).unwrap()) , "{} from {:?}", path, input);
            prop_assert!(path.components().all(|part| part.as_str() != ".."), "{}", path);
        }
    }
}
