//! Definitions, by fixtures with a mark at the requested offset.

use dlang_model::testing::{host_at, position};

use super::definition;

/// Renders the range of the request, then each target: its position, its first line, and the name in it.
fn check(fixture: &str) -> String {
    let (host, file, offset) = host_at(fixture);
    let db = host.db();
    let Some(origin) = definition(db, file, offset) else { return "nothing".to_owned() };
    let targets = origin.targets.iter().map(|target| {
        let text = target.file.text(db);
        let (line, name) = (text[target.range].lines().next().unwrap_or_default(), &text[target.focus]);
        let location = position(text, target.focus.start());
        assert!(target.range.contains_range(target.focus));
        format!("\n{}:{location} {name:?} in {line:?}", target.file.path(db))
    });
    format!("{:?}{}", &file.text(db)[origin.range], targets.collect::<String>())
}

#[test]
fn an_element() {
    insta::assert_snapshot!(check("Domain Care {\n}\nbc Beds for Ca$0re"), @r#"
    "Care"
    main.dlang:1:8 "Care" in "Domain Care {"
    "#);
    insta::assert_snapshot!(check("Domain Care {\n}\nbc Beds for $0Care"), @r#"
    "Care"
    main.dlang:1:8 "Care" in "Domain Care {"
    "#);
    insta::assert_snapshot!(check("Domain Care {\n}\nbc Beds$0 for Care"), @r#"
    "Beds"
    main.dlang:3:4 "Beds" in "bc Beds for Care"
    "#);
    insta::assert_snapshot!(check("Domain Care {\n}\nb$0c Beds for Care"), @"nothing");
    insta::assert_snapshot!(check("bc Beds for Ca$0re"), @"nothing");
}

#[test]
fn each_word_of_a_dotted_name() {
    let model = |reference: &str| {
        format!(
            "
//- lib.dlang
Namespace Shop {{ }}
Namespace Shop.Inner {{ Team Pickers }}
//- main.dlang
import \"./lib.dlang\" as lib
Namespace Shop.Own {{ }}
bc A by {reference}
"
        )
    };
    insta::assert_snapshot!(check(&model("lib . Shop.Inner.$0Pickers")), @r#"
    "lib . Shop.Inner.Pickers"
    lib.dlang:2:29 "Pickers" in "Team Pickers"
    "#);
    insta::assert_snapshot!(check(&model("lib . Shop.Inn$0er.Pickers")), @r#"
    "Inner"
    lib.dlang:2:16 "Inner" in "Namespace Shop.Inner { Team Pickers }"
    "#);
    insta::assert_snapshot!(check(&model("lib . $0Shop.Inner.Pickers")), @r#"
    "Shop"
    lib.dlang:1:11 "Shop" in "Namespace Shop { }"
    lib.dlang:2:11 "Shop" in "Namespace Shop.Inner { Team Pickers }"
    main.dlang:2:11 "Shop" in "Namespace Shop.Own { }"
    "#);
    insta::assert_snapshot!(check(&model("l$0ib . Shop.Inner.Pickers")), @r#"
    "lib"
    main.dlang:1:25 "lib" in "import \"./lib.dlang\" as lib"
    "#);
    insta::assert_snapshot!(check(&model("lib $0 . Shop.Inner.Pickers")), @"nothing");
    insta::assert_snapshot!(check(&model("lib.Shop.Inner.Nobody$0")), @"nothing");
}

#[test]
fn a_map_entry_has_several_targets() {
    insta::assert_snapshot!(check("bc A Namespace N { bc A cmap M { contains A$0 } }"), @r#"
    "A"
    main.dlang:1:23 "A" in "bc A"
    main.dlang:1:4 "A" in "bc A"
    "#);
    // An earlier word names one namespace for each of the elements.
    insta::assert_snapshot!(check("
Namespace N { Namespace N { bc A cmap M { contains N.A, $0N.A } } bc A }
"), @r#"
"N"
main.dlang:1:25 "N" in "Namespace N { bc A cmap M { contains N.A, N.A } }"
main.dlang:1:11 "N" in "Namespace N { Namespace N { bc A cmap M { contains N.A, N.A } } bc A }"
"#);
}

#[test]
fn this_keyword() {
    insta::assert_snapshot!(check("bc B { relationships { this -> th$0is } }"), @r#"
    "this"
    main.dlang:1:4 "B" in "bc B { relationships { this -> this } }"
    "#);
    insta::assert_snapshot!(check("cmap M { contains B th$0is -> B }"), @"nothing");
}

#[test]
fn an_import() {
    let lib = "//- lib.dlang\nTeam T\n//- main.dlang\n";
    insta::assert_snapshot!(check(&format!("{lib}import \"./l$0ib.dlang\" as a")), @r#"
    "\"./lib.dlang\""
    lib.dlang:1:1 "" in ""
    "#);
    insta::assert_snapshot!(check(&format!("{lib}import \"./gone$0.dlang\" as a")), @"nothing");
    insta::assert_snapshot!(check(&format!("{lib}import \"./lib.dlang\" as a$0\nimport \"./lib.dlang\" as a")), @r#"
    "a"
    main.dlang:1:25 "a" in "import \"./lib.dlang\" as a"
    main.dlang:2:25 "a" in "import \"./lib.dlang\" as a"
    "#);
}

#[test]
fn a_term_and_a_decision() {
    insta::assert_snapshot!(check("bc B { terminology { term A: \"x\" term B$0ed: \"y\" } }"), @r#"
    "Bed"
    main.dlang:1:39 "Bed" in "term Bed: \"y\""
    "#);
    insta::assert_snapshot!(check("bc B { decisions { rule [C] $0R: \"y\" } }"), @r#"
    "R"
    main.dlang:1:29 "R" in "rule [C] R: \"y\""
    "#);
}

#[test]
fn a_namespace_without_a_target() {
    insta::assert_snapshot!(check("Namespace { Namespace In$0ner { Team T } }"), @"nothing");
    insta::assert_snapshot!(check("Namespace Inner.$0 { Team T }"), @"nothing");
}
