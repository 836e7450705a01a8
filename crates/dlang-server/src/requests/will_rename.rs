//! `workspace/willRenameFiles`: updates the imports of moved files.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use dlang_ide::{MovedImport, import_edits, moved_specifier};
use dlang_model::{Db, File, ImportOutcome, parse, project_files};
use dlang_workspace::modules::Module;
use zubi_base::{fs, lsp, uri};

use crate::convert::{Edits, PositionMapper};
use crate::request::RequestError;
use crate::snapshot::Snapshot;

pub(super) fn will_rename(
    snapshot: &Snapshot,
    params: &lsp::RenameFilesParams,
) -> Result<Option<lsp::WorkspaceEdit>, RequestError> {
    let renames = params.files.iter().filter_map(|file| {
        let new = snapshot.workspace().find(uri::to_path(&file.new_uri)?.as_str())?;
        Some((snapshot.path(&file.old_uri)?, new))
    });
    let moves = Moves(renames.collect());
    let edits = snapshot.query(|db| edits(snapshot, db, &moves))?;
    Ok((!edits.is_empty()).then(|| edits.into_lsp(snapshot)))
}

/// Old and new paths of files and folders.
struct Moves(BTreeMap<Utf8PathBuf, Utf8PathBuf>);

impl Moves {
    /// Returns the new path of a file or folder.
    fn target_of(&self, path: &Utf8Path) -> Utf8PathBuf {
        let moved = path.ancestors().find_map(|above| {
            let new = self.0.get(above)?;
            fs::replace_prefix(path, above, new)
        });
        moved.unwrap_or_else(|| path.to_owned())
    }
}

fn edits(snapshot: &Snapshot, db: &dyn Db, moves: &Moves) -> Edits {
    let new_paths: Vec<Utf8PathBuf> =
        project_files(db).iter().map(|file| moves.target_of(path_of(db, *file))).collect();
    let folders: BTreeSet<&Utf8Path> = new_paths.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let (mapper, mut edits) = (PositionMapper::new(snapshot), Edits::default());
    for (file, importer) in project_files(db).iter().zip(&new_paths) {
        let before = path_of(db, *file);
        let module = snapshot.module_of(before);
        // A module that moves with its manifest moves as a whole, so its imports stay valid. Packages are not changed.
        let is_module_move = module.is_some_and(|module| moves.target_of(&module.root) != module.root);
        if is_module_move || file.package(db).is_some() {
            continue;
        }
        let aliases = module.map(|module| aliases(snapshot, module)).unwrap_or_default();
        let aliases: Vec<(&str, &str)> = aliases.iter().map(|(key, folder)| (key.as_str(), folder.as_str())).collect();
        let outcomes = file.import_outcomes(db);
        let changed = import_edits(parse(db, *file), |specifier| {
            let Some(ImportOutcome::File(target)) = outcomes.get(specifier) else { return None };
            let target_before = path_of(db, *target);
            let target = moves.target_of(target_before);
            if target == target_before && importer == before {
                return None;
            }
            let moved = MovedImport {
                importer_before: before.as_str(),
                importer: importer.as_str(),
                target_before: target_before.as_str(),
                target: target.as_str(),
                has_sibling_folder: folders.contains(target.with_extension("").as_path()),
                aliases: &aliases,
            };
            moved_specifier(specifier, &moved)
        });
        if !changed.is_empty() {
            let lines = mapper.file_lines(db, *file);
            edits.add(before, changed.iter().map(|edit| lines.edit(edit)));
        }
    }
    edits
}

fn path_of(db: &dyn Db, file: File) -> &Utf8Path {
    Utf8Path::new(file.path(db))
}

/// Returns the folders of a module's aliases. `@` alone is its root.
fn aliases(snapshot: &Snapshot, module: &Module) -> Vec<(String, Utf8PathBuf)> {
    let rows = module.manifest().map(|manifest| manifest.aliases.as_slice()).unwrap_or_default();
    let resolved_aliases = rows.iter().filter_map(|alias| {
        let target = module.root.join(alias.target.as_ref().ok()?);
        Some((alias.key.clone(), snapshot.workspace().find(target.as_str())?))
    });
    let mut resolved_aliases: Vec<_> = resolved_aliases.collect();
    if rows.iter().all(|alias| alias.key != "@") {
        resolved_aliases.push(("@".to_owned(), module.root.clone()));
    }
    resolved_aliases
}
