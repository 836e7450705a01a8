//! The command `dlang` from outside: stdout, stderr, exit codes, and its effects on files.

#[cfg(test)]
mod check;
#[cfg(test)]
mod disk;
#[cfg(test)]
mod editor;
#[cfg(test)]
mod formatting;
#[cfg(test)]
mod help;
#[cfg(test)]
#[path = "../support/help.rs"]
mod help_pages;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod projects;
#[cfg(test)]
mod queries;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod validating;
#[cfg(test)]
mod watching;
