//! Quick fixes of diagnostics, as data.
//!
//! A fix is computed on request and not together with its diagnostic: users read most diagnostics without requesting
//! fixes, and some fixes need all visible names of a scope.

mod fix;
mod missing;
mod nearest;
mod patterns;
mod redundant;

pub use fix::Fix;

use crate::code::ModelCode;
use crate::db::Db;
use crate::diagnostics::ModelDiagnostic;
use crate::inputs::File;

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
