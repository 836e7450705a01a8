//! What an editor asks about DomainLang, answered as plain data.
//!
//! Every feature is a function of a parsed text, in a module of its own. Answers hold texts, byte ranges and small
//! enumerations; whoever speaks a protocol turns them into its terms.
//!
//! This crate reads no files and knows no protocol. Today's features need the tree alone; those that must know what a
//! name refers to will ask the model.

#![cfg_attr(
    not(test),
    expect(
        clippy::enum_glob_use,
        reason = "kinds are written bare where they are listed by the dozen; their spelling keeps them from being bindings"
    )
)]

mod edit;
pub mod format;

pub use crate::edit::{TextEdit, apply};
