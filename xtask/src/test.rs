//! `cargo xtask test`: set-up, checks, build and tests, with the seconds that each part took. CI runs it.
//!
//! The quick run omits slow checks that seldom fail: the tests in `FULL_ONLY` and the documentation of private items.
//! `--full` runs everything. CONTRIBUTING.md has the table of what runs where.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};

use crate::run::{self, Parts};
use crate::{check, extension, generate, paths, setup};

/// Test binaries of `zubi-tests` that only `--full` runs: each starts many servers and runs alone on the machine. The
/// nextest profile `default` excludes the same ones (`.config/nextest.toml`; a test compares the two).
#[cfg(test)]
const FULL_ONLY: &[&str] = &["honesty", "latency", "lifecycle", "soak"];

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
    parts.part("setup", || setup::run(&[]).map(|()| String::new()));
    parts.part("deny", check::deny);
    parts.part("typescript", extension::lint);
    check::sources(&mut parts);
    // The build precedes everything that starts a program, so that each crate is compiled once with one feature set.
    parts.part("build", build);
    check::check_compiled(&mut parts);
    if options.full {
        parts.part("rustdoc", check::rustdoc);
    }
    parts.part("generated", generate::check);
    parts.part("vitest", extension::units);
    let mut summary = Summary::default();
    parts.part("tests", || {
        let nextest = setup::program("cargo-nextest", "cargo-nextest");
        let mut tests = run::command(nextest.as_str());
        tests.args(["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]);
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

/// Compiles every target of the workspace. The end-to-end tests start the programs from the target directory.
pub(crate) fn build() -> Result<String> {
    let mut build = run::cargo();
    build.args(["build", "--quiet", "--workspace", "--all-targets", "--locked"]);
    run::loud(&mut build).map(|()| String::new())
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
    use super::{FULL_ONLY, Summary, test_time};
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
        let filter = format!("not (package(zubi-tests) & binary(/^({})$/))", FULL_ONLY.join("|"));
        assert!(config.contains(&format!("default-filter = \"{filter}\"")), "no `{filter}` in\n{config}");
    }
}
