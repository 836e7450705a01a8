//! Name lookup: inside a file, and in its imports.
//!
//! A name is looked up in the enclosing namespaces, from the innermost outwards, then in the file, then in its
//! imports. In a namespace a name is the path from *that block* to an element in it: two blocks of one namespace do
//! not see each other's elements by their simple names. All imported elements form one table, in which a later entry
//! replaces an earlier one with the same name. A lookup of one kind of element ignores elements of other kinds.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::db::Db;
use crate::imports::imported_files;
use crate::index::FileIndex;
use crate::inputs::{Definition, File};
use crate::kind::ElementKind;
use crate::lower::file_index;

/// Maximum number of elements that one name resolves to, where several are allowed. Real models never have that many;
/// the limit ensures linear time for a file of nothing but repetitions.
const MAX_TARGETS: usize = 64;

/// One table for each referenceable kind.
type ByKind<T> = [T; ElementKind::REFERENCEABLE.len()];

/// Elements of a file by their paths from its root.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LocalScope {
    /// Numbers of elements, ascending. Most paths have one element.
    by_path: ByKind<FxHashMap<SmolStr, SmallVec<[u32; 1]>>>,
}

/// Returns the names of a file.
#[salsa::tracked(returns(ref))]
pub(crate) fn local_scope(db: &dyn Db, file: File) -> Arc<LocalScope> {
    let mut scope = LocalScope::default();
    for (number, element) in file_index(db, file).elements_with_numbers() {
        let Some(table) = element.kind.table_row().and_then(|row| scope.by_path.get_mut(row)) else { continue };
        // No reference matches the path of a nameless element, but lookups of elements inside it use that path.
        if element.name.is_none() {
            continue;
        }
        table.entry(element.path.clone()).or_default().push(number);
    }
    Arc::new(scope)
}

/// Exported elements of a file by fully qualified name, in text order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Exports {
    entries: Box<[Export]>,
}

#[derive(Debug, PartialEq, Eq)]
struct Export {
    name: SmolStr,
    /// Row of its kind.
    row: usize,
    number: u32,
}

#[salsa::tracked(returns(ref))]
pub(crate) fn exports(db: &dyn Db, file: File) -> Arc<Exports> {
    let entries = file_index(db, file).elements_with_numbers().filter_map(|(number, element)| {
        let row = element.kind.table_row()?;
        Some(Export { name: element.fqn()?.clone(), row, number })
    });
    Arc::new(Exports { entries: entries.collect() })
}

/// Names from a file's imports.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct GlobalScope {
    by_name: ByKind<FxHashMap<SmolStr, Definition>>,
}

impl GlobalScope {
    pub(crate) fn get(&self, kind: ElementKind, name: &str) -> Option<Definition> {
        self.by_name.get(kind.table_row()?)?.get(name).copied()
    }

    /// Returns the names of one kind, unordered.
    fn names(&self, kind: ElementKind) -> impl Iterator<Item = (&SmolStr, Definition)> {
        let table = kind.table_row().and_then(|row| self.by_name.get(row));
        table.into_iter().flatten().map(|(name, definition)| (name, *definition))
    }

    fn add(&mut self, db: &dyn Db, file: File, alias: Option<&SmolStr>) {
        for export in &exports(db, file).entries {
            let name = match alias {
                Some(alias) => smol_str::format_smolstr!("{alias}.{}", export.name),
                None => export.name.clone(),
            };
            if let Some(table) = self.by_name.get_mut(export.row) {
                table.insert(name, Definition { file, number: export.number });
            }
        }
    }
}

/// Returns the files that a file sees, each with the number of its import statement. Names of a later file replace
/// those of an earlier one.
///
/// Imports are not transitive, with one exception: if an imported file is in an installed package, its own imports from
/// that package are also visible, so that a package can be split into files. This applies one level deep.
pub fn visible_files(db: &dyn Db, file: File) -> Vec<(usize, File)> {
    let mut visible = Vec::new();
    for (import, target) in imported_files(db, file).iter().enumerate() {
        let Some(target) = *target else { continue };
        visible.push((import, target));
        if let Some(package) = target.package(db) {
            let imported = imported_files(db, target).iter().flatten();
            visible.extend(
                imported
                    .filter(|candidate| candidate.package(db) == Some(package))
                    .map(|candidate| (import, *candidate)),
            );
        }
    }
    visible
}

/// Returns the imported elements of a file by their names there.
///
/// The file's own elements are not included: they take precedence over imports.
#[salsa::tracked(returns(ref))]
pub(crate) fn global_scope(db: &dyn Db, file: File) -> Arc<GlobalScope> {
    let mut scope = GlobalScope::default();
    let imports = &file_index(db, file).imports;
    for (import, visible) in visible_files(db, file) {
        scope.add(db, visible, imports.get(import).and_then(|import| import.alias.as_ref()));
    }
    Arc::new(scope)
}

/// Name lookup in one file.
pub(crate) struct Names<'db> {
    file: File,
    index: &'db FileIndex,
    local: &'db LocalScope,
    global: &'db GlobalScope,
}

impl<'db> Names<'db> {
    pub(crate) fn new(db: &'db dyn Db, file: File) -> Self {
        Self { file, index: file_index(db, file), local: local_scope(db, file), global: global_scope(db, file) }
    }

    /// Returns the first element that a name resolves to inside `container` (the root if `None`).
    pub(crate) fn first(&self, container: Option<u32>, kind: ElementKind, name: &str) -> Option<Definition> {
        let mut found = None;
        self.each_level(container, kind, name, |matches| {
            found = matches.first().copied();
            found.is_none()
        });
        let own = found.map(|number| Definition { file: self.file, number });
        own.or_else(|| self.global.get(kind, name))
    }

    /// Returns every element that a name resolves to inside `container`, nearest first.
    pub(crate) fn all(&self, container: Option<u32>, kind: ElementKind, name: &str) -> Vec<Definition> {
        let mut found: Vec<Definition> = Vec::new();
        self.each_level(container, kind, name, |matches| {
            for number in matches {
                let definition = Definition { file: self.file, number: *number };
                if found.len() == MAX_TARGETS {
                    return false;
                }
                // A path from an outer level can resolve to the same element again.
                if !found.contains(&definition) {
                    found.push(definition);
                }
            }
            true
        });
        if let Some(definition) = self.global.get(kind, name)
            && !found.contains(&definition)
        {
            found.push(definition);
        }
        found
    }

    /// Calls `visit` with the matching elements of each level, until it returns false.
    fn each_level(
        &self,
        mut container: Option<u32>,
        kind: ElementKind,
        name: &str,
        mut visit: impl FnMut(&[u32]) -> bool,
    ) {
        let Some(table) = kind.table_row().and_then(|row| self.local.by_path.get(row)) else { return };
        let mut path = String::new();
        while let Some(number) = container {
            let Some(level) = self.index.element(number) else { break };
            path.clear();
            path.extend([level.path.as_str(), ".", name]);
            if let Some(numbers) = table.get(path.as_str()) {
                // Only elements inside this block count.
                let numbers = numbers.as_slice();
                let from = numbers.partition_point(|inner| *inner <= number);
                let to = numbers.partition_point(|inner| *inner <= level.last);
                if !visit(numbers.get(from..to).unwrap_or_default()) {
                    return;
                }
            }
            container = level.container;
        }
        if let Some(numbers) = table.get(name) {
            visit(numbers.as_slice());
        }
    }

    /// Returns every name of a kind that can be used inside `container`, with its target, sorted by name.
    pub(crate) fn visible(&self, container: Option<u32>, kind: ElementKind) -> Vec<(SmolStr, Definition)> {
        let mut names: Vec<SmolStr> = self.global.names(kind).map(|(name, _)| name.clone()).collect();
        for element in self.index.elements.iter().filter(|element| element.kind == kind && element.name.is_some()) {
            // For each level that encloses both the reference and the element, the rest of the path is a name.
            let mut level = container;
            while let Some(enclosing) = level.and_then(|number| self.index.element(number)) {
                let rest = element.path.strip_prefix(enclosing.path.as_str()).and_then(|rest| rest.strip_prefix('.'));
                names.extend(rest.map(SmolStr::new));
                level = enclosing.container;
            }
            if element.is_qualified {
                names.push(element.path.clone());
            }
        }
        names.sort_unstable();
        names.dedup();
        // Resolve each candidate by the normal rules; names from another block of a namespace do not resolve.
        names
            .into_iter()
            .filter_map(|name| self.first(container, kind, &name).map(|definition| (name, definition)))
            .collect()
    }
}

/// Returns the names of a kind that a reference inside `container` (the root of the file if `None`) can use, sorted,
/// each with its target.
pub fn visible_names(
    db: &dyn Db,
    file: File,
    container: Option<Definition>,
    kind: ElementKind,
) -> Vec<(SmolStr, Definition)> {
    let container = container.filter(|container| container.file == file).map(|container| container.number);
    Names::new(db, file).visible(container, kind)
}
