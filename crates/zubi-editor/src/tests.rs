//! The channel over an in-memory connection: the test acts as the editor.

mod agent;
mod approvals;
mod client;
mod contributed;
mod desk;
mod editor;
mod edits;
mod folders;
mod host;
mod made_good;
mod models;
mod sight;
mod status;
mod tools;
