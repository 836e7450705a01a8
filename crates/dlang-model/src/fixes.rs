//! Quick fixes of diagnostics, as data.
//!
//! A fix is computed on request and not together with its diagnostic: users read most diagnostics without requesting
//! fixes, and some fixes need all visible names of a scope.

mod missing;
mod nearest;
mod patterns;
mod redundant;

use dlang_syntax::TextRange;

use crate::db::Db;
use crate::diagnostics::{ModelCode, ModelDiagnostic};
use crate::inputs::File;

/// Change that resolves a diagnostic. All edits are in the file of the diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Effect of the fix, in a few words.
    pub title: String,
    /// Edits in text order; they do not overlap.
    pub edits: Vec<TextEdit>,
    /// Whether it most likely matches the intention. At most one fix of a diagnostic is preferred.
    pub is_preferred: bool,
}

/// Replacement of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// Replaced range; empty for an insertion.
    pub range: TextRange,
    /// New text.
    pub text: String,
}

/// Computes the fixes of one diagnostic.
type FixMaker = fn(&dyn Db, File, &ModelDiagnostic) -> Vec<Fix>;

/// All fixes by code. The other codes need a decision that only the author can make.
static FIXES: &[(ModelCode, FixMaker)] = &[
    (ModelCode::LinkingError, nearest::names),
    (ModelCode::UnresolvedReference, nearest::names),
    (ModelCode::DomainNoVision, missing::vision),
    (ModelCode::BoundedContextNoDescription, missing::description),
    (ModelCode::BoundedContextNoDomain, missing::domain),
    (ModelCode::ContextMapNoContexts, missing::contexts),
    (ModelCode::BoundedContextClassificationConflict, redundant::redundant),
    (ModelCode::BoundedContextTeamConflict, redundant::redundant),
    (ModelCode::ContextMapDuplicateRelationship, redundant::relationship),
    (ModelCode::SupplierOnBidirectional, patterns::remove),
    (ModelCode::CustomerOnBidirectional, patterns::remove),
    (ModelCode::AclOnWrongSide, patterns::wrong_side),
    (ModelCode::ConformistOnWrongSide, patterns::wrong_side),
    (ModelCode::OhsOnWrongSide, patterns::wrong_side),
    (ModelCode::SupplierOnWrongSide, patterns::wrong_side),
    (ModelCode::CustomerOnWrongSide, patterns::wrong_side),
];

/// Returns the fixes of a diagnostic from [`file_diagnostics`](crate::file_diagnostics) of the file's current state.
pub fn fixes(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
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

/// Returns the text of a range; empty if the range is outside the text.
fn text_at(text: &str, range: TextRange) -> &str {
    text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
}
