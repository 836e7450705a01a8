//! Rules that are made before the program is known, and files that change before it starts. Landlock restricts a thread,
//! so each case runs on its own one.

use std::fs::{create_dir_all, read, remove_dir_all, remove_file, rename};

use camino::Utf8Path;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;
use crate::fs::{canonical, write_atomic};

/// Hidden paths, if they exist.
const STORES: &[&str] = &["home/.ssh", "home/.aws", "home/.netrc", "home/.config/gh"];

/// All files that a case has at its beginning.
const FILES: &[&str] =
    &["beside", "home/.ssh/id", "home/.netrc", "home/.config/app", "home/notes", "home/project/data"];

/// The confinement for the stores that exist now.
fn confinement(root: &Utf8Path, temporary: &str) -> Confinement {
    let stores = STORES.iter().map(|store| root.join(store)).filter(|store| store.symlink_metadata().is_ok());
    Confinement {
        // Other tests change the directories above it.
        readable: vec![root.to_owned()],
        writable: vec![root.join("work"), root.join(temporary)],
        excluded: stores.collect(),
        ..Confinement::default()
    }
}

/// Returns the files below `root` that a program with these rules can read.
fn readable_files(root: &Utf8Path, confinement: &Confinement, rules: ReadableRules) -> String {
    let mut files = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in directory.read_dir_utf8().unwrap().flatten() {
            let is_directory = entry.file_type().unwrap().is_dir();
            if is_directory { &mut waiting } else { &mut files }.push(entry.path().to_owned());
        }
    }
    files.sort();
    restrict(confinement, rules).unwrap();
    files.retain(|file| read(file).is_ok());
    files.iter().map(|file| file.strip_prefix(root).unwrap().as_str()).collect::<Vec<_>>().join(" ")
}

/// Makes rules, changes files, and returns whether the rules still apply and what they let a program read. This must be
/// what new rules would.
fn check(change: impl Fn(&Utf8Path)) -> String {
    let directory = tempfile::tempdir().unwrap();
    let root = &canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
    for file in FILES.iter().chain(&["work/source", "job-1/file"]) {
        create_dir_all(root.join(file).parent().unwrap()).unwrap();
        write_atomic(&root.join(file), b"").unwrap();
    }
    let prepared = ReadableRules::new(&confinement(root, "job-1")).unwrap();
    remove_dir_all(root.join("job-1")).unwrap();
    create_dir_all(root.join("job-2")).unwrap();
    write_atomic(&root.join("job-2/file"), b"").unwrap();
    change(root);
    let confinement = &confinement(root, "job-2");
    let is_reused = prepared.paths.is_part_of(&readable_paths(confinement).unwrap());
    let found = std::thread::scope(|scope| {
        let read = |rules: ReadableRules| scope.spawn(move || readable_files(root, confinement, rules)).join().unwrap();
        let found = read(prepared.with_changes(confinement).unwrap());
        assert_eq!(found, read(ReadableRules::new(confinement).unwrap()));
        found
    });
    format!("{}: {found}", if is_reused { "reused" } else { "made again" })
}

#[test]
fn rules_remain_if_only_new_files_appear() {
    insta::assert_snapshot!(check(|_| {}), @"reused: beside home/.config/app home/notes home/project/data job-2/file work/source");
    insta::assert_snapshot!(check(|root| write_atomic(&root.join("new"), b"").unwrap()), @"reused: beside home/.config/app home/notes home/project/data job-2/file new work/source");
    // The directory of the store is listed, so no rule lets a program read it.
    insta::assert_snapshot!(check(|root| {
        create_dir_all(root.join("home/.aws")).unwrap();
        write_atomic(&root.join("home/.aws/key"), b"").unwrap();
    }), @"reused: beside home/.config/app home/notes home/project/data job-2/file work/source");
    insta::assert_snapshot!(check(|root| write_atomic(&root.join("home/project/new"), b"").unwrap()), @"reused: beside home/.config/app home/notes home/project/data home/project/new job-2/file work/source");
}

/// A rule allows a file under every name, so one of these would otherwise let a program read a store.
#[test]
fn a_file_that_becomes_hidden_is_not_readable() {
    let move_to =
        |from: &'static str, to: &'static str| move |root: &Utf8Path| rename(root.join(from), root.join(to)).unwrap();
    // The directory was readable as a whole.
    insta::assert_snapshot!(check(|root| {
        create_dir_all(root.join("home/.config/gh")).unwrap();
        write_atomic(&root.join("home/.config/gh/token"), b"").unwrap();
    }), @"made again: beside home/.config/app home/notes home/project/data job-2/file work/source");
    // As when a program writes a file under another name first.
    insta::assert_snapshot!(check(move_to("home/notes", "home/.netrc")), @"made again: beside home/.config/app home/project/data job-2/file work/source");
    insta::assert_snapshot!(check(move_to("beside", "home/.ssh/id")), @"made again: home/.config/app home/notes home/project/data job-2/file work/source");
    insta::assert_snapshot!(check(move_to("home/project", "home/.ssh/project")), @"made again: beside home/.config/app home/notes job-2/file work/source");
    insta::assert_snapshot!(check(move_to("home/project", "home/.aws")), @"made again: beside home/.config/app home/notes job-2/file work/source");
    insta::assert_snapshot!(check(|root| {
        let names = (root.join("home/notes"), root.join("home/.netrc"));
        renameat_with(CWD, names.0.as_std_path(), CWD, names.1.as_std_path(), RenameFlags::EXCHANGE).unwrap();
    }), @"made again: beside home/.config/app home/notes home/project/data job-2/file work/source");
    // A store behind a link is hidden where it is.
    insta::assert_snapshot!(check(|root| {
        rename(root.join("home/.ssh"), root.join("keys")).unwrap();
        std::os::unix::fs::symlink("../keys", root.join("home/.ssh")).unwrap();
    }), @"reused: beside home/.config/app home/notes home/project/data job-2/file work/source");
    insta::assert_snapshot!(check(|root| {
        remove_dir_all(root.join("home/.ssh")).unwrap();
        std::os::unix::fs::symlink("project", root.join("home/.ssh")).unwrap();
    }), @"made again: beside home/.config/app home/notes job-2/file work/source");
}

#[test]
fn a_file_that_is_replaced_or_no_longer_hidden_is_readable() {
    insta::assert_snapshot!(check(|root| {
        remove_file(root.join("home/notes")).unwrap();
        write_atomic(&root.join("home/notes"), b"").unwrap();
    }), @"made again: beside home/.config/app home/notes home/project/data job-2/file work/source");
    insta::assert_snapshot!(check(|root| rename(root.join("home/.netrc"), root.join("home/public")).unwrap()), @"reused: beside home/.config/app home/notes home/project/data home/public job-2/file work/source");
    insta::assert_snapshot!(check(|root| {
        remove_dir_all(root.join("home/.ssh")).unwrap();
        remove_file(root.join("home/.netrc")).unwrap();
    }), @"made again: beside home/.config/app home/notes home/project/data job-2/file work/source");
}

#[test]
fn rules_with_other_rights_are_made_again() {
    let likely = Confinement { readable: vec!["/usr".into()], ..Confinement::default() };
    let rules = ReadableRules::new(&likely).unwrap();
    assert!(rules.has_rights_of(&Confinement { readable: vec!["/".into()], ..Confinement::default() }));
    assert!(!rules.has_rights_of(&Confinement { network: Network::All, ..likely.clone() }));
    assert!(!rules.has_rights_of(&Confinement { executable: Some(Vec::new()), ..likely }));
}
