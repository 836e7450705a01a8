//! Which words a rule with `*` covers, by kind.

use super::*;

fn argv(text: &str) -> Vec<String> {
    let reading = crate::shell::read(text, "/w".into());
    reading.commands.into_iter().next().unwrap_or_default()
}

/// Each kind of word that runs, loads or writes something: spellings that are refused, and relatives that are covered.
const KINDS: &[(&str, &[&str], &[&str])] = &[
    (
        "long options and their abbreviations",
        &[
            "sort --output=x a",
            "sort --outp x a",
            "sort --compress-program=x",
            "rg --pre x y",
            "rg --pr=x y",
            "tar --use-c x -tf a",
            "find . -fprintf x y",
            "git log --output=x",
            "git log --outp x",
            "git clone --u=x a b",
            "git ls-remote --e=x .",
            "pytest --junitxml=x",
            "cargo test --config x",
            "npm test --script-shell=x",
            "sed --in-p=x s/a/b/ f",
            "sed --in-place s/a/b/ f",
            "curl --output x http://a",
            "gcc -wrapper x a.c",
            "bat --pager x a",
            "fd --exec x",
            "diff --to-file=x a",
            "date --set=x",
        ],
        &[
            "sort --reverse a",
            "rg --context=3 x",
            "git log --oneline",
            "pytest --maxfail=1",
            "cargo test --release",
            "curl --head http://a",
        ],
    ),
    (
        "letters in clusters",
        &[
            "sort -ro x a",
            "sort -onew a",
            "sed -ni p a",
            "git grep -nOx y",
            "git difftool -yx x",
            "git clone -qu x a",
            "git rebase -qx x",
            "tar -xPf a",
            "tar xf a",
            "tar cf a b",
            "rg -nz x",
            "fd -Hx x",
            "pytest -vpx",
            "unzip -o a",
            "less -Nox a",
            "uniq -cQ a",
        ],
        &[
            "sort -rn a",
            "sed -nE p a",
            "git grep -nw y",
            "tar tvf a",
            "rg -nw x",
            "pytest -vx",
            "unzip -l a",
            "grep -rn x .",
        ],
    ),
    (
        "operands",
        &[
            "uniq a b",
            "uniq -f 1 a b",
            "xxd a b",
            "dd of=a",
            "split a",
            "make CC=x",
            "make test SHELL=x",
            "npm run x",
            "npx x",
            "go test ../x",
            "pytest ../x",
            "git worktree add ../x",
            "curl file:///a",
            "tsc @x",
            "date 01010000",
            "less +!x a",
            "cargo +x test",
            "gcc @x",
        ],
        &["uniq a", "uniq -f 1 a", "make test", "go test ./...", "pytest tests", "curl https://a/b", "date +%F"],
    ),
    (
        "programs in words",
        &[
            "sed 1ex a",
            "sed 's/a/b/e' a",
            "sed 's/a/b/w x' a",
            "sed -n '/a/{w x\n}' a",
            "sed -e '1e x' a",
            "sed -f x a",
            "sed '1r /etc/passwd' a",
            "awk 'BEGIN{system(\"x\")}'",
            "awk '{print > \"x\"}' a",
            "awk '{print | \"x\"}'",
            "awk '\"x\" | getline'",
            "awk -f x a",
            "gawk -i inplace 1",
            "jq -n env",
            "jq 'import \"x\" as $x; .' a",
            "sqlite3 db '.shell x'",
            "python3 -m x",
            "python3 -c x",
            "node --require=x a.js",
            "perl -e x",
        ],
        &[
            "sed -n 1,5p a",
            "sed 's/[a-z]*/b/g; 3d' a",
            "sed -n '/x/,/y/p' a",
            "awk '{print $1, NF}' a",
            "awk '$1 == 2 || NF { print }' a",
            "jq -r '.a[] | .b' a",
            "sqlite3 -json db 'select 1'",
            "python3 x.py -c",
            "node a.js --require=x",
        ],
    ),
    (
        "directories and configurations",
        &[
            "make -C ../x",
            "make -f x",
            "cargo test --manifest-path ../x/Cargo.toml",
            "cargo test --target-dir=x",
            "npm test --prefix ../x",
            "go test -C ../x",
            "pytest -c x",
            "pytest --rootdir=/x",
            "eslint -c x .",
            "ruff check --config x",
            "tsc -p x",
            "git -C ../x log",
            "man -C x ls",
            "tar -tf a -C ..",
        ],
        &["make -C sub", "cargo test --manifest-path a/Cargo.toml", "git -C sub log"],
    ),
];

#[test]
fn stars_cover_only_what_is_listed() {
    for (kind, refused, covered) in KINDS {
        for text in *refused {
            assert!(!refused_words(&argv(text)).is_empty(), "{kind}: `{text}` is covered");
        }
        for text in *covered {
            assert_eq!(refused_words(&argv(text)), Vec::<usize>::new(), "{kind}: `{text}`");
        }
    }
}

#[test]
fn programs_without_a_row_are_not_limited() {
    assert!(refused_words(&argv("mytool --output x -C ..")).is_empty());
    assert!(!has_refused_options("mytool") && !has_refused_options("cat") && has_refused_options("/usr/bin/tar"));
    assert!(only_looks("ls") && !only_looks("sort"));
}
