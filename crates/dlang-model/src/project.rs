//! Elements of all files by name.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::db::Db;
use crate::imports::project_files;
use crate::inputs::Definition;
use crate::lower::file_index;

/// Elements of the project by name. Those with the same name are ordered by file, then in text order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectIndex {
    by_fqn: FxHashMap<SmolStr, SmallVec<[Definition; 1]>>,
    by_name: FxHashMap<SmolStr, SmallVec<[Definition; 1]>>,
}

/// Returns the table of the project. It depends only on the declarations of files, so edits of bodies do not
/// invalidate it.
#[salsa::tracked(returns(ref))]
pub(crate) fn project_index(db: &dyn Db) -> Arc<ProjectIndex> {
    let mut index = ProjectIndex::default();
    for file in project_files(db) {
        for (number, element) in file_index(db, *file).elements_with_numbers() {
            let definition = Definition { file: *file, number };
            for (table, name) in [(&mut index.by_fqn, element.fqn()), (&mut index.by_name, element.name.as_ref())] {
                if let Some(name) = name {
                    table.entry(name.clone()).or_default().push(definition);
                }
            }
        }
    }
    Arc::new(index)
}

/// Returns the elements with a fully qualified name: usually one, several if it is declared more than once.
pub fn definitions_by_fqn<'db>(db: &'db dyn Db, fqn: &str) -> &'db [Definition] {
    project_index(db).by_fqn.get(fqn).map(SmallVec::as_slice).unwrap_or_default()
}

/// Returns the elements with a name, in any namespace. The name of a namespace includes its dots.
pub fn definitions_by_name<'db>(db: &'db dyn Db, name: &str) -> &'db [Definition] {
    project_index(db).by_name.get(name).map(SmallVec::as_slice).unwrap_or_default()
}
