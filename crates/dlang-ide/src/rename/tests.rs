//! Renames, by fixtures with a mark at the name that changes.

use dlang_model::testing::{host_at, position};

use super::{RenameError, prepare_rename, rename};
use dlang_model::edit::apply;

/// Renders the changed lines of each file, or the reason for the refusal.
fn check(fixture: &str, new_name: &str) -> String {
    let (host, file, offset) = host_at(fixture);
    let db = host.db();
    let edits = match rename(db, file, offset, new_name) {
        Ok(edits) => edits,
        Err(error) => {
            let location = match &error {
                RenameError::Declared { location, .. } | RenameError::Captured { location, .. } => {
                    format!(" {}:{}", location.file.path(db), position(location.file.text(db), location.range.start()))
                }
                RenameError::Installed(file) | RenameError::Reserved { file, .. } => format!(" {}", file.path(db)),
                _ => String::new(),
            };
            return format!("{error}{location}");
        }
    };
    let prepared = prepare_rename(db, file, offset).unwrap();
    assert_eq!(file.text(db)[prepared.range], prepared.text);
    let mut lines = Vec::new();
    for (file, edits) in edits {
        let (before, after) = (file.text(db), apply(file.text(db), &edits));
        let changed = before.lines().zip(after.lines()).filter(|(old, new)| old != new);
        lines.extend(changed.map(|(_, new)| format!("{}: {new}", file.path(db))));
    }
    lines.join("\n")
}

const SHOP: &str = "
//- lib.dlang
Namespace Shop { Team Pickers  bc A by Pickers }
Namespace Shop.Inner { Team Pickers  bc B by Shop.Inner . Pickers  bc C by Shop.Pickers }
//- main.dlang
import \"./lib.dlang\" as lib
Namespace Shop { Team Own }
bc D by lib.Shop.Pickers { team: lib.Shop.Inner.Pickers team: Shop.Own }
//- stranger.dlang
Namespace Shop { Team Pickers  bc E by Shop.Pickers }
";

fn in_shop(before: &str, new_name: &str) -> String {
    check(&SHOP.replacen(before, &format!("{before}$0"), 1), new_name)
}

#[test]
fn qualifiers_are_preserved() {
    insta::assert_snapshot!(in_shop("Shop { Team Pick", "Packers"), @r"
    lib.dlang: Namespace Shop { Team Packers  bc A by Packers }
    lib.dlang: Namespace Shop.Inner { Team Pickers  bc B by Shop.Inner . Pickers  bc C by Shop.Packers }
    main.dlang: bc D by lib.Shop.Packers { team: lib.Shop.Inner.Pickers team: Shop.Own }
    ");
    insta::assert_snapshot!(in_shop("lib.Shop.Inner.Pick", "Packers"), @r"
    lib.dlang: Namespace Shop.Inner { Team Packers  bc B by Shop.Inner . Packers  bc C by Shop.Pickers }
    main.dlang: bc D by lib.Shop.Pickers { team: lib.Shop.Inner.Packers team: Shop.Own }
    ");
    insta::assert_snapshot!(in_shop("team: lib.Shop", "Store"), @r"
    lib.dlang: Namespace Store { Team Pickers  bc A by Pickers }
    lib.dlang: Namespace Store.Inner { Team Pickers  bc B by Store.Inner . Pickers  bc C by Store.Pickers }
    main.dlang: Namespace Store { Team Own }
    main.dlang: bc D by lib.Store.Pickers { team: lib.Store.Inner.Pickers team: Store.Own }
    ");
    insta::assert_snapshot!(in_shop("Namespace Shop.Inn", "Core"), @r"
    lib.dlang: Namespace Shop.Core { Team Pickers  bc B by Shop.Core . Pickers  bc C by Shop.Pickers }
    main.dlang: bc D by lib.Shop.Pickers { team: lib.Shop.Core.Pickers team: Shop.Own }
    ");
    insta::assert_snapshot!(in_shop("team: lib", "l"), @r#"
    main.dlang: import "./lib.dlang" as l
    main.dlang: bc D by l.Shop.Pickers { team: l.Shop.Inner.Pickers team: Shop.Own }
    "#);
}

#[test]
fn names_without_references() {
    let terms = "bc B { terminology { term Bed: \"x\" aka Cot term Room: \"y\" } decisions { rule Room: \"z\" } }";
    insta::assert_snapshot!(check(&terms.replace("Bed", "Bed$0"), "Place"), @r#"main.dlang: bc B { terminology { term Place: "x" aka Cot term Room: "y" } decisions { rule Room: "z" } }"#);
    insta::assert_snapshot!(check(&terms.replace("Bed", "Bed$0"), "Room"), @"`Room` is declared in the same place already. main.dlang:1:49");
    insta::assert_snapshot!(check(&terms.replace("rule Room", "rule Room$0"), "Bed"), @r#"main.dlang: bc B { terminology { term Bed: "x" aka Cot term Room: "y" } decisions { rule Bed: "z" } }"#);
    insta::assert_snapshot!(check("cmap Al$0l { contains B } bc B", "Everything"), @"main.dlang: cmap Everything { contains B } bc B");
}

#[test]
fn metadata_keys() {
    insta::assert_snapshot!(check("Metadata Owner\nbc B { metadata { Ow$0ner: \"x\" } }", "Keeper"), @r#"
    main.dlang: Metadata Keeper
    main.dlang: bc B { metadata { Keeper: "x" } }
    "#);
}

#[test]
fn invalid_names_are_rejected() {
    for name in ["", " ", "a b", "a.b", "9a", "é", "\"a\"", "{", "/*"] {
        let error = check("Team T$0", name);
        assert!(error.starts_with(&format!("`{name}` is not a name")), "{error}");
    }
    assert_eq!(check("Team T$0", "T"), "");
}

#[test]
fn reserved_words_are_accepted_where_they_are_names() {
    insta::assert_snapshot!(check("Team T$0 bc B by T { team: T }", "team"), @"main.dlang: Team team bc B by team { team: team }");
    insta::assert_snapshot!(check("bc B { terminology { term B$0uyer: \"x\" } }", "Customer"), @r#"main.dlang: bc B { terminology { term Customer: "x" } }"#);
    insta::assert_snapshot!(check("Domain D$0\nDomain E in D", "in"), @r"
    main.dlang: Domain in
    main.dlang: Domain E in in
    ");
    insta::assert_snapshot!(check("bc B$0 cmap M { contains B  B -> B }", "this"), @"`this` is a reserved word and would not be read as a name everywhere. main.dlang");
    // A hyphen before an arrow would be part of it.
    insta::assert_snapshot!(check("bc B$0 bc C cmap M { contains B C  C -><B }", "B-"), @"main.dlang: bc B- bc C cmap M { contains B- C  C -><B- }");
}

#[test]
fn names_already_declared_are_rejected() {
    insta::assert_snapshot!(check("Team T$0\nClassification U", "U"), @"`U` is declared in the same place already. main.dlang:2:16");
    insta::assert_snapshot!(check("Namespace N { Team T$0 }\nTeam U\nNamespace N { bc U }", "U"), @"`U` is declared in the same place already. main.dlang:3:18");
    insta::assert_snapshot!(check("Namespace N$0 { }\nNamespace M.X { }", "M"), @"`M` is declared in the same place already. main.dlang:2:11");
    insta::assert_snapshot!(check("Namespace N$0 { }\nTeam M", "M"), @"`M` is declared in the same place already. main.dlang:2:6");
    insta::assert_snapshot!(check("
//- a.dlang
Team T
//- main.dlang
import \"./a.dlang\" as a$0
import \"./a.dlang\" as b
", "b"), @"`b` is declared in the same place already. main.dlang:2:23");
    // One of two entities with the same name may get another name.
    insta::assert_snapshot!(check("Team T\nTeam T$0", "U"), @"main.dlang: Team U");
}

#[test]
fn renames_that_change_a_reference_are_rejected() {
    // The inner name would hide the outer one.
    insta::assert_snapshot!(check("Team Outer\nNamespace N { Team Inner$0\nbc B by Outer }", "Outer"), @"The reference `Outer` would mean something else afterwards. main.dlang:3:9");
    // The outer name would be hidden.
    insta::assert_snapshot!(check("Team Outer$0\nNamespace N { Team Inner\nbc B by Outer }", "Inner"), @"The reference `Outer` would mean something else afterwards. main.dlang:3:9");
    // A reference that does not resolve would get a target.
    insta::assert_snapshot!(check("Team T$0\nbc B by Nobody", "Nobody"), @"The reference `Nobody` would mean something else afterwards. main.dlang:2:9");
    // A file that imports both would see only one of them.
    insta::assert_snapshot!(check("
//- a.dlang
Team A
//- b.dlang
Team B$0
//- main.dlang
import \"./a.dlang\"
import \"./b.dlang\"
bc X by A
", "A"), @"The reference `A` would mean something else afterwards. main.dlang:3:9");
    // An entry of a map would get more targets.
    insta::assert_snapshot!(check("bc A Namespace N { bc B$0\ncmap M { contains A } }", "A"), @"The reference `A` would mean something else afterwards. main.dlang:2:19");
    // An entry of a map that names two elements cannot follow the rename of one.
    insta::assert_snapshot!(check("bc A\nNamespace N { bc A$0\ncmap M { contains A } }", "B"), @"The reference `A` would mean something else afterwards. main.dlang:3:19");
    // An alias would look like a namespace.
    insta::assert_snapshot!(check("
//- a.dlang
Team T
//- main.dlang
import \"./a.dlang\" as a$0
Namespace n { Team T }
bc X by a.T { team: n.T }
", "n"), @"The reference `a.T` would mean something else afterwards. main.dlang:3:9");
}

#[test]
fn an_unrelated_file_may_declare_the_new_name() {
    insta::assert_snapshot!(check("
//- a.dlang
Team A
bc X by A
//- main.dlang
Team B$0
bc Y by B
", "A"), @r"
main.dlang: Team A
main.dlang: bc Y by A
");
}

#[test]
fn positions_that_cannot_be_renamed() {
    insta::assert_snapshot!(check("b$0c B", "X"), @"There is no name here that can be changed.");
    insta::assert_snapshot!(check("bc B by No$0body", "X"), @"The name means nothing, so there is nothing to rename.");
    insta::assert_snapshot!(check("bc B { relationships { thi$0s -> B } }", "X"), @"`this` always means the bounded context around it. Rename that where it is declared.");
    insta::assert_snapshot!(check("import \"./$0x.dlang\"", "X"), @"The string of an import is a path. Rename the file instead.");
    insta::assert_snapshot!(check("bc A Namespace N { bc A cmap M { contains A$0 } }", "X"), @"The name means 2 things here. Rename the one that is meant where it is declared.");
}

#[test]
fn names_that_make_a_path_too_long_are_rejected() {
    let name = "N".repeat(600);
    assert_eq!(
        check("Namespace N$0 { Team T }", &name),
        format!("With `{name}` a path would cross the length up to which elements can be referred to.")
    );
}

#[test]
fn package_files_are_not_edited() {
    let model = "
//- pkg/index.dlang package=pkg
Namespace N { Team T }
//- zmain.dlang
import \"./pkg/index.dlang\" as p
Namespace N { Team U }
bc A by p.N.T { team: N.U }
";
    let at = |before: &str| model.replacen(before, &format!("{before}$0"), 1);
    insta::assert_snapshot!(check(&at("p.N.T"), "X"), @"An installed package names it. A package is changed in its own repository. pkg/index.dlang");
    insta::assert_snapshot!(check(&at("p.N"), "X"), @"An installed package names it. A package is changed in its own repository. pkg/index.dlang");
    insta::assert_snapshot!(check(&at("bc A by p"), "X"), @r#"
    zmain.dlang: import "./pkg/index.dlang" as X
    zmain.dlang: bc A by X.N.T { team: N.U }
    "#);
    insta::assert_snapshot!(check(&at("team: N"), "X"), @r"
    zmain.dlang: Namespace X { Team U }
    zmain.dlang: bc A by p.N.T { team: X.U }
    ");
}
