//! `cargo xtask test`: set-up, checks, build and every test, with the seconds each part took. This is what CI runs.

use anyhow::{Result, bail};

use crate::run::{self, Parts};
use crate::{check, extension, setup};

/// Runs everything; `arguments` go to nextest.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut parts = Parts::default();
    parts.part("setup", || setup::run(&[]).map(|()| String::new()));
    parts.part("deny", check::deny);
    parts.part("typescript", extension::lint);
    check::all(&mut parts);
    parts.part("vitest", extension::units);
    let mut summary = Summary::default();
    parts.part("build", || {
        // The end-to-end tests start the program that stands beside them, so it is built first and with the same flags.
        let mut build = run::cargo();
        build.args(["build", "--quiet", "--workspace", "--all-targets", "--locked"]);
        run::loud(&mut build).map(|()| String::new())
    });
    parts.part("tests", || {
        let nextest = setup::program("cargo-nextest", "cargo-nextest");
        let mut tests = run::command(nextest.as_str());
        tests.args(["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]).args(arguments);
        let outcome = run::watched(&mut tests, |line| summary.see(line));
        outcome.map(|()| format!("{} passed", summary.passed))
    });
    let outcome = parts.finish();
    println!("{} passed, {} failed", summary.passed, summary.failed);
    if outcome.is_ok() && summary.passed == 0 {
        bail!("no test ran");
    }
    outcome
}

/// The numbers of nextest's last line: `Summary [  1.2s] 7 tests run: 5 passed (1 slow), 1 failed, 1 timed out, 0 skipped`.
#[derive(Default)]
struct Summary {
    passed: u32,
    failed: u32,
}

impl Summary {
    fn see(&mut self, line: &str) {
        let Some((_, counts)) = line.split_once("tests run: ").or_else(|| line.split_once("test run: ")) else {
            return;
        };
        let count = |word: &str| -> u32 {
            counts
                .split(", ")
                .find_map(|part| part.trim_start().split_once(' ').filter(|(_, rest)| rest.starts_with(word)))
                .and_then(|(number, _)| number.parse().ok())
                .unwrap_or(0)
        };
        self.passed = count("passed");
        self.failed = count("failed") + count("timed out") + count("exec failed");
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn the_summary_line_is_read() {
        let mut summary = Summary::default();
        summary.see("     Summary [   1.234s] 7 tests run: 5 passed (1 slow), 1 failed, 1 timed out, 2 skipped");
        assert_eq!((summary.passed, summary.failed), (5, 2));
        summary.see("     Summary [   0.1s] 1 test run: 1 passed, 0 skipped");
        assert_eq!((summary.passed, summary.failed), (1, 0));
    }
}
