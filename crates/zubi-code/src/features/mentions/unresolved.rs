//! Imports that a server does not resolve, such as those of an agent that works in a subfolder of the project: a mention
//! behind one is not known to be another symbol.

use camino::Utf8PathBuf;
use rustc_hash::FxHashSet;
use zubi_base::uri;

use super::Mentions;
use crate::features::locations::{RawLocation, Relation};
use crate::locate::ResolvedTarget;
use crate::query::CodeQuery;
use crate::text_search;

/// The maximum number of files whose imports are checked.
const MAX_FILES: usize = 8;

const REASON: &str = "its import is unresolved";

impl CodeQuery<'_> {
    /// Moves mentions to the unread ones if their file imports the name from the symbol's module, and no server resolves
    /// that import.
    pub(super) async fn separate_unresolved(&self, at: &ResolvedTarget, mentions: &mut Mentions) {
        let modules: FxHashSet<&str> = at
            .path
            .file_stem()
            .into_iter()
            .chain(at.path.ancestors().skip(1).filter_map(|above| above.file_name()))
            .collect();
        let mut checked: FxHashSet<Utf8PathBuf> = FxHashSet::default();
        let mut unresolved = Vec::new();
        for mention in &mentions.namesakes {
            let Some(path) = uri::to_path(&mention.location.uri) else { continue };
            if path == at.path || checked.len() == MAX_FILES || checked.contains(&path) {
                continue;
            }
            let Ok(document) = self.document(&path).await else { continue };
            let line = document.text.lines().nth(mention.location.range.start.line as usize).unwrap_or_default();
            if !is_import(line, &modules) {
                continue;
            }
            checked.insert(path.clone());
            let offset = document.index.from_lsp(mention.location.range.start, mention.encoding);
            let target = self.resolved_target(path.clone(), &document, offset, None);
            let is_elsewhere = |found: &RawLocation| uri::to_path(&found.location.uri).as_ref() != Some(&path);
            let definitions = self.locations(&target, Relation::Definition).await;
            if definitions.is_ok_and(|definitions| !definitions.value.iter().any(is_elsewhere)) {
                unresolved.push(path);
            }
        }
        for path in unresolved {
            let is_there = |mention: &RawLocation| uri::to_path(&mention.location.uri).as_ref() == Some(&path);
            let (there, others) = std::mem::take(&mut mentions.namesakes).into_iter().partition(is_there);
            let there: Vec<_> = there;
            mentions.namesakes = others;
            mentions.unread.push(self.unread(&path, REASON.to_owned(), there.len(), there));
        }
    }
}

/// Whether a line imports something from one of the modules.
fn is_import(line: &str, modules: &FxHashSet<&str>) -> bool {
    let words: Vec<_> = text_search::identifiers(line).into_iter().filter_map(|range| line.get(range)).collect();
    let keywords = ["import", "from", "use", "export", "using", "require"];
    words.iter().take(2).any(|word| keywords.contains(word)) && words.iter().any(|word| modules.contains(word))
}
