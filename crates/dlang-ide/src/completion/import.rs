//! The strings of imports. The caller provides their possible targets, from the disk and from manifests.

use dlang_model::{Db, File, parse};
use dlang_syntax::ast::{StringToken, quote, unescape};
use dlang_syntax::{Parse, SyntaxKind, TextRange, TextSize};

use super::{Completion, CompletionKind, Completions, MAX_PROPOSALS};
use dlang_model::edit::TextEdit;

/// The possible targets of a file's imports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportCandidates {
    /// Files and folders as specifiers relative to the importing file: `./orders.dlang`, `../common/`. A folder ends in
    /// `/`. Only those that begin with [`import_prefix`] up to its last `/` are needed.
    pub paths: Vec<String>,
    /// The path aliases of the manifest.
    pub aliases: Vec<ImportAlias>,
    /// The dependencies of the manifest.
    pub dependencies: Vec<ImportDependency>,
}

/// A path alias of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportAlias {
    /// The alias, with the `@`.
    pub name: String,
    /// The target of the alias.
    pub target: String,
}

/// A dependency of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportDependency {
    /// The name that specifiers begin with.
    pub name: String,
    /// The version or branch, if the manifest specifies one.
    pub version: Option<String>,
}

/// Returns the text of an import string up to an offset in it; `None` if the offset is not in one.
pub fn import_prefix(db: &dyn Db, file: File, offset: TextSize) -> Option<String> {
    string_at(parse(db, file), offset).map(|string| string.prefix(offset))
}

/// The string of an import.
pub(super) struct ImportString(StringToken);

/// Returns the import string that contains an offset.
pub(super) fn string_at(parse: &Parse, offset: TextSize) -> Option<ImportString> {
    let root = parse.syntax();
    if offset > root.text_range().end() {
        return None;
    }
    let token = root.token_at_offset(offset).left_biased()?;
    let is_import = token.parent().is_some_and(|node| node.kind() == SyntaxKind::IMPORT_STATEMENT);
    let string = StringToken::cast(token).filter(|_| is_import)?;
    string.raw_range().contains_inclusive(offset).then_some(ImportString(string))
}

impl ImportString {
    fn prefix(&self, offset: TextSize) -> String {
        let length = usize::from(offset.checked_sub(self.0.raw_range().start()).unwrap_or_default());
        unescape(self.0.raw().get(..length).unwrap_or_default()).into_owned()
    }

    /// Returns the range to replace. An unterminated string may include further lines, which are not replaced.
    fn range(&self, offset: TextSize) -> TextRange {
        let range = self.0.raw_range();
        let is_one_line = self.0.is_terminated() && !self.0.raw().contains(['\n', '\r']);
        if is_one_line { range } else { TextRange::new(range.start(), offset.max(range.start())) }
    }

    /// Formats a specifier as the content of this string.
    fn to_source(&self, specifier: &str) -> String {
        let text = quote(specifier);
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default();
        if self.0.quote() == '\'' { text.replace('\'', "\\'") } else { text.to_owned() }
    }
}

/// Returns the proposals for the string of an import: every candidate that begins with the text before the offset.
pub(super) fn specifiers(string: &ImportString, offset: TextSize, candidates: &ImportCandidates) -> Completions {
    let prefix = string.prefix(offset);
    let range = string.range(offset);
    let starts = ["./", "../"].map(|start| (start, CompletionKind::ImportFolder, None));
    let paths = candidates.paths.iter().map(|path| {
        let is_folder = path.ends_with('/');
        let kind = if is_folder { CompletionKind::ImportFolder } else { CompletionKind::ImportFile };
        (path.as_str(), kind, None)
    });
    let aliases = candidates
        .aliases
        .iter()
        .map(|alias| (alias.name.as_str(), CompletionKind::ImportAlias, Some(format!("→ {}", alias.target))));
    let dependencies = candidates.dependencies.iter().map(|dependency| {
        let version = dependency.version.as_ref().map(|version| format!("📦 {version}"));
        (dependency.name.as_str(), CompletionKind::ImportDependency, version)
    });
    let all = starts.into_iter().chain(paths).chain(aliases).chain(dependencies);
    let fitting = all.filter(|(specifier, ..)| specifier.starts_with(&prefix) && *specifier != prefix);
    let mut completions = Completions::default();
    for (number, (specifier, kind, detail)) in fitting.enumerate() {
        if number == MAX_PROPOSALS {
            completions.is_incomplete = true;
            break;
        }
        let insert = string.to_source(specifier);
        completions.items.push(Completion {
            label: specifier.to_owned(),
            kind,
            detail,
            documentation: None,
            definition: None,
            filter: insert.clone(),
            edit: TextEdit { range, insert },
            is_snippet: false,
            sort: format!("0_{number:04}"),
        });
    }
    completions
}
