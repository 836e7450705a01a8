//! Properties of models of several files that import each other.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use dlang_syntax::{TextSize, tokenize};

use crate::model::{check_navigation, check_rename, model};

/// Few names, so that they clash.
fn name() -> impl Strategy<Value = &'static str> {
    select(vec!["A", "B", "C", "x-1"])
}

fn reference() -> impl Strategy<Value = String> {
    (vec(name(), 1..4), select(vec![".", " . ", "./* c */"])).prop_map(|(words, dot)| words.join(dot))
}

fn clause(word: &'static str) -> impl Strategy<Value = String> {
    option::of(reference()).prop_map(move |target| target.map(|it| format!(" {word} {it}")).unwrap_or_default())
}

fn context() -> impl Strategy<Value = String> {
    let entries = (reference(), name(), name(), reference(), reference());
    (name(), clause("for"), clause("as"), clause("by"), option::of(entries)).prop_map(
        |(name, domain, classification, team, entries)| {
            let body = entries.map(|(key, term, rule, left, right)| {
                format!(
                    " {{ metadata {{ {key}: 'A' }} terminology {{ term {term}: 'A', term B }} decisions {{ rule [{left}] \
                     {rule}: 'A' }} relationships {{ this -> {left} {right}->this }} }}"
                )
            });
            format!("bc {name}{domain}{classification}{team}{}", body.unwrap_or_default())
        },
    )
}

fn element() -> impl Strategy<Value = String> {
    let bare =
        (select(vec!["Team", "Classification", "Metadata"]), name()).prop_map(|(word, it)| format!("{word} {it}"));
    let domain = (name(), clause("in")).prop_map(|(name, parent)| format!("Domain {name}{parent}"));
    let map = (name(), vec(reference(), 1..4))
        .prop_map(|(name, entries)| format!("cmap {name} {{ contains {} }}", entries.join(", ")));
    let leaf = prop_oneof![2 => bare, 2 => domain, 3 => context(), 2 => map];
    leaf.prop_recursive(3, 12, 4, |inner| {
        (vec(name(), 1..3), vec(inner, 1..4))
            .prop_map(|(words, inner)| format!("Namespace {} {{\n{}\n}}", words.join(" . "), inner.join("\n")))
    })
}

/// A file that may import others.
pub(crate) fn file() -> impl Strategy<Value = String> {
    let target =
        select(vec!["./a.dlang", "./b.dlang", "./pkg/index.dlang", "./part.dlang", "../b.dlang", "./gone.dlang"]);
    let import = (target, option::of(name())).prop_map(|(target, alias)| {
        format!("import \"{target}\"{}", alias.map(|it| format!(" as {it}")).unwrap_or_default())
    });
    (vec(import, 0..3), vec(element(), 0..6)).prop_map(|(imports, elements)| [imports, elements].concat().join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_rename_changes_only_names(texts in vec(file(), 4), positions in vec((any::<Index>(), any::<Index>()), 8), name in select(vec!["A", "B", "New", "team", "B-"])) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let host = model(&texts);
        let files: Vec<_> = host.files().collect();
        for (file, position) in positions {
            let file = *file.get(&files);
            let words: Vec<TextSize> = tokenize(file.text(host.db())).iter().map(|token| token.range.start()).collect();
            if !words.is_empty() {
                check_rename(&host, file, *position.get(&words), name);
            }
        }
    }

    #[test]
    fn navigation(texts in vec(file(), 4)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        check_navigation(&model(&texts));
    }
}

/// Most renames to a new name succeed, so the property above is not vacuous.
#[test]
fn valid_renames_succeed() {
    let texts = [
        "import \"./b.dlang\" as B\nimport \"./pkg/index.dlang\" as P\nTeam A\nNamespace N.M { bc C by B.N.T { team: A team: P.U } }",
        "Namespace N { Team T }",
        "import \"./part.dlang\"\nTeam V",
        "Team U",
    ];
    let host = model(&texts);
    let names = |file: &str, word: &str| {
        let file = host.file(file).unwrap();
        let at = file.text(host.db()).find(word).unwrap();
        check_rename(&host, file, TextSize::new(u32::try_from(at).unwrap()), "New")
    };
    let possible = [("a.dlang", "B\n"), ("a.dlang", "A\n"), ("a.dlang", "N.M"), ("a.dlang", "M {"), ("a.dlang", "T {")];
    assert!(possible.iter().all(|(file, word)| names(file, word)));
    assert!(!names("pkg/part.dlang", "U") && !names("a.dlang", "U }"));
}
