//! Quick fixes. The helper also checks that each one resolves its diagnostic and leaves no syntax error.

use super::fixture::check_fixes;

#[test]
fn fixes_for_missing_properties() {
    insta::assert_snapshot!(check_fixes(
        r#"
Domain Care
dom Wards { description: "d" }
Domain Lines {
    description: "d"
}
bc Beds for Care {}
    BoundedContext Meals for Care {
        evolution: Genesis
    }
Classification Genesis
Domain Empty { vision: "" }
"#
    ), @r#"
    domain-no-vision
      Add a vision to fill in
        Domain Care { vision: "" }
    domain-no-vision
      Add a vision to fill in
        dom Wards { vision: "" description: "d" }
    domain-no-vision
      Add a vision to fill in
            vision: ""
    bounded-context-no-description
      Add a description to fill in
        bc Beds for Care { description: "" }
    bounded-context-no-description
      Add a description to fill in
                description: ""
    domain-no-vision
    "#);
}

#[test]
fn a_domain_for_a_context() {
    insta::assert_snapshot!(check_fixes(
        r#"
Namespace N { Domain Care { vision: "v" } bc Beds { description: "d" } }
"#
    ), @r#"
    bounded-context-no-domain
      Assign to domain 'Care' (preferred)
        Namespace N { Domain Care { vision: "v" } bc Beds for Care { description: "d" } }
    "#);
}

#[test]
fn the_contexts_of_a_map() {
    insta::assert_snapshot!(check_fixes(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" }
bc B for D { description: "d" }
cmap M {
    A -> B
    B [P] A
}
cmap N { }
"#
    ), @r"
    context-map-no-contexts
      List the contexts of its relationships (preferred)
            contains A, B
    context-map-no-contexts
    ");
}

#[test]
fn similar_names_are_suggested() {
    insta::assert_snapshot!(check_fixes(
        r#"
//- a.dlang
Team Surgeons
//- b.dlang
import "./a.dlang" as a
Domain Care { vision: "v" }
Namespace Inner { Classification Core }
bc Beds for Caer as Core by surgeons { description: "d" }
cmap M { contains Bed }
dmap N { contains Unlike }
"#
    ), @r#"
    linking-error
      Change to 'Care' (preferred)
        bc Beds for Care as Core by surgeons { description: "d" }
    linking-error
      Change to 'Inner.Core' (preferred)
        bc Beds for Caer as Inner.Core by surgeons { description: "d" }
    linking-error
      Change to 'a.Surgeons' (preferred)
        bc Beds for Caer as Core by a.Surgeons { description: "d" }
    unresolved-reference
      Change to 'Beds' (preferred)
        cmap M { contains Beds }
    unresolved-reference
    "#);
}

#[test]
fn fixes_for_values_without_effect() {
    insta::assert_snapshot!(check_fixes(
        r#"
Domain D { vision: "v" }
Classification Core  Classification Other  Team T
bc A for D as Core by T {
    description: "d"
    classification: Other
    // a remark
    team: T }
"#
    ), @"
    bounded-context-classification-conflict
      Remove the value without effect (preferred)
    bounded-context-team-conflict
      Remove the value without effect (preferred)
             }
    ");
}

#[test]
fn patterns_on_the_wrong_side() {
    insta::assert_snapshot!(check_fixes(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" }
bc B for D { description: "d"
    relationships {
        A [ACL] -> B
        A [OHS, ACL, PL] -> [CF] B
        A <- [PL, C] this
        A [S] <-> B
        A <-> [C, CF] B
    }
}
"#
    ), @"
    acl-on-wrong-side
      Move 'ACL' to the other side
                A -> [ACL] B
      Remove 'ACL'
                A -> B
      Reverse the arrow: '<-'
                A [ACL] <- B
    acl-on-wrong-side
      Move 'ACL' to the other side
                A [OHS, PL] -> [CF, ACL] B
      Remove 'ACL'
                A [OHS, PL] -> [CF] B
      Reverse the arrow: '<-'
                A [OHS, ACL, PL] <- [CF] B
    customer-on-wrong-side
      Move 'C' to the other side
                A [C] <- [PL] this
      Remove 'C'
                A <- [PL] this
      Reverse the arrow: '->'
                A -> [PL, C] this
    supplier-on-bidirectional
      Remove 'S' (preferred)
                A <-> B
    customer-on-bidirectional
      Remove 'C' (preferred)
                A <-> [CF] B
    ");
}

#[test]
fn repeated_relationships() {
    insta::assert_snapshot!(check_fixes(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" }
cmap M { contains A
    A -> A,
    A -> A,
    A [SK] A
}
"#
    ), @r"
    context-map-duplicate-relationship
      Remove the repeated relationship (preferred)
    self-symmetric-relationship
    ");
}
