//! The cost of a process: time, processor time and memory, as the kernel counts them.
//!
//! The kernel adds up the usage of all children of a process. Therefore an intermediate process, this program in
//! another role, starts each program as its only child.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use camino::Utf8Path;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use serde_json::{Value, json};

/// The cost of one process from its start to its end.
#[derive(Debug)]
pub(crate) struct Cost {
    /// The program's stdout.
    pub(crate) output: String,
    wall: f64,
    cpu: f64,
    memory: f64,
}

/// Runs a program through an intermediate process and returns its cost. Fails if the program fails.
pub(crate) fn measure(own: &Utf8Path, program: &Utf8Path, arguments: &[&str]) -> Result<Cost> {
    let answer = Command::new(own).args(["__cost", program.as_str()]).args(arguments).stdin(Stdio::null()).output()?;
    let stderr = String::from_utf8(answer.stderr)?;
    ensure!(answer.status.success(), "`{program} {}` failed: {stderr}", arguments.join(" "));
    let cost: Value = serde_json::from_str(stderr.trim()).with_context(|| format!("`{stderr}` is not a valid cost"))?;
    let figure = |name: &str| cost[name].as_f64().with_context(|| format!("`{stderr}` has no `{name}`"));
    Ok(Cost {
        output: String::from_utf8(answer.stdout)?,
        wall: figure("wall")?,
        cpu: figure("cpu")?,
        memory: figure("memory")?,
    })
}

/// Runs a program as the intermediate process: the program inherits stdout, and the cost goes to stderr as JSON.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<()> {
    let start = Instant::now();
    let status = Command::new(program).args(arguments).stderr(Stdio::null()).status()?;
    let wall = start.elapsed().as_secs_f64() * 1e3;
    ensure!(status.success(), "{status}");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu = (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e3;
    // Linux reports `max_rss` in KiB.
    let memory = usage.max_rss() as f64 * 1024.0 / 1e6;
    #[expect(clippy::print_stderr, reason = "stdout is the child's")]
    {
        eprintln!("{}", json!({ "wall": wall, "cpu": cpu, "memory": memory }));
    }
    Ok(())
}

/// The costs of several runs.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    wall: Vec<f64>,
    cpu: Vec<f64>,
    memory: Vec<f64>,
}

impl Samples {
    pub(crate) fn push(&mut self, cost: &Cost) {
        self.wall.push(cost.wall);
        self.cpu.push(cost.cpu);
        self.memory.push(cost.memory);
    }

    /// The median wall-clock time, in milliseconds.
    pub(crate) fn wall(&self) -> f64 {
        median(&self.wall)
    }

    /// The median CPU time of all threads, user and kernel, in milliseconds.
    pub(crate) fn cpu(&self) -> f64 {
        median(&self.cpu)
    }

    /// The median peak resident memory, in megabytes.
    pub(crate) fn memory(&self) -> f64 {
        median(&self.memory)
    }
}

/// The median; of an even number of figures the lower middle one; 0 without figures.
pub(crate) fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_the_lower_middle_value() {
        for (figures, middle) in [(&[][..], 0.0), (&[3.0], 3.0), (&[9.0, 1.0], 1.0), (&[9.0, 1.0, 2.0], 2.0)] {
            assert!((median(figures) - middle).abs() < 1e-9, "{figures:?}");
        }
    }
}
