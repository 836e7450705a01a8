//! Usual commands that only look need no approval; their neighbours that write, run, or read more do.

mod git;
mod review;

use super::looking::check;
use super::*;

/// Commands that run without approval, and others of the same programs that do not.
struct Neighbors {
    quiet: &'static [&'static str],
    dangerous: &'static [&'static str],
}

/// Checks a table in a workspace with these files.
fn check_table(files: &[&str], table: &[Neighbors]) {
    for neighbors in table {
        assert!(!neighbors.quiet.is_empty() && !neighbors.dangerous.is_empty());
        check(files, &[], neighbors.quiet, "allow");
        check(files, &[], neighbors.dangerous, "ask");
    }
}

const FILES: &[&str] = &["a", "b", "src/a.rs", "src/app/b.rs", "docs/a.md", ".git/config", ".gitignore"];

#[test]
fn searches_need_no_approval_if_no_credentials_are_below() {
    check_table(
        FILES,
        &[
            Neighbors {
                quiet: &[
                    "grep -rn TODO src",
                    "grep -rn x --include='*.py' src 2>&1 | head",
                    "grep -rniE 'a|b' src docs",
                    "grep -rnI x --exclude-dir=node_modules src",
                    "grep -rn x --include='*.rs' .",
                    "grep -oP '\\d+' a",
                ],
                dangerous: &[
                    // The whole folder, with its hidden files.
                    "grep -rn x .",
                    "grep -r x",
                    "grep -rnI x --exclude-dir=node_modules .",
                    "rg --hidden x",
                    "rg -uu x .",
                    "grep -R x .",
                    "grep -r x ..",
                    "grep -r x link",
                    "grep -rf .env x",
                    "grep -r --exclude-from=.env x",
                    "grep -r --dereference-recursive x",
                    "grep -r --regexp=x /etc",
                    "grep -r -e x /etc",
                ],
            },
            Neighbors {
                quiet: &[
                    "rg -uu x src",
                    "rg --hidden x src",
                    "rg -t rust -o x",
                    "rg -nr y x",
                    "rg -U -C 3 x",
                    "rg --type-list",
                ],
                dangerous: &[
                    "rg --pre x a",
                    "rg --pre-glob x a",
                    "rg -z x",
                    "rg -f .env a",
                    "rg -L x",
                    "rg --follow x",
                    "rg --hostname-bin=x y",
                    "rg --regexp x ..",
                    "rg -e x /etc",
                ],
            },
            Neighbors {
                quiet: &[
                    "find . -type f -not -path './target/*'",
                    "find . -path ./node_modules -prune -o -name '*.js' -print",
                    "find . -iname '*.md' -mtime -7",
                    "find . -type f -printf '%s %p\\n' | sort -n",
                    "find . -name '.env*'",
                    "find . -name '*.rs' -exec wc -l {} +",
                    "find . -type f -exec grep -l main {} \\;",
                    "find src docs -exec md5sum {} +",
                    "find src -regex '.*' -size +1M -newermt '-1 day'",
                    "fd -e py",
                    "fd x src",
                    "tree -L 2 -I node_modules",
                    "tree -a",
                ],
                dangerous: &[
                    "find . -fprint x",
                    "find . -exec wc -l {} +",
                    "find . -name '*pass*' -exec grep x {} +",
                    "find src -exec grep -r x {} +",
                    "find src -exec cat {} +",
                    "find src -exec wc --files0-from {} \\;",
                    "find src -exec wc -l /etc/passwd {} +",
                    "find src -exec grep x {} + -delete",
                    "find src -exec grep -f {} a \\;",
                    "find link -type f -exec wc -l {} +",
                    "find -L src -type f -exec wc -l {} +",
                    "find \\( -name 'l*' \\) -exec wc -l {} +",
                    "find src -exec wc -l {}",
                    "find src -exec wc -l a +",
                    "find src -ok wc -l {} \\;",
                    "find . -fprintf x y",
                    "find . -fls x",
                    "find . -exec sh {} \\;",
                    "find . -exec rm {} +",
                    "find . -execdir cat {} +",
                    "find . -ok cat {} \\;",
                    "find . -delete",
                    "find . -mtime -delete",
                    "find . -files0-from x",
                    "find -L . -name x",
                    "find .. -name x",
                    "find . -follow",
                    "fd -x rm",
                    "fd . -X cat",
                    "fd x /etc",
                    "fd -l x",
                    "fd -L x",
                    "fd --search-path / x",
                    "tree -o x",
                    "tree -Io x y",
                    "tree -Lo 2 y",
                    "tree -l",
                    "tree /etc",
                    "tree --fromfile x",
                ],
            },
            Neighbors {
                quiet: &[
                    "ls a*",
                    "ls docs/*",
                    "ls src/*/",
                    "cat docs/*",
                    "cat src/*.rs",
                    "wc -l *.md",
                    "du -sh src/* | sort -h",
                    "head -3 *.md",
                    "file src/*",
                ],
                dangerous: &[
                    // Links in the folder lead out of the workspace.
                    "ls *",
                    "ls */",
                    "wc -l *",
                    "cat links/*",
                    "cat l*",
                    "wc -l link/*",
                    "cat /etc/*",
                    "cat ../*",
                    "sort *",
                    "cat ~/*",
                    "cat docs/../../*",
                    "x *",
                    "cat .g*/*",
                ],
            },
        ],
    );
    // The same commands, with credentials below.
    for secret in ["credentials", "src/server.key", "node_modules/y/secrets.yml"] {
        let files = [FILES, &[secret]].concat();
        check(
            &files,
            &[],
            &["grep -rn x .", "grep -r x", "rg -uu x", "rg --hidden x", "find . -type f -exec grep x {} +"],
            "ask",
        );
        check(
            &files,
            &[],
            &[
                "find . -name '*.rs' -exec grep x {} +",
                "grep -rn x docs",
                "rg -uu x docs",
                "grep -r --include='*.rs' x .",
            ],
            "allow",
        );
    }
    let files = [FILES, &["docs/credentials", "id_rsa", "x/-n", "x/a", "conf/.env", "conf/a"]].concat();
    check(&files, &[], &["cat *", "cat docs/*", "wc -l *", "cat i*", "cat x/*", "cd x && cat *", "cat conf/.*"], "ask");
    check(&files, &[], &["cat *.md", "cat src/*", "cat docs/*.md", "cat conf/*", "grep x conf/*"], "allow");
    let rule = [json!({"action": "allow", "command": ["eslint|cat", "*"]})];
    check(&files, &rule, &["eslint src/*/*.rs", "cat src/*"], "allow");
    check(
        &files,
        &rule,
        &["eslint docs/*", "eslint **/*.rs", "cat *", "cd x && cat *", "cp -r ../p src; cat src/*"],
        "ask",
    );
}

#[test]
fn programs_and_filters_of_known_words_need_no_approval() {
    check_table(
        FILES,
        &[
            Neighbors {
                quiet: &[
                    "awk '{print $1}' a",
                    "awk -F: '{print $2}' a",
                    "awk -F '|' '{print $2}' a",
                    "awk 'NR>=1 && NR<=5' a",
                    "awk 'NR==1' a",
                    "awk '$3 > 100 {print $1, $NF}' a",
                    "awk '{s+=$1} END {print s/NR}' a",
                    "awk '/x|y/ {print FILENAME \": \" $0}' a b",
                    "awk '!seen[$0]++' a",
                    "awk '{ if ($1 > 5) print length($0) }' a",
                    "awk -v n=3 'NR==n' a",
                    "awk '$1 ~ /\"/ {print}' a",
                    "awk 'BEGIN { while (i < 3) { i++; printf \"%d\\n\", i } }'",
                    "git log --oneline | awk '{print $1}'",
                ],
                dangerous: &[
                    "awk 'BEGIN{system(\"x\")}'",
                    "awk '{print > \"f\"}' a",
                    "awk '{print(1) > \"f\"}' a",
                    "awk '{print >> \"f\"}' a",
                    "awk '{print | \"sh\"}' a",
                    "awk '{\"x\" | getline}' a",
                    "awk '{getline x < \".env\"}' a",
                    "awk -f prog a",
                    "awk '@load \"x\"; 1' a",
                    "awk '@include \"x\"' a",
                    "awk 'BEGIN{ARGV[1]=\"/etc/passwd\"} 1' a",
                    "awk 'BEGIN{print ENVIRON[\"X\"]}'",
                    "awk 'BEGIN{print PROCINFO[1]}'",
                    "awk '{f=\"system\"; @f(\"x\")}' a",
                    "awk '/[/]\"/ {system(\"x\")} /\"/' a",
                    "awk '/\"/ {system(\"x\")} /\"/' a",
                    "awk '{x=1/2; y=\"/\"; print > y}' a",
                    "awk '{x++ / y | z / 2}' a",
                    "awk '# \"\n{system(\"x\")}\n# \"' a",
                    "awk '{print $1}' ../a",
                    "awk '{print $1}' .env",
                    "awk 1 FS=x a",
                    "awk -i inplace 1 a",
                    "awk -l x 1 a",
                    "awk '{close(1)}' a",
                    "awk 'function f(){} {f()}' a",
                    "awk --exec x a",
                    "awk",
                ],
            },
            Neighbors {
                quiet: &[
                    "jq . a",
                    "jq -r '.scripts | keys[]' a",
                    "cat a | jq .scripts",
                    "jq '.a[] | select(.b == \"c\") | {name, x: .y}' a",
                    "jq -r '\"\\(.name): \\(.version | length)\"' a",
                    "jq '[.[] | .x?] | add' a b",
                    "jq -r '.a as $x | $x.y // empty | @base64' a",
                    "jq 'to_entries | map({key, n: (.value | length)}) | sort_by(.n)' a",
                ],
                dangerous: &[
                    "jq -f x a",
                    "jq -L . . a",
                    "jq -n env",
                    "jq -n '$ENV'",
                    "jq -n '$ENV.PATH'",
                    "jq input_filename a",
                    "jq 'import \"x\" as $x; .' a",
                    "jq 'include \"x\"; .' a",
                    "jq -r '\"\\(env)\"' a",
                    "jq '{a: 1, b: env}' a",
                    "jq '. | x' a",
                    "jq --rawfile x .env . a",
                    "jq --slurpfile x b . a",
                    "jq --arg x . env a",
                    "jq --args . a",
                    "jq . ../a",
                    "jq . .env",
                    "jq get_search_list",
                    "jq debug a",
                    "jq 'def f: .; f' a",
                    "jq -rf x a",
                    "yq -i . a",
                ],
            },
            Neighbors {
                quiet: &[
                    "sed 's/a/b/' a",
                    "sed -n '/x/,/}/p' a",
                    "sed -n '10,$p' a",
                    "sed -n -e 1p -e 5p a",
                    "sed -E 's/(x+)/[\\1]/g; 3d' a",
                    "sed '/^#/d' a | head",
                ],
                dangerous: &[
                    "sed -n '1e id' a",
                    "sed 's/a/b/w f' a",
                    "sed 's/a/b/e' a",
                    "sed 'w file' a",
                    "sed -i 's/a/b/' a",
                    "sed -ni 1p a",
                    "sed --in-place s/a/b/ a",
                    "sed -f x a",
                    "sed 'r /etc/passwd' a",
                    "sed -e 1p -e 'w f' a",
                    "sed -n --expression='1w f' a",
                    "sed s/a/b/ ../a",
                    "sed -e s/a/b/ ../a",
                    "sed s/a/b/ .env",
                ],
            },
            Neighbors {
                quiet: &["xxd a | head", "xxd -l 20 -s 4 a", "xxd -p a"],
                dangerous: &["xxd a b", "xxd -r a b", "xxd -r a", "xxd /etc/passwd"],
            },
        ],
    );
}

#[test]
fn variables_with_known_values_need_no_approval() {
    check_table(
        FILES,
        &[
            Neighbors {
                quiet: &[
                    "echo $PATH",
                    "echo \"$HOME: ${PWD}\"",
                    "ls; echo $?",
                    "ls src; echo \"exit: $?\"",
                    "printf '%s\\n' \"$PATH\"",
                    "printenv PATH",
                    "X=1; echo $X",
                    "f=a; cat \"$f\"",
                    "f=src/a.rs && wc -l $f && head -3 $f",
                    "d=src\nls $d/app",
                    "X=1 y=b; cat $y; echo $X",
                ],
                dangerous: &[
                    "echo $SECRET_TOKEN",
                    "echo \"$PATH $SECRET\"",
                    "echo ${PATH:-$SECRET}",
                    "echo ${!PATH}",
                    "cat $PATH",
                    "cat $?",
                    "echo $PATH*",
                    "printenv",
                    "printenv SECRET_TOKEN",
                    "printenv PATH SECRET_TOKEN",
                    "env",
                    "f=.env; cat $f",
                    "f=../a; cat $f",
                    "f=/etc/passwd; cat \"$f\"",
                    "f='a .env'; cat $f",
                    "f=*; cat $f",
                    "f=~/x; cat $f",
                    "f=a; f=.env; cat $f",
                    "f+=a; cat $f",
                    "f=a & cat $f",
                    "f=a | cat $f",
                    "false && f=a; cat $f",
                    "false || f=a; cat $f",
                    "(f=a); cat $f",
                    "if false; then f=a; fi; cat $f",
                    "! f=a; cat $f",
                    "cat $f; f=a",
                    "f=a; read f; cat $f",
                    "f=a; printf -v f .env; cat $f",
                    "f=rm; $f a",
                    "f=a cat $f",
                    "f=$(x); cat $f",
                    "PATH=.; ls",
                    "IFS=x; ls",
                    "X=1 ls",
                ],
            },
            Neighbors {
                quiet: &[
                    "node -v",
                    "node --version",
                    "npm -v",
                    "go version",
                    "rustc -V",
                    "java -version",
                    "ruby -v",
                    "docker --version",
                    "tee --version",
                    "git version",
                    "uptime",
                    "free -h",
                    "lscpu",
                ],
                dangerous: &[
                    "node -v x",
                    "python -v",
                    "python3 -v",
                    "go version ./a",
                    "go version -m a",
                    "go env",
                    "pytest --version",
                    "mvn -version",
                    "npx tsc --version",
                    "yarn -v",
                    "./node -v",
                    "cargo +/x --version",
                    "tee --version a",
                    "free -s 1",
                    "uptime x",
                ],
            },
            Neighbors {
                quiet: &["echo \"$(cat <<'E'\na (b) \"c\" $d\nE\n)\""],
                dangerous: &[
                    "echo \"$(cat <<E\n$(x)\nE\n)\"",
                    "echo \"$(cat <<'E'; x\na\nE\n)\"",
                    "echo \"$(cat <<'E' .env\na\nE\n)\"",
                    "cat() { sh; }; echo \"$(cat <<'E'\nx\nE\n)\"",
                ],
            },
        ],
    );
}

/// Rules with a star cover usual options and names of tests, and what models write in messages.
#[test]
fn narrow_rules_cover_usual_arguments() {
    let rules = [
        json!({"action": "allow", "command": ["pytest|make|jest|tsc", "*"]}),
        json!({"action": "allow", "command": ["cargo", "test|clippy", "*"]}),
        json!({"action": "allow", "command": ["npm", "run|test", "*"]}),
        json!({"action": "allow", "command": ["git", "commit|add", "*"]}),
        json!({"action": "allow", "command": ["go", "test|build", "*"]}),
        json!({"action": "allow", "command": ["cat", "*"]}),
    ];
    check(
        FILES,
        &rules,
        &[
            "cargo +nightly test",
            "cargo +1.80.0 clippy --all-targets",
            "npm run build 2>&1 | tail -5",
            "pytest tests/x.py::test_a",
            "pytest --cov",
            "make V=1",
            "tsc -p .",
            "GOOS=linux go build ./...",
            "git commit -m \"$(cat <<'EOF'\nfix: it's \"y\" (#1)\n\n- `git push`\nEOF\n)\"".replace('`', "").as_str(),
            "git add a && git commit -qm \"$(cat <<'EOF'\nx\nEOF\n)\"",
        ],
        "allow",
    );
    check(
        FILES,
        &rules,
        &[
            "cargo +./x test",
            "cargo +/tmp/x test",
            "cargo +nightly run",
            "cargo +nightly test --config x",
            "cargo +a +b test",
            "./cargo +nightly test",
            "make CC=x",
            "GOFLAGS=-toolexec=x go build",
            "git commit -m \"$(cat <<'EOF'\n`x`\nEOF\n)\"",
            "git commit -m \"$(cat <<EOF\n$(x)\nEOF\n)\"",
            "git commit -m \"$(cat <<'EOF' | sh\nx\nEOF\n)\"",
            "git commit -m \"$(cat .env <<'EOF'\nx\nEOF\n)\"",
            "git commit -m \"$(x <<'EOF'\nx\nEOF\n)\"",
            "function cat { sh; }; git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"",
        ],
        "ask",
    );
    let deny = [
        json!({"action": "deny", "command": ["cargo", "publish"]}),
        json!({"action": "allow", "command": ["cargo", "*"]}),
    ];
    check(FILES, &deny, &["cargo +nightly publish", "cargo publish"], "deny");
}
