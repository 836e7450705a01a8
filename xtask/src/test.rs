//! `cargo xtask test`: set-up, checks, build and tests, with the seconds that each part took. CI runs it.
//!
//! The quick run omits slow checks that seldom fail: the tests in `FULL_ONLY` and the documentation of private items.
//! `--full` runs everything. CONTRIBUTING.md has the table of what runs where.

use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::run::{self, Parts};
use crate::{check, extension, generate, paths, setup};

/// Test binaries of `zubi-tests` that only `--full` runs: each starts many servers, or agents that only a full set-up
/// installs, and runs alone on the machine. The nextest profile `default` excludes the same ones
/// (`.config/nextest.toml`; a test compares the two).
#[cfg(test)]
const FULL_ONLY: &[&str] = &["agent_clients", "honesty", "latency", "lifecycle", "soak"];

/// The differential test of the shell reader with a million scripts. The quick run has a test with a few thousand.
#[cfg(test)]
const FULL_ONLY_TEST: &str = "a_million_scripts_hide_nothing";

/// The variable that makes cargo compile the workspace's crates with clippy's compiler. `cargo clippy` would analyse each
/// crate a second time.
const LINTER: (&str, &str) = ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");

/// The length of the list of the slowest tests.
const SLOWEST: usize = 50;

/// The arguments of the command.
pub(crate) struct Options {
    /// Run everything instead of the quick selection.
    pub(crate) full: bool,
    /// Arguments for nextest.
    pub(crate) nextest: Vec<String>,
}

/// Runs everything and writes the times to `test-times.txt` in the target directory.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut parts = Parts::default();
    check_disk()?;
    parts.part("setup", || {
        let installed = if options.full { setup::run_full() } else { setup::run(&[]) };
        installed.map(|()| String::new())
    });
    parts.part("deny", check::deny);
    parts.part("build code", check::build_time_code);
    parts.part("typescript", extension::lint);
    check::sources(&mut parts);
    // The build precedes everything that starts a program, so that each crate is compiled once with one feature set.
    parts.part("build", build);
    parts.part("clippy", check::clippy);
    if options.full {
        parts.part("rustdoc", check::rustdoc);
        parts.part("grammars", grammars);
    }
    parts.part("generated", generate::check);
    parts.part("vitest", extension::units);
    let mut summary = Summary::default();
    parts.part("tests", || {
        let mut tests = nextest();
        tests.args(["--workspace", "--no-fail-fast"]);
        tests.args(["--profile", if options.full { "full" } else { "default" }]).args(&options.nextest);
        let outcome = run::run_with_lines(&mut tests, |line| summary.read(line));
        outcome.map(|()| format!("{} passed", summary.passed))
    });
    let slowest = summary.slowest();
    print!("\nslowest {SLOWEST} tests (seconds)\n{slowest}");
    let file = paths::target().join("test-times.txt");
    std::fs::write(&file, format!("seconds per part\n{}\nslowest tests (seconds)\n{slowest}", parts.table()))
        .with_context(|| format!("cannot write {file}"))?;
    let outcome = parts.finish();
    println!("{} passed, {} failed", summary.passed, summary.failed);
    if outcome.is_ok() && summary.passed == 0 {
        bail!("no test ran");
    }
    outcome
}

/// Fails early if the disk is too full: a full disk makes tests fail with errors about something else.
fn check_disk() -> Result<()> {
    let target = paths::target();
    std::fs::create_dir_all(&target).with_context(|| format!("cannot create {target}"))?;
    // The tools and the programs of a first run take 16 GB; a later run adds the changed crates.
    let needed: u64 = if target.join("debug/zubi").exists() { 4 } else { 18 };
    let table = run::quiet(run::command("df").args(["--block-size=1G", "--output=avail", target.as_str()]))?;
    let free: u64 = table.lines().last().unwrap_or_default().trim().parse().context("`df` printed no number")?;
    if free < needed {
        bail!("{target} has {free} GB of free disk and the tests need {needed} GB; `cargo clean` removes old builds");
    }
    Ok(())
}

/// Compiles and lints every target of the workspace. The end-to-end tests start the programs from the target directory.
pub(crate) fn build() -> Result<String> {
    run::loud(&mut build_command()).map(|()| String::new())
}

/// The command that compiles and lints every target. It repeats the warnings of targets that are up to date.
pub(crate) fn build_command() -> Command {
    let mut build = run::cargo();
    build.args(["build", "--quiet", "--workspace", "--all-targets", "--locked"]).env(LINTER.0, LINTER.1);
    build
}

/// Tests the languages of the feature `heavy`, which the other tests do not compile.
fn grammars() -> Result<String> {
    run::loud(nextest().args(["--package", "zubi-syntax", "--features", "heavy"])).map(|()| String::new())
}

/// The command that compiles, lints and runs tests.
fn nextest() -> Command {
    let mut tests = run::command(setup::program("cargo-nextest", "cargo-nextest").as_str());
    tests.args(["nextest", "run", "--locked"]).env(LINTER.0, LINTER.1);
    tests
}

/// Figures from nextest's output: the counts in its summary line, and the seconds of each test.
///
/// The lines are `PASS [   1.234s] (12/99) crate::binary test::name` and
/// `Summary [  1.2s] 7 tests run: 5 passed (1 slow), 1 failed, 1 timed out, 0 skipped`.
#[derive(Default)]
struct Summary {
    passed: u32,
    failed: u32,
    times: Vec<(f64, String)>,
}

impl Summary {
    fn read(&mut self, line: &str) {
        if let Some((_, counts)) = line.split_once("tests run: ").or_else(|| line.split_once("test run: ")) {
            let count = |word: &str| -> u32 {
                counts
                    .split(", ")
                    .find_map(|part| part.trim_start().split_once(' ').filter(|(_, rest)| rest.starts_with(word)))
                    .and_then(|(number, _)| number.parse().ok())
                    .unwrap_or(0)
            };
            self.passed = count("passed");
            self.failed = count("failed") + count("timed out") + count("exec failed");
        } else if let Some(time) = test_time(line) {
            self.times.push(time);
        }
    }

    /// One line per test, the slowest first.
    fn slowest(&self) -> String {
        let mut times = self.times.clone();
        times.sort_by(|a, b| b.0.total_cmp(&a.0));
        // nextest repeats failed tests at the end of its output.
        times.dedup();
        let mut table = String::new();
        for (seconds, name) in times.iter().take(SLOWEST) {
            let _infallible = writeln!(table, "  {seconds:>7.1} {name}");
        }
        table
    }
}

/// The seconds and the name in a line about a finished test.
fn test_time(line: &str) -> Option<(f64, String)> {
    let (status, rest) = line.trim_start().split_once(" [")?;
    if !matches!(status.trim_end(), "PASS" | "FAIL" | "LEAK" | "TIMEOUT" | "LEAK-FAIL") {
        return None;
    }
    let (seconds, name) = rest.split_once("s] ")?;
    let name = name.trim_start();
    // A run of a single test has no progress `(12/99)`.
    let name = if name.starts_with('(') { name.split_once(") ")?.1 } else { name };
    Some((seconds.trim().parse().ok()?, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{FULL_ONLY, FULL_ONLY_TEST, Summary, test_time};
    use crate::paths;

    #[test]
    fn the_summary_line_is_parsed() {
        let mut summary = Summary::default();
        summary.read("     Summary [   1.234s] 7 tests run: 5 passed (1 slow), 1 failed, 1 timed out, 2 skipped");
        assert_eq!((summary.passed, summary.failed), (5, 2));
        summary.read("     Summary [   0.1s] 1 test run: 1 passed, 0 skipped");
        assert_eq!((summary.passed, summary.failed), (1, 0));
    }

    #[test]
    fn the_slowest_tests_come_first_and_once() {
        let mut summary = Summary::default();
        for line in [
            "        PASS [   0.250s] (1/3) zubi-base text::tests::quick",
            "        SLOW [> 10.000s] (───) zubi-tests::languages gopls::answers",
            "        FAIL [  12.500s] (2/3) zubi-tests::languages gopls::answers",
            "        FAIL [  12.500s] (2/3) zubi-tests::languages gopls::answers",
        ] {
            summary.read(line);
        }
        assert_eq!(
            summary.slowest(),
            "     12.5 zubi-tests::languages gopls::answers\n      0.2 zubi-base text::tests::quick\n"
        );
        assert_eq!(test_time("  Summary [   0.1s] 1 test run: 1 passed, 0 skipped"), None);
    }

    #[test]
    fn the_quick_profile_excludes_tests_of_the_full_run() {
        let config = std::fs::read_to_string(paths::ROOT.join(".config/nextest.toml")).expect("the configuration");
        let filter =
            format!("not (package(zubi-tests) & binary(/^({})$/)) and not test({FULL_ONLY_TEST})", FULL_ONLY.join("|"));
        assert!(config.contains(&format!("default-filter = \"{filter}\"")), "no `{filter}` in\n{config}");
    }
}
