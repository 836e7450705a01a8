//! The command line from outside: stdout, stderr and exit codes. The tools here need no server; the end-to-end tests
//! cover answers with one.

#[cfg(test)]
mod agent;
#[cfg(test)]
mod check;
#[cfg(test)]
mod declared;
#[cfg(test)]
mod declared_calls;
#[cfg(test)]
mod declared_mcp;
#[cfg(test)]
mod declared_shell;
#[cfg(test)]
mod edit_tools;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod help;
#[cfg(test)]
#[path = "../support/help.rs"]
mod help_pages;
#[cfg(test)]
mod hostile_files;
#[cfg(test)]
mod index;
#[cfg(test)]
mod ipc;
#[cfg(test)]
mod javascript;
#[cfg(test)]
mod levels;
#[cfg(test)]
mod older_files;
#[cfg(test)]
mod overview;
#[cfg(test)]
mod parser;
#[cfg(test)]
#[path = "../../../zubi-index/src/scip/team/tests/postgres.rs"]
mod postgres;
#[cfg(test)]
mod scip;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod shell;
#[cfg(test)]
mod stdio;
#[cfg(test)]
mod structure;
#[cfg(test)]
mod surfaces;
#[cfg(test)]
mod team;
#[cfg(test)]
mod tool_run;
#[cfg(test)]
mod tool_tests;
#[cfg(test)]
mod trust;
#[cfg(test)]
mod verify;
