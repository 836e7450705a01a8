//! The channel over an in-memory connection: the test acts as the editor.

mod agent;
mod approvals;
mod client;
mod contributed;
mod corrections;
mod editor;
mod edits;
mod fake_editor;
mod folders;
mod host;
mod models;
mod status;
mod tools;
mod view;
