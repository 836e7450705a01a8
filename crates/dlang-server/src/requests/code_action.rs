//! `textDocument/codeAction`: quick fixes for models, their imports, and manifests.
//! Fixes that require running a command are not offered: the hint of the diagnostic contains the command.

use camino::Utf8Path;
use dlang_model::{Db, DiagnosticData, File, QueryCancelled, file_diagnostics, fixes};
use dlang_syntax::{DiagnosticCode as _, TextRange};
use dlang_workspace::manifest;
use dlang_workspace::modules::Module;
use dlang_workspace::specifier::{Reason, UnresolvedImport};
use dlang_workspace::{Fix, FixAction};
use zubi_base::lsp;

use crate::convert::{DocumentLines, Edits, PositionMapper};
use crate::request::RequestError;
use crate::snapshot::Snapshot;

/// Maximum number of diagnostics in a range for which fixes are computed.
const MAX_DIAGNOSTICS: usize = 200;

/// All reasons for unresolved imports, which diagnostics contain by name.
const REASONS: [Reason; 8] = [
    Reason::FileNotFound,
    Reason::UnknownAlias,
    Reason::MissingManifest,
    Reason::NotInstalled,
    Reason::DependencyNotFound,
    Reason::MissingEntry,
    Reason::Unresolvable,
    Reason::EscapesWorkspace,
];

pub(super) fn code_action(
    snapshot: &Snapshot,
    params: &lsp::CodeActionParams,
) -> Result<Option<Vec<lsp::CodeActionResponse>>, RequestError> {
    let includes_quick_fix = |only: &Vec<lsp::CodeActionKind>| {
        only.iter().any(|kind| matches!(kind, lsp::CodeActionKind::Empty | lsp::CodeActionKind::QuickFix))
    };
    if !params.context.only.as_ref().is_none_or(includes_quick_fix) {
        return Ok(Some(Vec::new()));
    }
    let Some(path) = snapshot.path(&params.text_document.uri) else { return Ok(None) };
    let request = ActionRequest {
        snapshot,
        mapper: PositionMapper::new(snapshot),
        range: params.range,
        shown: &params.context.diagnostics,
    };
    let actions = match snapshot.workspace().file(&path)? {
        Some(file) => request.model_actions(file)?,
        None => request.manifest_actions(&path)?,
    };
    Ok(Some(actions.into_iter().map(lsp::CodeActionResponse::CodeAction).collect()))
}

/// A code action request.
struct ActionRequest<'s> {
    snapshot: &'s Snapshot,
    mapper: PositionMapper<'s>,
    range: lsp::Range,
    /// Diagnostics in the range that the client shows.
    shown: &'s [lsp::Diagnostic],
}

impl ActionRequest<'_> {
    fn model_actions(&self, file: File) -> Result<Vec<lsp::CodeAction>, QueryCancelled> {
        // Fixes of manifests need positions in other texts, which are queried after the model.
        let found = self.snapshot.query(|db| self.model_fixes(db, file))?;
        let mut actions = Vec::new();
        for found in found {
            match found {
                FixCandidate::Action(action) => actions.push(*action),
                FixCandidate::Fix(fix, range, code) => actions.extend(self.action(fix, range, code)?),
            }
        }
        Ok(actions)
    }

    fn model_fixes(&self, db: &dyn Db, file: File) -> Vec<FixCandidate> {
        let path = Utf8Path::new(file.path(db));
        if file.package(db).is_some() {
            // A package must be changed in its own repository.
            return Vec::new();
        }
        let lines = self.mapper.file_lines(db, file);
        let range = lines.bytes(&self.range);
        let mut found = Vec::new();
        let diagnostics = file_diagnostics(db, file);
        for diagnostic in diagnostics.iter().filter(|it| touches(it.range, range)).take(MAX_DIAGNOSTICS) {
            let diagnostic_range = lines.range(diagnostic.range);
            let code = diagnostic.code.as_str();
            for fix in fixes(db, file, diagnostic) {
                let mut edits = Edits::default();
                edits.add(path, fix.edits.iter().map(|edit| lines.edit(edit)));
                let action = self.quick_fix(fix.title, fix.is_preferred, edits, diagnostic_range, code);
                found.push(FixCandidate::Action(Box::new(action)));
            }
            if let DiagnosticData::Import { specifier, reason } = &diagnostic.data
                && let Some(reason) = REASONS.into_iter().find(|candidate| candidate.as_str() == *reason)
            {
                let unresolved = UnresolvedImport {
                    code: diagnostic.code,
                    reason,
                    message: diagnostic.message.clone(),
                    hint: diagnostic.hint.clone(),
                    specifier: specifier.to_string(),
                };
                let fixes = match self.snapshot.module_of(path) {
                    Some(module) => unresolved.fixes(module),
                    None => unresolved.fixes(&module_without_manifest(path)),
                };
                found.extend(fixes.into_iter().map(|fix| FixCandidate::Fix(fix, diagnostic_range, code)));
            }
        }
        found
    }

    fn manifest_actions(&self, path: &Utf8Path) -> Result<Vec<lsp::CodeAction>, QueryCancelled> {
        let has_path = |module: &&Module| module.manifest.as_ref().is_some_and(|file| file.path == path);
        let modules = self.snapshot.workspace().modules().iter().map(|module| &**module);
        let Some(file) = modules.into_iter().find(has_path).and_then(|module| module.manifest.as_ref()) else {
            return Ok(Vec::new());
        };
        let lines = self.mapper.path_lines(path)?;
        let range = lines.bytes(&self.range);
        let mut actions = Vec::new();
        for diagnostic in file.diagnostics.iter().filter(|it| touches(it.range, range)).take(MAX_DIAGNOSTICS) {
            for fix in manifest::fixes(path, &file.text, diagnostic) {
                let diagnostic_range = lines.range(diagnostic.range);
                actions.extend(self.action(fix, diagnostic_range, diagnostic.code.as_str())?);
            }
        }
        Ok(actions)
    }

    fn action(
        &self,
        fix: Fix,
        diagnostic_range: lsp::Range,
        code: &str,
    ) -> Result<Option<lsp::CodeAction>, QueryCancelled> {
        let edits = match fix.action {
            FixAction::Edit { path, range, text } => {
                let mut edits = Edits::default();
                edits.add(&path, [text_edit(&*self.mapper.path_lines(&path)?, range, &text)]);
                edits
            }
            FixAction::Create { path, text } if self.snapshot.settings.has_new_files => Edits::create(path, text),
            FixAction::Create { .. } | FixAction::Run { .. } => return Ok(None),
        };
        Ok(Some(self.quick_fix(fix.title, fix.preferred, edits, diagnostic_range, code)))
    }

    fn quick_fix(
        &self,
        title: String,
        is_preferred: bool,
        edits: Edits,
        range: lsp::Range,
        code: &str,
    ) -> lsp::CodeAction {
        let is_resolved = |diagnostic: &&lsp::Diagnostic| {
            diagnostic.range == range && matches!(&diagnostic.code, Some(lsp::Code::String(shown)) if shown == code)
        };
        let resolved: Vec<_> = self.shown.iter().filter(is_resolved).cloned().collect();
        lsp::CodeAction {
            title,
            kind: Some(lsp::CodeActionKind::QuickFix),
            diagnostics: (!resolved.is_empty()).then_some(resolved),
            is_preferred: is_preferred.then_some(true),
            edit: Some(edits.into_lsp(self.snapshot)),
            ..lsp::CodeAction::default()
        }
    }
}

/// A fix, as a code action or still in the workspace's format.
enum FixCandidate {
    Action(Box<lsp::CodeAction>),
    Fix(Fix, lsp::Range, &'static str),
}

/// Returns the module of a file without a manifest: its folder.
fn module_without_manifest(path: &Utf8Path) -> Module {
    let root = path.parent().unwrap_or(path).to_owned();
    Module { root, manifest: None, lock: None, package: None }
}

fn text_edit(lines: &DocumentLines, range: TextRange, text: &str) -> lsp::TextEdit {
    lsp::TextEdit { range: lines.range(range), new_text: text.to_owned() }
}

/// Whether the ranges touch: a cursor at the edge of a word counts.
fn touches(one: TextRange, other: TextRange) -> bool {
    one.intersect(other).is_some()
}
