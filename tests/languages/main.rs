//! Every query, on a small project in each language, with the real server; a snapshot has the whole answer.
//!
//! The projects are in `tests/fixtures`. They have the same content in each language, so that the answers can be
//! compared. A changed snapshot shows changed behaviour: of zubi, or of a server whose pinned version was raised.

mod annotations;
mod clangd;
mod configurations;
mod confinement;
mod data;
mod disk;
mod environments;
mod external;
mod gopls;
mod lua;
mod namesakes;
mod php_and_fortran;
mod projects;
mod proto_and_just;
mod pyright;
mod python_others;
mod relations;
mod rust_analyzer;
mod texts;
mod ty_and_ruff;
mod typescript;
mod typescript_language_server;
mod unread;
mod web;
