//! Rules for the sources that no compiler checks: module documentation, file lengths, machine paths, and which files
//! may name which crate.

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use crate::paths;

/// The number of lines above which a Rust file is listed; above the second number the check fails.
const LONG: usize = 500;
const TOO_LONG: usize = 600;

/// Words that must not occur in any file. `concat!` joins them, so that this file does not contain them itself.
const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/ho", "me/"), "a path of one machine"),
    (concat!("/wo", "rk/"), "a path of one machine"),
    (concat!("../sha", "red"), "a path of one machine"),
    (concat!("registry.npm", "js.org"), "a registry's host: its client knows it"),
    (concat!("py", "pi.org"), "a registry's host: its client knows it"),
    (concat!("pythonhosted", ".org"), "a registry's host: its client knows it"),
    (concat!("index.crates", ".io"), "a registry's host: its client knows it"),
    (concat!("proxy.golang", ".org"), "a registry's host: its client knows it"),
    (concat!("deb.debian", ".org"), "a registry's host: apt knows it"),
];

/// Words that must not occur in Rust code. Clippy finds unfinished code and `#[allow]`.
const FORBIDDEN_IN_RUST: &[(&str, &str)] = &[(concat!("#[ig", "nore"), "a test that does not run")];

/// Names that only certain files may use. Paths are prefixes.
const OWNED: &[OwnedName] = &[
    OwnedName {
        name: "gen_lsp_types",
        owners: &["crates/zubi-base/"],
        why: "LSP's types are re-exported by zubi-base; no other crate names the library",
    },
    OwnedName {
        name: "rmcp",
        owners: &["crates/zubi-mcp/", "tests/"],
        why: "MCP's library changes often; one crate follows it (and the tests are its client)",
    },
    OwnedName {
        name: "salsa",
        owners: &["crates/dlang-model/", "crates/dlang-ide/"],
        why: "what is incremental is the model and what is built directly on it; others call plain functions",
    },
    OwnedName {
        name: PROCESS,
        owners: &["crates/zubi-base/src/process", "xtask/", "tests/", "bench/"],
        why: "children start in zubi_base::process, which fixes directory, environment, group and death with the parent",
    },
];

/// Crates without I/O: their callers read files, read the clock and start threads.
const PURE: &[&str] = &["crates/dlang-syntax/", "crates/dlang-model/", "crates/dlang-ide/", "crates/zubi-syntax/"];

/// The modules of the standard library that reach outside the program.
const OUTSIDE: &[&str] = &["env", "fs", "io", "net", "process", "thread", "time"];

/// The type that starts processes, in the standard library and in tokio.
const PROCESS: &str = "Command";

struct OwnedName {
    name: &'static str,
    owners: &'static [&'static str],
    why: &'static str,
}

/// Checks every given file (relative to the root).
pub(crate) fn check(files: &[Utf8PathBuf]) -> Result<String> {
    let mut problems = Vec::new();
    let mut rust = 0;
    for file in files.iter().filter(|file| is_text(file)) {
        // Inputs of the fuzz targets may be any bytes.
        let bytes = std::fs::read(paths::ROOT.join(file)).with_context(|| format!("cannot read {file}"))?;
        let text = String::from_utf8_lossy(&bytes);
        problems.extend(forbidden(file, &text, FORBIDDEN));
        if file.extension() == Some("rs") && !is_fixture(file) {
            rust += 1;
            problems.extend(check_rust(file, &text));
        }
    }
    if problems.is_empty() { Ok(format!("{rust} Rust files")) } else { bail!("{}", problems.join("\n")) }
}

/// Whether a file contains text to check. Cargo's lock file names the registry, and binary files have no words.
fn is_text(file: &Utf8Path) -> bool {
    file.file_name() != Some("Cargo.lock") && !matches!(file.extension(), Some("png" | "gz" | "bin" | "wasm"))
}

/// Whether a file is test data, which is exempt from these rules. The program that writes an example is not.
fn is_fixture(file: &Utf8Path) -> bool {
    file.starts_with("tests/fixtures") || (file.starts_with("examples") && !file.starts_with("examples/large"))
}

fn check_rust(file: &Utf8Path, text: &str) -> Vec<String> {
    let mut problems = forbidden(file, text, FORBIDDEN_IN_RUST);
    // The module's own documentation covers its `tests.rs`.
    if file.file_name() != Some("tests.rs") && !text.trim_start().starts_with("//!") {
        problems.push(format!("{file}: begin with `//!` and say what the module owns"));
    }
    let lines = text.lines().count();
    if is_generated(file) {
        // Generated files have no limit, because people do not read them in full.
    } else if lines > TOO_LONG {
        problems.push(format!("{file}: {lines} lines; split it; the limit is {TOO_LONG}"));
    } else if lines > LONG {
        println!("   note: {file} has {lines} lines; consider splitting it");
    }
    // A program's tests start it, as its users do.
    let is_test = file.components().any(|part| part.as_str() == "tests") || file.file_name() == Some("tests.rs");
    if !is_test && PURE.iter().any(|pure| file.as_str().starts_with(pure)) {
        for (number, line) in code_lines(text) {
            if let Some(module) = OUTSIDE.iter().find(|module| reaches(line, module)) {
                problems.push(format!("{file}:{number}: uses `std::{module}`; this crate does no I/O, its callers do"));
            }
        }
    }
    let is_foreign = |owned: &&OwnedName| owned.owners.iter().all(|owner| !file.as_str().starts_with(owner));
    for owned in OWNED.iter().filter(is_foreign).filter(|owned| !(is_test && owned.name == PROCESS)) {
        for (number, line) in code_lines(text) {
            if names(line, owned.name) {
                problems.push(format!("{file}:{number}: names `{}`; {}", owned.name, owned.why));
            }
        }
    }
    problems
}

/// Whether `cargo xtask codegen` writes the file.
fn is_generated(file: &Utf8Path) -> bool {
    file.components().any(|part| part.as_str() == "generated")
}

/// Whether a line of code names a module of the standard library.
fn reaches(line: &str, module: &str) -> bool {
    let words = |text: &str| -> bool {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == module)
    };
    line.split("std::").skip(1).any(|rest| match rest.strip_prefix('{') {
        Some(group) => words(group),
        None => rest.split(|c: char| !c.is_alphanumeric() && c != '_').next() == Some(module),
    })
}

/// The lines that are not comments, numbered from 1.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Whether a line of code uses a name as a path: followed by `::`, or in a `use`. Other crates (clap, LSP) have a
/// `Command` too; only one from a module `process` is a process.
fn names(line: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let (before, rest) = line.split_at(at);
        let after = rest.trim_start_matches(name);
        let is_whole_word = !before.ends_with(is_word) && !after.starts_with(is_word);
        let from_process = before.ends_with("process::") || before.contains("process::{");
        let is_path = after.starts_with("::") || before.trim_start().starts_with("use ");
        is_whole_word && if name == PROCESS { from_process } else { is_path }
    })
}

fn forbidden(file: &Utf8Path, text: &str, words: &[(&str, &str)]) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for (word, why) in words.iter().filter(|(word, _)| contains(line, word)) {
            problems.push(format!("{file}:{}: contains `{word}`: {why}", number + 1));
        }
    }
    problems
}

/// Whether a line contains a word. A word that begins with a slash counts only at the beginning of a path.
fn contains(line: &str, word: &str) -> bool {
    let inside_a_path = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || "])}_.-~$/".contains(c));
    line.match_indices(word).any(|(at, _)| !word.starts_with('/') || !line.get(..at).is_some_and(inside_a_path))
}

#[cfg(test)]
mod tests {
    use super::{check_rust, contains, names};
    use camino::Utf8Path;

    fn check(file: &str, text: &str) -> String {
        check_rust(Utf8Path::new(file), text).join("\n")
    }

    #[test]
    fn a_module_without_documentation_is_reported() {
        insta::assert_snapshot!(check("crates/zubi-code/src/a.rs", "fn a() {}\n"), @"crates/zubi-code/src/a.rs: begin with `//!` and say what the module owns");
    }

    #[test]
    fn owned_names_are_found_in_code_and_not_in_comments() {
        let text = format!(
            "//! About {0}::Uri.\nuse {0}::Uri;\nfn f() {{ std::process::Command::new(\"a\"); }}\n",
            concat!("gen_lsp", "_types")
        );
        insta::assert_snapshot!(check("crates/zubi-code/src/a.rs", &text), @r"
        crates/zubi-code/src/a.rs:2: names `gen_lsp_types`; LSP's types are re-exported by zubi-base; no other crate names the library
        crates/zubi-code/src/a.rs:3: names `Command`; children start in zubi_base::process, which fixes directory, environment, group and death with the parent
        ");
        assert_eq!(check("crates/zubi-base/src/process.rs", "//! Doc.\nuse tokio::process::Command;\n"), "");
        let salsa = concat!("//! Doc.\n#[sal", "sa::tracked]\nfn f() {}\n");
        assert!(check("crates/dlang-workspace/src/a.rs", salsa).contains(":2: names `salsa`"));
        assert_eq!(check("crates/dlang-model/src/a.rs", salsa), "");
    }

    #[test]
    fn another_type_called_command_is_not_a_process() {
        for line in
            ["use zubi_base::lsp::Command;", "    command: Command::from_value(value),", "use clap::{Arg, Command};"]
        {
            assert!(!names(line, "Command"), "{line}");
        }
        for line in
            ["use std::process::Command;", "use tokio::process::{Child, Command};", "std::process::Command::new(a)"]
        {
            assert!(names(line, "Command"), "{line}");
        }
    }

    #[test]
    fn only_absolute_paths_are_found() {
        assert!(contains("see `/place/x`", "/place/") && contains("/place/x", "/place/"));
        assert!(!contains("[PROJECT]/place/x and a/place/y", "/place/"));
        assert!(contains("https://host.example/x", "host.example"));
    }

    #[test]
    fn io_in_a_pure_crate_is_reported() {
        for line in ["use std::fs;", "use std::{fmt, io};", "let a = std::env::args();", "std::thread::spawn(f)"] {
            assert!(!check("crates/dlang-syntax/src/a.rs", &format!("//! Doc.\n{line}\n")).is_empty(), "{line}");
            assert_eq!(check("crates/zubi-code/src/a.rs", &format!("//! Doc.\n{line}\n")), "");
        }
        let fine = "//! About std::fs.\nuse std::fmt;\nuse std::{borrow::Cow, sync::Arc};\n";
        assert_eq!(check("crates/dlang-syntax/src/a.rs", fine), "");
        assert_eq!(check("crates/dlang-syntax/tests/a.rs", "//! Doc.\nuse std::fs;\n"), "");
    }

    #[test]
    fn long_files_and_disabled_tests_are_reported() {
        let long = format!("//! Doc.\n{}", "// line\n".repeat(600));
        assert!(check("xtask/src/a.rs", &long).contains("601 lines"));
        assert_eq!(check("crates/a/src/generated/a.rs", &long), "");
        assert!(check("xtask/src/a.rs", &format!("//! Doc.\n{}]\n", concat!("#[ig", "nore"))).contains("does not run"));
    }
}
