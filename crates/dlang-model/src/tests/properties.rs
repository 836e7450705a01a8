//! Every query returns for any text, and never panics.

use std::sync::Arc;

use proptest::prelude::*;

use crate::testing::queries;
use crate::{ModelChange, ModelHost, file_diagnostics};

/// Runs every query on two files that may import each other.
fn run_all_queries(texts: [&str; 2]) {
    let mut host = ModelHost::new();
    let paths = ["a.dlang", "b.dlang"];
    host.apply(
        paths
            .iter()
            .zip(texts)
            .map(|(path, text)| ModelChange::Text { path: (*path).to_owned(), text: Arc::from(text) }),
    );
    crate::testing::resolve_imports(&mut host, &[]);
    queries::query_all(&host);
}

/// Generates almost valid texts from the words of the language.
fn nearly_valid() -> impl Strategy<Value = String> {
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
    fn nearly_valid_texts(one in nearly_valid(), other in nearly_valid()) {
        run_all_queries([&one, &other]);
    }

    #[test]
    fn arbitrary_texts(one in any::<String>(), other in "\\PC*") {
        run_all_queries([&one, &other]);
    }
}

/// Texts that would be slow with any quadratic algorithm. Measuring time would be flaky; a regression shows as a
/// hang.
#[test]
fn large_degenerate_texts() {
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
        host.apply([ModelChange::Text { path: "a.dlang".to_owned(), text: Arc::from(text) }]);
        let _ = file_diagnostics(host.db(), host.files().next().unwrap());
    }
}
