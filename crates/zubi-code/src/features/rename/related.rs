//! Definitions that a rename must change together with the symbol, although the server renames each apart: overrides of
//! a method and definitions in other branches.
//!
//! The servers of Python rename one definition and what resolves to it (pyright 1.1, ty 0.0). Python calls an override
//! through the base class, and one of several definitions of a scope by the branch that ran. zubi requests the rename of
//! each and merges the edits.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde_json::json;
use tokio::time::{Instant, timeout_at};
use zubi_base::endpoint::Endpoint;
use zubi_base::position::{Encoding, TextSize, size};
use zubi_base::text::{list_first, pluralize};
use zubi_base::uri;

use super::projects::{CompletedRename, RenameEdit};
use super::python::{self, DeclarationForm};
use crate::features::locations::RawLocation;
use crate::features::mentions::PROOF_TIME;
use crate::locate::ResolvedTarget;
use crate::location::column_of;
use crate::markup::clean_line;
use crate::outline::{OutlineSymbol, walk};
use crate::query::{CodeQuery, SourceDocument};
use crate::request::position_params;
use crate::text_search::WordOccurrences;

/// Extensions of the languages whose servers rename one definition only.
const EXTENSIONS: [&str; 2] = ["py", "pyi"];

/// The maximum number of classes whose bases zubi resolves for a rename.
const MAX_CLASSES: usize = 64;

/// The maximum number of related definitions whose rename zubi requests.
const MAX_RENAMES: usize = 32;

/// The maximum number of definitions that a clause names.
const MAX_NAMED: usize = 4;

/// A class, by its file and the byte offset of its name.
type ClassKey = (Utf8PathBuf, usize);

/// The part of a file in which a name is declared: a class with the offset of its name, or a function or the module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Scope {
    path: Utf8PathBuf,
    /// The byte offset of the name of the class or the function; `None` for the module.
    owner: Option<usize>,
    is_class: bool,
}

impl Scope {
    fn class(&self) -> Option<ClassKey> {
        Some((self.path.clone(), self.owner.filter(|_| self.is_class)?))
    }
}

/// A declaration of the name.
struct Declaration {
    location: RawLocation,
    document: Arc<SourceDocument>,
    offset: TextSize,
    scope: Scope,
    /// Whether it is in an import statement, so that its rename would concern the imported symbol.
    is_import: bool,
}

/// The search for related definitions, with the bases of the classes that it met.
struct ClassSearch {
    bases: FxHashMap<ClassKey, Vec<ClassKey>>,
    until: Instant,
    /// Whether a limit left a class unchecked.
    is_cut: bool,
}

/// The related definitions of a rename.
#[derive(Default)]
struct RelatedDefinitions {
    /// With a clause about the relation: `overrides it`.
    found: Vec<(Declaration, &'static str)>,
    /// Places outside the workspace that define the name in a base class.
    outside: Vec<String>,
    is_cut: bool,
}

impl CodeQuery<'_> {
    /// Adds the rename of related definitions. Returns a clause about those that are left; `None` without any.
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
        let related = self.find_related(name, rename, &words).await;
        let (mut left, mut added, mut renamed) = (Vec::new(), 0, Vec::new());
        for (index, (definition, relation)) in related.found.into_iter().enumerate() {
            let known = rename.edited.len();
            if !rename.covers(&definition.location) && !definition.is_import && index < MAX_RENAMES {
                let path = definition.location_path();
                let target = self.resolved_target(path, &definition.document, definition.offset, None);
                let cx = self.request_cx().for_document(&target.reference);
                let mut params =
                    position_params(&target.reference, &definition.document, target.offset, endpoint.encoding());
                params["newName"] = json!(new_name);
                if let Ok(edit) = endpoint.request("textDocument/rename", params, &cx).await
                    && edit.is_object()
                {
                    self.add_new_edits(rename, RenameEdit { edit, endpoint: Arc::clone(endpoint) }).await;
                }
            }
            let place = format!("{} ({relation})", definition.place());
            if rename.edited.len() > known {
                added += rename.edited.len() - known;
                renamed.push(place);
            } else if !rename.covers(&definition.location) {
                left.push(place);
            }
        }
        if added > 0 {
            let edits = pluralize(added, "edit");
            let places = list_first(renamed, MAX_NAMED);
            rename.notes.push(format!("{edits} for definitions that the server renames apart: {places}"));
        }
        let mut clauses = Vec::new();
        if !left.is_empty() {
            let definitions = pluralize(left.len(), "definition");
            clauses.push(format!("the server does not rename {definitions}: {}", list_first(left, MAX_NAMED)));
        }
        if !related.outside.is_empty() {
            clauses.push(format!("a base class outside the workspace defines it: {}", related.outside.join(", ")));
        }
        if related.is_cut {
            clauses.push(format!("zubi did not check all classes that may override `{name}`"));
        }
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }

    /// Finds the declarations of the name that belong to one that the rename edits.
    async fn find_related(&self, name: &str, rename: &CompletedRename, words: &WordOccurrences) -> RelatedDefinitions {
        let mut related = RelatedDefinitions::default();
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for file in words.files.iter().filter(|file| file.is_own()) {
            if !file.path.extension().is_some_and(|extension| EXTENSIONS.contains(&extension)) {
                continue;
            }
            for occurrence in file.occurrences.iter().filter(|occurrence| occurrence.is_code) {
                let location = self.location_of_word(&file.path, occurrence.start(Encoding::Utf16), name);
                let is_own = rename.covers(&location);
                if let Some(declaration) = self.declaration_at(location, &file.path, name).await {
                    if is_own { own.push(declaration) } else { others.push(declaration) }
                }
            }
        }
        let mut scopes: BTreeSet<Scope> = own.into_iter().map(|declaration| declaration.scope).collect();
        let mut search = ClassSearch { bases: FxHashMap::default(), until: Instant::now() + PROOF_TIME, is_cut: false };
        // Special names and those with mangling are private to their class.
        let is_inherited = !name.starts_with("__");
        let classes: Vec<_> = scopes.iter().filter(|_| is_inherited).filter_map(Scope::class).collect();
        let mut bases = BTreeSet::new();
        for class in classes {
            for base in self.ancestors(class, &mut search).await {
                if self.workspace().contains(&base.0) {
                    bases.insert(base);
                } else if let Some(place) = self.member_of(&base, name).await {
                    related.outside.push(place);
                }
            }
        }
        let mut rest = Vec::new();
        for other in others {
            let is_base = other.scope.class().is_some_and(|class| bases.contains(&class));
            if scopes.contains(&other.scope) {
                related.found.push((other, "the same scope"));
            } else if is_base {
                scopes.insert(other.scope.clone());
                related.found.push((other, "the base class"));
            } else {
                rest.push(other);
            }
        }
        let roots: BTreeSet<_> = scopes.iter().filter_map(Scope::class).collect();
        if is_inherited && !roots.is_empty() {
            for other in rest {
                let Some(class) = other.scope.class() else { continue };
                if self.ancestors(class, &mut search).await.iter().any(|base| roots.contains(base)) {
                    related.found.push((other, "an override"));
                }
            }
        }
        related.is_cut = search.is_cut;
        related.outside.sort();
        related.outside.dedup();
        related
    }

    /// Returns the declaration of the name at a location; `None` if the code there does not declare it.
    async fn declaration_at(&self, location: RawLocation, path: &Utf8Path, name: &str) -> Option<Declaration> {
        let document = self.document(path).await.ok()?;
        let offset = document.index.from_lsp(location.location.range.start, Encoding::Utf16);
        let form = python::declaration_form(&document.text, usize::from(offset), name)?;
        let outline = self.declared_in(path).await.ok()?;
        let scope = scope_of(&outline.value, path, offset, form)?;
        let is_import = form == DeclarationForm::Import;
        Some(Declaration { location, document, offset, scope, is_import })
    }

    /// Returns the classes that a class inherits from, in any depth.
    async fn ancestors(&self, class: ClassKey, search: &mut ClassSearch) -> BTreeSet<ClassKey> {
        let mut found = BTreeSet::new();
        let mut queue = vec![class];
        while let Some(class) = queue.pop() {
            for base in self.bases_of(class, search).await {
                if found.insert(base.clone()) {
                    queue.push(base);
                }
            }
        }
        found
    }

    /// Returns the base classes of a class, as its server resolves them.
    async fn bases_of(&self, class: ClassKey, search: &mut ClassSearch) -> Vec<ClassKey> {
        if let Some(known) = search.bases.get(&class) {
            return known.clone();
        }
        let Ok(document) = self.document(&class.0).await else { return Vec::new() };
        let mut bases = Vec::new();
        for offset in python::base_offsets(&document.text, class.1) {
            if search.bases.len() >= MAX_CLASSES {
                search.is_cut = true;
                break;
            }
            let start = document.index.to_lsp(size(offset), Encoding::Utf16);
            let Ok(found) = timeout_at(search.until, self.definitions_at(&class.0, start)).await else {
                search.is_cut = true;
                break;
            };
            for definition in found.unwrap_or_default() {
                bases.extend(self.class_at(&definition).await);
            }
        }
        search.bases.insert(class, bases.clone());
        bases
    }

    /// Returns the class whose statement or name begins at a location.
    async fn class_at(&self, location: &RawLocation) -> Option<ClassKey> {
        let path = uri::to_path(&location.location.uri)?;
        let document = self.document(&path).await.ok()?;
        let offset = document.index.from_lsp(location.location.range.start, location.encoding);
        let name = python::class_name_at(&document.text, usize::from(offset))?;
        Some((path, name))
    }

    /// Returns the place of a member that a class declares in its body.
    async fn member_of(&self, class: &ClassKey, name: &str) -> Option<String> {
        let document = self.document(&class.0).await.ok()?;
        let line = python::member_line(&document.text, class.1, name)?;
        Some(format!("{}:{line}", clean_line(&self.workspace().display(&class.0))))
    }
}

impl Declaration {
    fn location_path(&self) -> Utf8PathBuf {
        self.scope.path.clone()
    }

    /// Returns the place as `path:line:column`.
    fn place(&self) -> String {
        let line = self.document.index.line_col(self.offset).line + 1;
        format!("{}:{line}:{}", clean_line(&self.location.display_path), column_of(&self.document, self.offset))
    }
}

/// Returns the scope of a declaration. `None` if an assignment is not in the outline: it may be an argument by name.
fn scope_of(outline: &[OutlineSymbol], path: &Utf8Path, offset: TextSize, form: DeclarationForm) -> Option<Scope> {
    let (mut owner, mut class, mut is_listed) = (None, None, false);
    walk(outline, |_, symbol| {
        if symbol.selection.start() == offset {
            is_listed = true;
        } else if symbol.range.contains_inclusive(offset) {
            match symbol.kind {
                "class" | "enum" | "interface" | "struct" => {
                    owner = Some(symbol);
                    class = owner;
                }
                "function" | "method" | "constructor" => owner = Some(symbol),
                _ => {}
            }
        }
    });
    let scope = |owner: Option<&OutlineSymbol>, is_class| {
        let owner = owner.map(|owner| usize::from(owner.selection.start()));
        Some(Scope { path: path.to_owned(), owner, is_class })
    };
    match form {
        DeclarationForm::Attribute => scope(Some(class?), true),
        DeclarationForm::Assignment if !is_listed => None,
        _ => scope(owner, class.is_some() && owner.map(|one| one.selection) == class.map(|one| one.selection)),
    }
}
