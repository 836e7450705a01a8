//! Commands with which a reviewer read credentials or wrote files without approval.

use super::*;

#[test]
fn programs_of_awk_write_nothing() {
    check(
        FILES,
        &[],
        &[
            r#"awk 'BEGIN{for(print "x">".envrc";0;);}'"#,
            r#"awk 'BEGIN{for(printf("x")>"CAN1";0;);}'"#,
            r#"awk 'BEGIN{for(;i++<1;print "x">"CAN1")x=1}'"#,
        ],
        "ask",
    );
    check(FILES, &[], &["awk 'BEGIN{for(i=0;i<3;i++)print i}'", "awk '{if($1>2)print $2}' a"], "allow");
}

#[test]
fn git_prints_no_binary_contents_and_no_objects() {
    check(
        FILES,
        &[],
        &[
            "git log -p -a",
            "git log -pa",
            "git show -a HEAD~1 --stat -p",
            "git diff -wa HEAD~1 HEAD",
            "git reflog -p -a",
            "git grep -a pw HEAD~1",
            "git grep --text x HEAD~1",
            "git log -p --word-diff",
            "git for-each-ref --format='%(raw)'",
            "git tag -l --format='%(raw)'",
            "f=-a; git log -p $f",
        ],
        "ask",
    );
}

#[test]
fn patterns_that_become_folders_are_searched() {
    let files = ["a", "conf/secrets.yml", "src/a.rs", "docs/a.md"];
    check(
        &files,
        &[],
        &[
            "grep -rn x con*",
            "grep -rn x ./c*",
            "grep -rn x [c]onf",
            "grep -r x src/../c*",
            "grep -r --include=*.yml x c*",
            "f='con*'; grep -r x $f",
            "for d in c*; do grep -r x \"$d\"; done",
        ],
        "ask",
    );
    check(&files, &[], &["grep -rn x sr*", "grep -rn x doc*"], "allow");
    // A key with any name.
    check(&["a", "src/key.txt", "src/a.rs"], &[], &["cat src/*"], "ask");
}

#[test]
fn find_limits_files_only_before_the_command() {
    let files = ["a", ".env", "README.md", "conf/secrets.yml", "src/a.rs"];
    check(
        &files,
        &[],
        &[
            "find . -type f -exec grep x {} + -name README.md",
            "find conf -type f -exec grep x {} + -name y",
            "find . -exec ls {} + -type f -name README.md",
        ],
        "ask",
    );
    check(&files, &[], &["find src -type f -name '*.rs' -exec grep x {} +"], "allow");
}

#[test]
fn rules_about_reading_hold_for_links_behind_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(folder.path()).unwrap()).unwrap();
    for file in ["private/p.txt", "src/a.md", ".git/HEAD"] {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&root.join(file), b"x").unwrap();
    }
    std::os::unix::fs::symlink("../private/p.txt", root.join("src/lk.md")).unwrap();
    let rule = json!({"action": "deny", "read": ["private/**", "src/a.md"]});
    let scripts = [
        "cat src/l*",
        "cat src/l?.md",
        "cd src && cat l*",
        "for f in src/l*; do cat \"$f\"; done",
        "grep -r x pri*",
        "git -C src show HEAD:./a.md",
        "cd src && git show HEAD:./a.md",
    ];
    check_scripts(&root, &[rule], &scripts, "deny");
}
