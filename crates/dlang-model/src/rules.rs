//! Validation: the table of rules, and the traversal that applies them to a file.
//!
//! Rules, messages and severities are those of DomainLang's original tools, except where those were wrong:
//!
//! - **Elements without names.** A missing name is a syntax error and reported as such. No rule calls the element
//!   `undefined`, two nameless elements are not duplicates, and there is no rule about nameless metadata keys
//!   (`metadata-missing-name`), which would only repeat the parser. A rule reports nothing if an error has removed its
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

mod checker;
mod contexts;
mod domains;
mod duplicates;
mod imports;
mod maps;
mod patterns;
mod references;
mod relationships;

use std::sync::Arc;

use checker::{Checker, ImportSubject, Subject};

use crate::code::ModelCode;
use crate::data::{Body, ContextData, DomainData, MapData, Relationship};
use crate::db::Db;
use crate::diagnostics::ModelDiagnostic;
use crate::imports::import_cycles_through;
use crate::inputs::{Definition, File};
use crate::lower::file_model;

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

/// Returns the diagnostics of a file: first syntax, then unresolved references, then the other rules, each in text
/// order.
#[salsa::tracked(returns(deref))]
pub fn file_diagnostics(db: &dyn Db, file: File) -> Arc<[ModelDiagnostic]> {
    let mut found: Vec<_> = file_model(db, file).syntax.to_vec();
    check(db, file, &mut found);
    found.into()
}

/// Applies every rule to a file.
fn check(db: &dyn Db, file: File, found: &mut Vec<ModelDiagnostic>) {
    let mut checker = Checker::new(db, file, found);
    for rule in RULES {
        if let Check::File(check) = rule.check {
            check(&mut checker);
        }
    }
    check_imports(&mut checker);
    check_elements(&mut checker);
    checker.finish();
}

fn check_imports(checker: &mut Checker<'_>) {
    let cycles = import_cycles_through(checker.db, checker.file);
    let model = checker.model;
    for (number, (import, data)) in model.index.imports.iter().zip(&model.imports).enumerate() {
        let cycle = cycles.get(number).and_then(Option::as_deref);
        for rule in RULES {
            if let Check::Import(check) = rule.check {
                check(checker, &ImportSubject { import, data, cycle });
            }
        }
    }
}

fn check_elements(checker: &mut Checker<'_>) {
    let model = checker.model;
    for ((number, element), data) in model.index.elements_with_numbers().zip(&model.elements) {
        // A file can be long; stop early if the result is no longer needed.
        checker.db.unwind_if_revision_cancelled();
        let definition = Definition { file: checker.file, number };
        let name = element.name.as_ref();
        match &data.body {
            Body::Domain(content) => {
                for rule in RULES {
                    if let Check::Domain(check) = rule.check {
                        check(checker, &Subject { definition, name, data, content });
                    }
                }
            }
            Body::Context(content) => {
                for rule in RULES {
                    if let Check::Context(check) = rule.check {
                        check(checker, &Subject { definition, name, data, content });
                    }
                }
                check_relationships(checker, model.relationships_in(&content.relationships));
            }
            Body::ContextMap(content) => {
                for rule in RULES {
                    if let Check::ContextMap(check) = rule.check {
                        check(checker, &Subject { definition, name, data, content });
                    }
                }
                check_relationships(checker, model.relationships_in(&content.relationships));
            }
            Body::DomainMap(content) => {
                for rule in RULES {
                    if let Check::DomainMap(check) = rule.check {
                        check(checker, &Subject { definition, name, data, content });
                    }
                }
            }
            Body::None => {}
        }
    }
}

fn check_relationships(checker: &mut Checker<'_>, relationships: &[Relationship]) {
    for relationship in relationships {
        for rule in RULES {
            if let Check::Relationship(check) = rule.check {
                check(checker, relationship);
            }
        }
    }
}
