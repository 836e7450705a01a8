//! Name resolution: containers, files, imports, packages.

use crate::testing::{host, location_text};
use crate::{file_model, project_files, resolutions};

/// Renders each reference, in text order: as it is written, and the locations of its targets.
fn check(fixture: &str) -> String {
    let host = host(fixture);
    let db = host.db();
    let mut lines = Vec::new();
    for file in project_files(db) {
        for (id, reference) in file_model(db, *file).numbered_references() {
            let targets = resolutions(db, *file).targets(id).iter();
            let targets: Vec<_> = targets
                .map(|target| format!("{} {}", target.fqn(db).unwrap_or_default(), location_text(db, *target)))
                .collect();
            let targets = if targets.is_empty() { "nothing".to_owned() } else { targets.join(" and ") };
            lines.push(format!("{} = {targets}", reference.text));
        }
    }
    lines.join("\n")
}

#[test]
fn the_nearest_container_wins() {
    insta::assert_snapshot!(check(
        r#"
Domain Care
Namespace Clinic {
    Domain Care
    Namespace Ward { bc Beds for Care  bc Meals for Clinic.Care }
    bc Desk for Care
}
bc Outside for Care
"#
    ), @r"
    Care = Clinic.Care main.dlang:3:12
    Clinic.Care = Clinic.Care main.dlang:3:12
    Care = Clinic.Care main.dlang:3:12
    Care = Care main.dlang:1:8
    ");
}

#[test]
fn a_path_starts_at_an_enclosing_container() {
    insta::assert_snapshot!(check(
        r#"
Namespace Clinic {
    Namespace Ward.East { Team Nurses }
    bc A by Ward.East.Nurses
    bc B by Clinic.Ward.East.Nurses
    bc C by East.Nurses
    bc D by Nurses
    bc E by Ward . East /* dots may have room */ . Nurses
}
"#
    ), @r"
    Ward.East.Nurses = Clinic.Ward.East.Nurses main.dlang:2:32
    Clinic.Ward.East.Nurses = Clinic.Ward.East.Nurses main.dlang:2:32
    East.Nurses = nothing
    Nurses = nothing
    Ward.East.Nurses = Clinic.Ward.East.Nurses main.dlang:2:32
    ");
}

#[test]
fn blocks_of_one_namespace_do_not_share_simple_names() {
    insta::assert_snapshot!(check(
        r#"
Namespace N { Team T }
Namespace N { bc A by T  bc B by N.T }
Namespace N.M { bc C by T  bc D by N.T }
Namespace P { bc E by U }
Namespace P { Team U }
"#
    ), @r"
    T = nothing
    N.T = N.T main.dlang:1:20
    T = nothing
    N.T = N.T main.dlang:1:20
    U = nothing
    ");
}

#[test]
fn the_first_element_of_a_kind_wins_in_a_container() {
    insta::assert_snapshot!(check(
        r#"
Team X
Classification X
Team X
bc A as X by X
"#
    ), @r"
    X = X main.dlang:2:16
    X = X main.dlang:1:6
    ");
}

#[test]
fn map_entries_resolve_to_every_element_of_a_name() {
    insta::assert_snapshot!(check(
        r#"
//- lib.dlang
bc Lab
//- main.dlang
import "./lib.dlang"
bc Lab
Namespace Clinic {
    bc Lab
    Namespace Ward { bc Lab }
    cmap Everything { contains Lab, Ward.Lab, Clinic.Lab  Lab -> Ward.Lab }
}
"#
    ), @r"
    Lab = Clinic.Lab main.dlang:4:8 and Lab main.dlang:2:4 and Lab lib.dlang:1:4
    Ward.Lab = Clinic.Ward.Lab main.dlang:5:25
    Clinic.Lab = Clinic.Lab main.dlang:4:8
    Lab = Clinic.Lab main.dlang:4:8
    Ward.Lab = Clinic.Ward.Lab main.dlang:5:25
    ");
}

#[test]
fn imports_expose_all_names_but_are_not_transitive() {
    insta::assert_snapshot!(check(
        r#"
//- far.dlang
Team Far
//- near.dlang
import "./far.dlang"
Team Near
Namespace Ns { Team Inner }
//- main.dlang
import "./near.dlang"
bc A by Near
bc B by Ns.Inner
bc C by Inner
bc D by Far
"#
    ), @r"
    Near = Near near.dlang:2:6
    Ns.Inner = Ns.Inner near.dlang:3:21
    Inner = nothing
    Far = nothing
    ");
}

#[test]
fn an_alias_prefixes_every_name() {
    insta::assert_snapshot!(check(
        r#"
//- near.dlang
Team Near
Namespace Ns { Team Inner }
//- main.dlang
import "./near.dlang" as n
bc A by n.Near
bc B by n.Ns.Inner
bc C by Near
bc D by Ns.Inner
"#
    ), @r"
    n.Near = Near near.dlang:1:6
    n.Ns.Inner = Ns.Inner near.dlang:2:21
    Near = nothing
    Ns.Inner = nothing
    ");
}

#[test]
fn later_imports_and_local_elements_take_precedence() {
    insta::assert_snapshot!(check(
        r#"
//- a.dlang
Team Shared
Team Own
//- b.dlang
Team Shared
//- main.dlang
import "./a.dlang"
import "./b.dlang"
Team Own
bc A by Shared
bc B by Own
"#
    ), @r"
    Shared = Shared b.dlang:1:6
    Own = Own main.dlang:3:6
    ");
}

#[test]
fn files_that_are_not_imported_are_invisible() {
    insta::assert_snapshot!(check(
        r#"
//- a.dlang
Team There
//- main.dlang
bc A by There
"#
    ), @"There = nothing");
}

#[test]
fn packages_reexport_their_own_imports_one_level_deep() {
    insta::assert_snapshot!(check(
        r#"
//- pkg/deep.dlang package=pkg
Team Deep
//- pkg/teams.dlang package=pkg
import "./deep.dlang"
Team Middle
//- pkg/other.dlang package=elsewhere
Team Foreign
//- pkg/index.dlang package=pkg
import "./teams.dlang" as ignored
import "./other.dlang"
Team Top
//- zmain.dlang
import "./pkg/index.dlang" as p
bc A by p.Top
bc B by p.Middle
bc C by p.Deep
bc D by p.Foreign
bc E by Middle
"#
    ), @r"
    p.Top = Top pkg/index.dlang:3:6
    p.Middle = Middle pkg/teams.dlang:2:6
    p.Deep = nothing
    p.Foreign = nothing
    Middle = nothing
    ");
}

#[test]
fn a_nameless_namespace_does_not_export_its_names() {
    insta::assert_snapshot!(check(
        r#"
Namespace { Team T  bc A by T }
Namespace Shop. { Team U  bc B by U }
bc C by T
bc D by Shop.U
"#
    ), @r"
    T =  main.dlang:1:18
    U =  main.dlang:2:24
    T = nothing
    Shop.U = nothing
    ");
}
