//! Names that no outline declares: re-exported names (`export { load as read } from "./load"`), and names of libraries.
//! A query about the name uses a mention in code whose definition is in another file.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::position::size;
use zubi_base::uri;

use super::{NamePath, ResolvedTarget};
use crate::features::locations::Relation;
use crate::features::symbol_filter::FileCondition;
use crate::lexical::NonCode;
use crate::query::CodeQuery;
use crate::status::AnswerStatus;
use crate::text_search;

/// The maximum number of files with mentions that are queried, and of mentions in each. This search runs only for a name
/// that was not found otherwise.
const MAX_FILES: usize = 4;
const MAX_MENTIONS: usize = 2;

impl CodeQuery<'_> {
    /// Returns the first mention of a name whose definition is in another file.
    pub(super) async fn resolve_mention(
        &self,
        name_path: &NamePath,
        scope: Option<&Utf8Path>,
    ) -> Option<ResolvedTarget> {
        let name = name_path.last();
        let files: Vec<Utf8PathBuf> = match scope {
            Some(file) if file.is_file() => vec![file.to_owned()],
            // The caller has searched the same word before, and marked its answer.
            scope => {
                self.files_with_word(name, scope, &FileCondition::default(), MAX_FILES, &mut AnswerStatus::default())
                    .await
            }
        };
        for path in files {
            let Ok(document) = self.document(&path).await else { continue };
            let non_code = NonCode::of_file(&path, &document.text);
            let mentions = text_search::occurrences(&document.text, name)
                .filter(|at| !non_code.contains(*at) && is_qualified_by(&document.text, *at, name_path))
                .take(MAX_MENTIONS);
            for at in mentions.collect::<Vec<_>>() {
                let mut target = self.resolved_target(path.clone(), &document, size(at), None);
                let Ok(definitions) = self.locations(&target, Relation::Definition).await else { continue };
                let elsewhere =
                    definitions.value.iter().find(|found| uri::to_path(&found.location.uri) != Some(path.clone()));
                if let Some(definition) = elsewhere {
                    let line = definition.location.range.start.line + 1;
                    target.note = Some(format!("declared at {}:{line}", definition.display_path));
                    return Some(target);
                }
            }
        }
        None
    }
}

/// Whether the text before a name has the qualifiers of a name path: `strings.` before `ToUpper`.
fn is_qualified_by(text: &str, at: usize, name_path: &NamePath) -> bool {
    let mut before = text.get(..at).unwrap_or_default();
    name_path.qualifiers().iter().rev().all(|qualifier| {
        let separated = ["::", "->", ".", "/", "#"].iter().find_map(|separator| before.strip_suffix(separator));
        match separated.and_then(|head| head.strip_suffix(qualifier.as_str())) {
            Some(head) => {
                before = head;
                true
            }
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualifiers_are_compared_with_the_text() {
        let check = |text: &str, name: &str| {
            let name = NamePath::parse(name).unwrap();
            is_qualified_by(text, text.rfind(name.last()).unwrap(), &name)
        };
        assert!(check("println(strings.ToUpper(x))", "strings.ToUpper"));
        assert!(check("std::fmt::Write", "std/fmt/Write"));
        assert!(check("x = ToUpper", "ToUpper"));
        assert!(!check("x.ToUpper", "strings.ToUpper"));
    }
}
