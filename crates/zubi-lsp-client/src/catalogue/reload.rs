//! How a server comes to know files that changed on disk if a notification is not enough, as a row of the catalogue
//! describes it.

use camino::Utf8Path;
use serde::Deserialize;
use serde_json::Value;

/// A request that makes a server read its project again. zubi sends it after the notification about changed files, and
/// sends no other request before the response: otherwise the server would read the files some time later, or never.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReloadRequest {
    pub method: String,
    /// The params of the request.
    #[serde(default)]
    pub params: Value,
    /// The names of the files, in any directory of the project.
    pub files: Vec<String>,
    /// The names of directories with installed packages. It is also sent when such a package comes, changes or goes.
    #[serde(default)]
    pub packages: Vec<String>,
}

impl ReloadRequest {
    /// Whether the request concerns a file of the project.
    pub(crate) fn concerns_file(&self, path: &Utf8Path) -> bool {
        path.file_name().is_some_and(|name| self.files.iter().any(|own| own == name))
    }

    /// Whether the request concerns a file of an installed package.
    pub(crate) fn concerns_package(&self, path: &Utf8Path) -> bool {
        path.components().any(|part| self.packages.iter().any(|name| name == part.as_str()))
    }
}
