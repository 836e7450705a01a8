//! Any text gets an answer to every question, and never a panic.

use std::sync::Arc;

use proptest::prelude::*;

use crate::{
    Change, ElementKind, ModelHost, Place, definitions, effective_classification, effective_team, file_diagnostics,
    file_model, fixes, metadata_map, project_files, relationship_views, usages, visible_names,
};

/// Asks everything there is to ask about two files that import each other.
fn ask_everything(texts: [&str; 2]) {
    let mut host = ModelHost::new();
    let paths = ["a.dlang", "b.dlang"];
    host.apply(
        paths.iter().zip(texts).map(|(path, text)| Change::Text { path: (*path).to_owned(), text: Arc::from(text) }),
    );
    crate::testing::resolve_imports(&mut host, &[]);
    let db = host.db();
    for file in project_files(db) {
        let length = file.text(db).len();
        for diagnostic in file_diagnostics(db, *file) {
            assert!(usize::from(diagnostic.range.end()) <= length);
            assert!(file.text(db).get(std::ops::Range::<usize>::from(diagnostic.range)).is_some());
            for related in &diagnostic.related {
                if let Place::Definition(definition) = related.place {
                    assert!(definition.focus(db).is_some());
                }
            }
            for fix in fixes(db, *file, diagnostic) {
                drop(super::fixture::applied(file.text(db), &fix.edits));
            }
        }
        for definition in definitions(db, *file) {
            assert!(definition.syntax(db).is_some());
            let _ = (effective_team(db, definition), effective_classification(db, definition));
            drop((metadata_map(db, definition), usages(db, definition), definition.children(db)));
            for kind in ElementKind::ALL {
                drop(visible_names(db, *file, Some(definition), kind));
            }
        }
        let model = file_model(db, *file);
        assert_eq!(model.elements.len(), model.index.elements.len());
        assert!(model.references.is_sorted_by_key(|reference| reference.range.start()));
        for (id, reference) in model.numbered_references() {
            assert_eq!(model.reference_at(reference.range), Some(id));
        }
        drop(relationship_views(db, *file));
    }
}

/// Words of the language, from which texts come that are nearly right.
fn nearly_right() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "Domain",
        "bc",
        "Team",
        "Classification",
        "Metadata",
        "cmap",
        "dmap",
        "Namespace",
        "import",
        "\"./b.dlang\"",
        "in",
        "for",
        "as",
        "by",
        "{",
        "}",
        "[",
        "]",
        ",",
        ".",
        ":",
        "->",
        "<-",
        "<->",
        "><",
        "this",
        "contains",
        "vision",
        "description",
        "\"v\"",
        "relationships",
        "metadata",
        "terminology",
        "decisions",
        "term",
        "decision",
        "A",
        "B",
        "A.B",
        "ACL",
        "OHS",
        "S",
        "C",
        "SK",
        "P",
        "type",
        "classification",
        "team",
        "\n",
        "//",
        "/*",
        "*/",
        "\"",
        "é",
        "examples",
        "aka",
    ]);
    prop::collection::vec(words, 0..120).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn nearly_right_texts(one in nearly_right(), other in nearly_right()) {
        ask_everything([&one, &other]);
    }

    #[test]
    fn arbitrary_texts(one in any::<String>(), other in "\\PC*") {
        ask_everything([&one, &other]);
    }
}

/// Texts that would be slow if anything were quadratic in them. With a clock they would be flaky; they end or they do not.
#[test]
fn large_and_strange() {
    let many = 20_000;
    let chain = (0..many)
        .map(|number| format!("Domain D{number} in D{} {{ vision: \"v\" }}\n", number + 1))
        .collect::<Vec<_>>()
        .concat();
    let same = "bc A for A\n".repeat(many);
    let entries = format!("{}\ncmap M {{ contains {} }}", "bc A\n".repeat(many), "A,".repeat(many));
    let long = format!("Namespace {} {{ {} }}", "N".repeat(100_000), "Team T\n".repeat(many));
    let relationships = format!("cmap M {{ contains A {} }}", "A -> B\n".repeat(many));
    for text in [chain, same, entries, long, relationships] {
        let mut host = ModelHost::new();
        host.apply([Change::Text { path: "a.dlang".to_owned(), text: Arc::from(text) }]);
        let _ = file_diagnostics(host.db(), host.files().next().unwrap());
    }
}
