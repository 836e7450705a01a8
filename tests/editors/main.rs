//! Editors with the real `zubi lsp`: Neovim, the client of pytest-lsp, and one that uses the editor channel.
#![expect(clippy::expect_used, reason = "a failed expectation is a failed test, also in a helper")]

mod channel;
mod neovim;
mod pytest_lsp;

use std::process::Command;

use zubi_tests::zubi::environment;
use zubi_tests::{Project, tools};

/// Runs a client program in the project, with the program under test in `ZUBI`, and returns its output.
#[expect(clippy::disallowed_methods, reason = "the clients under test are programs")]
fn run(project: &Project, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(project.root()).env_clear().envs(environment(project, &[]));
    command.env("ZUBI", tools::zubi()).envs(variables.iter().copied());
    let output = command.output().expect("the client starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} failed:\n{out}\n{err}");
    out.into_owned()
}
