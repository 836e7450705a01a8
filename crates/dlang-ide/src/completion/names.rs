//! References to elements.

use dlang_model::{Db, Definition, File, file_model, visible_names};
use dlang_syntax::{SyntaxKind, TextSize};
use smol_str::SmolStr;

use super::context::{CompletionContext, ReferenceSite};
use super::{Completion, CompletionKind, Completions, MAX_PROPOSALS};

/// The maximum number of names to parse on trial. Only reserved words need a trial, because the parser may read them as
/// something else. No real model has more of them, and each trial costs a parse of the text.
const MAX_TRIALS: usize = 16;

/// Proposes the elements that a reference at the offset can name.
pub(super) fn names(db: &dyn Db, file: File, context: &CompletionContext<'_>, completions: &mut Completions) {
    let Some(site) = context.site() else { return };
    let container = match site.namespace {
        Some(start) => match element_at(db, file, start) {
            Some(namespace) => Some(namespace),
            None => return,
        },
        None => None,
    };
    let mut found = Candidates { context, site: &site, trials: 0, last_qualifier: None };
    for (name, definition) in visible_names(db, file, container, site.expected_kind) {
        completions.items.extend(found.build_completion(db, &name, definition));
    }
    // The client compares names with the typed text; the server filters only if there are too many.
    if completions.items.len() > MAX_PROPOSALS {
        completions.items.retain(|item| is_typed(context.typed_prefix(), &item.filter));
        completions.items.truncate(MAX_PROPOSALS);
        completions.is_incomplete = true;
    }
}

/// Whether a name contains the letters of `typed` in this order, ignoring case.
fn is_typed(typed: &str, name: &str) -> bool {
    let mut letters = name.chars();
    typed.chars().all(|letter| letters.any(|other| other.eq_ignore_ascii_case(&letter)))
}

/// Returns the element that begins at an offset.
fn element_at(db: &dyn Db, file: File, start: TextSize) -> Option<Definition> {
    let elements = &file_model(db, file).elements;
    let number = elements.binary_search_by_key(&start, |element| element.range.start()).ok()?;
    Some(Definition { file, number: u32::try_from(number).ok()? })
}

/// The state of a traversal of sorted names.
struct Candidates<'a> {
    context: &'a CompletionContext<'a>,
    site: &'a ReferenceSite,
    trials: usize,
    /// The last proposed qualifier; names with the same beginning are adjacent.
    last_qualifier: Option<SmolStr>,
}

impl Candidates<'_> {
    fn build_completion(&mut self, db: &dyn Db, name: &SmolStr, definition: Definition) -> Option<Completion> {
        let rest = name.strip_prefix(self.site.prefix.as_str())?;
        let text = rest.strip_suffix(self.site.suffix.as_str())?;
        let is_after_dot = !self.site.prefix.is_empty();
        if is_after_dot
            && self.site.suffix.is_empty()
            && let Some((qualifier, _)) = text.split_once('.')
        {
            return self.qualifier(qualifier);
        }
        if !self.is_read(text, name) {
            return None;
        }
        let kind = definition.kind(db)?;
        let detail = if is_after_dot { name.to_string() } else { kind.type_name().to_owned() };
        Some(Completion {
            label: text.to_owned(),
            kind: CompletionKind::Element(kind),
            detail: Some(detail),
            documentation: None,
            definition: Some(definition),
            filter: text.to_owned(),
            edit: self.context.edit(text),
            is_snippet: false,
            sort: format!("0_{text}"),
        })
    }

    /// Returns a proposal for the next part of a name that continues after it.
    fn qualifier(&mut self, text: &str) -> Option<Completion> {
        if self.last_qualifier.as_deref() == Some(text) {
            return None;
        }
        self.last_qualifier = Some(SmolStr::new(text));
        Some(Completion {
            label: text.to_owned(),
            kind: CompletionKind::Qualifier,
            detail: Some("Namespace".to_owned()),
            documentation: None,
            definition: None,
            filter: text.to_owned(),
            edit: self.context.edit(text),
            is_snippet: false,
            sort: format!("0_{text}"),
        })
    }

    /// Whether the parser reads the inserted text as a reference to the name.
    fn is_read(&mut self, text: &str, name: &str) -> bool {
        // Before `>`, a hyphen is not part of a name.
        let is_doubtful = text.ends_with('-') || text.split('.').any(|part| SyntaxKind::from_word(part).is_some());
        if !is_doubtful {
            return true;
        }
        self.trials += 1;
        self.trials <= MAX_TRIALS && self.context.is_read_as(text, name)
    }
}
