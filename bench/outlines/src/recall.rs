//! The comparison of an outline with the declarations of a reference.

use std::collections::BTreeSet;
use std::fmt;

use camino::Utf8PathBuf;

use crate::corpus::{Corpus, SourceCopy};

/// A class, a function or a method that a reference reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ReportedDeclaration {
    /// The path in the corpus.
    pub(crate) file: Utf8PathBuf,
    /// The line of the name, 1-based.
    pub(crate) line: usize,
    /// The last part of the name.
    pub(crate) name: String,
}

/// The recall of a corpus against one reference.
#[derive(Debug)]
pub(crate) struct RecallRow {
    pub(crate) corpus: &'static Corpus,
    pub(crate) reference: &'static str,
    pub(crate) files: usize,
    pub(crate) declarations: usize,
    pub(crate) found: usize,
    /// The number of reported names that are not declarations in the text: see [`is_declared`].
    pub(crate) others: usize,
}

impl RecallRow {
    /// Returns the part of the reference's declarations that the outlines have; 1 without declarations.
    #[expect(clippy::cast_precision_loss, reason = "the numbers are far below 2^52")]
    pub(crate) fn recall(&self) -> f64 {
        if self.declarations == 0 { 1.0 } else { self.found as f64 / self.declarations as f64 }
    }
}

impl fmt::Display for RecallRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { corpus, reference, files, declarations, found, others } = self;
        let recall = self.recall();
        write!(
            f,
            "{:<14} {reference:<28} {files:>4} files {found:>6} of {declarations:>6} {recall:.4}, {others} others",
            corpus.name
        )
    }
}

/// Compares the outlines of a corpus with the declarations that a reference reports.
pub(crate) fn compare(
    corpus: &'static Corpus,
    reference: &'static str,
    sources: &SourceCopy,
    reported: &BTreeSet<ReportedDeclaration>,
    prints_missed: bool,
) -> RecallRow {
    let (mut declarations, mut found, mut others) = (0, 0, 0);
    for file in &sources.files {
        let text = sources.text(file);
        let outlined = outlined_names(file, &text);
        let lines: Vec<&str> = text.lines().collect();
        let reported: Vec<_> = reported.iter().filter(|declaration| declaration.file == *file).collect();
        for declaration in reported {
            if outlined.iter().any(|own| own.matches(declaration)) {
                found += 1;
                declarations += 1;
            } else if !is_declared(corpus, lines.get(declaration.line - 1).copied().unwrap_or_default(), declaration) {
                others += 1;
            } else {
                declarations += 1;
                if !prints_missed {
                    continue;
                }
                println!("  missed by {reference}: {file}:{} {}", declaration.line, declaration.name);
            }
        }
    }
    RecallRow { corpus, reference, files: sources.files.len(), declarations, found, others }
}

/// Whether a reported name is a declaration in the text of its line. References also report names that a macro makes
/// (`TEST(a, b)`), types that are declared elsewhere (`class Options;` of C++), and imports (Python).
pub(crate) fn is_declared(corpus: &Corpus, line: &str, reported: &ReportedDeclaration) -> bool {
    let code = line.trim();
    let has_keyword = |keywords: &[&str]| keywords.iter().any(|keyword| code.starts_with(keyword));
    let is_of_language = match corpus.language {
        "python" => code.contains("class ") || code.contains("def "),
        "c" | "cpp" => !(has_keyword(&["class ", "struct ", "union ", "enum ", "friend "]) && code.ends_with(';')),
        // The types of comments: `@typedef {…} Option`.
        // Nor is an object a class: `rules.paragraph = {`.
        "javascript" => {
            let is_object = code.ends_with('{') && !code.contains(['(', '>']) && !code.contains("class");
            !code.starts_with('*') && !is_object
        }
        // Nor is a variable whose value has a function in it: `local parts = vim.tbl_map(function() … end)`.
        "lua" => {
            let (before, after) = code.split_once("function").unwrap_or_default();
            let is_value =
                before.trim_end().strip_suffix('=').is_some_and(|it| it.trim_end().ends_with(&reported.name));
            is_value || after.split('(').next().unwrap_or_default().contains(&reported.name)
        }
        _ => true,
    };
    is_of_language && code.replace(' ', "").contains(&reported.name)
}

/// A declaration of an outline.
struct OutlinedName {
    name: String,
    first_line: usize,
    last_line: usize,
}

impl OutlinedName {
    /// Whether a reference reports this declaration: a reference may report the line of an annotation or of the name.
    fn matches(&self, reported: &ReportedDeclaration) -> bool {
        self.name == reported.name && (self.first_line..=self.last_line).contains(&reported.line)
    }
}

fn outlined_names(file: &Utf8PathBuf, text: &str) -> Vec<OutlinedName> {
    let name = file.file_name().unwrap_or_default();
    let Some(Ok(outline)) = zubi_syntax::outline_of_file(name, text, &|| false) else { return Vec::new() };
    let line = |offset: usize| text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1;
    let declarations = outline.declarations.iter();
    declarations
        .map(|declaration| OutlinedName {
            name: last_part(text.get(declaration.name_range.clone()).unwrap_or_default()),
            first_line: line(declaration.range.start),
            last_line: line(declaration.signature.end),
        })
        .collect()
}

/// Returns the last part of a name without its receiver, parameters and quotation marks: `Run` of `(*Server).Run`.
pub(crate) fn last_part(name: &str) -> String {
    let name = name.trim().trim_matches(['"', '\'', '`']);
    if let Some(operator) = name.rfind("operator") {
        let operator = name.split_at(operator).1;
        return operator
            .split_at(operator.rfind('(').filter(|at| *at > 8).unwrap_or(operator.len()))
            .0
            .replace(' ', "");
    }
    let name = name.strip_prefix('(').and_then(|rest| rest.split_once(").")).map_or(name, |(_, last)| last);
    let name = without_arguments(name);
    let name = name.split('(').next().unwrap_or_default().trim();
    name.rsplit(['.', ':', '#', '/', ' ']).next().unwrap_or_default().trim_end_matches(['?', '!', '=']).to_owned()
}

/// Removes the arguments of templates: `List<Key>::Node` is `List::Node`.
fn without_arguments(name: &str) -> String {
    let mut depth = 0_usize;
    let is_outside = |character: &char| {
        match character {
            '<' => depth += 1,
            '>' => {
                depth = depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        depth == 0
    };
    name.chars().filter(is_outside).collect()
}

/// Whether a text is a name in a source text. References give anonymous functions names of their own.
pub(crate) fn is_name(name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || "_$~-@".contains(character);
    name.starts_with("operator") || !name.is_empty() && name.chars().all(is_part)
}
