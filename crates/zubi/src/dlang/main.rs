//! The command `dlang`: DomainLang models on the command line.
//!
//! Data goes to stdout, everything else to stderr. With `--json` stdout is always JSON: a failure is an object with
//! `success: false`, the error, and what to do about it; the same stands on stderr in words.

mod cli;
mod excerpt;
mod table;
mod yaml;

fn main() {}
