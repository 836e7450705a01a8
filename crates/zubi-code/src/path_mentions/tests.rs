use zubi_base::fs::write_atomic;

use super::*;

/// Creates the files, moves one, and shows the edited lines of all others: `file: line`.
fn check(files: &[(&str, &str)], from: &str, to: &str, names: &[(&str, &str)]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(directory.path()).unwrap();
    for (name, text) in files {
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        write_atomic(&root.join(name), text.as_bytes()).unwrap();
    }
    let moved = PathMove { from: root.join(from), to: root.join(to) };
    std::fs::create_dir_all(moved.to.parent().unwrap()).unwrap();
    std::fs::rename(&moved.from, &moved.to).unwrap();
    let names = names.iter().map(|(name, at)| ((*name).to_owned(), root.join(at))).collect();
    let around = MoveSurroundings { names, has_unique_name: true };
    let mut out = Vec::new();
    for (name, text) in files {
        let path = moved.forward(&root.join(name));
        let mut new = (*text).to_owned();
        for edit in find(text, &path, &moved, &around).into_iter().rev() {
            new.replace_range(edit.range, &edit.new_text);
        }
        let changed = new.lines().filter(|line| !text.lines().any(|old| old == *line));
        out.extend(changed.map(|line| format!("{name}: {line}")));
    }
    out.join("\n")
}

#[test]
fn python_modules() {
    let files = [
        ("pkg/__init__.py", "from .old import work as work\nfrom . import old, other\nfrom .other import x\n"),
        ("pkg/old.py", "from .other import x\nfrom . import other\n"),
        ("pkg/other.py", "x = 1\n"),
        ("pkg/sub/a.py", "from ..old import work\nfrom .. import old as o\n"),
        (
            "main.py",
            "import pkg.old\nfrom pkg.old import work\nfrom pkg import old\npkg.old.work('pkg.old.x', pkg.older)\n",
        ),
    ];
    insta::assert_snapshot!(check(&files, "pkg/old.py", "pkg/fresh.py", &[]), @r"
    pkg/__init__.py: from .fresh import work as work
    pkg/__init__.py: from . import fresh as old, other
    pkg/sub/a.py: from ..fresh import work
    pkg/sub/a.py: from .. import fresh as o
    main.py: import pkg.fresh
    main.py: from pkg.fresh import work
    main.py: from pkg import fresh as old
    main.py: pkg.fresh.work('pkg.fresh.x', pkg.older)
    ");
    insta::assert_snapshot!(check(&files, "pkg/old.py", "pkg/sub/old.py", &[]), @r"
    pkg/__init__.py: from .sub.old import work as work
    pkg/old.py: from ..other import x
    pkg/sub/a.py: from .old import work
    main.py: import pkg.sub.old
    main.py: from pkg.sub.old import work
    main.py: pkg.sub.old.work('pkg.sub.old.x', pkg.older)
    ");
    let scripts = [("run.py", "import util\nfrom util import x\nutil.x\n"), ("util.py", "x = 1\n")];
    insta::assert_snapshot!(check(&scripts, "util.py", "tool.py", &[]), @r"
    run.py: import tool as util
    run.py: from tool import x
    ");
    let run = "import os, util\nimport util as u, sys\nimport util.part\nimport utility\nimport other as util\n";
    insta::assert_snapshot!(check(&[("run.py", run), ("util.py", "x = 1\n")], "util.py", "tool.py", &[]), @"
    run.py: import os, tool as util
    run.py: import tool as u, sys
    ");
    let run = "import pkg.a as A\nfrom pkg.a import (\n    x)\nfrom pkg import a\nimport pkg\n";
    insta::assert_snapshot!(check(&[("run.py", run), ("pkg/a.py", "x = 1\n")], "pkg", "library", &[]), @"
    run.py: import library.a as A
    run.py: from library.a import (
    run.py: from library import a
    run.py: import library as pkg
    ");
}

#[test]
fn includes_and_other_paths() {
    let files = [
        ("src/old.h", "#include \"near.h\"\n"),
        ("src/near.h", ""),
        ("src/main.cc", "#include \"old.h\"\n#include \"older.h\"\n"),
        ("test/t.cc", "#include \"../src/old.h\"\n#include <src/old.h>\n#include \"old.h\"\n"),
        ("CMakeLists.txt", "add_library(x src/old.h src/main.cc) # https://a.test/src/old.h\n"),
    ];
    insta::assert_snapshot!(check(&files, "src/old.h", "src/in/new.h", &[]), @r#"
    src/old.h: #include "../near.h"
    src/main.cc: #include "in/new.h"
    test/t.cc: #include "../src/in/new.h"
    test/t.cc: #include <src/in/new.h>
    test/t.cc: #include "in/new.h"
    CMakeLists.txt: add_library(x src/in/new.h src/main.cc) # https://a.test/src/old.h
    "#);
}

#[test]
fn package_folders_and_aliases() {
    let go = [
        ("go.mod", "module example.test/m\n"),
        ("old/old.go", "package old\n"),
        (
            "main.go",
            "import \"example.test/m/old\"\nimport \"example.test/m/old/sub\"\nimport \"example.test/m/older\"\n",
        ),
    ];
    insta::assert_snapshot!(check(&go, "old", "fresh", &[("example.test/m", "")]), @r#"
    main.go: import "example.test/m/fresh"
    main.go: import "example.test/m/fresh/sub"
    "#);
    let folder = [
        ("tsconfig.json", "{ \"paths\": { \"@app/*\": [\"./src/*\"], \"@shared/*\": [\"./src/shared/*\"] } }\n"),
        ("src/shared/app.ts", ""),
        ("src/main.ts", "const s = [\"@app/shared/app\", \"@shared/app\", \"@app/shared\", \"@app/sharedness\"];\n"),
    ];
    let names = [("@shared", "src/shared"), ("@app", "src")];
    insta::assert_snapshot!(check(&folder, "src/shared", "src/common", &names), @r#"
    tsconfig.json: { "paths": { "@app/*": ["./src/*"], "@shared/*": ["./src/common/*"] } }
    src/main.ts: const s = ["@app/common/app", "@shared/app", "@app/common", "@app/sharedness"];
    "#);
    let ts = [
        ("src/shared/state/app.ts", "export * from \"../x\";\n"),
        ("src/shared/x.ts", ""),
        ("src/main.ts", "const s = \"@app/shared/state/app\"; // ./shared/state/app.js app\n"),
    ];
    insta::assert_snapshot!(check(&ts, "src/shared/state/app.ts", "src/shared/model/a/app.ts", &[]), @r#"
    src/shared/state/app.ts: export * from "../../x";
    src/main.ts: const s = "@app/shared/model/a/app"; // ./shared/model/a/app.js app
    "#);
}

#[test]
fn rust_modules() {
    let files = [("src/lib.rs", "mod a;\npub mod old;\nmod older;\n"), ("src/old.rs", ""), ("src/a.rs", "mod old;\n")];
    insta::assert_snapshot!(check(&files, "src/old.rs", "src/in/fresh.rs", &[]), @r#"src/lib.rs: #[path = "in/fresh.rs"]"#);
}
