//! (being written)
pub mod catalogue;
pub mod connection;
pub mod detect;
mod diagnostics;
mod documents;
pub mod endpoint;
mod first_document;
mod globs;
mod initialize;
mod log;
mod offers;
mod peer;
pub mod readiness;
pub mod session;
mod stamp;
mod watch;

pub(crate) const UNKNOWN_LANGUAGE: &str = "plaintext";
pub(crate) fn language_of(path: &camino::Utf8Path) -> Option<&'static str> {
    match path.extension()? { "rs" => Some("rust"), "py" => Some("python"), "cc"|"h"|"cpp" => Some("cpp"), "ts" => Some("typescript"), "js" => Some("javascript"), "go" => Some("go"), _ => None }
}
