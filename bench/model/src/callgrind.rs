//! Instruction counts from callgrind.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use camino::Utf8Path;

/// Counts the instructions of a program from its start to its end, in all its threads. callgrind slows the program down
/// about fifty times.
pub(crate) fn instructions(valgrind: &str, program: &Utf8Path, arguments: &[&str]) -> Result<f64> {
    let mut command = Command::new(valgrind);
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", program.as_str()]).args(arguments);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{valgrind}`"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{stderr}");
    parse_collected(&stderr).with_context(|| format!("callgrind printed no instruction count: {stderr}"))
}

/// The line with callgrind's result: `==1== Collected : 123456`.
fn parse_collected(stderr: &str) -> Option<f64> {
    stderr.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::parse_collected;

    #[test]
    fn the_instruction_count_is_parsed() {
        let stderr = "==7== Callgrind, a call-graph generating cache profiler\n==7== \n==7== Events    : Ir\n==7== Collected : 123456\n";
        assert_eq!(parse_collected(stderr), Some(123_456.0));
        assert_eq!(parse_collected("==7== Events : Ir\n"), None);
    }
}
