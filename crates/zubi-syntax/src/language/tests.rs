use super::*;

/// The tables of all languages with their grammars.
fn grammars() -> Vec<(&'static str, &'static Grammar)> {
    LANGUAGES.iter().map(|language| (language.id, language.grammar)).collect()
}

#[test]
fn files_have_languages() {
    for (name, expected) in [
        ("main.rs", Some("rust")),
        ("Main.JAVA", Some("java")),
        ("Gemfile", Some("ruby")),
        ("Cargo.lock", Some("toml")),
        ("a.test.tsx", Some("typescriptreact")),
        ("App.vue", Some("vue")),
        ("README", None),
        (".rs", None),
        ("a.unknown", None),
    ] {
        let found = SyntaxLanguage::from_file_name(name);
        assert_eq!(found.map(|language| language.id), expected, "{name}");
    }
}

#[test]
fn a_header_is_in_the_language_that_accepts_it() {
    for (text, expected) in [
        ("class Rate : public Base { public: int price(); };", ["Rate", "price"].as_slice()),
        ("namespace shop { struct Rate { int price; }; }", &["shop", "Rate", "price"]),
        ("struct rate { int class; };\nint price(struct rate *new);", &["rate", "class", "price"]),
        ("int price(;", &["price"]),
    ] {
        let outline = crate::outline_of_file("rate.h", text, &|| false).unwrap().unwrap();
        let names: Vec<_> = outline.declarations.iter().map(|declaration| declaration.name.as_str()).collect();
        assert_eq!(names, expected, "{text}");
    }
}

#[test]
fn each_file_has_one_language() {
    for (index, language) in LANGUAGES.iter().enumerate() {
        for other in LANGUAGES.iter().skip(index + 1) {
            assert_ne!(language.id, other.id);
            assert!(!language.extensions.iter().any(|extension| other.extensions.contains(extension)), "{}", other.id);
        }
    }
}

#[test]
fn each_node_and_field_of_a_table_exists_in_its_grammar() {
    let mut missing = Vec::new();
    for (id, grammar) in grammars() {
        let language = grammar.language();
        let names = grammar.table.names();
        let is_node = |name: &str| [true, false].iter().any(|named| language.id_for_node_kind(name, *named) != 0);
        let is_named = |name: &str| language.id_for_node_kind(name, true) != 0;
        let is_field = |name: &str| language.field_id_for_name(name).is_some();
        let mut check = |exists: &dyn Fn(&str) -> bool, of: &str, names: Vec<&str>| {
            let absent = names.into_iter().filter(|name| !exists(name));
            missing.extend(absent.map(|name| format!("{id}: {of} {name}")));
        };
        check(&is_named, "declaring node", grammar.table.rules.iter().map(|rule| rule.node).collect());
        check(&is_node, "node", names.nodes);
        check(&is_field, "field", names.fields);
        check(&|name| is_node(name) || is_field(name), "node or field", names.nodes_or_fields);
    }
    assert_eq!(missing.join("\n"), "");
}
