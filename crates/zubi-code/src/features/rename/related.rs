//! Definitions that a rename must change together with the symbol, although the server renames each apart: overrides of
//! a method and definitions in other branches.
//!
//! The servers of Python rename one definition and what resolves to it (pyright 1.1, ty 0.0). Python calls an override
//! through the base class, and one of several definitions of a scope by the branch that ran. zubi requests the rename of
//! each and merges the edits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use tokio::time::{Instant, timeout_at};
use zubi_base::endpoint::Endpoint;
use zubi_base::position::{Encoding, size};
use zubi_base::text::{list_first, pluralize};
use zubi_base::uri;

use super::projects::{CompletedRename, RenameEdit, overlaps};
use super::python::{self, DeclarationForm, EnclosingScope, NamePlace, PythonNames};
use crate::features::locations::RawLocation;
use crate::locate::{ResolvedTarget, identifier_around};
use crate::location::column_of;
use crate::markup::clean_line;
use crate::query::{CodeQuery, SourceDocument};
use crate::text_search::WordOccurrences;

/// Extensions of the languages whose servers rename one definition only.
const EXTENSIONS: [&str; 2] = ["py", "pyi"];

/// The maximum number of requests for the definitions of base classes.
const MAX_LOOKUPS: usize = 128;

/// The time limit of these requests. The first one about the standard library takes pyright more than a second.
const LOOKUP_TIME: Duration = Duration::from_secs(10);

/// The maximum number of related definitions whose rename zubi requests.
const MAX_RENAMES: usize = 64;

/// The maximum number of definitions that a clause names.
const MAX_NAMED: usize = 4;

/// The maximum number of assignments (`Base = Shape`) between a base and its class.
const MAX_ALIASES: usize = 3;

/// A class, by its file and its path there.
type ClassKey = (Utf8PathBuf, Vec<EnclosingScope>);

/// A declaration of the name.
struct Declaration {
    location: RawLocation,
    path: Utf8PathBuf,
    document: Arc<SourceDocument>,
    place: NamePlace,
}

/// The classes that a search met.
#[derive(Default)]
struct ClassSearch {
    /// The declared name.
    name: String,
    files: FxHashMap<Utf8PathBuf, Arc<PythonNames>>,
    bases: BTreeMap<ClassKey, BTreeSet<ClassKey>>,
    lookups: usize,
    /// The last names of bases that the server does not resolve, by class.
    unresolved: BTreeMap<ClassKey, Vec<String>>,
    /// Whether a limit left a class unchecked.
    is_cut: bool,
}

/// The related definitions of a rename.
#[derive(Default)]
struct RelatedDefinitions {
    /// The declarations that the rename edits.
    own: Vec<RawLocation>,
    /// With a clause about the relation: `an override`.
    found: Vec<(Declaration, &'static str)>,
    /// Clauses about what may be related, but is not renamed.
    doubts: Vec<String>,
    /// A note about bases that the server does not resolve.
    note: Option<String>,
}

impl CodeQuery<'_> {
    /// Adds the rename of related definitions, and marks the declarations among the edits. Returns a clause about what is
    /// left; `None` if nothing is.
    pub(super) async fn rename_related(
        &self,
        at: &ResolvedTarget,
        new_name: &str,
        endpoint: &Arc<dyn Endpoint>,
        rename: &mut CompletedRename,
    ) -> Option<String> {
        let name = at.name.as_deref()?;
        if !EXTENSIONS.contains(&at.path.extension()?) {
            return None;
        }
        let words = self.word_matches(at).await?;
        self.convert_all_to_utf16(rename.edited.iter_mut()).await;
        let related = self.find_related(name, rename, &words).await;
        let mut declared = related.own;
        let (mut left, mut renamed) = (Vec::new(), Vec::new());
        let (mut added, mut requested) = (0, 0);
        for (definition, relation) in related.found {
            let known = rename.edited.len();
            let is_covered = rename.covers(&definition.location);
            if !is_covered && definition.place.form != DeclarationForm::Import && requested < MAX_RENAMES {
                requested += 1;
                let (path, offset) = (definition.path.clone(), size(definition.place.offset));
                let target = self.resolved_target(path, &definition.document, offset, None);
                if let Some(edit) = self.request_rename(&target, endpoint.as_ref(), new_name).await {
                    self.add_new_edits(rename, RenameEdit { edit, endpoint: Arc::clone(endpoint) }).await;
                }
            }
            let place = format!("{} ({relation})", definition.shown_place());
            if rename.edited.len() > known {
                added += rename.edited.len() - known;
                renamed.push(place);
            } else if !rename.covers(&definition.location) {
                left.push(place);
                continue;
            }
            declared.push(definition.location);
        }
        // The check of further mentions compares definitions with these.
        for edited in &mut rename.edited {
            edited.declaration |= declared.iter().any(|one| overlaps(one, edited));
        }
        if added > 0 {
            let edits = pluralize(added, "edit");
            let places = list_first(renamed, MAX_NAMED);
            rename.notes.push(format!("{edits} for definitions that the server renames apart: {places}"));
        }
        rename.notes.extend(related.note);
        let mut clauses = related.doubts;
        if !left.is_empty() {
            let definitions = pluralize(left.len(), "definition");
            clauses.push(format!("{definitions} will not be renamed: {}", list_first(left, MAX_NAMED)));
        }
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }

    /// Finds the declarations of the name that belong to one that the rename edits.
    async fn find_related(&self, name: &str, rename: &CompletedRename, words: &WordOccurrences) -> RelatedDefinitions {
        let mut related = RelatedDefinitions::default();
        let mut search = ClassSearch { name: name.to_owned(), ..ClassSearch::default() };
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for declaration in self.declarations_in(words, &mut search).await {
            if rename.covers(&declaration.location) { own.push(declaration) } else { others.push(declaration) }
        }
        let scopes: BTreeSet<_> = own.iter().map(|one| (one.path.clone(), one.place.enclosing.clone())).collect();
        related.own = own.iter().map(|one| one.location.clone()).collect();
        let (same, mut others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|one| scopes.contains(&(one.path.clone(), one.place.enclosing.clone())));
        related.found.extend(same.into_iter().map(|one| (one, "the same scope")));
        let mut roots: BTreeSet<ClassKey> = own.iter().filter_map(Declaration::class).collect();
        // Special names and those with mangling are private to their class.
        if name.starts_with("__") || roots.is_empty() {
            return related;
        }
        let until = Instant::now() + LOOKUP_TIME;
        // Each class that joins may have further bases with the name, and these further overrides.
        let mut pending: Vec<_> = roots.iter().cloned().collect();
        while !pending.is_empty() {
            for class in std::mem::take(&mut pending) {
                for base in self.ancestors(class, until, &mut search).await {
                    if !roots.contains(&base) && self.member_offset(&base, &mut search).await.is_some() {
                        roots.insert(base.clone());
                        pending.push(base);
                    }
                }
            }
            let mut rest = Vec::new();
            for other in others {
                let Some(class) = other.class() else {
                    rest.push(other);
                    continue;
                };
                if roots.contains(&class) {
                    related.found.push((other, "the base class"));
                } else if !self.ancestors(class.clone(), until, &mut search).await.is_disjoint(&roots) {
                    if roots.insert(class.clone()) {
                        pending.push(class);
                    }
                    related.found.push((other, "an override"));
                } else {
                    rest.push(other);
                }
            }
            others = rest;
        }
        related.note = search.describe_unresolved(&roots);
        related.doubts = self.doubts_about(&roots, &related, &own, &others, &mut search).await;
        related
    }

    /// Returns clauses about classes that may be related, but are not renamed.
    async fn doubts_about(
        &self,
        roots: &BTreeSet<ClassKey>,
        related: &RelatedDefinitions,
        own: &[Declaration],
        others: &[Declaration],
        search: &mut ClassSearch,
    ) -> Vec<String> {
        let name = search.name.clone();
        let mut doubts = Vec::new();
        let declared: BTreeSet<_> =
            own.iter().chain(related.found.iter().map(|(one, _)| one)).filter_map(Declaration::class).collect();
        let mut outside = Vec::new();
        for base in roots.iter().filter(|root| !declared.contains(*root)) {
            outside.extend(self.member_place(base, search).await);
        }
        if !outside.is_empty() {
            doubts.push(format!(
                "a base class that the rename does not reach defines it: {}",
                list_first(outside, MAX_NAMED)
            ));
        }
        let names: BTreeSet<_> = roots.iter().filter_map(class_name).collect();
        let mut unresolved = Vec::new();
        let mut protocols = Vec::new();
        for other in others {
            let Some(class) = other.class() else { continue };
            let bases = search.unresolved.get(&class).into_iter().flatten();
            if let Some(base) = bases.into_iter().find(|base| names.contains(base.as_str())) {
                unresolved.push(format!("{} (`{base}`)", other.shown_place()));
            }
            if self.is_protocol(&class, search).await {
                protocols.push(other.shown_place());
            }
        }
        let mut has_protocol = false;
        for root in roots {
            has_protocol |= self.is_protocol(root, search).await;
        }
        if has_protocol {
            protocols.extend(others.iter().filter(|other| other.class().is_some()).map(Declaration::shown_place));
        }
        if !protocols.is_empty() {
            protocols.sort();
            protocols.dedup();
            let places = list_first(protocols, MAX_NAMED);
            doubts.push(format!("classes may implement a protocol with `{name}` without naming it: {places}"));
        }
        if !unresolved.is_empty() {
            let places = list_first(unresolved, MAX_NAMED);
            doubts.push(format!("the server does not resolve the base of a class with `{name}`: {places}"));
        }
        if search.is_cut {
            doubts.push(format!("zubi did not check all classes that may override `{name}`"));
        }
        doubts
    }

    /// Returns the declarations of the name in the files with the word.
    async fn declarations_in(&self, words: &WordOccurrences, search: &mut ClassSearch) -> Vec<Declaration> {
        let mut found = Vec::new();
        for file in words.files.iter().filter(|file| file.is_own()) {
            let is_python = file.path.extension().is_some_and(|extension| EXTENSIONS.contains(&extension));
            if !is_python || !file.occurrences.iter().any(|occurrence| occurrence.is_code) {
                continue;
            }
            let Ok(document) = self.document(&file.path).await else { continue };
            let Some(names) = self.names_of(&file.path, search).await else { continue };
            for place in &names.places {
                let start = document.index.to_lsp(size(place.offset), Encoding::Utf16);
                found.push(Declaration {
                    location: self.location_of_word(&file.path, start, &search.name),
                    path: file.path.clone(),
                    document: Arc::clone(&document),
                    place: place.clone(),
                });
            }
        }
        found
    }

    /// Returns the classes of a file and its declarations of the name.
    async fn names_of(&self, path: &Utf8Path, search: &mut ClassSearch) -> Option<Arc<PythonNames>> {
        if let Some(known) = search.files.get(path) {
            return Some(Arc::clone(known));
        }
        let document = self.document(path).await.ok()?;
        let names = Arc::new(PythonNames::scan(&document.text, &search.name));
        search.files.insert(path.to_owned(), Arc::clone(&names));
        Some(names)
    }

    async fn member_offset(&self, class: &ClassKey, search: &mut ClassSearch) -> Option<usize> {
        let names = self.names_of(&class.0, search).await?;
        names.places.iter().find(|place| place.enclosing == class.1).map(|place| place.offset)
    }

    /// Returns the place of a member that a class declares, as `path:line`.
    async fn member_place(&self, class: &ClassKey, search: &mut ClassSearch) -> Option<String> {
        let offset = self.member_offset(class, search).await?;
        let document = self.document(&class.0).await.ok()?;
        let line = document.index.line_col(size(offset)).line + 1;
        Some(format!("{}:{line}", clean_line(&self.workspace().display(&class.0))))
    }

    /// Whether a class is a protocol, by the names of its bases.
    async fn is_protocol(&self, class: &ClassKey, search: &mut ClassSearch) -> bool {
        let (Some(names), Ok(document)) = (search.files.get(&class.0), self.document(&class.0).await) else {
            return false;
        };
        let mut bases = names.classes.iter().filter(|one| one.path == class.1).flat_map(|one| &one.bases);
        bases.any(|base| identifier_at(&document, *base).is_some_and(|base| base == "Protocol"))
    }

    /// Returns the classes that a class inherits from, in any depth.
    async fn ancestors(&self, class: ClassKey, until: Instant, search: &mut ClassSearch) -> BTreeSet<ClassKey> {
        let mut found = BTreeSet::new();
        let mut queue = vec![class];
        while let Some(class) = queue.pop() {
            for base in self.bases_of(&class, until, search).await {
                if found.insert(base.clone()) {
                    queue.push(base);
                }
            }
        }
        found
    }

    /// Returns the base classes of a class, as its server resolves them.
    async fn bases_of(&self, class: &ClassKey, until: Instant, search: &mut ClassSearch) -> BTreeSet<ClassKey> {
        if let Some(known) = search.bases.get(class) {
            return known.clone();
        }
        // A class of a file without the name is met as a base, so its file has been scanned.
        let Some(names) = search.files.get(&class.0).cloned() else { return BTreeSet::new() };
        let offsets: Vec<usize> =
            names.classes.iter().filter(|one| one.path == class.1).flat_map(|one| one.bases.clone()).collect();
        let mut bases = BTreeSet::new();
        for offset in offsets {
            match self.resolve_class(&class.0, offset, until, search).await {
                Some(found) => bases.extend(found),
                None => {
                    let Ok(document) = self.document(&class.0).await else { continue };
                    search.unresolved.entry(class.clone()).or_default().extend(identifier_at(&document, offset));
                }
            }
        }
        search.bases.insert(class.clone(), bases.clone());
        bases
    }

    /// Returns the classes that a name means, also through assignments (`Base = Shape`). `None` if the server resolves
    /// the name to nothing.
    async fn resolve_class(
        &self,
        path: &Utf8Path,
        offset: usize,
        until: Instant,
        search: &mut ClassSearch,
    ) -> Option<Vec<ClassKey>> {
        let mut classes = Vec::new();
        let mut pending = vec![(path.to_owned(), offset, 0)];
        let mut is_resolved = false;
        while let Some((path, offset, depth)) = pending.pop() {
            let Ok(document) = self.document(&path).await else { continue };
            let start = document.index.to_lsp(size(offset), Encoding::Utf16);
            search.lookups += 1;
            search.is_cut |= search.lookups > MAX_LOOKUPS;
            if search.lookups > MAX_LOOKUPS {
                return Some(classes);
            }
            let Ok(Some(found)) = timeout_at(until, self.definitions_at(&path, start)).await else {
                search.is_cut = true;
                return Some(classes);
            };
            for definition in found {
                is_resolved = true;
                let Some(path) = uri::to_path(&definition.location.uri) else { continue };
                let Ok(document) = self.document(&path).await else { continue };
                let Some(names) = self.names_of(&path, search).await else { continue };
                let at = usize::from(document.index.from_lsp(definition.location.range.start, definition.encoding));
                if let Some(class) = names.class_at(at) {
                    classes.push((path, class.path.clone()));
                } else if depth < MAX_ALIASES {
                    let names = python::assigned_names(&document.text, at);
                    pending.extend(names.into_iter().map(|offset| (path.clone(), offset, depth + 1)));
                }
            }
        }
        is_resolved.then_some(classes)
    }
}

impl ClassSearch {
    /// Returns a note about the bases of the renamed classes that the server does not resolve.
    fn describe_unresolved(&self, roots: &BTreeSet<ClassKey>) -> Option<String> {
        let name = &self.name;
        let unknown = roots.iter().filter_map(|root| Some((class_name(root)?, self.unresolved.get(root)?.first()?)));
        let unknown: Vec<_> = unknown.map(|(class, base)| format!("`{base}` of `{class}`")).collect();
        let is_empty = unknown.is_empty();
        let bases = list_first(unknown, MAX_NAMED);
        (!is_empty).then(|| format!("the server does not resolve a base class, which may define `{name}`: {bases}"))
    }
}

/// Returns the name of a class without what is around it.
fn class_name(class: &ClassKey) -> Option<&str> {
    match class.1.last() {
        Some(EnclosingScope::Class(name)) => Some(name),
        _ => None,
    }
}

/// Returns the identifier at a byte offset.
fn identifier_at(document: &SourceDocument, offset: usize) -> Option<String> {
    Some(identifier_around(None, document, size(offset))?.0)
}

impl Declaration {
    /// Returns the class that the name is a member of.
    fn class(&self) -> Option<ClassKey> {
        let is_class = matches!(self.place.enclosing.last(), Some(EnclosingScope::Class(_)));
        is_class.then(|| (self.path.clone(), self.place.enclosing.clone()))
    }

    /// Returns the place as `path:line:column`.
    fn shown_place(&self) -> String {
        let offset = size(self.place.offset);
        let line = self.document.index.line_col(offset).line + 1;
        format!("{}:{line}:{}", clean_line(&self.location.display_path), column_of(&self.document, offset))
    }
}
