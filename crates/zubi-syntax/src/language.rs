//! The languages and their files.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::embedded;
use crate::grammars::{self, Grammar};

/// A language whose declarations can be extracted.
#[derive(Debug)]
pub struct SyntaxLanguage {
    /// The identifier as in LSP (`TextDocumentItem.languageId`), or the usual one if LSP has none.
    pub id: &'static str,
    /// The file name extensions without the dot, in lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    pub(crate) grammar: &'static Grammar,
    /// Whether the declarations are in the scripts of a component.
    is_component: bool,
    /// Whether the grammar cannot parse a deeply indented text.
    pub(crate) is_indentation_limited: bool,
}

/// A part of a text in one grammar.
pub(crate) struct LanguagePart {
    pub(crate) grammar: &'static Grammar,
    /// In bytes of the whole text.
    pub(crate) range: Range<usize>,
}

impl SyntaxLanguage {
    /// Returns the language of a file by its name, without its directories. Returns `None` for an unknown language, and for
    /// one that only the cargo feature `heavy` includes. A file with the extension `h` is C here; its text decides whether
    /// [`crate::outline_of_file`] reads it as C++.
    pub fn from_file_name(name: &str) -> Option<&'static Self> {
        if let Some(found) = LANGUAGES.iter().find(|language| language.file_names.contains(&name)) {
            return Some(found);
        }
        let (stem, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        if stem.is_empty() {
            return None;
        }
        LANGUAGES.iter().find(|language| language.extensions.contains(&extension.as_str()))
    }

    /// Returns C++ for a file with the extension `h`, which [`Self::from_file_name`] takes for C.
    pub fn other_of_header(name: &str) -> Option<&'static Self> {
        let (_, extension) = name.rsplit_once('.')?;
        extension.eq_ignore_ascii_case("h").then(|| Self::from_id("cpp")).flatten()
    }

    /// Returns the language with an identifier; see [`Self::id`].
    pub fn from_id(id: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|language| language.id == id)
    }

    /// Returns the kinds of nodes in the language's trees, sorted: `function_item`. These are the named kinds of its grammar.
    pub fn node_kinds(&self) -> BTreeSet<String> {
        self.kind_ids().into_iter().map(|(_, kind)| kind).collect()
    }

    /// Returns the numbers of the visible named kinds with their names. Several numbers can have one name.
    pub(crate) fn kind_ids(&self) -> Vec<(u16, String)> {
        let language = self.grammar.language();
        let mut kinds = Vec::new();
        for id in 0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX) {
            let is_node = language.node_kind_is_named(id) && language.node_kind_is_visible(id);
            kinds.extend(language.node_kind_for_id(id).filter(|_| is_node).map(|kind| (id, kind.to_owned())));
        }
        kinds
    }

    pub(crate) fn parts(&self, text: &str) -> Vec<LanguagePart> {
        let part = |range| LanguagePart { grammar: self.grammar, range };
        if self.is_component {
            embedded::scripts(text).into_iter().map(part).collect()
        } else {
            vec![part(0..text.len())]
        }
    }
}

const fn row(id: &'static str, extensions: &'static [&'static str], grammar: &'static Grammar) -> SyntaxLanguage {
    SyntaxLanguage { id, extensions, file_names: &[], grammar, is_component: false, is_indentation_limited: false }
}

/// A component's scripts are in TypeScript: its grammar accepts JavaScript as well.
const fn component(id: &'static str, extensions: &'static [&'static str]) -> SyntaxLanguage {
    SyntaxLanguage { is_component: true, ..row(id, extensions, &grammars::TYPESCRIPT) }
}

/// All languages. The cargo feature `heavy` adds C#, Haskell, Kotlin, OCaml, Scala, SQL and Swift.
pub static LANGUAGES: &[SyntaxLanguage] = &[
    component("astro", &["astro"]),
    row("c", &["c", "h"], &grammars::C),
    row(
        "cpp",
        &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "tpp", "cu", "cuh"],
        &grammars::CPP,
    ),
    row("css", &["css"], &grammars::CSS),
    row("dart", &["dart"], &grammars::DART),
    row("elixir", &["ex", "exs"], &grammars::ELIXIR),
    row("go", &["go"], &grammars::GO),
    // Elements with an id.
    row("html", &["html", "htm", "xhtml"], &grammars::HTML),
    row("java", &["java"], &grammars::JAVA),
    row("javascript", &["js", "mjs", "cjs", "jsx"], &grammars::JAVASCRIPT),
    row("json", &["json", "jsonc", "json5", "webmanifest"], &grammars::JSON),
    row("lua", &["lua"], &grammars::LUA),
    row("markdown", &["md", "markdown", "mdx"], &grammars::MARKDOWN),
    row("php", &["php", "phtml"], &grammars::PHP),
    row("python", &["py", "pyi", "pyw"], &grammars::PYTHON),
    SyntaxLanguage {
        file_names: &["Gemfile", "Podfile", "Rakefile", "Vagrantfile"],
        ..row("ruby", &["rb", "rake", "gemspec"], &grammars::RUBY)
    },
    row("rust", &["rs"], &grammars::RUST),
    row("shellscript", &["sh", "bash", "zsh", "ksh"], &grammars::BASH),
    component("svelte", &["svelte"]),
    SyntaxLanguage {
        file_names: &["Cargo.lock", "Pipfile", "poetry.lock", "uv.lock"],
        ..row("toml", &["toml"], &grammars::TOML)
    },
    row("typescript", &["ts", "mts", "cts"], &grammars::TYPESCRIPT),
    row("typescriptreact", &["tsx"], &grammars::TSX),
    component("vue", &["vue"]),
    SyntaxLanguage { is_indentation_limited: true, ..row("yaml", &["yaml", "yml"], &grammars::YAML) },
    row("zig", &["zig", "zon"], &grammars::ZIG),
    #[cfg(feature = "heavy")]
    row("csharp", &["cs"], &grammars::CSHARP),
    #[cfg(feature = "heavy")]
    row("haskell", &["hs"], &grammars::HASKELL),
    #[cfg(feature = "heavy")]
    row("kotlin", &["kt", "kts"], &grammars::KOTLIN),
    #[cfg(feature = "heavy")]
    row("ocaml", &["ml"], &grammars::OCAML),
    #[cfg(feature = "heavy")]
    row("ocaml.interface", &["mli"], &grammars::OCAML_INTERFACE),
    #[cfg(feature = "heavy")]
    row("scala", &["scala", "sc", "sbt"], &grammars::SCALA),
    #[cfg(feature = "heavy")]
    row("sql", &["sql"], &grammars::SQL),
    #[cfg(feature = "heavy")]
    row("swift", &["swift"], &grammars::SWIFT),
];

#[cfg(test)]
mod tests;
