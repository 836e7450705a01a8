//! The project's own commands, run as `cargo xtask <command>`.
//!
//! Owns: the list of commands and their arguments. Each command has its own module. [`run`] starts programs, and
//! [`paths`] has directories. xtask contains no part of the product.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a developer's program: it prints to a terminal, starts programs and reads its environment directly"
)]

mod attacks;
mod bench;
mod check;
mod codegen;
mod demo;
mod extension;
mod fresh;
mod fuzz;
mod generate;
mod package;
mod paths;
mod picture;
mod run;
mod setup;
mod test;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask <command>

  demo                 build zubi, query the example models, install one small language server, and call zubi over MCP
  test [--full] [-- ARGS]
                       set-up, checks and tests; --full adds the long ones (CONTRIBUTING.md lists them); ARGS go to nextest
  check                format, lints, layers, sources, licences, generated files
  words                only the check of words and names (STYLE.md)
  setup [--full | --only A,B]
                       install the real programs that the tests need into target/tools; --full adds those that only
                       `test --full` uses
  generate [--check]   write the generated reference pages, or only check that they are up to date
  codegen [--check]    write the sources generated from the grammar of DomainLang, or only check that they are up to date
  attacks              run attacks against the built zubi, and write the page about their results
  picture              run zubi and write the picture of the README
  bench [-- ARGS]      measure zubi against the bare language servers (profile dist)
  bench -- model       measure DomainLang on large models
  bench --self         measure zubi on its own repository with rust-analyzer
  bench -- outlines    compare outlines by syntax with ctags and the servers, and write the page about it
  bench -- lsp         measure DomainLang's language server right after edits
  bench -- tasks       measure the tokens of whole tasks over zubi, other bridges and a shell
  bench -- index       measure the index of Home Assistant against ctags, rg and bare pyright
  package [--target T] [--program FILE] [--out DIRECTORY]
                       package the VS Code extension: for linux-x64 with the program, and for all systems without;
                       also write the bill of materials of the program (CycloneDX)
  package --verify [PACKAGE]
                       build the programs of PACKAGE (default zubi) twice, in two directories, and compare the bytes
  fuzz [SECONDS]       run every fuzz target for SECONDS (default 30)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let (command, rest) = match arguments {
        [command, rest @ ..] => (command.as_str(), rest),
        [] => bail!("no command given\n\n{USAGE}"),
    };
    match command {
        "demo" => no_arguments(command, rest).and_then(|()| demo::run()),
        "test" => {
            let full = rest.first().is_some_and(|flag| flag == "--full");
            let nextest = after_dashes(command, if full { &rest[1..] } else { rest })?.to_vec();
            test::run(&test::Options { full, nextest })
        }
        "check" => no_arguments(command, rest).and_then(|()| check::run()),
        "words" => no_arguments(command, rest).and_then(|()| check::words()),
        "setup" if rest == ["--full"] => setup::run_full(),
        "setup" => setup::run(&selected_components(rest)?),
        "generate" => match rest {
            [] => generate::write(),
            [flag] if flag == "--check" => generate::check().map(|_| ()),
            _ => bail!("`generate` takes only `--check`\n\n{USAGE}"),
        },
        "codegen" => match rest {
            [] => codegen::write(),
            [flag] if flag == "--check" => codegen::check().map(|_| ()),
            _ => bail!("`codegen` takes only `--check`\n\n{USAGE}"),
        },
        "attacks" => no_arguments(command, rest).and_then(|()| attacks::write()),
        "picture" => no_arguments(command, rest).and_then(|()| picture::write()),
        "bench" => match rest {
            [first, ..] if first == "--self" => bench::run(rest),
            rest => bench::run(after_dashes(command, rest)?),
        },
        "package" => package::run(&package::Options::read(rest)?),
        "fuzz" => fuzz::run(seconds(rest)?),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("there is no command `{other}`\n\n{USAGE}"),
    }
}

fn no_arguments(command: &str, rest: &[String]) -> Result<()> {
    if rest.is_empty() { Ok(()) } else { bail!("`{command}` takes no arguments\n\n{USAGE}") }
}

/// The arguments after `--`, which are passed to another program unchanged.
fn after_dashes<'a>(command: &str, rest: &'a [String]) -> Result<&'a [String]> {
    match rest {
        [] => Ok(&[]),
        [dashes, passed @ ..] if dashes == "--" => Ok(passed),
        _ => bail!("`{command}` takes arguments only behind `--`\n\n{USAGE}"),
    }
}

/// The components in `--only a,b`; empty means all.
fn selected_components(rest: &[String]) -> Result<Vec<String>> {
    match rest {
        [] => Ok(Vec::new()),
        [flag, names] if flag == "--only" => Ok(names.split(',').map(|name| name.trim().to_owned()).collect()),
        _ => bail!("`setup` takes only `--full` or `--only A,B`\n\n{USAGE}"),
    }
}

fn seconds(rest: &[String]) -> Result<u32> {
    match rest {
        [] => Ok(30),
        [number] => number.parse().map_err(|_| anyhow::anyhow!("`{number}` is not a number of seconds\n\n{USAGE}")),
        _ => bail!("`fuzz` takes one number of seconds\n\n{USAGE}"),
    }
}
