//! References and highlights, by fixtures with a mark at the requested offset.

use dlang_model::testing::{host_at, position};
use dlang_model::{File, ModelHost};

use super::{Occurrence, highlights, references};

fn render_occurrences(host: &ModelHost, found: &[Occurrence]) -> String {
    let db = host.db();
    let show = |it: &Occurrence| {
        let text = it.file.text(db);
        let kind = if it.is_declaration { " declared" } else { "" };
        format!("{}:{} {}{kind}", it.file.path(db), position(text, it.range.start()), &text[it.range])
    };
    found.iter().map(show).collect::<Vec<_>>().join("\n")
}

/// Prints the references to the entity at the mark. The highlights of a file are those of its references.
fn check(fixture: &str) -> String {
    let (host, file, offset) = host_at(fixture);
    let found = references(host.db(), file, offset, true);
    let uses: Vec<_> = found.iter().filter(|it| !it.is_declaration).copied().collect();
    assert_eq!(references(host.db(), file, offset, false), uses);
    let here: Vec<_> = found.iter().filter(|it: &&Occurrence| -> bool { File::eq(&it.file, &file) }).copied().collect();
    assert_eq!(highlights(host.db(), file, offset), here);
    render_occurrences(&host, &found)
}

const SHOP: &str = "
//- lib.dlang
Namespace Shop { Team Pickers  bc A by Pickers }
Namespace Shop.Inner { Team Pickers  bc B by Shop.Inner . Pickers  bc C by Shop.Pickers }
//- main.dlang
import \"./lib.dlang\" as lib
import \"./other.dlang\" as lib
Namespace Shop { Team Own }
bc D by lib.Shop.Pickers { team: lib.Shop.Inner.Pickers team: Shop.Own team: lib.Other }
//- other.dlang
Team Other
//- stranger.dlang
Namespace Shop { Team Pickers  bc E by Shop.Pickers }
";

/// Inserts the mark after the first occurrence of these words.
fn in_shop(before: &str) -> String {
    check(&SHOP.replacen(before, &format!("{before}$0"), 1))
}

#[test]
fn an_element() {
    insta::assert_snapshot!(in_shop("Shop { Team Pick"), @r"
    lib.dlang:1:23 Pickers declared
    lib.dlang:1:40 Pickers
    lib.dlang:2:81 Pickers
    main.dlang:4:18 Pickers
    ");
    insta::assert_snapshot!(in_shop("lib.Shop.Inner.Pick"), @r"
    lib.dlang:2:29 Pickers declared
    lib.dlang:2:59 Pickers
    main.dlang:4:49 Pickers
    ");
    insta::assert_snapshot!(in_shop("bc"), @"");
}

#[test]
fn a_namespace_is_found_in_importing_files() {
    insta::assert_snapshot!(in_shop("team: lib.Shop"), @r"
    lib.dlang:1:11 Shop declared
    lib.dlang:2:11 Shop declared
    lib.dlang:2:46 Shop
    lib.dlang:2:76 Shop
    main.dlang:3:11 Shop declared
    main.dlang:4:13 Shop
    main.dlang:4:38 Shop
    main.dlang:4:63 Shop
    ");
    insta::assert_snapshot!(in_shop("Namespace Shop.Inn"), @r"
    lib.dlang:2:16 Inner declared
    lib.dlang:2:51 Inner
    main.dlang:4:43 Inner
    ");
}

#[test]
fn an_alias() {
    insta::assert_snapshot!(in_shop("team: lib"), @r"
    main.dlang:1:25 lib declared
    main.dlang:2:27 lib declared
    main.dlang:4:9 lib
    main.dlang:4:34 lib
    main.dlang:4:78 lib
    ");
}

#[test]
fn references_at_this_are_those_of_its_context() {
    insta::assert_snapshot!(check("bc A { relationships { th$0is -> A } } bc B { relationships { A -> this } }"), @r"
    main.dlang:1:4 A declared
    main.dlang:1:32 A
    main.dlang:1:61 A
    ");
}

#[test]
fn a_map_entry_refers_to_every_matching_element() {
    insta::assert_snapshot!(check("bc A Namespace N { bc A cmap M { contains A$0, N.A  A -> N.A } }"), @r"
    main.dlang:1:4 A declared
    main.dlang:1:23 A declared
    main.dlang:1:43 A
    main.dlang:1:48 A
    main.dlang:1:51 A
    main.dlang:1:58 A
    ");
}

#[test]
fn a_metadata_key_and_a_term() {
    insta::assert_snapshot!(check("Metadata Ow$0ner bc B { metadata { Owner: \"x\" } }"), @r"
    main.dlang:1:10 Owner declared
    main.dlang:1:34 Owner
    ");
    insta::assert_snapshot!(check("bc B { terminology { term B$0: \"x\" } }"), @"main.dlang:1:27 B declared");
}

#[test]
fn positions_without_references() {
    assert_eq!(check("import \"./x$0.dlang\""), "");
    assert_eq!(check("bc B by Nobo$0dy"), "");
    assert_eq!(check(" $0"), "");
}
