//! Validation: the table of rules, and the traversal that applies them to a file.
//!
//! Rules, messages and severities are those of DomainLang's original tools, except where those were wrong:
//!
//! - **Elements without names.** A missing name is a syntax error and reported as such. No rule calls the element
//!   `undefined`, two nameless elements are not duplicates, and there is no rule about nameless metadata keys
//!   (`metadata-missing-name`), which would only repeat the parser. A rule reports nothing if an error has removed
//! its
//!   input: the missing end of a relationship, the missing name after `for`, a reference that ends in a dot.
//! - **`this` in a context map** refers to no context, and the relationship has no effect; it is a warning
//!   ([`ModelCode::ThisOutsideContext`]). It is not an error, because the original tools accept such models.
//! - **Every diagnostic has a code.**
//! - **Imports.** Every import of a cycle is reported, in any spelling. An unresolved import is reported with the
//!   message and code of its resolver (`rules::imports`).
//! - **Ranges.** A misplaced pattern is marked itself, not the first of its list. The keyword of a declaration is
//!   marked in both of its spellings.
//!
//! Unchanged for compatibility with existing models: a namespace that is opened again is a duplicate element, and its
//! blocks do not see each other's elements by their simple names.

mod contexts;
mod domains;
mod duplicates;
mod imports;
mod maps;
mod patterns;
mod references;
mod relationships;

use dlang_syntax::TextRange;
use smol_str::SmolStr;

use crate::data::{
    Body, ContextData, DomainData, ElementData, End, FileModel, ImportData, MapData, Reference, ReferenceId,
    Relationship,
};
use crate::db::Db;
use crate::definition::Definition;
use crate::diagnostics::{ModelCode, ModelDiagnostic, Severity};
use crate::imports::import_cycles_through;
use crate::index::IndexedImport;
use crate::inputs::File;
use crate::lower::file_model;
use crate::resolve::{Resolutions, resolutions};

/// Maximum number of errors, and of other findings, listed per file. Users do not read more, and for a large file of
/// nothing but errors the messages would otherwise take more memory than the text. The two are counted separately, so
/// that warnings never displace errors and the validity of a model does not depend on the limit.
const MAX_FINDINGS: usize = 10_000;

/// Validation rule: the codes that it reports, and its check.
struct Rule {
    codes: &'static [ModelCode],
    check: Check,
}

/// Check of a rule, by its input.
enum Check {
    File(fn(&mut Checker<'_>)),
    Import(fn(&mut Checker<'_>, &ImportSubject<'_>)),
    Domain(fn(&mut Checker<'_>, &Subject<'_, DomainData>)),
    Context(fn(&mut Checker<'_>, &Subject<'_, ContextData>)),
    ContextMap(fn(&mut Checker<'_>, &Subject<'_, MapData>)),
    DomainMap(fn(&mut Checker<'_>, &Subject<'_, MapData>)),
    Relationship(fn(&mut Checker<'_>, &Relationship)),
}

/// All rules. The rules of one element report in this order.
static RULES: &[Rule] = &[
    // All unresolved references of a file come first.
    Rule { codes: &[ModelCode::LinkingError], check: Check::File(references::check_references) },
    Rule { codes: &[ModelCode::DuplicateElement], check: Check::File(duplicates::elements) },
    Rule { codes: &[ModelCode::ImportMissingUri], check: Check::Import(imports::missing_uri) },
    Rule { codes: imports::PROBLEMS, check: Check::Import(imports::check_unresolved) },
    Rule { codes: &[ModelCode::ImportCycleDetected], check: Check::Import(imports::cycle) },
    Rule { codes: &[ModelCode::DomainNoVision], check: Check::Domain(domains::no_vision) },
    Rule { codes: &[ModelCode::DomainCircularHierarchy], check: Check::Domain(domains::circular_hierarchy) },
    Rule { codes: &[ModelCode::BoundedContextNoDescription], check: Check::Context(contexts::no_description) },
    Rule { codes: &[ModelCode::BoundedContextNoDomain], check: Check::Context(contexts::no_domain) },
    Rule {
        codes: &[ModelCode::BoundedContextClassificationConflict],
        check: Check::Context(contexts::classification_conflict),
    },
    Rule { codes: &[ModelCode::BoundedContextTeamConflict], check: Check::Context(contexts::team_conflict) },
    Rule { codes: &[ModelCode::ContextMapNoContexts], check: Check::ContextMap(maps::no_contexts) },
    Rule { codes: &[ModelCode::UnresolvedReference], check: Check::ContextMap(references::map_entries) },
    Rule { codes: &[ModelCode::ContextMapNoRelationships], check: Check::ContextMap(maps::no_relationships) },
    Rule { codes: &[ModelCode::ContextMapDuplicateRelationship], check: Check::ContextMap(duplicates::relationships) },
    Rule { codes: &[ModelCode::DomainMapNoDomains], check: Check::DomainMap(maps::no_domains) },
    Rule { codes: &[ModelCode::UnresolvedReference], check: Check::DomainMap(references::map_entries) },
    Rule { codes: &[ModelCode::AclOnWrongSide], check: Check::Relationship(patterns::acl) },
    Rule { codes: &[ModelCode::ConformistOnWrongSide], check: Check::Relationship(patterns::conformist) },
    Rule { codes: &[ModelCode::OhsOnWrongSide], check: Check::Relationship(patterns::ohs) },
    Rule { codes: &[ModelCode::SupplierOnWrongSide], check: Check::Relationship(patterns::supplier) },
    Rule { codes: &[ModelCode::CustomerOnWrongSide], check: Check::Relationship(patterns::customer) },
    Rule {
        codes: &[ModelCode::SupplierOnBidirectional],
        check: Check::Relationship(patterns::supplier_on_bidirectional),
    },
    Rule {
        codes: &[ModelCode::CustomerOnBidirectional],
        check: Check::Relationship(patterns::customer_on_bidirectional),
    },
    Rule { codes: &[ModelCode::TooManyPatterns], check: Check::Relationship(patterns::too_many) },
    Rule { codes: &[ModelCode::SelfSymmetricRelationship], check: Check::Relationship(relationships::with_itself) },
    Rule { codes: &[ModelCode::ThisOutsideContext], check: Check::Relationship(relationships::this_outside_context) },
];

/// Returns the codes that rules report.
pub fn rule_codes() -> impl Iterator<Item = ModelCode> {
    RULES.iter().flat_map(|rule| rule.codes).copied()
}

/// Applies every rule to a file.
pub(crate) fn check(db: &dyn Db, file: File, found: &mut Vec<ModelDiagnostic>) {
    let model = file_model(db, file);
    let mut checker = Checker {
        db,
        file,
        model,
        resolutions: resolutions(db, file),
        hierarchy: domains::Hierarchy::default(),
        found,
        count: [0; 2],
    };
    for rule in RULES {
        if let Check::File(check) = rule.check {
            check(&mut checker);
        }
    }
    checker.imports();
    checker.elements();
    checker.finish();
}

/// Inputs and results of the rules.
struct Checker<'a> {
    db: &'a dyn Db,
    file: File,
    model: &'a FileModel,
    resolutions: &'a Resolutions,
    hierarchy: domains::Hierarchy,
    found: &'a mut Vec<ModelDiagnostic>,
    /// Numbers of reported errors and of other findings.
    count: [usize; 2],
}

/// Element that a rule checks.
struct Subject<'a, T> {
    definition: Definition,
    name: Option<&'a SmolStr>,
    places: &'a ElementData,
    content: &'a T,
}

/// Import that a rule checks.
struct ImportSubject<'a> {
    import: &'a IndexedImport,
    places: &'a ImportData,
    /// Files of the cycle that the import closes.
    cycle: Option<&'a [File]>,
}

impl<'a> Checker<'a> {
    fn imports(&mut self) {
        let cycles = import_cycles_through(self.db, self.file);
        let model = self.model;
        for (number, (import, places)) in model.index.imports.iter().zip(&model.imports).enumerate() {
            let cycle = cycles.get(number).and_then(Option::as_deref);
            for rule in RULES {
                if let Check::Import(check) = rule.check {
                    check(self, &ImportSubject { import, places, cycle });
                }
            }
        }
    }

    fn elements(&mut self) {
        let model = self.model;
        for ((number, element), places) in model.index.elements_with_numbers().zip(&model.elements) {
            // A file can be long; stop early if the result is no longer needed.
            self.db.unwind_if_revision_cancelled();
            let definition = Definition { file: self.file, number };
            let name = element.name.as_ref();
            match &places.body {
                Body::Domain(content) => {
                    for rule in RULES {
                        if let Check::Domain(check) = rule.check {
                            check(self, &Subject { definition, name, places, content });
                        }
                    }
                }
                Body::Context(content) => {
                    for rule in RULES {
                        if let Check::Context(check) = rule.check {
                            check(self, &Subject { definition, name, places, content });
                        }
                    }
                    self.relationships(model.relationships_in(&content.relationships));
                }
                Body::ContextMap(content) => {
                    for rule in RULES {
                        if let Check::ContextMap(check) = rule.check {
                            check(self, &Subject { definition, name, places, content });
                        }
                    }
                    self.relationships(model.relationships_in(&content.relationships));
                }
                Body::DomainMap(content) => {
                    for rule in RULES {
                        if let Check::DomainMap(check) = rule.check {
                            check(self, &Subject { definition, name, places, content });
                        }
                    }
                }
                Body::None => {}
            }
        }
    }

    fn relationships(&mut self, relationships: &[Relationship]) {
        for relationship in relationships {
            for rule in RULES {
                if let Check::Relationship(check) = rule.check {
                    check(self, relationship);
                }
            }
        }
    }

    fn report(&mut self, diagnostic: ModelDiagnostic) {
        let [errors, others] = &mut self.count;
        let count = if diagnostic.severity() == Severity::Error { errors } else { others };
        *count += 1;
        if *count <= MAX_FINDINGS {
            self.found.push(diagnostic);
        }
    }

    /// Reports the number of findings that are not listed.
    fn finish(&mut self) {
        let left_out: usize = self.count.iter().map(|count| count.saturating_sub(MAX_FINDINGS)).sum();
        if left_out > 0 {
            let message = format!("{left_out} further findings in this file are not listed.");
            self.found.push(ModelDiagnostic::new(TextRange::default(), ModelCode::TooManyDiagnostics, message));
        }
    }

    fn reference(&self, id: ReferenceId) -> Option<&'a Reference> {
        self.model.reference(id)
    }

    /// Returns the simple name of the target of a reference.
    fn target_name(&self, id: ReferenceId) -> Option<SmolStr> {
        self.resolutions.target(id)?.name(self.db)
    }

    /// Returns an end as it is written; `None` if it is missing or incomplete.
    fn end_text(&self, end: End) -> Option<&'a str> {
        match end {
            End::Missing => None,
            End::This(_) => Some("this"),
            End::Context(id) => self.reference(id).map(|reference| reference.text.as_str()),
        }
    }

    fn reference_range(&self, id: ReferenceId, or: TextRange) -> TextRange {
        self.reference(id).map_or(or, |reference| reference.range)
    }
}
