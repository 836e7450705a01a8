//! Why a language server may not have read a piece of code: conditions of its build, and excluded files.
//!
//! Servers analyse one configuration of a project. Code for another one (a build tag, another system, a cargo feature)
//! mentions names that they do not report. The reasons come from the text and from the project's configuration files;
//! they are used only for mentions that a server did not name.

pub(crate) use rust::unlinked_reason;

mod config;
mod go;
mod preprocessor;
mod rust;

use std::ops::Range;

use camino::Utf8Path;

/// The beginning of the reason for code in the body of a macro, which servers do not resolve.
pub(crate) const MACRO_BODY: &str = "in the body of";

/// The value of a condition, as far as it can be known without the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    True,
    False,
    Unknown,
}

impl Truth {
    fn negate(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }

    fn combine_all(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, Self::True) => Self::True,
            _ => Self::Unknown,
        }
    }

    fn combine_any(self, other: Self) -> Self {
        self.negate().combine_all(other.negate()).negate()
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

/// A part of a file that a server may not have read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExcludedPart {
    range: Range<usize>,
    /// A clause: ``build constraint `integration` ``.
    reason: String,
    /// Whether no server of the present build reads the file, so that it cannot answer about it.
    hides_file: bool,
}

impl ExcludedPart {
    fn whole_file(text: &str, reason: String, hides_file: bool) -> Self {
        Self { range: 0..text.len(), reason, hides_file }
    }
}

/// The parts of a file that servers may not have read.
#[derive(Debug, Default)]
pub(crate) struct ExcludedParts {
    /// The first part that contains an offset gives the reason.
    parts: Vec<ExcludedPart>,
}

impl ExcludedParts {
    /// Reads the text and the project's configuration. `folder` is the workspace folder of the file.
    pub(crate) fn find(path: &Utf8Path, folder: &Utf8Path, text: &str) -> Self {
        let whole_file = |reason: Option<String>, hides_file: bool| {
            reason.map(|reason| ExcludedPart::whole_file(text, reason, hides_file)).into_iter().collect()
        };
        let parts = match path.extension().unwrap_or_default() {
            "go" => match go::reason(path, text) {
                Some(reason) => whole_file(Some(reason), true),
                None => whole_file(go::directory_reason(path, folder), false),
            },
            "rs" => rust::excluded_parts(path, folder, text),
            "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "m" | "mm" | "cu" | "inl" | "cs" => {
                preprocessor::excluded_parts(text)
            }
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => {
                whole_file(config::typescript(path, folder), false)
            }
            "py" | "pyi" => whole_file(config::python(path, folder), false),
            _ => Vec::new(),
        };
        Self { parts }
    }

    /// Returns the reason why a server may not have read the code at a byte offset.
    pub(crate) fn reason_at(&self, offset: usize) -> Option<&str> {
        self.parts.iter().find(|part| part.range.contains(&offset)).map(|part| part.reason.as_str())
    }

    /// Returns the reason why no server of the present build reads the file.
    pub(crate) fn file_reason(&self) -> Option<&str> {
        self.parts.iter().find(|part| part.hides_file).map(|part| part.reason.as_str())
    }
}

/// Whether a server's settings may exclude a file, so that the server does not check it.
pub(crate) fn may_leave_unchecked(server: &str, path: &Utf8Path) -> bool {
    config::STRICT_CHECKERS.contains(&server) && matches!(path.extension(), Some("py" | "pyi"))
}

/// Returns a clause with the settings of a server that exclude a file; see [`may_leave_unchecked`].
pub(crate) fn unchecked_reason(server: &str, path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    config::excluding_settings(path, folder, |setting| setting.checker == server)
}

/// Whether a build may leave out files of this language, so that servers cannot answer about them.
pub(crate) fn may_hide_files(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("go" | "rs"))
}
