//! Models with syntax errors: rules report nothing about an error that the parser has reported.

use super::fixture::check;

#[test]
fn elements_without_names() {
    insta::assert_snapshot!(check(
        r#"
Domain { description: "d" }
bc for D
Team
Team
Metadata
cmap { }
Namespace { Team T }
Namespace { Team T }
"#
    ), @"
    1:8: error: Expecting token of type 'ID' but found `{`. [expected-token]
    2:4: error: Expecting token of type 'ID' but found `for`. [expected-token]
    4:1: hint: `Team` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    5:9: error: Expecting token of type 'ID' but found `cmap`. [expected-token]
    6:6: error: Expecting token of type 'ID' but found `{`. [expected-token]
    7:11: error: Expecting token of type 'ID' but found `{`. [expected-token]
    8:11: error: Expecting token of type 'ID' but found `{`. [expected-token]
    2:8: error: Could not resolve reference to Domain named 'D'. [linking-error]
    ");
}

#[test]
fn reserved_words_as_names() {
    insta::assert_snapshot!(check(
        r#"
Domain type { vision: "v" }
Team team
bc S for type by team { description: "d" }
"#
    ), @"
    1:8: hint: `type` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    2:6: hint: `team` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    3:4: hint: `S` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    3:10: hint: `type` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    3:18: hint: `team` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    ");
}

#[test]
fn clauses_in_another_order() {
    insta::assert_snapshot!(check("Team T\nClassification C\nbc B by T as C { description: \"d\" }\n"), @"
    2:16: hint: `C` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    3:11: error: Expecting token of type 'EOF' but found `as`.
    Hint: Write each clause at most once, in the order `for`, `as`, `by`. [misplaced-clause]
    3:14: hint: `C` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    3:1: warning: Bounded Context 'B' must belong to a domain. Use 'for DomainName'. [bounded-context-no-domain]
    ");
}

#[test]
fn incomplete_relationships() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc L for D { description: "d" }
bc R for D { description: "d" relationships {
    L [SK] -> R
    L R
    L [ACL] ->
    -> [OHS] R
    L [] -> R
} }
"#
    ), @"
    4:12: error: Expecting: one of these possible Token sequences:
      1. [this]
      2. [ID]
    but found: '->'
    Hint: Write a symmetric pattern without an arrow: `A [SK] B`. [expected-token]
    5:7: error: Expecting: one of these possible Token sequences:
      1. [<->]
      2. [->]
      3. [<-]
      4. [><]
    but found: 'R' [expected-token]
    6:15: error: Expecting: one of these possible Token sequences:
      1. [this]
      2. [ID]
    but found: '->' [expected-token]
    8:8: error: Expecting: one of these possible Token sequences:
      1. [OHS]
      2. [OpenHostService]
      3. [PL]
      4. [PublishedLanguage]
      5. [CF]
      6. [Conformist]
      7. [ACL]
      8. [AntiCorruptionLayer]
      9. [S]
      10. [Supplier]
      11. [C]
      12. [Customer]
      13. [BBoM]
      14. [BigBallOfMud]
      15. [SK]
      16. [SharedKernel]
      17. [P]
      18. [Partnership]
      19. [SW]
      20. [SeparateWays]
    but found: ']' [expected-token]
    6:8: warning: Anti-Corruption Layer (ACL) on 'L' should be on downstream (consuming) side, not left side. [acl-on-wrong-side]
    7:9: warning: Open Host Service (OHS) on 'R' should be on upstream (providing) side, not right side. [ohs-on-wrong-side]
    ");
}

#[test]
fn maps_in_another_order() {
    insta::assert_snapshot!(check(
        r#"
Domain D { vision: "v" }
bc L for D { description: "d" }
bc R for D { description: "d" }
cmap M { L -> R contains L R }
cmap N { contains L contains R L -> R, R -> L, }
"#
    ), @"
    4:17: error: Expecting token of type '}' but found `contains`.
    Hint: Move `contains` before all relationships. [misplaced-contains]
    5:48: error: Expecting: one of these possible Token sequences:
      1. [this]
      2. [ID]
    but found: '}' [expected-token]
    ");
}

#[test]
fn properties_with_mistakes() {
    insta::assert_snapshot!(check(
        r#"
Domain A { vision "v" }
Domain B { vision: "v", type: X }
Domain C # { vision: "v" }
Domain D { type: X. }
bc E for { description: "d" }
"#
    ), @r#"
    3:10: error: unexpected character: ->#<- at offset: 67, skipped 1 characters. [unexpected-character]
    1:19: error: Expecting: one of these possible Token sequences:
      1. [:]
      2. [is]
      3. [=]
    but found: '"v"' [expected-token]
    2:23: error: Expecting token of type '}' but found `,`.
    Hint: Remove this comma. [unexpected-token]
    3:8: hint: `C` is a reserved word; here it is read as a name.
    Hint: Parsers that follow the grammar strictly reject it; prefer another name. [reserved-name]
    4:21: error: Expecting token of type 'ID' but found `}`. [expected-token]
    5:10: error: Expecting token of type 'ID' but found `{`. [expected-token]
    2:31: error: Could not resolve reference to Classification named 'X'. [linking-error]
    4:1: warning: Domain 'D' is missing a vision statement. [domain-no-vision]
    "#);
    insta::assert_snapshot!(check("Domain F { vision: \"unterminated }"), @r#"
    1:20: error: unexpected character: ->"<- at offset: 19, skipped 1 characters.
    Hint: The string that begins here is not closed: add " at its end. [unterminated-string]
    "#);
}

#[test]
fn an_import_after_elements_is_followed() {
    insta::assert_snapshot!(check(
        r#"
//- a.dlang
Team T
import "./b.dlang"
bc B for D by T { description: "d" }
//- b.dlang
Domain D { vision: "v" }
"#
    ), @"
    a.dlang:2:1: error: Expecting token of type 'EOF' but found `import`.
    Hint: Move this import before the first element. [misplaced-import]
    ");
}
