//! Rules, with their messages and ranges.

use super::fixture::{check, check_ranges};

#[test]
fn a_valid_model() {
    insta::assert_snapshot!(check(
        r#"
Classification Core
Team Nurses
Metadata Language
Domain Care { vision: "Get well" }
Domain Wards in Care { vision: "Sleep well" type: Core }
bc Beds for Wards as Core by Nurses {
    description: "Who lies where"
    metadata { Language: "Rust" }
    relationships { this [OHS] -> [CF] Meals }
}
bc Meals for Care { description: "Who eats what" }
cmap Hospital { contains Beds, Meals  Beds [P] Meals }
dmap All { contains Care, Wards }
"#
    ), @"");
    assert_eq!(check(""), "");
}

#[test]
fn all_constructs_of_the_language() {
    insta::assert_snapshot!(check(
        r#"
//- kinds.dlang
Classification Core  Classification Support  Classification Fee  Classification New  Classification Engine
Metadata Stack  Metadata Contact
Namespace Org { Team Nurses }
//- main.dlang
Import './kinds.dlang' as k

/** All of it */
dom Health { description is "d" vision = 'Get "well"' type: k.Core }
Namespace Clinic {
    Domain Wards in Health { vision: "v" type is k.Support }
    ns Rooms.Big {
        bc Beds for Wards as k.Core by k.Org.Nurses { description: "Who\nlies where" }
    }
    // The centre.
    BoundedContext Desk for Clinic.Wards as k.Support by k.Org.Nurses {
        description: "d" businessModel: k.Fee evolution: k.New archetype: k.Engine
        meta { k.Stack: "Rust" k.Contact = "alice" }
        glossary { term Guest: "One who lies" aka Patient, Case examples "A", 'B' Term Bed }
        rules { decision [k.Core] Log: "l", policy Refund is "r" Rule Least = "x" }
        integrations {
            this [OHS, PL] -> [ACL] Rooms.Big.Beds,
            this [S] -> [C] Clinic.Rooms.Big.Beds
            Rooms.Big.Beds <- this  this [SK] Meals  this >< Meals  Meals [OHS] <-> [CF] this
        }
    }
    bc Meals for Health { classification: k.Core team: k.Org.Nurses description: "d" }
    ContextMap Map {
        contains Desk, Meals Rooms.Big.Beds
        contains Clinic.Desk
        Desk [OpenHostService] -> [Conformist] Meals
        Desk [Partnership] Meals
        Desk [BBoM] <-> Meals
        Rooms.Big.Beds [CF] <- [OHS] Desk
    }
}
DomainMap Everything { contains Health Clinic.Wards }
cmap Empty { }
"#
    ), @r"
    main.dlang:33:1: warning: Context Map 'Empty' contains no bounded contexts.
    Hint: Use 'contains ContextA, ContextB' to specify which contexts are in the map. [context-map-no-contexts]
    ");
}

#[test]
fn findings_of_a_file_are_limited() {
    let rendered = check(&"bc A for A\n".repeat(6000));
    // Each context lacks its domain and a description; each but the first is a duplicate.
    assert_eq!(rendered.matches("error:").count(), 10_000);
    assert_eq!(rendered.matches("[bounded-context-no-description]").count(), 6000);
    insta::assert_snapshot!(rendered.lines().last().unwrap(), @"1:1: warning: 1999 further findings in this file are not listed. [too-many-diagnostics]");
}

#[test]
fn domains_have_a_vision() {
    insta::assert_snapshot!(check(
        r#"
Domain A
dom B { description: "only that" }
Domain C { vision: "" }
Domain D { vision: "first" vision: "" }
"#
    ), @"
    3:8: hint: `C` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    1:1: warning: Domain 'A' is missing a vision statement. [domain-no-vision]
    2:1: warning: Domain 'B' is missing a vision statement. [domain-no-vision]
    3:1: warning: Domain 'C' is missing a vision statement. [domain-no-vision]
    4:1: warning: Domain 'D' is missing a vision statement. [domain-no-vision]
    ");
}

#[test]
fn contexts_have_a_description_and_a_domain() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc A
BoundedContext B for D { description: "" }
bc C { description: "d" }
"#
    ), @"
    4:4: hint: `C` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    2:1: warning: Bounded Context 'A' is missing a description. [bounded-context-no-description]
    2:1: warning: Bounded Context 'A' must belong to a domain. Use 'for DomainName'. [bounded-context-no-domain]
    3:1: warning: Bounded Context 'B' is missing a description. [bounded-context-no-description]
    4:1: warning: Bounded Context 'C' must belong to a domain. Use 'for DomainName'. [bounded-context-no-domain]
    ");
}

#[test]
fn unresolved_references_are_reported() {
    insta::assert_snapshot!(check(
        r#"
Team Nurses
Domain Care in Health { vision: "v" type: Core }
bc Beds for Wards as Generic by Doctors {
    description: "d"
    businessModel: Money
    evolution: Genesis
    archetype: Gateway
    metadata { Language: "Rust" }
    decisions { policy [Rules] Quiet: "at night" }
    relationships { this -> Kitchen  Laundry >< this }
}
bc Meals for Care as Nurses { description: "d" }
cmap M { contains Beds, Laundry  Kitchen -> Beds }
dmap D { contains Nowhere }
"#
    ), @"
    2:16: error: Could not resolve reference to Domain named 'Health'. [linking-error]
    2:43: error: Could not resolve reference to Classification named 'Core'. [linking-error]
    3:13: error: Could not resolve reference to Domain named 'Wards'. [linking-error]
    3:22: error: Could not resolve reference to Classification named 'Generic'. [linking-error]
    3:33: error: Could not resolve reference to Team named 'Doctors'. [linking-error]
    5:20: error: Could not resolve reference to Classification named 'Money'. [linking-error]
    6:16: error: Could not resolve reference to Classification named 'Genesis'. [linking-error]
    7:16: error: Could not resolve reference to Classification named 'Gateway'. [linking-error]
    8:16: error: Could not resolve reference to Metadata named 'Language'. [linking-error]
    9:25: error: Could not resolve reference to Classification named 'Rules'. [linking-error]
    10:29: error: Could not resolve reference to BoundedContext named 'Kitchen'. [linking-error]
    10:38: error: Could not resolve reference to BoundedContext named 'Laundry'. [linking-error]
    12:22: error: Could not resolve reference to Classification named 'Nurses'. [linking-error]
        main.dlang:1:6: another kind of element has this name
    13:34: error: Could not resolve reference to BoundedContext named 'Kitchen'. [linking-error]
    13:25: error: Could not resolve reference to BoundedContext named 'Laundry'. [unresolved-reference]
    14:19: error: Could not resolve reference to Domain named 'Nowhere'. [unresolved-reference]
    ");
}

#[test]
fn one_classification_and_one_team() {
    insta::assert_snapshot!(check(
        r#"
Classification Core  Classification Generic  Classification Other
Team One  Team Two
Domain D { vision: "v" }
bc A for D as Core by One { description: "d" team: Two classification: Generic classification: Other }
bc B for D { description: "d" classification: Core classification: Generic }
bc C for D as Nothing { description: "d" classification: Core }
"#
    ), @"
    6:4: hint: `C` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    6:15: error: Could not resolve reference to Classification named 'Nothing'. [linking-error]
    4:72: warning: Classification specified both inline ('as Core') and in block ('classification: Generic'). Inline value takes precedence. [bounded-context-classification-conflict]
        4:15: this value is effective
    4:52: warning: Team specified both inline ('by One') and in block ('team: Two'). Inline value takes precedence. [bounded-context-team-conflict]
        4:23: this value is effective
    5:68: warning: Classification specified both inline ('as Core') and in block ('classification: Generic'). Inline value takes precedence. [bounded-context-classification-conflict]
        5:47: this value is effective
    6:58: warning: Classification specified both inline and in block ('classification: Core'). Inline value takes precedence. [bounded-context-classification-conflict]
        6:15: this value is effective
    ");
}

#[test]
fn duplicate_names_in_a_file_are_reported() {
    insta::assert_snapshot!(check(
        r#"
Team A
Classification A
Namespace N { Team X }
Namespace N { Team X }
Namespace N.M { Team Y }
Namespace N { Namespace M { Team Y } }
cmap A { contains A }
"#
    ), @"
    2:16: error: Duplicate element: 'A' is already defined. [duplicate-element]
        1:6: defined here first
    4:11: error: Duplicate element: 'N' is already defined. [duplicate-element]
        3:11: defined here first
    4:20: error: Duplicate element: 'N.X' is already defined. [duplicate-element]
        3:20: defined here first
    6:11: error: Duplicate element: 'N' is already defined. [duplicate-element]
        3:11: defined here first
    6:25: error: Duplicate element: 'N.M' is already defined. [duplicate-element]
        5:11: defined here first
    6:34: error: Duplicate element: 'N.M.Y' is already defined. [duplicate-element]
        5:22: defined here first
    7:6: error: Duplicate element: 'A' is already defined. [duplicate-element]
        1:6: defined here first
    7:19: error: Could not resolve reference to BoundedContext named 'A'. [unresolved-reference]
        main.dlang:1:6: another kind of element has this name
    ");
}

#[test]
fn other_files_may_have_the_same_names() {
    insta::assert_snapshot!(check(
        r#"
//- a.dlang
Team A
//- b.dlang
import "./a.dlang"
Team A
"#
    ), @"");
}

#[test]
fn cycles_of_domains() {
    insta::assert_snapshot!(check(
        r#"
Domain Ab in Bc { vision: "v" }
Domain Bc in Ca { vision: "v" }
Domain Ca in Ab { vision: "v" }
Domain Below in Ab { vision: "v" }
Domain Lower in Below { vision: "v" }
Domain Self in Self { vision: "v" }
Domain Fine in Top { vision: "v" }
Domain Top { vision: "v" }
"#
    ), @"
    1:14: error: Circular domain hierarchy detected: Ab → Bc → Ca → Ab. [domain-circular-hierarchy]
    2:14: error: Circular domain hierarchy detected: Bc → Ca → Ab → Bc. [domain-circular-hierarchy]
    3:14: error: Circular domain hierarchy detected: Ca → Ab → Bc → Ca. [domain-circular-hierarchy]
    4:17: error: Circular domain hierarchy detected: Below → Ab → Bc → Ca → Ab. [domain-circular-hierarchy]
        main.dlang:1:8: the cycle is entered here
    5:17: error: Circular domain hierarchy detected: Lower → Below → Ab → Bc → Ca → Ab. [domain-circular-hierarchy]
        main.dlang:1:8: the cycle is entered here
    6:16: error: Circular domain hierarchy detected: Self → Self. [domain-circular-hierarchy]
    ");
}

#[test]
fn cycles_of_domains_across_files() {
    insta::assert_snapshot!(check(
        r#"
//- a.dlang
import "./b.dlang" as b
Domain One in b.Two { vision: "v" }
//- b.dlang
import "./a.dlang" as a
Domain Two in a.One { vision: "v" }
"#
    ), @r"
    a.dlang:1:8: warning: Import cycle detected: a.dlang → b.dlang → a.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    a.dlang:2:15: error: Circular domain hierarchy detected: One → Two → One. [domain-circular-hierarchy]
    b.dlang:1:8: warning: Import cycle detected: b.dlang → a.dlang → b.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    b.dlang:2:15: error: Circular domain hierarchy detected: Two → One → Two. [domain-circular-hierarchy]
    ");
}

#[test]
fn a_long_cycle_is_abbreviated() {
    use std::fmt::Write as _;
    let mut text = String::new();
    for number in 0..1000 {
        writeln!(text, "Domain D{number} in D{} {{ vision: \"v\" }}", (number + 1) % 1000).unwrap();
    }
    let rendered = check(&text);
    assert_eq!(rendered.lines().count(), 1000);
    insta::assert_snapshot!(rendered.lines().next().unwrap(), @"1:14: error: Circular domain hierarchy detected: D0 → D1 → D2 → D3 → D4 → D5 → D6 → D7 → D8 → D9 → D10 → D11 → D12 → D13 → D14 → D15 → D16 → D17 → D18 → D19 → D20 → D21 → D22 → D23 → … → D0. [domain-circular-hierarchy]");
}

#[test]
fn patterns_on_the_wrong_side_are_reported() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" }
bc B for D { description: "d"
    relationships {
        A [ACL] -> B
        A [CF] -> this
        A -> [OHS] B
        A -> [OpenHostService, S] B
        A [Customer] -> B
        this <- [ACL] B
        A <- [CF, C] B
        A [OHS] <- B
        A [S] <- B
        A [PL, BBoM] -> [PL, BBoM] B
        A [OHS, S] -> [ACL, CF, C] B
        A [OHS, ACL, CF] <-> [OHS, ACL, CF] B
    }
}
"#
    ), @r"
    5:12: warning: Anti-Corruption Layer (ACL) on 'A' should be on downstream (consuming) side, not left side. [acl-on-wrong-side]
    6:12: warning: Conformist (CF) on 'A' should be on downstream (consuming) side, not left side. [conformist-on-wrong-side]
    7:15: warning: Open Host Service (OHS) on 'B' should be on upstream (providing) side, not right side. [ohs-on-wrong-side]
    8:15: warning: Open Host Service (OHS) on 'B' should be on upstream (providing) side, not right side. [ohs-on-wrong-side]
    8:32: error: Supplier (S) on 'B' must be on the upstream side. Supplier is always the provider in a Customer/Supplier relationship. [supplier-on-wrong-side]
    9:12: error: Customer (C) on 'A' must be on the downstream side. Customer is always the consumer in a Customer/Supplier relationship. [customer-on-wrong-side]
    10:18: warning: Anti-Corruption Layer (ACL) on 'B' should be on downstream (consuming) side, not right side. [acl-on-wrong-side]
    11:15: warning: Conformist (CF) on 'B' should be on downstream (consuming) side, not right side. [conformist-on-wrong-side]
    11:19: error: Customer (C) on 'B' must be on the downstream side. Customer is always the consumer in a Customer/Supplier relationship. [customer-on-wrong-side]
    12:12: warning: Open Host Service (OHS) on 'A' should be on upstream (providing) side, not left side. [ohs-on-wrong-side]
    13:12: error: Supplier (S) on 'A' must be on the upstream side. Supplier is always the provider in a Customer/Supplier relationship. [supplier-on-wrong-side]
    ");
}

#[test]
fn supplier_and_customer_on_bidirectional_relationships_are_reported() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" }
bc B for D { description: "d"
    relationships {
        A [S] <-> B
        A <-> [OHS, C] B
        A [S] <-> [S, C] B
    }
}
"#
    ), @r"
    5:12: error: Supplier [S] cannot be used on a bidirectional (<->) relationship — Customer/Supplier is inherently directional. [supplier-on-bidirectional]
    6:21: error: Customer [C] cannot be used on a bidirectional (<->) relationship — Customer/Supplier is inherently directional. [customer-on-bidirectional]
    7:12: error: Supplier [S] cannot be used on a bidirectional (<->) relationship — Customer/Supplier is inherently directional. [supplier-on-bidirectional]
    7:23: error: Customer [C] cannot be used on a bidirectional (<->) relationship — Customer/Supplier is inherently directional. [customer-on-bidirectional]
    ");
}

#[test]
fn many_patterns_on_a_side() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" }
cmap M { contains A
    A [OHS, PL, S, BBoM] -> [CF, ACL, C] A
    A [OHS, PL, BBoM] -> [CF, ACL, C, BBoM] A
}
"#
    ), @r"
    4:8: info: Too many integration patterns (4) on left side. Typically use 1-2 patterns per side. [too-many-patterns]
    5:27: info: Too many integration patterns (4) on right side. Typically use 1-2 patterns per side. [too-many-patterns]
    ");
}

#[test]
fn relationships_of_a_context_with_itself() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" relationships { A [SK] A, this >< this, this [P] A, A -> A } }
"#
    ), @r"
    2:47: warning: Symmetric relationship with self: 'A' has a symmetric relationship with itself. This is likely unintended. [self-symmetric-relationship]
    2:57: warning: Symmetric relationship with self: 'this' has a symmetric relationship with itself. This is likely unintended. [self-symmetric-relationship]
    ");
}

#[test]
fn empty_maps_are_reported() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" }
bc B for D { description: "d" }
cmap Empty { }
dmap Nothing { }
cmap Loose { contains A contains B }
ContextMap One { contains A }
"#
    ), @r"
    4:1: warning: Context Map 'Empty' contains no bounded contexts.
    Hint: Use 'contains ContextA, ContextB' to specify which contexts are in the map. [context-map-no-contexts]
    5:1: warning: Domain Map 'Nothing' contains no domains.
    Hint: Use 'contains DomainA, DomainB' to specify which domains are in the map. [domain-map-no-domains]
    6:1: info: Context Map 'Loose' contains 2 contexts but no documented relationships.
    Hint: Add relationships to show how contexts integrate (e.g., 'A [OHS] -> [CF] B'). [context-map-no-relationships]
    ");
}

#[test]
fn duplicate_relationships_in_a_map_are_reported() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" }
bc B for D { description: "d" }
cmap M { contains A, B
    A [OHS, PL] -> B
    A [PL, OpenHostService] -> B
    A -> B
    B <- A
    A [SW] B
    B [SeparateWays] A
    A >< B
    B >< A
    A [SK] B
}
"#
    ), @"
    6:29: warning: Duplicate relationship between 'A' and 'B' in context map. [context-map-duplicate-relationship]
        5:5: the relationship is first listed here
    10:5: warning: Duplicate relationship between 'B' and 'A' in context map. [context-map-duplicate-relationship]
        9:5: the relationship is first listed here
    12:7: warning: Duplicate relationship between 'B' and 'A' in context map. [context-map-duplicate-relationship]
        11:5: the relationship is first listed here
    ");
}

#[test]
fn this_in_a_map_is_reported() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc A for D { description: "d" }
cmap M { contains A  this -> A  this >< this }
"#
    ), @"
    3:22: warning: 'this' refers to no bounded context here, so the relationship is ignored.
    Hint: In a context map, name both bounded contexts. [this-outside-context]
    3:33: warning: Symmetric relationship with self: 'this' has a symmetric relationship with itself. This is likely unintended. [self-symmetric-relationship]
    3:33: warning: 'this' refers to no bounded context here, so the relationship is ignored.
    Hint: In a context map, name both bounded contexts. [this-outside-context]
    3:41: warning: 'this' refers to no bounded context here, so the relationship is ignored.
    Hint: In a context map, name both bounded contexts. [this-outside-context]
    ");
}

#[test]
fn ranges_of_diagnostics() {
    insta::assert_snapshot!(check_ranges(
        r#"
Domain A in A.B
dom A in A
bc B
BoundedContext C for A as X { description: "d" classification: A.X }
cmap M { }
ContextMap N { contains B, C }
cmap O { contains B.C  B [OHS, ACL] -> C  B [OHS, ACL] -> C  B [SK] C  C [SK] B this >< this }
dmap P { contains Q . R }
"#
    ), @r"
    reserved-name: C
    reserved-name: C
    reserved-name: C
    reserved-name: C
    reserved-name: C
    reserved-name: C
    reserved-name: C
    reserved-name: P
    linking-error: A.B
    linking-error: X
    linking-error: A.X
    duplicate-element: A
    domain-no-vision: Domain
    domain-no-vision: dom
    bounded-context-no-description: bc
    bounded-context-no-domain: bc B
    bounded-context-classification-conflict: A.X
    context-map-no-contexts: cmap M { }
    context-map-no-relationships: ContextMap
    unresolved-reference: B.C
    context-map-duplicate-relationship: ->
    context-map-duplicate-relationship: C [SK] B
    acl-on-wrong-side: ACL
    acl-on-wrong-side: ACL
    self-symmetric-relationship: this >< this
    this-outside-context: this
    this-outside-context: this
    unresolved-reference: Q . R
    ");
}
