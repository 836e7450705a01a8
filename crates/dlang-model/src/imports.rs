//! Import graph and its cycles.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::db::Db;
use crate::inputs::{File, ImportOutcome, Project};
use crate::lower::file_index;

/// Returns the target of each import statement of a file; `None` for an unresolved one.
#[salsa::tracked(returns(deref))]
pub fn imported_files(db: &dyn Db, file: File) -> Arc<[Option<File>]> {
    let outcomes = file.import_outcomes(db);
    let target = |specifier: &str| match outcomes.get(specifier) {
        Some(ImportOutcome::File(target)) => Some(*target),
        _ => None,
    };
    file_index(db, file).imports.iter().map(|import| import.specifier.as_deref().and_then(target)).collect()
}

/// Cycles of the import graph.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ImportCycles {
    /// For each file in a cycle, the number of its strongly connected component.
    groups: FxHashMap<File, u32>,
}

impl ImportCycles {
    /// Whether a file is in a cycle.
    pub fn contains(&self, file: File) -> bool {
        self.groups.contains_key(&file)
    }

    fn is_same(&self, one: File, other: File) -> bool {
        self.groups.get(&one).is_some_and(|group| self.groups.get(&other) == Some(group))
    }
}

/// Returns all import cycles of the project.
#[salsa::tracked(returns(ref))]
pub fn import_cycles(db: &dyn Db) -> Arc<ImportCycles> {
    let files = project_files(db);
    let mut search = Search::default();
    for file in files {
        search.run(db, *file);
    }
    Arc::new(ImportCycles { groups: search.groups })
}

/// Returns the files of the project, ordered by path.
pub fn project_files(db: &dyn Db) -> &[File] {
    Project::try_get(db).map(|project| project.files(db)).unwrap_or_default()
}

/// Tarjan's search for strongly connected components, with an explicit stack, because cycles can be long.
#[derive(Default)]
struct Search {
    /// Discovery order of a file, and the earliest discovered file known to be reachable from it.
    found: FxHashMap<File, (u32, u32)>,
    /// Files whose component is not complete, in discovery order.
    open: Vec<File>,
    is_open: FxHashSet<File>,
    groups: FxHashMap<File, u32>,
}

impl Search {
    fn run(&mut self, db: &dyn Db, start: File) {
        if self.found.contains_key(&start) {
            return;
        }
        // Files on the current path, and the next import of each.
        let mut path: Vec<(File, usize)> = Vec::new();
        self.enter(start);
        path.push((start, 0));
        while let Some((file, next)) = path.last_mut() {
            let file = *file;
            let targets = imported_files(db, file);
            if let Some(target) = targets.get(*next) {
                *next += 1;
                let Some(target) = *target else { continue };
                match self.found.get(&target) {
                    None => {
                        self.enter(target);
                        path.push((target, 0));
                    }
                    Some(&(order, _)) if self.is_open.contains(&target) => self.reaches(file, order),
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            let Some(&(order, lowest)) = self.found.get(&file) else { continue };
            if let Some((importer, _)) = path.last() {
                self.reaches(*importer, lowest);
            }
            if order == lowest {
                self.close(file, order, targets.contains(&Some(file)));
            }
        }
    }

    fn enter(&mut self, file: File) {
        let order = u32::try_from(self.found.len()).unwrap_or(u32::MAX);
        self.found.insert(file, (order, order));
        self.open.push(file);
        self.is_open.insert(file);
    }

    fn reaches(&mut self, file: File, order: u32) {
        if let Some((_, lowest)) = self.found.get_mut(&file) {
            *lowest = order.min(*lowest);
        }
    }

    /// Closes a component: its first file and all open files discovered after it are its members.
    fn close(&mut self, first: File, group: u32, imports_itself: bool) {
        let begin = self.open.iter().rposition(|file| *file == first).unwrap_or(self.open.len());
        let members = self.open.split_off(begin);
        let is_cycle = members.len() > 1 || imports_itself;
        for member in members {
            self.is_open.remove(&member);
            if is_cycle {
                self.groups.insert(member, group);
            }
        }
    }
}

/// Returns, for each import of a file, the shortest cycle through it: the file, the imported file, … and the file
/// again. `None` for an import that is in no cycle.
pub fn import_cycles_through(db: &dyn Db, file: File) -> Vec<Option<Vec<File>>> {
    let targets = imported_files(db, file);
    if targets.iter().all(Option::is_none) {
        return vec![None; targets.len()];
    }
    let cycles = import_cycles(db);
    if !cycles.contains(file) {
        return vec![None; targets.len()];
    }
    let next = next_steps(db, cycles, file);
    let cycle_path = |target: File| {
        let mut path = vec![file, target];
        let mut current = target;
        while current != file {
            current = *next.get(&current)?;
            path.push(current);
        }
        Some(path)
    };
    targets.iter().map(|target| target.filter(|target| cycles.is_same(file, *target)).and_then(cycle_path)).collect()
}

/// Returns, for each file of a cycle, the import to follow on the shortest path to `goal`.
fn next_steps(db: &dyn Db, cycles: &ImportCycles, goal: File) -> FxHashMap<File, File> {
    // Importers of each file, collected in import order, so that the result is deterministic.
    let mut importers: FxHashMap<File, Vec<File>> = FxHashMap::default();
    let mut seen = FxHashSet::from_iter([goal]);
    let mut waiting = VecDeque::from([goal]);
    while let Some(file) = waiting.pop_front() {
        for target in imported_files(db, file).iter().flatten().filter(|target| cycles.is_same(goal, **target)) {
            importers.entry(*target).or_default().push(file);
            if seen.insert(*target) {
                waiting.push_back(*target);
            }
        }
    }
    let mut next = FxHashMap::default();
    let mut waiting = VecDeque::from([goal]);
    while let Some(file) = waiting.pop_front() {
        for importer in importers.get(&file).into_iter().flatten() {
            if *importer != goal && !next.contains_key(importer) {
                next.insert(*importer, file);
                waiting.push_back(*importer);
            }
        }
    }
    next
}
