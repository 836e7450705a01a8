//! Mentions of a renamed symbol in comments, strings and documents: servers leave them, and a plan says so or edits them.

use camino::Utf8Path;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use zubi_base::position::{Encoding, TextRange, size};
use zubi_base::text::pluralize;
use zubi_base::uri;

use super::projects::CompletedRename;
use crate::features::locations::RawLocation;
use crate::features::mentions::Mentions;
use crate::features::symbol_filter::FileCondition;
use crate::locate::ResolvedTarget;
use crate::markup::clean_line;
use crate::query::CodeQuery;
use crate::status::AnswerStatus;
use crate::text_search;

/// Extensions of documents for people.
const DOCUMENTS: [&str; 8] = ["md", "mdx", "rst", "adoc", "asciidoc", "txt", "org", "textile"];

/// The maximum number of documents that zubi searches.
const MAX_DOCUMENTS: usize = 200;

/// The treatment of the mentions of a symbol in comments, strings and documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextMentions {
    /// No edits; the plan has a note with their number and this hint.
    Leave { hint: &'static str },
    /// Edits in the plan.
    Rename,
}

impl CodeQuery<'_> {
    /// Adds the edits of the mentions in texts to a rename, or a note about them.
    pub(super) async fn rename_texts(
        &self,
        at: &ResolvedTarget,
        new_name: &str,
        texts: TextMentions,
        mentions: Option<&Mentions>,
        rename: &mut CompletedRename,
    ) {
        let Some(name) = at.name.as_deref() else { return };
        let mut found: Vec<RawLocation> = Vec::new();
        if let Some(mentions) = mentions {
            found.extend(mentions.in_text.iter().chain(&mentions.quoted).cloned());
        }
        self.convert_all_to_utf16(&mut found.iter_mut()).await;
        let mut changes: FxHashMap<String, Vec<Value>> = FxHashMap::default();
        for one in found.iter().filter(|one| !one.external && !is_notebook(one)) {
            let edit = json!({ "range": one.location.range, "newText": new_name });
            changes.entry(one.location.uri.0.clone()).or_default().push(edit);
        }
        let is_document =
            |path: &Utf8Path| path.extension().is_some_and(|it| DOCUMENTS.contains(&it.to_lowercase().as_str()));
        let mut status = AnswerStatus::default();
        let documents =
            self.files_with_word(name, None, &FileCondition::new(is_document), MAX_DOCUMENTS, &mut status).await;
        for path in documents {
            let uri = uri::from_path(&path).0;
            let Ok(document) = self.document(&path).await else { continue };
            if changes.contains_key(&uri) {
                continue;
            }
            for start in text_search::occurrences(&document.text, name) {
                let range = TextRange::at(size(start), size(name.len()));
                let range = document.index.range_to_lsp(range, Encoding::Utf16);
                changes.entry(uri.clone()).or_default().push(json!({ "range": range, "newText": new_name }));
            }
        }
        let count: usize = changes.values().map(Vec::len).sum();
        if count == 0 {
            return;
        }
        let mentions = pluralize(count, "mention");
        let places = format!("in comments, strings and documents ({})", pluralize(changes.len(), "file"));
        let name = clean_line(name);
        match texts {
            TextMentions::Leave { hint } => {
                rename.notes.push(format!("{mentions} of `{name}` {places} will stay: {hint}"));
            }
            TextMentions::Rename => {
                rename.notes.push(format!("{mentions} of `{name}` {places} are part of it, found by their text"));
                rename.texts = Some(json!({ "changes": changes }));
            }
        }
    }
}

/// Whether a location is in the JSON of a notebook, which the text of an edit may break.
fn is_notebook(location: &RawLocation) -> bool {
    Utf8Path::new(&location.location.uri.0).extension() == Some("ipynb")
}
