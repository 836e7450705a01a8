//! Domains: what they lack, and circles of them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, Subject};
use crate::data::DomainData;
use crate::db::Db;
use crate::definition::Definition;
use crate::diagnostics::{Code, Diagnostic, RelatedLocation};
use crate::resolve::domain_parent;

/// How many domains of a circle are named. The message of a longer one would be longer than a screen.
const MAX_NAMED_DOMAINS: usize = 24;

/// A domain without a vision.
pub(super) fn no_vision(checker: &mut Checker<'_>, domain: &Subject<'_, DomainData>) {
    let Some(name) = domain.name else { return };
    if domain.content.vision.as_deref().unwrap_or_default().is_empty() {
        let message = format!("Domain '{name}' is missing a vision statement.");
        checker.report(Diagnostic::new(domain.places.keyword, Code::DomainNoVision, message));
    }
}

/// The domains above a domain form a circle, whether it is in it itself or only below it.
pub(super) fn circular_hierarchy(checker: &mut Checker<'_>, domain: &Subject<'_, DomainData>) {
    let Some(parent) = domain.content.parent else { return };
    let Some(entry) = checker.hierarchy.circle_above(checker.db, domain.definition) else { return };
    let mut names = Vec::new();
    let mut current = domain.definition;
    let mut entered = false;
    loop {
        if current == entry && std::mem::replace(&mut entered, true) {
            break;
        }
        if names.len() == MAX_NAMED_DOMAINS {
            names.push("…".into());
            break;
        }
        names.extend(current.name(checker.db));
        let Some(next) = domain_parent(checker.db, current) else { break };
        current = next;
    }
    names.extend(entry.name(checker.db));
    let message = format!("Circular domain hierarchy detected: {}.", names.join(" → "));
    let range = checker.reference_range(parent, domain.places.range);
    let mut diagnostic = Diagnostic::new(range, Code::DomainCircularHierarchy, message);
    if entry != domain.definition {
        diagnostic = diagnostic.with_related(RelatedLocation::Definition(entry), "the circle is entered here");
    }
    checker.report(diagnostic);
}

/// What is known about the domains above domains. Every domain is walked over once, however many have it above them.
#[derive(Default)]
pub(super) struct Hierarchy {
    /// For each domain the first one above it (or itself) that is in a circle.
    known: FxHashMap<Definition, Option<Definition>>,
}

impl Hierarchy {
    fn circle_above(&mut self, db: &dyn Db, domain: Definition) -> Option<Definition> {
        let mut way = Vec::new();
        let mut on_way = FxHashSet::default();
        let mut current = Some(domain);
        let found = loop {
            let Some(here) = current else { break None };
            if let Some(known) = self.known.get(&here) {
                break *known;
            }
            if !on_way.insert(here) {
                // The way has come back to itself: from `here` on it is the circle, where each is its own entry.
                while let Some(member) = way.pop() {
                    self.known.insert(member, Some(member));
                    if member == here {
                        break;
                    }
                }
                break Some(here);
            }
            way.push(here);
            current = domain_parent(db, here);
        };
        for passed in way {
            self.known.insert(passed, found);
        }
        self.known.get(&domain).copied().flatten()
    }
}
