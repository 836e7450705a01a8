//! Copies of folders that bring files into place which git, editors or agents run.

use super::*;

fn check(rules: &[Value], expected: &str, scripts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(folder.path()).unwrap()).unwrap();
    for file in ["tmpl/.git/hooks/x", "tmpl/a", "tools/gradlew", "docs/a.md", "docs/sub/b.md", "hooks/x", "a", "x.tar"]
    {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&root.join(file), b"x").unwrap();
    }
    check_scripts(&root, rules, scripts, expected);
}

#[test]
fn a_folder_with_hooks_must_be_spelled_out() {
    let programs = ["cp", "mv", "rsync", "install"];
    let mut rules: Vec<Value> =
        programs.iter().map(|program| json!({"action": "allow", "command": [program, "*"]})).collect();
    rules.push(json!({"action": "allow", "command": ["git", "mv", "*"]}));
    rules.push(json!({"action": "allow", "command": ["tar", "xf|-xf|-xzf", "*"]}));
    let named = [
        "cp -r tmpl/. .",
        "cp -rT tmpl .",
        "cp -a tmpl sub",
        "cp -R tmpl/. sub",
        "cp --recursive tmpl sub",
        "cp --archive tmpl/. .",
        "cp -rt . tmpl",
        "cp -r --target-directory=. tmpl docs",
        "cd docs && cp -r ../tmpl/. ..",
        "mv tmpl sub",
        "rsync -a tmpl/ .",
        "cp ./tools/* .",
        "cp -r tools out",
        "cp -r hooks .git",
        "git mv tmpl sub",
        "git mv a .envrc",
        "git mv hooks .git",
        "tar xf x.tar",
        "tar -xzf x.tar -C out",
    ];
    check(&rules, "ask", &named);
    check(&[json!({"action": "allow", "tools": ["shell.run"]})], "ask", &named[..5]);
    check(
        &rules,
        "allow",
        &[
            "cp -r docs out",
            "cp -r docs/. .",
            "mv docs out",
            "git mv docs out",
            "rsync -a docs/ out",
            "cp ./docs/*.md .",
            "cp a b",
            "cp -r tmpl/. /tmp/x",
        ],
    );
    for command in [&["cp", "-r", "tmpl/.", "."][..], &["cp", "*", "tmpl/.", "*"]] {
        check(&[json!({"action": "allow", "command": command})], "allow", &["cp -r tmpl/. ."]);
    }
    check(&[json!({"action": "allow", "command": ["tar", "xf", "x.tar"]})], "allow", &["tar xf x.tar"]);
}
