//! What to change so that a diagnostic goes away, as data.
//!
//! A fix is worked out when somebody asks for it and not together with its diagnostic: most diagnostics are never looked
//! at, and some fixes need the whole scope of a place.

mod missing;
mod nearest;
mod patterns;
mod superfluous;

use dlang_syntax::TextRange;

use crate::db::Db;
use crate::diagnostics::{Code, Diagnostic};
use crate::inputs::File;

/// A way to make a diagnostic go away. All edits are in the file of the diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in a few words.
    pub title: String,
    /// The edits, in the order of the text; they do not overlap.
    pub edits: Vec<TextEdit>,
    /// Whether it is most likely what is wanted. At most one fix of a diagnostic is.
    pub is_preferred: bool,
}

/// Replaces a piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced; empty for an insertion.
    pub range: TextRange,
    /// What stands there instead.
    pub text: String,
}

/// Makes the fixes of one diagnostic.
type FixMaker = fn(&dyn Db, File, &Diagnostic) -> Vec<Fix>;

/// Which fixes there are. What has none needs a decision that no program can take.
static FIXES: &[(Code, FixMaker)] = &[
    (Code::LinkingError, nearest::names),
    (Code::UnresolvedReference, nearest::names),
    (Code::DomainNoVision, missing::vision),
    (Code::BoundedContextNoDescription, missing::description),
    (Code::BoundedContextNoDomain, missing::domain),
    (Code::ContextMapNoContexts, missing::contexts),
    (Code::BoundedContextClassificationConflict, superfluous::redundant),
    (Code::BoundedContextTeamConflict, superfluous::redundant),
    (Code::ContextMapDuplicateRelationship, superfluous::relationship),
    (Code::SupplierOnBidirectional, patterns::remove),
    (Code::CustomerOnBidirectional, patterns::remove),
    (Code::AclOnWrongSide, patterns::wrong_side),
    (Code::ConformistOnWrongSide, patterns::wrong_side),
    (Code::OhsOnWrongSide, patterns::wrong_side),
    (Code::SupplierOnWrongSide, patterns::wrong_side),
    (Code::CustomerOnWrongSide, patterns::wrong_side),
];

/// The fixes of a diagnostic that [`file_diagnostics`](crate::file_diagnostics) has given for the file as it is now.
pub fn fixes(db: &dyn Db, file: File, diagnostic: &Diagnostic) -> Vec<Fix> {
    FIXES.iter().filter(|(code, _)| *code == diagnostic.code).flat_map(|(_, make)| make(db, file, diagnostic)).collect()
}

impl TextEdit {
    fn insert(at: dlang_syntax::TextSize, text: impl Into<String>) -> Self {
        Self { range: TextRange::empty(at), text: text.into() }
    }

    fn delete(range: TextRange) -> Self {
        Self { range, text: String::new() }
    }
}

/// The text of a range; empty when the range is not one of this text.
fn text_at(text: &str, range: TextRange) -> &str {
    text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
}
