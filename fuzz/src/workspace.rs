//! The bodies of the fuzz targets for DomainLang's workspace. Like `bodies.rs`, which is about zubi alone: plain
//! functions, so that a normal test replays the committed corpus (`crates/dlang-workspace/tests/fuzz_corpus.rs`
//! includes this file). Each panics if a property does not hold.

use std::ops::Range;

use camino::Utf8Path;
use dlang_model::ModelDiagnostic;
use dlang_workspace::files::{Files as _, MemoryFiles};
use dlang_workspace::manifest::{self, Purpose};
use dlang_workspace::modules::Modules;
use dlang_workspace::{Fix, FixAction, lock};

/// A `model.yaml`: every diagnostic is inside the text, every fix fits it and makes the text no worse.
pub fn manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let path = Utf8Path::new("/w/model.yaml");
    let parsed = manifest::read(text, Purpose::Use);
    in_text(text, &parsed.diagnostics);
    in_text(text, &manifest::read(text, Purpose::Publish).diagnostics);
    for diagnostic in &parsed.diagnostics {
        for fix in manifest::fixes(path, text, diagnostic) {
            check_fix(text, &fix, parsed.diagnostics.len());
        }
    }
    for key in ["acme/core", "core", "a: \"b\"\n"] {
        if let Some(fix) = manifest::add_dependency(path, text, key) {
            check_fix(text, &fix, parsed.diagnostics.len());
        }
    }
}

/// A `model.lock`: every diagnostic is inside the text, skipped entries are reported, every commit can name a folder.
pub fn lock(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let parsed = lock::read(text);
    in_text(text, &parsed.diagnostics);
    assert!(parsed.skipped.is_empty() || !parsed.diagnostics.is_empty(), "an entry was skipped without a diagnostic");
    for locked in parsed.lock.entries.values() {
        assert!(locked.commit.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
    let manifest = manifest::read("dependencies: {a/b: v1, c: {source: a/c, ref: v1}}", Purpose::Use).manifest;
    let found = lock::disagreements(&manifest, &parsed.lock);
    in_text(text, &found.in_lock);
}

/// A specifier, and after the first line end a `model.yaml`: every resolved path is a model inside, and a fix fits.
pub fn specifier(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (specifier, manifest) = text.split_once('\n').unwrap_or((text, ""));
    let mut files = MemoryFiles::default();
    files.insert("/w/model.yaml", manifest);
    files.insert("/w/model.lock", r#"{"dependencies": {"a/b": {"ref": "v1", "resolved": "", "commit": "0123abc"}}}"#);
    for path in [
        "/w/index.dlang",
        "/w/s/a.dlang",
        "/w/s/model.yaml",
        "/w/t/x.txt",
        "/w/.dlang/packages/a/b/0123abc/index.dlang",
        "/x.dlang",
        "/s/index.dlang",
    ] {
        files.insert(path, "");
    }
    let modules = Modules::new(files);
    for importer in ["/w/index.dlang", "/w/t/new.dlang", "/w/.dlang/packages/a/b/0123abc/index.dlang"] {
        let importer = Utf8Path::new(importer);
        match modules.resolve(importer, specifier) {
            Ok(found) => {
                assert!(found.path.starts_with("/w") && found.path.extension() == Some("dlang"), "{}", found.path);
                assert!(found.path.components().all(|part| part.as_str() != ".."), "{}", found.path);
                assert!(modules.files().is_file(&found.path), "{}", found.path);
            }
            Err(error) => {
                assert!(!error.message.is_empty());
                let module = modules.module_of_file(importer);
                let before = module.manifest.as_ref().map(|file| file.text.as_str()).unwrap_or_default();
                for fix in error.fixes(&module) {
                    check_fix(before, &fix, usize::MAX);
                }
            }
        }
    }
}

fn in_text(text: &str, diagnostics: &[ModelDiagnostic]) {
    for diagnostic in diagnostics {
        assert!(text.get(Range::<usize>::from(diagnostic.range)).is_some(), "outside of the text: {diagnostic:?}");
        assert!(!diagnostic.message.contains('\0'), "{diagnostic:?}");
    }
}

fn check_fix(text: &str, fix: &Fix, diagnostics: usize) {
    let FixAction::Edit { range, text: new, .. } = &fix.action else { return };
    let mut after = text.to_owned();
    after.replace_range(Range::<usize>::from(*range), new);
    assert!(manifest::read(&after, Purpose::Use).diagnostics.len() <= diagnostics, "{fix:?} of {text:?}");
}
