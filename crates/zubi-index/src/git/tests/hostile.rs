//! Repositories that try to run a program.

use super::*;

/// A repository whose configuration, attributes, hooks and references name a program that writes a file.
fn hostile() -> (Repository, Utf8PathBuf) {
    let repository = Repository::new();
    repository.commit(&[
        (".gitattributes", "*.py diff=evil filter=evil merge=evil\n*.txt text eol=crlf\n"),
        ("a.py", "a = 1\n"),
        ("b.py", "b = 1\n"),
        ("c.txt", "c\n"),
    ]);
    repository.run(&["branch", "--", "old"]);
    repository.commit(&[("a.py", "a = 2\n"), ("d.py", "d\n")]);
    let mark = repository.root.with_file_name("mark");
    let program = repository.root.with_file_name("evil.sh");
    fs::write_atomic(&program, format!("#!/bin/sh\necho \"$@\" >> {mark}\ncat\n").as_bytes()).unwrap();
    let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(&program, mode).unwrap();
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout", "pre-auto-gc"] {
        let hook = repository.root.join(".git/hooks").join(hook);
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::copy(&program, hook).unwrap();
    }
    // A missing object of a partial clone would be fetched.
    let blob = repository.run(&["rev-parse", "old:b.py"]);
    let (directory, name) = blob.split_at(2);
    std::fs::remove_file(repository.root.join(".git/objects").join(directory).join(name)).unwrap();
    let config = format!(
        "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = {program}\n\tpager = {program}\n\teditor = {program}\n\
         \tsshCommand = {program}\n\tgitProxy = {program}\n\taskPass = {program}\n\thooksPath = {hooks}\n\
         \talternateRefsCommand = {program}\n\tworktree = /etc\n\
         [extensions]\n\tpartialClone = origin\n\
         [remote \"origin\"]\n\turl = ext::{program} %S\n\tpromisor = true\n\tuploadpack = {program}\n\
         [protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n\
         [pager]\n\tls-tree = {program}\n\tcat-file = {program}\n\trev-parse = {program}\n\
         [alias]\n\tls-tree = !{program}\n\tcat-file = !{program}\n\trev-parse = !{program}\n\
         [diff]\n\texternal = {program}\n\
         [diff \"evil\"]\n\ttextconv = {program}\n\tcommand = {program}\n\
         [filter \"evil\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n\trequired = true\n\
         [merge \"evil\"]\n\tdriver = {program}\n[credential]\n\thelper = {program}\n\
         [gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n[include]\n\tpath = /dev/null\n",
        hooks = repository.root.join(".git/hooks"),
    );
    fs::write_atomic(&repository.root.join(".git/config"), config.as_bytes()).unwrap();
    (repository, mark)
}

#[tokio::test]
async fn no_program_of_the_repository_runs() {
    let (repository, mark) = hostile();
    repository.write("a.py", "a = 3\n");
    repository.write("e.py", "e\n");
    let mut text = String::new();
    for (from, to) in [("old", None), ("old", Some("HEAD")), ("old...", None)] {
        text.push_str(&repository.check(from, to).await);
        text.push_str("--\n");
    }
    let blob = repository.compare("old", None).await.unwrap();
    // The missing version is the same as the present file, so no comparison needs it.
    let ids: Vec<VersionId> = blob.files.iter().filter_map(|file| file.old.as_ref()?.id.clone()).collect();
    let texts = repository.git.read_versions(&repository.root, &ids).await.unwrap();
    writeln!(text, "{:?}", texts.iter().map(|it| it.as_ref().map(Vec::len)).collect::<Vec<_>>()).unwrap();
    assert!(!mark.exists(), "{}", fs::read_text(&mark).unwrap());
    insta::assert_snapshot!(text, @"
    a.py (File, stored, 6) -> a.py (File, present, 6)
    none -> d.py (File, present, 2)
    none -> e.py (File, present, 2)
    --
    a.py (File, stored, 6) -> a.py (File, stored, 6)
    none -> d.py (File, stored, 2)
    --
    a.py (File, stored, 6) -> a.py (File, present, 6)
    none -> d.py (File, present, 2)
    none -> e.py (File, present, 2)
    --
    [Some(6)]
    ");
    // The programs work: a command that uses the configuration runs one.
    let mut command = std::process::Command::new(find_git());
    command.args(["--work-tree=.", "status", "--short"]).current_dir(&repository.root).output().unwrap();
    assert!(mark.exists());
}

/// A tree can have names that no checkout creates.
#[tokio::test]
async fn hostile_names_stay_inside() {
    let repository = Repository::new();
    repository.commit(&[("a.py", "a\n")]);
    let blob = repository.run(&["rev-parse", "HEAD:a.py"]);
    let mut tree = Vec::new();
    let (digits, _) = blob.as_bytes().as_chunks::<2>();
    let byte = |digits: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
    let hash: Vec<u8> = digits.iter().map(byte).collect();
    for name in ["--output=x", "..", "a\nb.py", "\"quoted\".py"] {
        tree.extend(format!("100644 {name}\0").into_bytes());
        tree.extend(&hash);
    }
    let file = repository.root.with_file_name("tree");
    fs::write_atomic(&file, &tree).unwrap();
    let tree = repository.run(&["hash-object", "-t", "tree", "-w", "--literally", file.as_str()]);
    let commit = repository.run(&["commit-tree", &tree, "-m", "x"]);
    insta::assert_snapshot!(repository.check("HEAD", Some(&commit)).await, @r#"
    none -> "quoted".py (File, stored, 2)
    none -> --output=x (File, stored, 2)
    none -> a
    b.py (File, stored, 2)
    a.py (File, stored, 2) -> none
    "#);
    insta::assert_snapshot!(repository.check(&commit, None).await, @r#"
    "quoted".py (File, stored, 2) -> none
    --output=x (File, stored, 2) -> none
    a
    b.py (File, stored, 2) -> none
    none -> a.py (File, present, 2)
    "#);
}
