//! Tests of `fs`.

use super::*;

fn directory() -> (tempfile::TempDir, Utf8PathBuf) {
    let guard = tempfile::tempdir().unwrap();
    let path = canonical(Utf8Path::from_path(guard.path()).unwrap()).unwrap();
    (guard, path)
}

fn names(directory: &Utf8Path) -> Vec<String> {
    let mut names: Vec<_> =
        directory.read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn reads_are_capped_and_name_the_file() {
    let (_guard, root) = directory();
    let path = root.join("large");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(MAX_TEXT_BYTES).unwrap();
    assert_eq!(read_bytes(&path).unwrap().len() as u64, MAX_TEXT_BYTES);
    file.set_len(MAX_TEXT_BYTES + 1).unwrap();
    assert!(matches!(read_bytes(&path), Err(ReadError::TooLarge { bytes, .. }) if bytes == MAX_TEXT_BYTES + 1));
    assert!(matches!(read_text(&root), Err(ReadError::Directory { .. })));
    assert!(matches!(read_text(&root.join("none")), Err(ReadError::NotFound { .. })));
    assert!(matches!(read_text(&path.join("below-a-file")), Err(ReadError::NotFound { .. })));
}

#[cfg(unix)]
#[test]
fn sockets_are_refused_without_blocking() {
    let (_guard, root) = directory();
    let path = root.join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    assert!(matches!(read_bytes(&path), Err(ReadError::Special { .. })));
}

#[cfg(unix)]
#[test]
fn writes_preserve_mode_and_link_and_leave_no_temporary_files() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_guard, root) = directory();
    let (file, link) = (root.join("run.sh"), root.join("link"));
    write_atomic(&file, b"old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("run.sh", &link).unwrap();
    write_atomic(&link, b"new").unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read_bytes(&file).unwrap(), b"new");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o755);
    assert_eq!(names(&root), ["link", "run.sh"]);
}

#[cfg(unix)]
#[test]
fn a_failed_write_changes_nothing() {
    let (_guard, root) = directory();
    std::os::unix::fs::symlink("nowhere", root.join("dangling")).unwrap();
    std::fs::create_dir(root.join("directory")).unwrap();
    for path in ["dangling", "directory", "missing/file"] {
        assert!(write_atomic(&root.join(path), b"x").is_err(), "{path}");
    }
    assert_eq!(names(&root), ["dangling", "directory"]);
}

#[cfg(unix)]
#[test]
fn an_error_does_not_name_the_temporary_file() {
    let (_guard, root) = directory();
    let error = write_atomic(&root.join("missing/file"), b"x").unwrap_err();
    assert_eq!(error.to_string(), "No such file or directory (os error 2)");
}

#[cfg(unix)]
#[test]
fn a_path_to_create_is_resolved_as_far_as_it_exists() {
    let (_guard, root) = directory();
    std::fs::create_dir_all(root.join("real/deep")).unwrap();
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", root.join("dangling")).unwrap();
    let resolve = |path: &str| {
        canonical_for_creation(&root.join(path)).ok().map(|path| path.strip_prefix(&root).unwrap().to_string())
    };
    assert_eq!(resolve("link/new/file").as_deref(), Some("real/new/file"));
    assert_eq!(resolve("link/deep/../new").as_deref(), Some("real/new"));
    assert_eq!(resolve("new/../../escape"), None, "`..` below what does not exist");
    assert_eq!(resolve("dangling"), None, "writing it would create what it points to");
    assert_eq!(resolve("dangling/file"), None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_that_replaces_a_file_does_not_block() {
    let (_guard, root) = directory();
    let path = root.join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path.as_str(), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(matches!(read_bytes(&path), Err(ReadError::Special { .. })));
    // As if the check before had found a file.
    assert!(open(&path).is_ok());
}

/// Neither a resolved path that contains a link now, nor the link itself, is read.
#[cfg(target_os = "linux")]
#[test]
fn file_replaced_by_a_link_is_refused() {
    let (_guard, root) = directory();
    std::fs::create_dir(root.join("real")).unwrap();
    write_atomic(&root.join("real/a"), b"text").unwrap();
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    std::os::unix::fs::symlink("a", root.join("real/b")).unwrap();
    assert_eq!(read_text_in_place(&root.join("real/a")).unwrap(), "text");
    assert!(matches!(read_text_in_place(&root.join("link/a")), Err(ReadError::Linked { .. })));
    assert!(matches!(read_text_in_place(&root.join("real/b")), Err(ReadError::Linked { .. })));
    assert!(matches!(read_text_in_place(&root.join("real/c")), Err(ReadError::NotFound { .. })));
    assert_eq!(read_text(&root.join("link/b")).unwrap(), "text");
    assert!(DirHandle::open(&root.join("link")).is_err());
    let directory = DirHandle::open(&root.join("real")).unwrap();
    std::fs::rename(root.join("real"), root.join("moved")).unwrap();
    write_entry(&directory.entry("b"), b"other").unwrap();
    assert_eq!(names(&root.join("moved")), ["a", "b"], "written where the directory is, and no temporary file is left");
    assert!(!root.join("moved/b").is_symlink(), "the link was replaced and not followed");
    assert_eq!(read_text(&root.join("moved/a")).unwrap(), "text");
    DirHandle::make(&root.join("moved/x/y")).unwrap();
    assert!(root.join("moved/x/y").is_dir());
    assert!(DirHandle::make(&root.join("link/x")).is_err(), "a dangling link is not created as a directory");
}
