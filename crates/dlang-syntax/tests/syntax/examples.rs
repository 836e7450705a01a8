//! The models below `examples/`: they are correct, and between them they use the whole language.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dlang_syntax::{KEYWORDS, SIGNS, SyntaxKind, parse, tokenize};

/// Every model below `examples/`, by its path from there, and its text.
pub(crate) fn examples() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(files.len() >= 9, "the examples are missing: {files:?}");
    let read = |file: PathBuf| {
        let text = std::fs::read(&file).unwrap();
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        (name, String::from_utf8(text).unwrap())
    };
    files.into_iter().map(read).collect()
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "dlang") {
            files.push(path);
        }
    }
}

#[test]
fn the_examples_are_correct_to_the_letter() {
    for (name, text) in examples() {
        let parse = parse(&text);
        assert_eq!(parse.diagnostics(), [], "{name}");
        assert_eq!(parse.syntax().text().to_string(), text, "{name}");
    }
}

#[test]
fn the_examples_use_every_word_and_construct() {
    let mut words = BTreeSet::new();
    let mut nodes = BTreeSet::new();
    for (_, text) in examples() {
        words.extend(tokenize(&text).into_iter().map(|token| text[token.range].to_owned()));
        nodes.extend(parse(&text).syntax().descendants().map(|node| node.kind()));
    }
    let spellings = KEYWORDS.iter().flat_map(|keyword| keyword.spellings).chain(SIGNS.iter().map(|sign| &sign.text));
    let unused: Vec<_> = spellings.filter(|word| !words.contains(**word)).collect();
    assert_eq!(unused, Vec::<&&str>::new());
    let missing: Vec<_> = SyntaxKind::nodes().filter(|kind| !nodes.contains(kind)).collect();
    assert_eq!(missing, [SyntaxKind::ERROR]);
}
