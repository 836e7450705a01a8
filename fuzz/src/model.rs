//! The body of the fuzz target for DomainLang's model and for the editor features that query it. Plain functions, so
//! that tests of `dlang-ide` use them as well: its property tests check the same, and replay the committed corpus. Each
//! panics if a property does not hold.

use std::ops::Range;
use std::sync::Arc;

use dlang_ide::{Occurrence, RenameError, definition, highlights, prepare_rename, references, rename, symbol_search};
use dlang_model::edit::apply;
use dlang_model::testing::{queries, render_diagnostics, resolve_imports};
use dlang_model::{Db, Definition, File, ModelChange, ModelHost, definitions, file_model, project_files, resolutions};
use dlang_syntax::{TextRange, TextSize, tokenize};

use crate::completion_checks::check_completions;

/// The files, and the packages that some of them belong to.
const FILES: [(&str, Option<&str>); 4] =
    [("a.dlang", None), ("b.dlang", None), ("pkg/index.dlang", Some("pkg")), ("pkg/part.dlang", Some("pkg"))];

/// The separator of two files.
const SEPARATOR: &str = "---\n";

/// The maximum number of edits of one input, and of queried offsets of a file.
const MAX_EDITS: usize = 4;
const MAX_OFFSETS: usize = 24;

/// Any bytes: the texts of four files, then insertions into them, one after the other. Queries everything about the
/// model, and compares the model after each edit with one from scratch.
pub fn dlang_model(bytes: &[u8]) {
    let input = String::from_utf8_lossy(bytes);
    let mut pieces = input.split(SEPARATOR);
    let texts: Vec<&str> = FILES.iter().map(|_| pieces.next().unwrap_or_default()).collect();
    let mut host = model(&texts);
    queries::query_all(&host);
    check_navigation(&host);
    check_completions(&mut host);
    for (number, piece) in pieces.take(MAX_EDITS).enumerate() {
        let (path, _) = FILES.get(number % FILES.len()).expect("a file");
        let text = host.file(path).expect("a file").text(host.db());
        let middle = text.floor_char_boundary(text.len() / 2);
        let (before, after) = text.split_at(middle);
        let text = Arc::from([before, piece, after].concat());
        host.apply([ModelChange::Text { path: (*path).to_owned(), text }]);
        resolve_imports(&mut host, &[]);
        let texts: Vec<String> = FILES.iter().map(|(path, _)| text_of(&host, path)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(
            render_diagnostics(&host),
            render_diagnostics(&model(&texts)),
            "an edited model differs from a new one"
        );
        queries::query_all(&host);
    }
}

fn text_of(host: &ModelHost, path: &str) -> String {
    host.file(path).expect("a file").text(host.db()).to_owned()
}

/// A model of texts for [`FILES`].
pub fn model(texts: &[&str]) -> ModelHost {
    let mut host = ModelHost::new();
    host.apply(FILES.iter().zip(texts).flat_map(|((path, package), text)| {
        let path = (*path).to_owned();
        [
            ModelChange::Text { path: path.clone(), text: Arc::from(*text) },
            ModelChange::Package { path, package: package.map(Arc::from) },
        ]
    }));
    resolve_imports(&mut host, &[]);
    host
}

/// Runs the navigation features at many offsets, and checks the properties that hold for any text.
pub fn check_navigation(host: &ModelHost) {
    let db = host.db();
    for file in project_files(db) {
        for (number, offset) in offsets(file.text(db)).into_iter().enumerate() {
            check_position(db, *file, offset);
            // A rename builds another model, so only some positions get one.
            if number % 3 == 0
                && let Some(name) = ["A", "Zed", "in", "this", "X-"].get(number / 3 % 5)
            {
                check_rename(host, *file, offset, name);
            }
        }
    }
    for query in ["", "a", "a.b", "t x"] {
        let found = symbol_search(db, query, 5);
        assert!(found.symbols.len() == found.total.min(5), "a symbol has no location");
        assert!(
            found.symbols.iter().all(|it| in_text(db, it.file, it.selection) && it.range.contains_range(it.selection))
        );
    }
}

/// The boundaries of tokens, which include those of names.
fn offsets(text: &str) -> Vec<TextSize> {
    let tokens = tokenize(text);
    let words: Vec<_> = tokens.iter().filter(|token| !token.kind.is_trivia()).collect();
    let step = words.len().div_ceil(MAX_OFFSETS).max(1);
    let positions = words.iter().step_by(step).enumerate();
    positions.map(|(number, token)| if number % 2 == 0 { token.range.start() } else { token.range.end() }).collect()
}

fn in_text(db: &dyn Db, file: File, range: TextRange) -> bool {
    file.text(db).get(Range::<usize>::from(range)).is_some()
}

fn word(db: &dyn Db, it: &Occurrence) -> String {
    it.file.text(db).get(Range::<usize>::from(it.range)).expect("an occurrence cuts a character").to_owned()
}

fn check_position(db: &dyn Db, file: File, offset: TextSize) {
    if let Some(origin) = definition(db, file, offset) {
        assert!(in_text(db, file, origin.range) && origin.range.contains_inclusive(offset));
        for target in &origin.targets {
            assert!(in_text(db, target.file, target.range) && target.range.contains_range(target.focus));
        }
    }
    let all = references(db, file, offset, true);
    let here: Vec<_> = all.iter().filter(|it| it.file == file).copied().collect();
    assert_eq!(highlights(db, file, offset), here, "highlights are not the references of the file");
    let uses: Vec<_> = all.iter().filter(|it| !it.is_declaration).copied().collect();
    assert_eq!(references(db, file, offset, false), uses);
    let Ok(prepared) = prepare_rename(db, file, offset) else { return };
    assert!(prepared.range.contains_inclusive(offset));
    assert!(here.iter().any(|it| it.range == prepared.range), "a name is not among its own occurrences");
    assert!(all.iter().all(|it| word(db, it) == prepared.text), "an occurrence has another name");
    // Every occurrence gives the same answer, except entries of a map that mean several elements.
    for other in [all.first(), all.last()].into_iter().flatten() {
        if prepare_rename(db, other.file, other.range.start()).is_ok() {
            assert_eq!(references(db, other.file, other.range.start(), true), all);
        }
    }
}

/// The targets of every reference, by paths and numbers.
fn reference_targets(host: &ModelHost) -> Vec<(String, Vec<(String, u32)>)> {
    let db = host.db();
    let key = |target: &Definition| (target.file.path(db).to_owned(), target.number);
    let mut all = Vec::new();
    for file in project_files(db) {
        for (id, _) in file_model(db, *file).numbered_references() {
            let targets = resolutions(db, *file).targets(id).iter().map(key).collect();
            all.push((file.path(db).to_owned(), targets));
        }
    }
    all
}

/// Renames, if possible: every reference must have the same target as before, only the name may change, and the reverse
/// rename must restore the texts.
pub fn check_rename(host: &ModelHost, file: File, offset: TextSize, new_name: &str) -> bool {
    let db = host.db();
    let prepared = prepare_rename(db, file, offset);
    let edits = match (&prepared, rename(db, file, offset, new_name)) {
        (Err(error), result) => {
            assert_eq!(result.as_ref().err(), Some(error));
            return false;
        }
        (Ok(_), Err(error)) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
        (Ok(_), Ok(edits)) => edits,
    };
    let prepared = prepared.expect("a prepared rename");
    if prepared.text == new_name {
        assert_eq!(edits, []);
        return true;
    }
    let mut texts: Vec<(String, String)> =
        project_files(db).iter().map(|file| (file.path(db).to_owned(), file.text(db).to_owned())).collect();
    let mut new_offset = offset;
    for (edited, edits) in &edits {
        assert!(!edits.is_empty());
        for edit in edits {
            assert_eq!(edited.text(db).get(Range::<usize>::from(edit.range)), Some(prepared.text.as_str()));
            assert_eq!(edit.insert, new_name);
        }
        let (_, text) = texts.iter_mut().find(|(path, _)| path == edited.path(db)).expect("a file of the project");
        *text = apply(edited.text(db), edits);
        if *edited == file {
            let before = edits.iter().filter(|edit| edit.range.end() <= prepared.range.start()).count();
            let moved = usize::from(prepared.range.start()) + before * new_name.len() - before * prepared.text.len();
            new_offset = TextSize::new(u32::try_from(moved).expect("a small text"));
        }
    }
    let texts: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let renamed = model_like(host, &texts);
    assert_eq!(reference_targets(&renamed), reference_targets(host), "a reference has another target");
    let file = renamed.file(file.path(db)).expect("the renamed file");
    match rename(renamed.db(), file, new_offset, &prepared.text) {
        Ok(reverse) => {
            for (edited, edits) in reverse {
                let before = text_of(host, edited.path(renamed.db()));
                assert_eq!(apply(edited.text(renamed.db()), &edits), before, "the reverse rename differs");
            }
        }
        // After the rename two elements with one name have different names, so it cannot be reverted.
        Err(error) => assert!(matches!(error, RenameError::Declared { .. }) && has_duplicate_names(host), "{error}"),
    }
    true
}

/// A model with the same files and other texts.
fn model_like(host: &ModelHost, texts: &[&str]) -> ModelHost {
    let db = host.db();
    let mut other = ModelHost::new();
    other.apply(project_files(db).iter().zip(texts).flat_map(|(file, text)| {
        let path = file.path(db).to_owned();
        [
            ModelChange::Text { path: path.clone(), text: Arc::from(*text) },
            ModelChange::Package { path, package: file.package(db).map(Arc::from) },
        ]
    }));
    resolve_imports(&mut other, &[]);
    other
}

/// Whether two elements of a file, two terms or two decisions of a context have one name.
fn has_duplicate_names(host: &ModelHost) -> bool {
    let db = host.db();
    let has_duplicate = |mut names: Vec<String>| {
        names.sort_unstable();
        names.windows(2).any(|pair| matches!(pair, [one, other] if one == other))
    };
    project_files(db).iter().any(|file| {
        let fqns = definitions(db, *file).filter_map(|it| it.fqn(db)).map(|fqn| fqn.to_string()).collect();
        let entries = definitions(db, *file).any(|it| match it.body(db) {
            Some(dlang_model::Body::Context(context)) => {
                let terms = context.terms.iter().filter_map(|it| it.name.as_deref()).map(str::to_owned).collect();
                let decisions = context.decisions.iter().filter_map(|it| it.name.as_deref());
                has_duplicate(terms) || has_duplicate(decisions.map(str::to_owned).collect())
            }
            _ => false,
        });
        has_duplicate(fqns) || entries
    })
}
