//! Where the elements of all files are declared, by their names.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::db::Db;
use crate::definition::Definition;
use crate::few::Few;
use crate::imports::project_files;
use crate::index::file_index;

/// The elements of the project by name. Those of one name come in the order of files and of their texts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectIndex {
    by_fqn: FxHashMap<SmolStr, Few<Definition>>,
    by_name: FxHashMap<SmolStr, Few<Definition>>,
}

/// The table of the project. It reads no more of a file than what that declares, so it outlives edits of bodies.
#[salsa::tracked(returns(ref))]
pub(crate) fn project_index(db: &dyn Db) -> Arc<ProjectIndex> {
    let mut index = ProjectIndex::default();
    for file in project_files(db) {
        for (number, element) in file_index(db, *file).elements_with_numbers() {
            let definition = Definition { file: *file, number };
            for (table, name) in [(&mut index.by_fqn, element.fqn()), (&mut index.by_name, element.name.as_ref())] {
                let Some(name) = name else { continue };
                match table.get_mut(name) {
                    Some(definitions) => definitions.push(definition),
                    None => {
                        table.insert(name.clone(), Few::One(definition));
                    }
                }
            }
        }
    }
    Arc::new(index)
}

/// The elements of the project that have a fully qualified name: most often one, several when it is declared again.
pub fn definitions_by_fqn<'db>(db: &'db dyn Db, fqn: &str) -> &'db [Definition] {
    project_index(db).by_fqn.get(fqn).map(Few::as_slice).unwrap_or_default()
}

/// The elements of the project that have a name, whatever namespaces they are in. A namespace has all of its name, dots
/// included.
pub fn definitions_by_name<'db>(db: &'db dyn Db, name: &str) -> &'db [Definition] {
    project_index(db).by_name.get(name).map(Few::as_slice).unwrap_or_default()
}
