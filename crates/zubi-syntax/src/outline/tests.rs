use super::*;

const TEXT: &str = "struct Rate;\nimpl Rate {\n    fn price(&self) {}\n}\nimpl fmt::Display for Rate {\n    fn fmt() {}\n}\nfn price() {}\n";

fn find_named(text: &str, path: &str) -> Vec<String> {
    let language = SyntaxLanguage::from_id("rust").unwrap();
    let found = declarations_named(language, text, "src/money/rates.rs", path, &|| false).unwrap();
    found
        .into_iter()
        .map(|QualifiedDeclaration { declaration, above }| {
            format!("{above:?} {}", text.get(declaration.range).unwrap_or_default())
        })
        .collect()
}

#[test]
fn declarations_have_names_and_name_paths() {
    for (path, expected) in [
        ("price", vec!["[\"impl Rate\"] fn price(&self) {}", "[] fn price() {}"]),
        ("Rate/price", vec!["[\"impl Rate\"] fn price(&self) {}"]),
        ("Rate::fmt", vec!["[\"impl fmt::Display for Rate\"] fn fmt() {}"]),
        ("money::rates::price", vec!["[] fn price() {}"]),
        ("Other/price", vec![]),
        ("pric", vec![]),
        ("Display", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(find_named(TEXT, path), expected, "{path}");
    }
}

#[test]
fn a_text_without_the_name_is_not_parsed() {
    let language = SyntaxLanguage::from_id("rust").unwrap();
    let text = "fn prices() {}\n".repeat(10_000);
    assert_eq!(declarations_named(language, &text, "a.rs", "price", &|| true), Ok(Vec::new()));
    assert_eq!(declarations_named(language, &text, "a.rs", "prices", &|| true), Err(OutlineError::Stopped));
}

#[test]
fn names_with_separators_are_found_as_they_are() {
    let language = SyntaxLanguage::from_id("markdown").unwrap();
    let text = "# Version 1.2\n\ntext\n";
    let found = declarations_named(language, text, "a.md", "Version 1.2", &|| false).unwrap();
    assert_eq!(found.first().map(|found| found.declaration.range.clone()), Some(0..text.len() - 1));
}
