//! The channel over a connection in memory: the test is the editor.

mod client;
mod editor;
mod folders;
mod host;
mod sight;
mod tools;
