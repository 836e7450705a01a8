//! Inputs and results of the rules.

use dlang_syntax::{Severity, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::code::ModelCode;
use crate::data::{ElementData, End, FileModel, ImportData, Reference, ReferenceId};
use crate::db::Db;
use crate::diagnostics::ModelDiagnostic;
use crate::index::IndexedImport;
use crate::inputs::{Definition, File};
use crate::lower::file_model;
use crate::resolve::{Resolutions, domain_parent, resolutions};

/// Maximum number of errors, and of other findings, listed per file. Users do not read more, and for a large file of
/// nothing but errors the messages would otherwise take more memory than the text. The two are counted separately, so
/// that warnings never displace errors and the validity of a model does not depend on the limit.
const MAX_FINDINGS: usize = 10_000;

/// Inputs and results of the rules.
pub(super) struct Checker<'a> {
    pub(super) db: &'a dyn Db,
    pub(super) file: File,
    pub(super) model: &'a FileModel,
    pub(super) resolutions: &'a Resolutions,
    pub(super) hierarchy: Hierarchy,
    found: &'a mut Vec<ModelDiagnostic>,
    /// Numbers of reported errors and of other findings.
    count: [usize; 2],
}

/// Element that a rule checks.
pub(super) struct Subject<'a, T> {
    pub(super) definition: Definition,
    pub(super) name: Option<&'a SmolStr>,
    pub(super) data: &'a ElementData,
    pub(super) content: &'a T,
}

/// Import that a rule checks.
pub(super) struct ImportSubject<'a> {
    pub(super) import: &'a IndexedImport,
    pub(super) data: &'a ImportData,
    /// Files of the cycle that the import closes.
    pub(super) cycle: Option<&'a [File]>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(db: &'a dyn Db, file: File, found: &'a mut Vec<ModelDiagnostic>) -> Self {
        let (model, resolutions) = (file_model(db, file), resolutions(db, file));
        Self { db, file, model, resolutions, hierarchy: Hierarchy::default(), found, count: [0; 2] }
    }

    pub(super) fn report(&mut self, diagnostic: ModelDiagnostic) {
        let [errors, others] = &mut self.count;
        let count = if diagnostic.severity() == Severity::Error { errors } else { others };
        *count += 1;
        if *count <= MAX_FINDINGS {
            self.found.push(diagnostic);
        }
    }

    /// Reports the number of findings that are not listed.
    pub(super) fn finish(&mut self) {
        let omitted: usize = self.count.iter().map(|count| count.saturating_sub(MAX_FINDINGS)).sum();
        if omitted > 0 {
            let message = format!("{omitted} further findings in this file are not listed.");
            self.found.push(ModelDiagnostic::new(TextRange::default(), ModelCode::TooManyDiagnostics, message));
        }
    }

    pub(super) fn reference(&self, id: ReferenceId) -> Option<&'a Reference> {
        self.model.reference(id)
    }

    /// Returns the simple name of the target of a reference.
    pub(super) fn target_name(&self, id: ReferenceId) -> Option<SmolStr> {
        self.resolutions.target(id)?.name(self.db)
    }

    /// Returns an end as it is written; `None` if it is missing or incomplete.
    pub(super) fn end_text(&self, end: End) -> Option<&'a str> {
        match end {
            End::Missing => None,
            End::This(_) => Some("this"),
            End::Context(id) => self.reference(id).map(|reference| reference.text.as_str()),
        }
    }

    pub(super) fn reference_range(&self, id: ReferenceId, or: TextRange) -> TextRange {
        self.reference(id).map_or(or, |reference| reference.range)
    }
}

/// Cache of the cycles above domains. Every domain is visited once, however many are below it.
#[derive(Default)]
pub(super) struct Hierarchy {
    /// For each domain, the first of its ancestors or itself that is in a cycle.
    cycle_entries: FxHashMap<Definition, Option<Definition>>,
}

impl Hierarchy {
    pub(super) fn find_cycle_above(&mut self, db: &dyn Db, domain: Definition) -> Option<Definition> {
        let mut path = Vec::new();
        let mut visited = FxHashSet::default();
        let mut current = Some(domain);
        let found = loop {
            let Some(here) = current else { break None };
            if let Some(cached) = self.cycle_entries.get(&here) {
                break *cached;
            }
            if !visited.insert(here) {
                // The path has returned to itself: the cycle begins at `current`, and each of its members is its own
                // entry.
                while let Some(member) = path.pop() {
                    self.cycle_entries.insert(member, Some(member));
                    if member == here {
                        break;
                    }
                }
                break Some(here);
            }
            path.push(here);
            current = domain_parent(db, here);
        };
        for member in path {
            self.cycle_entries.insert(member, found);
        }
        self.cycle_entries.get(&domain).copied().flatten()
    }
}
