//! The files of the page in `page/`. The server of this crate serves them to browsers, and the VS Code extension
//! packages the same files.

/// A file of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// The name in `page/` and in the address.
    pub name: &'static str,
    /// The media type for HTTP.
    pub media: &'static str,
    pub text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! page {
    ($($name:literal $media:ident),* $(,)?) => {
        &[$(Asset { name: $name, media: $media, text: include_str!(concat!("../page/", $name)) }),*]
    };
}

/// All files, `index.html` first.
pub const ASSETS: &[Asset] = page![
    "index.html" HTML,
    "page.css" CSS,
    "app.js" SCRIPT,
    "approvals.js" SCRIPT,
    "composer.js" SCRIPT,
    "diff.js" SCRIPT,
    "dom.js" SCRIPT,
    "form.js" SCRIPT,
    "inspector.js" SCRIPT,
    "list.js" SCRIPT,
    "log.js" SCRIPT,
    "markdown.js" SCRIPT,
    "schema.js" SCRIPT,
    "state.js" SCRIPT,
    "transport.js" SCRIPT,
];

/// Returns the file of this name.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}
