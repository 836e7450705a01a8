//! What a model is held to: the table of rules, and the walk that applies them to a file.
//!
//! The rules, their messages and their severities are those that DomainLang's users know. Where they were wrong they are
//! different here:
//!
//! - **Elements without names.** A name that is missing is a mistake of syntax, and that is said. No rule speaks of the
//!   element as `undefined`, two nameless elements are no duplicates, and there is no rule about nameless metadata keys
//!   (`metadata-missing-name`), which could only repeat the parser. What a rule needs and a mistake left out makes the
//!   rule silent: the missing end of a relationship, the missing name behind `for`, a reference that ends in a dot.
//! - **`this` in a context map** stands for nothing and the relationship for less; it is a warning
//!   ([`Code::ThisOutsideContext`]). It is no error, because such models were valid.
//! - **Every diagnostic has a code.**
//! - **Imports.** Every import of a circle is marked, however it is written. An import that leads nowhere is reported in
//!   the words, and with the code, of whoever looked for it (`rules::imports`).
//! - **Ranges.** A misplaced pattern is underlined itself, not the first of its list. The word that a declaration begins
//!   with is underlined in both of its spellings.
//!
//! Kept as it is, for the sake of models and habits that rely on it: a namespace that is opened again is a duplicate
//! element, and its blocks do not see each other's elements by their simple names.

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
use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::imports::import_cycles_through;
use crate::index::IndexedImport;
use crate::inputs::File;
use crate::lower::file_model;
use crate::resolve::{Resolutions, resolutions};

/// How many errors, and how many findings that are none, are listed of one file. Nobody reads more, and a large file of
/// nothing but mistakes would otherwise cost more memory in messages than in text. They are counted apart, so that no
/// error is lost behind warnings: whether a model is valid does not depend on the bound.
const MAX_FINDINGS: usize = 10_000;

/// A rule: what it is about, and the codes that it reports.
struct Rule {
    codes: &'static [Code],
    check: Check,
}

/// A rule by what it looks at.
enum Check {
    File(fn(&mut Checker<'_>)),
    Import(fn(&mut Checker<'_>, &ImportSubject<'_>)),
    Domain(fn(&mut Checker<'_>, &Subject<'_, DomainData>)),
    Context(fn(&mut Checker<'_>, &Subject<'_, ContextData>)),
    ContextMap(fn(&mut Checker<'_>, &Subject<'_, MapData>)),
    DomainMap(fn(&mut Checker<'_>, &Subject<'_, MapData>)),
    Relationship(fn(&mut Checker<'_>, &Relationship)),
}

/// Every rule. Of one element, rules report in this order.
static RULES: &[Rule] = &[
    // All references of a file come before everything else.
    Rule { codes: &[Code::LinkingError], check: Check::File(references::check_references) },
    Rule { codes: &[Code::DuplicateElement], check: Check::File(duplicates::elements) },
    Rule { codes: &[Code::ImportMissingUri], check: Check::Import(imports::missing_uri) },
    Rule { codes: imports::PROBLEMS, check: Check::Import(imports::check_unresolved) },
    Rule { codes: &[Code::ImportCycleDetected], check: Check::Import(imports::cycle) },
    Rule { codes: &[Code::DomainNoVision], check: Check::Domain(domains::no_vision) },
    Rule { codes: &[Code::DomainCircularHierarchy], check: Check::Domain(domains::circular_hierarchy) },
    Rule { codes: &[Code::BoundedContextNoDescription], check: Check::Context(contexts::no_description) },
    Rule { codes: &[Code::BoundedContextNoDomain], check: Check::Context(contexts::no_domain) },
    Rule {
        codes: &[Code::BoundedContextClassificationConflict],
        check: Check::Context(contexts::classification_conflict),
    },
    Rule { codes: &[Code::BoundedContextTeamConflict], check: Check::Context(contexts::team_conflict) },
    Rule { codes: &[Code::ContextMapNoContexts], check: Check::ContextMap(maps::no_contexts) },
    Rule { codes: &[Code::UnresolvedReference], check: Check::ContextMap(references::map_entries) },
    Rule { codes: &[Code::ContextMapNoRelationships], check: Check::ContextMap(maps::no_relationships) },
    Rule { codes: &[Code::ContextMapDuplicateRelationship], check: Check::ContextMap(duplicates::relationships) },
    Rule { codes: &[Code::DomainMapNoDomains], check: Check::DomainMap(maps::no_domains) },
    Rule { codes: &[Code::UnresolvedReference], check: Check::DomainMap(references::map_entries) },
    Rule { codes: &[Code::AclOnWrongSide], check: Check::Relationship(patterns::acl) },
    Rule { codes: &[Code::ConformistOnWrongSide], check: Check::Relationship(patterns::conformist) },
    Rule { codes: &[Code::OhsOnWrongSide], check: Check::Relationship(patterns::ohs) },
    Rule { codes: &[Code::SupplierOnWrongSide], check: Check::Relationship(patterns::supplier) },
    Rule { codes: &[Code::CustomerOnWrongSide], check: Check::Relationship(patterns::customer) },
    Rule { codes: &[Code::SupplierOnBidirectional], check: Check::Relationship(patterns::supplier_on_bidirectional) },
    Rule { codes: &[Code::CustomerOnBidirectional], check: Check::Relationship(patterns::customer_on_bidirectional) },
    Rule { codes: &[Code::TooManyPatterns], check: Check::Relationship(patterns::too_many) },
    Rule { codes: &[Code::SelfSymmetricRelationship], check: Check::Relationship(relationships::with_itself) },
    Rule { codes: &[Code::ThisOutsideContext], check: Check::Relationship(relationships::this_outside_context) },
];

/// The codes that rules report.
pub fn rule_codes() -> impl Iterator<Item = Code> {
    RULES.iter().flat_map(|rule| rule.codes).copied()
}

/// Applies every rule to a file.
pub(crate) fn check(db: &dyn Db, file: File, found: &mut Vec<Diagnostic>) {
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

/// What rules look at and report to.
struct Checker<'a> {
    db: &'a dyn Db,
    file: File,
    model: &'a FileModel,
    resolutions: &'a Resolutions,
    hierarchy: domains::Hierarchy,
    found: &'a mut Vec<Diagnostic>,
    /// Errors and others that rules have reported.
    count: [usize; 2],
}

/// An element that a rule looks at.
struct Subject<'a, T> {
    definition: Definition,
    name: Option<&'a SmolStr>,
    places: &'a ElementData,
    content: &'a T,
}

/// An import that a rule looks at.
struct ImportSubject<'a> {
    import: &'a IndexedImport,
    places: &'a ImportData,
    /// The files of the circle that the import closes.
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
            // A file can be long; nobody waits for the end of it when the answer is not wanted any more.
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

    fn report(&mut self, diagnostic: Diagnostic) {
        let [errors, others] = &mut self.count;
        let count = if diagnostic.severity() == Severity::Error { errors } else { others };
        *count += 1;
        if *count <= MAX_FINDINGS {
            self.found.push(diagnostic);
        }
    }

    /// Says what is not listed.
    fn finish(&mut self) {
        let left_out: usize = self.count.iter().map(|count| count.saturating_sub(MAX_FINDINGS)).sum();
        if left_out > 0 {
            let message = format!("{left_out} further findings in this file are not listed.");
            self.found.push(Diagnostic::new(TextRange::default(), Code::TooManyDiagnostics, message));
        }
    }

    fn reference(&self, id: ReferenceId) -> Option<&'a Reference> {
        self.model.reference(id)
    }

    /// The simple name of what a reference means.
    fn target_name(&self, id: ReferenceId) -> Option<SmolStr> {
        self.resolutions.target(id)?.name(self.db)
    }

    /// How an end is written; nothing when it is missing or not finished.
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
