//! Why a language server may not have read a piece of code: conditions of its build, and excluded files.
//!
//! Servers analyse one configuration of a project. Code for another one (a build tag, another system, a cargo feature)
//! mentions names that they do not report. The reasons come from the text and from the project's configuration files;
//! they are used only for mentions that a server did not name.

mod config;
mod go;
mod preprocessor;
mod rust;

use camino::Utf8Path;

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

/// Returns the reason why a server may not have read a file at all.
pub(crate) fn file_reason(path: &Utf8Path, text: &str) -> Option<String> {
    match path.extension()? {
        "go" => go::reason(path, text),
        "rs" => rust::file_reason(text),
        _ => None,
    }
}

/// Returns the reason why a server may not have read the code at a byte offset of a file, as a clause: `build tag
/// integration`. `folder` is the workspace folder of the file.
pub(crate) fn reason(path: &Utf8Path, folder: &Utf8Path, text: &str, offset: usize) -> Option<String> {
    match path.extension()? {
        "go" => go::reason(path, text),
        "rs" => rust::reason(path, folder, text, offset),
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "m" | "mm" | "cu" | "inl" | "cs" => {
            preprocessor::reason(text, offset)
        }
        "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => config::typescript(path, folder),
        "py" | "pyi" => config::python(path, folder),
        _ => None,
    }
}
