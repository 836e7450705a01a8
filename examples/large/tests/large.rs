//! The properties of the model: the whole language, no diagnostics, formatted, always the same.
#![cfg(test)]
#![expect(clippy::string_slice, reason = "a test that cuts a character should fail")]
#![expect(clippy::disallowed_methods, reason = "a test looks at the disk directly")]

use std::collections::BTreeSet;
use std::path::Path;

use camino::Utf8Path;
use dlang_model::{ImportOutcome, ModelChange, ModelHost, file_diagnostics, file_index};
use dlang_syntax::{KEYWORDS, SIGNS, SyntaxKind, parse, tokenize};
use dlang_workspace::files::MemoryFiles;
use dlang_workspace::modules::Modules;
use large_example::{GeneratedFile, Refusal, Size, files, write};

const SMALL: Size = Size { areas: 4, contexts: 6 };

/// Corner cases: one of everything, repeating tables, odd and even numbers.
const SIZES: &[Size] = &[
    Size { areas: 1, contexts: 1 },
    Size { areas: 1, contexts: 3 },
    Size { areas: 2, contexts: 1 },
    Size { areas: 3, contexts: 2 },
    SMALL,
    Size { areas: 3, contexts: 33 },
    Size { areas: 85, contexts: 5 },
];

fn models(size: Size) -> impl Iterator<Item = GeneratedFile> {
    files(size).filter(|file| Path::new(&file.path).extension().is_some_and(|extension| extension == "dlang"))
}

#[test]
fn every_word_sign_and_construct_occurs() {
    let mut words = BTreeSet::new();
    let mut nodes = BTreeSet::new();
    for file in models(SMALL) {
        words.extend(tokenize(&file.text).into_iter().map(|token| file.text[token.range].to_owned()));
        nodes.extend(parse(&file.text).syntax().descendants().map(|node| node.kind()));
    }
    let spellings = KEYWORDS.iter().flat_map(|keyword| keyword.spellings).chain(SIGNS.iter().map(|sign| &sign.text));
    assert_eq!(spellings.filter(|word| !words.contains(**word)).collect::<Vec<_>>(), Vec::<&&str>::new());
    let missing: Vec<_> = SyntaxKind::nodes().filter(|kind| !nodes.contains(kind)).collect();
    assert_eq!(missing, [SyntaxKind::ERROR]);
}

#[test]
fn the_model_has_no_diagnostics() {
    for size in SIZES {
        assert_eq!(diagnostics(*size), Vec::<String>::new(), "{size:?}");
    }
}

/// All diagnostics of the model and its manifest, with their files.
fn diagnostics(size: Size) -> Vec<String> {
    let mut disk = MemoryFiles::default();
    let mut host = ModelHost::new();
    for file in files(size) {
        disk.insert(format!("/model/{}", file.path), file.text.clone());
        if file.path != "model.yaml" {
            host.apply([ModelChange::Text { path: format!("/model/{}", file.path), text: file.text.into() }]);
        }
    }
    let modules = Modules::new(disk);
    let module = modules.module_of_file(Utf8Path::new("/model/index.dlang"));
    let mut found: Vec<_> = module.manifest.as_ref().unwrap().diagnostics.iter().map(|it| it.message.clone()).collect();
    let all: Vec<_> = host.files().collect();
    for file in &all {
        let path = file.path(host.db()).to_owned();
        let specifiers = file_index(host.db(), *file).imports.iter().filter_map(|import| import.specifier.clone());
        let lead = |specifier: &str| {
            let target = modules.resolve(Utf8Path::new(&path), specifier).unwrap().path;
            ImportOutcome::File(host.file(target.as_str()).unwrap())
        };
        let outcomes = specifiers.map(|specifier| (specifier.to_string(), lead(&specifier))).collect();
        host.apply([ModelChange::Imports { path, outcomes }]);
    }
    for file in all {
        let path = file.path(host.db()).to_owned();
        let messages = file_diagnostics(host.db(), file).iter().map(|it| format!("{path}: {}", it.message));
        found.extend(messages);
    }
    found
}

#[test]
fn the_model_is_formatted() {
    for size in SIZES {
        for file in models(*size) {
            assert_eq!(dlang_ide::format::format(&parse(&file.text)).unwrap().text, file.text, "{}", file.path);
        }
    }
}

#[test]
fn the_model_has_the_documented_size() {
    let lines = |text: &str| text.lines().count();
    let (mut files_, mut lines_, mut contexts) = (0, 0, 0);
    for file in models(Size::MEASURED) {
        files_ += 1;
        lines_ += lines(&file.text);
        contexts +=
            parse(&file.text).syntax().descendants().filter(|it| it.kind() == SyntaxKind::BOUNDED_CONTEXT).count();
    }
    assert_eq!((files_, contexts), (202, 2_000));
    assert!((47_000..49_000).contains(&lines_), "{lines_} lines");
}

#[test]
fn context_fqns_exist_in_the_model() {
    for (area, context) in [(0, 0), (1, 0), (2, 5), (3, 4)] {
        let text = models(SMALL).find(|file| file.path == large_example::area_path(area)).unwrap().text;
        let fqn = large_example::context_fqn(area, context);
        let name = fqn.rsplit('.').next().unwrap();
        assert!(text.contains(&format!(" {name} for ")), "{fqn} is not in {text}");
    }
}

#[test]
fn only_generated_folders_are_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    write(&model, SMALL).unwrap();
    std::fs::write(model.join("areas/own.dlang"), "Team Own\n").unwrap();
    let (count, bytes) = write(&model, Size { areas: 2, contexts: 1 }).unwrap();
    let expected: Vec<_> = files(Size { areas: 2, contexts: 1 }).collect();
    assert_eq!(count, expected.len());
    assert_eq!(bytes, expected.iter().map(|file| file.text.len()).sum::<usize>());
    for file in expected {
        assert_eq!(std::fs::read_to_string(model.join(&file.path)).unwrap(), file.text);
    }
    let mut areas: Vec<_> = model.join("areas").read_dir().unwrap().map(|it| it.unwrap().file_name()).collect();
    areas.sort();
    assert_eq!(areas, ["own.dlang", "pilotage.dlang", "towage.dlang"]);

    let foreign = folder.path().join("foreign");
    std::fs::create_dir(&foreign).unwrap();
    std::fs::write(foreign.join("model.yaml"), "model:\n  name: other\n").unwrap();
    assert!(matches!(write(&foreign, SMALL), Err(Refusal::NotOurs)));
    assert_eq!(foreign.read_dir().unwrap().count(), 1);
    assert!(matches!(write(&model, Size { areas: 0, contexts: 1 }), Err(Refusal::Size)));
}
