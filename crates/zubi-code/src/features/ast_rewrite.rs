//! Structural replacement: a plan that replaces the matches of a pattern.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use zubi_base::position::{Encoding, TextRange, size};
use zubi_base::text::{list_first, pluralize};
use zubi_base::uri;
use zubi_syntax::{PatternMatch, RewriteTemplate, remove_nested};

use crate::edit::Plan;
use crate::error::CodeError;
use crate::features::ast_search::{FileMatches, PatternQuery};
use crate::markup::join_words;
use crate::query::CodeQuery;
use crate::status::QualifiedAnswer;

/// The maximum number of files and matches that a note names.
const MAX_NAMED: usize = 3;

/// The maximum number of characters of a pattern in the title of a plan.
const MAX_TITLE: usize = 60;

/// The name of the source of such plans.
const PRODUCER: &str = "syntax";

impl CodeQuery<'_> {
    /// Plans the replacement of a pattern's matches by a template. Only the outermost of matches inside each other is
    /// replaced, and a note names the others.
    pub async fn ast_rewrite(&self, query: &PatternQuery, template: &str) -> Result<QualifiedAnswer<Plan>, CodeError> {
        let found = self.ast_search(query).await?;
        let (searched, languages) = (found.value.searched, found.value.languages.join(", "));
        if found.value.files.is_empty() {
            let files = pluralize(searched, "file");
            let hint = "Check the pattern with `ast_search`: a shorter one shows which part differs.";
            return Err(CodeError::input("pattern", format!("no match in {files} ({languages})"), hint));
        }
        let mut changes = Map::new();
        let (mut nested, mut broken, mut commented) = (Vec::new(), Vec::new(), Vec::new());
        for file in found.value.files {
            let template = RewriteTemplate::parse(template, file.language, &file.variables).map_err(|error| {
                CodeError::input(
                    "rewrite",
                    error.to_string(),
                    "Use only metavariables of the pattern, as it writes them.",
                )
            })?;
            let (matches, inner) = remove_nested(file.matches.clone());
            nested.extend(inner.iter().map(|found| self.location_in_file(&file, found)));
            let with_comments = matches.iter().filter(|found| found.has_loose_comments);
            commented.extend(with_comments.map(|found| self.location_in_file(&file, found)));
            let replacements: Vec<_> =
                matches.iter().map(|found| (found, template.render(&file.document.text, found))).collect();
            if self.has_new_errors(&file, &replacements).await {
                broken.push(file.display_path.clone());
            }
            let edit = |(found, text): &(&PatternMatch, String)| {
                let range = file.document.index.range_to_lsp(range_of(found), Encoding::Utf16);
                json!({ "range": range, "newText": text })
            };
            let edits: Vec<Value> = replacements.iter().map(edit).collect();
            changes.insert(uri::from_path(&file.path).0, Value::Array(edits));
        }
        let title = format!(
            "rewrite `{}` to `{}`",
            join_words(&query.search.pattern, MAX_TITLE),
            join_words(template, MAX_TITLE)
        );
        let edit = json!({ "changes": changes });
        let mut plan = self.intel.edits.plan(&title, &edit, Encoding::Utf16, PRODUCER).await?;
        if !nested.is_empty() {
            let (inside, named) = (pluralize(nested.len(), "match"), list_first(nested, MAX_NAMED));
            plan.notes
                .push(format!("{inside} inside other matches left: {named}; apply this plan, then rewrite again"));
        }
        if !commented.is_empty() {
            let named = list_first(commented, MAX_NAMED);
            plan.notes.push(format!("comments between the parts of a match are lost: {named}"));
        }
        if !broken.is_empty() {
            let named = list_first(broken, MAX_NAMED);
            plan.notes.push(format!("the result has syntax errors: {named}; check the diff before you apply it"));
        }
        Ok(QualifiedAnswer { value: plan, status: found.status })
    }

    fn location_in_file(&self, file: &FileMatches, found: &PatternMatch) -> String {
        self.location_in(&file.document, &file.path, range_of(found)).to_at()
    }

    /// Whether replacements add the first syntax error to a text.
    async fn has_new_errors(&self, file: &FileMatches, replacements: &[(&PatternMatch, String)]) -> bool {
        let text = &file.document.text;
        let (mut replaced, mut end) = (String::with_capacity(text.len()), 0);
        for (found, replacement) in replacements {
            let before = text.get(end..found.range.start).unwrap_or_default();
            // Writing to a `String` cannot fail.
            let _ = write!(replaced, "{before}{replacement}");
            end = found.range.end;
        }
        replaced.push_str(text.get(end..).unwrap_or_default());
        let has_errors = async |text| {
            let outline = self.parse_outline(&file.path, &text).await;
            outline.is_some_and(|outline| outline.is_ok_and(|outline| outline.has_errors))
        };
        has_errors(replaced.into()).await && !has_errors(text.clone()).await
    }
}

fn range_of(found: &PatternMatch) -> TextRange {
    TextRange::new(size(found.range.start), size(found.range.end))
}
