//! The shell script reader, compared with real shells on scripts from a grammar of the shell's forms: if bash or dash runs
//! the program `canary`, the reader must list it, or the script must be undecidable.

#[cfg(test)]
mod grammar {
    use std::path::Path;
    use std::process::{Child, Command, Stdio};

    use camino::Utf8Path;
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    use zubi_policy::shell::read;

    /// Runs each text in a subshell of its own. `canary` is a function, because a program would take much longer, and also
    /// a program for `command canary`.
    const DRIVER: &str = r#"
        canary() { : > "$RAN/$CASE"; }
        PATH=$PROGRAMS
        CASE=0
        export CASE
        while [ "$CASE" -lt "$COUNT" ]; do
            ( . "$TEXTS/$CASE"; wait ) < /dev/null > /dev/null 2>&1
            CASE=$((CASE + 1))
        done
    "#;

    #[expect(clippy::disallowed_methods, reason = "real shells, with nothing of zubi between them and the script")]
    fn start(shell: &str, folder: &Path, count: usize) -> Child {
        let scratch = folder.join(format!("{shell}-scratch"));
        let ran = folder.join(format!("{shell}-ran"));
        std::fs::create_dir(&scratch).unwrap();
        std::fs::create_dir(&ran).unwrap();
        Command::new("timeout")
            .args(["-k", "1", "900", shell, "-c", DRIVER])
            .current_dir(scratch)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("PROGRAMS", folder.join("bin"))
            .env("TEXTS", folder.join("texts"))
            .env("RAN", ran)
            .env("COUNT", count.to_string())
            .env("FUNCNEST", "50")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("`timeout`, `bash` and `dash` exist")
    }

    /// How a batch of scripts was judged.
    #[derive(Debug, Default)]
    struct Judgements {
        executed: usize,
        /// Scripts that run the program and of which the reader lists all commands.
        listed: usize,
        overlooked: Vec<String>,
    }

    #[expect(clippy::disallowed_methods, reason = "a fixture need not survive a crash")]
    fn write(path: &std::path::Path, text: &str) {
        std::fs::write(path, text).unwrap();
    }

    /// Runs the texts in both shells and compares them with the reader.
    fn judge(texts: &[String]) -> Judgements {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for name in ["texts", "bin"] {
            std::fs::create_dir(folder.join(name)).unwrap();
        }
        let program = folder.join("bin/canary");
        write(&program, "#!/bin/sh\n: > \"$RAN/$CASE\"\n");
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        for (number, text) in texts.iter().enumerate() {
            write(&folder.join(format!("texts/{number}")), text);
        }
        let children: Vec<Child> = ["bash", "dash"].map(|shell| start(shell, folder, texts.len())).into();
        for mut child in children {
            assert!(child.wait().unwrap().code().is_some_and(|code| code != 124 && code != 137), "a shell did not end");
        }
        let mut judgements = Judgements::default();
        for (number, text) in texts.iter().enumerate() {
            let ran_in = |shell: &&str| folder.join(format!("{shell}-ran/{number}")).exists();
            let Some(shell) = ["bash", "dash"].into_iter().find(|shell| ran_in(shell)) else { continue };
            judgements.executed += 1;
            let reading = read(text, Utf8Path::new("/w"));
            if !reading.unresolved.is_empty() {
                continue;
            }
            if reading.commands.iter().any(|argv| argv.first().is_some_and(|program| program == "canary")) {
                judgements.listed += 1;
            } else {
                judgements.overlooked.push(format!("{shell} runs it: {text:?}\n  {:?}", reading.commands));
            }
        }
        judgements
    }

    /// Delimiters of here-documents, and lines that some reader could take for the end of one.
    const DELIMITERS: &[&str] = &[
        "E", "'E'", "\"E\"", "\\E", "E'O'F", "E\\OF", "$'E'", "$\"E\"", "x$'E'", "$'\\x45'", "''", "E$X", "E`x`",
        "$(E)", "${E}", "'\\E'", "\"\\E\"", "\"E'F\"", "'E\"F'", "'$E'", "\rE", "\u{c}E", "\u{b}E", "E\r", "'E '",
        "-E", "é", "E#", "#E", "E\\\nF", "*", "~", "{E,F}", "!E", "\u{a0}E", " E", "\tE", "\\\nE", "E_1", "E.x", "E;",
        "E)", "1",
    ];
    const ENDS: &[&str] = &[
        "E", "EF", "EOF", "xE", "", "E$X", "E`x`", "$(E)", "${E}", "\\E", "E'F", "E\"F", "$E", "\rE", "\u{c}E",
        "\u{b}E", "E\r", "E ", "-E", "é", "E#", "#E", "*", "~", "{E,F}", "!E", "\u{a0}E", "x$E", "$x45", "\tE",
        "\t\tE", "E\\", "E\\\nF", "E\\\n", "E_1", "E.x", "1",
    ];
    const BODIES: &[&str] = &[
        "",
        "b\n",
        "'\n",
        "\"\n",
        "`\n",
        "$\n",
        "$(\n",
        "${x\n",
        "\\\n",
        "a\\\n",
        "#\n",
        "$\\\n(canary)\n",
        "))\n",
        "\tb\n",
    ];
    const OPERATORS: &[&str] = &["<<", "<<-", "<< ", "<<\t", "2<<", "<\\\n<", "<<\\\n", "<<\\\n-", "<<<"];
    /// Forms around a here-document: `@` is the operator with its delimiter, `%` is what follows its line.
    const FRAMES: &[&str] = &[
        ": @\n%",
        "(: @\n%)\n",
        "{ : @\n%}\n",
        ": @ | :\n%",
        ": @; :\n%",
        ": @ # <<B\n%",
        ": '<<E' @\n%",
        "if :; then : @\n%fi\n",
        "((:);:\n: @\n%)\n",
        "((:) ); : @\n%",
        "((1)); : @\n%",
        ": \"@\n%",
        ": @ <<B\n%B\n",
        ": <<'B' @\nB\n%",
        "f() { : @\n%}\nf\n",
        "x=(@\n%)\n",
        ": a[1@\n%]",
        ": ${x:1@\n%}\n",
        ": $((1@\n%))\n",
        ": $(: @\n%)\n",
        ": `: @\n%`\n",
        "case x in x) : @\n%;; esac\n",
        "[[ a @ b ]]\n%",
        "((1@))\n%",
        ": \\\n @\n%",
        ": a#@\n%",
        ": @ '\n%'\n",
        "! : @\n%",
        ": @ \\\n:\n%",
        "eval ': @\n%'\n",
    ];
    /// Fragments of scripts that are joined at random.
    const FRAGMENTS: &[&str] = &[
        "canary",
        "canary\n",
        " ",
        " ",
        "\n",
        ";",
        "&&",
        "||",
        "|",
        "|&",
        "( ",
        ")",
        "{ ",
        "; }",
        "((",
        "))",
        "'",
        "'",
        "\"",
        "\"",
        "`",
        "\\",
        "\\\n",
        "$",
        "$x",
        "$(",
        "${",
        "${x}",
        "${x:-",
        "}",
        "$'",
        "$\"",
        "$((",
        "[",
        "[[ ",
        " ]]",
        "#",
        " #",
        "<",
        ">",
        "<<",
        "<<E",
        "<<'E'",
        "<<-E",
        "\nE\n",
        "E",
        "<<<",
        ">(",
        "<(",
        "&>",
        ">&",
        "2>",
        "\r",
        "\u{c}",
        "\u{b}",
        "\u{a0}",
        "\t",
        "!",
        "~",
        "=",
        "x=",
        "a",
        ": ",
        "echo ",
        "if ",
        "then ",
        "fi",
        "case x in ",
        "x) ",
        ";;",
        " esac",
        "for x in ",
        "do ",
        "done",
        "while ",
        "é",
        "*",
        "{a,b}",
        "a=(",
        "command ",
        "time ",
        "function f ",
        "$#",
        "$$",
        "${#x}",
        "@(",
        "?(",
        "=~ ",
    ];

    fn here_document() -> impl Strategy<Value = String> {
        let part = (select(OPERATORS), select(DELIMITERS), select(BODIES), select(ENDS), select(FRAMES));
        (part, proptest::option::of(select(ENDS))).prop_map(|((operator, delimiter, body, end, frame), other)| {
            let other = other.map_or(String::new(), |end| format!("{end}\n"));
            frame.replace('@', &format!("{operator}{delimiter}")).replace('%', &format!("{body}{end}\ncanary\n{other}"))
        })
    }

    fn fragments() -> impl Strategy<Value = String> {
        (proptest::collection::vec(select(FRAGMENTS), 1..12), any::<bool>())
            .prop_map(|(parts, last)| if last { format!("{}\ncanary\n", parts.concat()) } else { parts.concat() })
    }

    /// A here-document with a fragment at a random position.
    fn insert_fragment() -> impl Strategy<Value = String> {
        (here_document(), select(FRAGMENTS), any::<prop::sample::Index>()).prop_map(|(text, fragment, index)| {
            let positions: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let (before, after) = text.split_at(*index.get(&positions));
            format!("{before}{fragment}{after}")
        })
    }

    /// Loops whose variable something else may set, with the uses of the variable.
    fn loop_form() -> impl Strategy<Value = String> {
        let names = ["f", "_", "x1", "FOO"];
        let values = ["true", "true canary", "=canary", "canary", "declare", "a", "-v", "v", "-", "clare"];
        let setters = [
            "declare",
            "declare -r --",
            "typeset",
            "export",
            "readonly",
            "local",
            "command declare",
            "builtin export",
            "test -n x && declare -g",
            "printf -v",
            "read",
            "true",
            "de$g",
            "$g",
            "$h",
            "printf $g$h",
            "exec",
            ": ${@:=",
            "((",
            "printf %s",
            "",
            "wait -p",
            "getopts a",
            "mapfile -t",
            "echo",
        ];
        let assigned = [
            "\\@=canary",
            "@\\=canary",
            "@=canary",
            "\"@\"=canary",
            "$'@'=canary",
            "@$g",
            "@$h",
            "{@,b}=canary",
            "@ canary",
            "@",
            "canary}",
            "@=canary))",
            "'@=canary'",
            "@$g$h",
            "-v@ canary",
        ];
        let uses = ["$@", "${@}", "\"$@\"", "$@ x", "command $@"];
        let part = (select(names.to_vec()), select(values.to_vec()), select(values.to_vec()), select(values.to_vec()));
        (part, select(setters.to_vec()), select(assigned.to_vec()), select(uses.to_vec())).prop_map(
            |((name, own, g, h), setter, assigned, used)| {
                format!("for g in {g}; do for h in {h}; do for @ in {own}; do {setter} {assigned}; {used}; done; done; done\n")
                    .replace('@', name)
            },
        )
    }

    fn form() -> impl Strategy<Value = String> {
        // A function could call itself without end.
        let is_finite = |text: &String| {
            let compact: String = text.chars().filter(|c| !" \t\n\\'\"".contains(*c)).collect();
            !compact.contains("()") || compact.matches("()").count() == compact.matches("f(){").count()
        };
        prop_oneof![4 => here_document(), 3 => fragments(), 3 => insert_fragment(), 2 => loop_form()]
            .prop_filter("a function", is_finite)
    }

    /// Judges `count` random scripts.
    fn check(count: usize) {
        let mut runner = TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() });
        let forms = form();
        let texts: Vec<String> = (0..count).map(|_| forms.new_tree(&mut runner).unwrap().current()).collect();
        let Judgements { executed, listed, overlooked } = judge(&texts);
        println!("{count} scripts, {executed} run it, {listed} of these are listed");
        assert!(overlooked.is_empty(), "{}", overlooked.join("\n"));
        // Otherwise the comparison would mean nothing.
        assert!(executed * 50 > count && listed * 20 > executed, "{executed} of {count} run it, {listed} are listed");
    }

    /// One text of each class in which shells and readers are known to differ.
    #[test]
    fn known_differences_are_undecidable_or_listed() {
        let texts = [
            ": <<$'E'\nb\nE\ncanary\n$E\n",
            ": <<x$'E'\nb\nxE\ncanary\nx$E\n",
            ": <<'\\E'\nb\n\\E\ncanary\nE\n",
            ": <<\"E'F\"\nb\nE'F\ncanary\nEF\n",
            ": <<\rE\nb\n\rE\ncanary\nE\n",
            ": <<\u{c}E\nb\n\u{c}E\ncanary\nE\n",
            ": <<EF\nb\nE\\\nF\ncanary\nEF\n",
            ": <<E\nE\\\n\ncanary\nE\n",
            "((:);:\n: <<E\n: '\nE\ncanary #'\n)\n",
            "((:) ); : <<E\n: '\nE\ncanary #'\n",
            ": <<\\\n-E\n\tE\ncanary\n-E\n",
            ": <<E\n$\\\n(canary)\nE\n",
            ": <<E\na\nE\ncanary\n",
            ": <<'E' | :\n$(a)\nE\ncanary\n",
            ": <<-\\E\n\ta\n\tE\ncanary\n",
            "canary",
            ": &>a canary\n",
            "for f in true; do declare \\f=canary; $f; done\n",
            "for f in true; do readonly f\\=canary; $f; done\n",
            "for f in true; do for g in =canary; do declare f$g; $f; done; done\n",
            "for _ in true; do : canary; $_; done\n",
        ]
        .map(str::to_owned);
        let judgements = judge(&texts);
        assert!(judgements.overlooked.is_empty(), "{}", judgements.overlooked.join("\n"));
        assert!(judgements.executed >= texts.len() - 1 && judgements.listed >= 4, "{judgements:?}");
    }

    #[test]
    fn shells_run_nothing_that_is_overlooked() {
        check(2500);
    }

    /// Only `cargo xtask test --full` runs this test.
    #[test]
    fn a_million_scripts_hide_nothing() {
        for _ in 0..100 {
            check(10_000);
        }
    }
}
