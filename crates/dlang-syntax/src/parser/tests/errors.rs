//! Broken texts: their diagnostics, and the remaining tree.

use super::{check, complaints};

#[test]
fn wordings_of_the_original_tools() {
    // Recorded from DomainLang's original tools: the range and the first line of each message. If they report several
    // messages for one mistake, zubi reports one.
    insta::assert_snapshot!(complaints("Domain { vision: \"v\" }"), @"1:8 `{` expected-token: Expecting token of type 'ID' but found `{`.");
    insta::assert_snapshot!(complaints("bc B by T as C { description: \"d\" }"), @"
    1:11 `as` misplaced-clause: Expecting token of type 'EOF' but found `as`.
          Write each clause at most once, in the order `for`, `as`, `by`.
    1:14 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    ");
    insta::assert_snapshot!(complaints("Domain A { vision \"v\" }"), @r#"1:19 `\"v\"` expected-token: Expecting: one of these possible Token sequences:⏎  1. [:]⏎  2. [is]⏎  3. [=]⏎but found: '"v"'"#);
    insta::assert_snapshot!(complaints("Domain A { vision: \"unterminated }"), @r#"
    1:20 `\"unterminated` unterminated-string: unexpected character: ->"<- at offset: 19, skipped 1 characters.
          The string that begins here is not closed: add " at its end.
    "#);
    insta::assert_snapshot!(complaints("Domain A # { vision: \"v\" }"), @"1:10 `#` unexpected-character: unexpected character: ->#<- at offset: 9, skipped 1 characters.");
    insta::assert_snapshot!(complaints("Domain A { vision: \"v\" }\nimport \"./x.dlang\""), @"
    2:1 `import` misplaced-import: Expecting token of type 'EOF' but found `import`.
          Move this import before the first element.
    ");
    insta::assert_snapshot!(complaints("bc R { relationships { L [SK] -> R } }"), @"
    1:31 `->` expected-token: Expecting: one of these possible Token sequences:⏎  1. [this]⏎  2. [ID]⏎but found: '->'
          Write a symmetric pattern without an arrow: `A [SK] B`.
    ");
    insta::assert_snapshot!(complaints("cmap M { L -> R contains L R }"), @"
    1:17 `contains` misplaced-contains: Expecting token of type '}' but found `contains`.
          Move `contains` before all relationships.
    ");
    insta::assert_snapshot!(complaints("cmap M { contains L contains R L -> R, R -> L, }"), @"1:48 `}` expected-token: Expecting: one of these possible Token sequences:⏎  1. [this]⏎  2. [ID]⏎but found: '}'");
    insta::assert_snapshot!(complaints("Domain A { vision: \"v\", type: X }"), @"
    1:23 `,` unexpected-token: Expecting token of type '}' but found `,`.
          Remove this comma.
    ");
}

#[test]
fn offsets_of_unexpected_characters_count_utf16() {
    insta::assert_snapshot!(complaints("// 👍é\n§§ \0"), @r"
    2:1 `§§` unexpected-character: unexpected character: ->§<- at offset: 7, skipped 2 characters.
    2:4 `\0` unexpected-character: unexpected character: ->U+0000<- at offset: 10, skipped 1 characters.
    ");
}

#[test]
fn an_unexpected_end_of_input_is_reported() {
    let texts = [
        "Domain",
        "Domain A {",
        "bc A for",
        "bc A { terminology {",
        "import",
        "cmap M { contains",
        "ns A.",
        "bc A { team",
    ];
    let rendered = texts.map(|text| format!("{text}\n{}", complaints(text)));
    insta::assert_snapshot!(rendered.concat(), @"
    Domain
    1:7 `` expected-token: Expecting token of type 'ID' but found end of file.
    Domain A {
    1:11 `` expected-token: Expecting token of type '}' but found end of file.
          at 9..10: This brace has no matching `}`.
    bc A for
    1:9 `` expected-token: Expecting token of type 'ID' but found end of file.
    bc A { terminology {
    1:21 `` expected-token: Expecting token of type '}' but found end of file.
          at 19..20: This brace has no matching `}`.
    import
    1:7 `` expected-token: Expecting token of type 'STRING' but found end of file.
    cmap M { contains
    1:18 `` expected-token: Expecting token of type 'ID' but found end of file.
    ns A.
    1:6 `` expected-token: Expecting token of type 'ID' but found end of file.
    bc A { team
    1:12 `` expected-token: Expecting: one of these possible Token sequences:⏎  1. [:]⏎  2. [is]⏎  3. [=]⏎but found end of file
    ");
}

#[test]
fn headers() {
    insta::assert_snapshot!(complaints("Domain A for B {}\nbc X in D for E nonsense here { }\nTeam \"Quoted\"\nbc C for A for B"), @r#"
    1:10 `for` misplaced-clause: Expecting token of type 'EOF' but found `for`.
          A domain only has the clause `in`, which names its parent domain.
    2:6 `in` misplaced-clause: Expecting token of type 'EOF' but found `in`.
          Use `for` to name the domain of a bounded context.
    2:17 `nonsense` unexpected-token: Expecting token of type 'EOF' but found `nonsense`.
    3:6 `\"Quoted\"` expected-token: Expecting token of type 'ID' but found `"Quoted"`.
          Write names without quotes.
    4:4 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    4:12 `for` misplaced-clause: Expecting token of type 'EOF' but found `for`.
          Write each clause at most once, in the order `for`, `as`, `by`.
    "#);
}

#[test]
fn values_of_the_wrong_kind() {
    insta::assert_snapshot!(check("bc A { businessModel: \"B2B\" description: plain words team: T }"), @r#"
    MODEL …
      BOUNDED_CONTEXT bc … …
        NAME A
        CONTEXT_BODY { … … … }
          BUSINESS_MODEL_PROPERTY businessModel : …
            ERROR \"B2B\"
          DESCRIPTION_PROPERTY description : …
            ERROR plain words
          TEAM_PROPERTY team : …
            REFERENCE T
    1:23 `\"B2B\"` expected-token: Expecting token of type 'ID' but found `"B2B"`.
          The value is the name of an element, without quotes.
    1:42 `plain` expected-token: Expecting token of type 'STRING' but found `plain`.
          Write texts in quotes.
    "#);
}

#[test]
fn misplaced_properties() {
    insta::assert_snapshot!(check("bc A { vision: \"v\" team: T }\nDomain D { classification: C type: T }"), @r#"
    MODEL … …
      BOUNDED_CONTEXT bc … …
        NAME A
        CONTEXT_BODY { … … }
          ERROR …
            VISION_PROPERTY vision : \"v\"
          TEAM_PROPERTY team : …
            REFERENCE T
      DOMAIN Domain … …
        NAME D
        DOMAIN_BODY { … … }
          ERROR …
            CLASSIFICATION_PROPERTY classification : …
              REFERENCE C
          TYPE_PROPERTY type : …
            REFERENCE T
    1:8 `vision` misplaced-property: Expecting token of type '}' but found `vision`.
          A bounded context has no such property.
    2:12 `classification` misplaced-property: Expecting token of type '}' but found `classification`.
          A domain only has the properties `description`, `vision` and `type`.
    2:28 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    "#);
}

#[test]
fn other_spellings() {
    insta::assert_snapshot!(check("domain A { Vision: \"v\" }\nnamespace N { boundedcontext B for A { Terminology { term T } } }\ncmap M { a [ohs] -> [cf] b }"), @r#"
    MODEL … … …
      DOMAIN domain … …
        NAME A
        DOMAIN_BODY { … }
          VISION_PROPERTY Vision : \"v\"
      NAMESPACE_DECLARATION namespace … …
        QUALIFIED_NAME N
        NAMESPACE_BODY { … }
          BOUNDED_CONTEXT boundedcontext … … …
            NAME B
            FOR_CLAUSE for …
              REFERENCE A
            CONTEXT_BODY { … }
              TERMINOLOGY_BLOCK Terminology { … }
                DOMAIN_TERM term …
                  NAME T
      CONTEXT_MAP cmap … …
        NAME M
        CONTEXT_MAP_BODY { … }
          DIRECTIONAL_RELATIONSHIP … … -> … …
            BOUNDED_CONTEXT_REF …
              REFERENCE a
            PATTERN_LIST [ … ]
              PATTERN ohs
            PATTERN_LIST [ … ]
              PATTERN cf
            BOUNDED_CONTEXT_REF …
              REFERENCE b
    1:1 `domain` misspelt-keyword: Expecting token of type 'EOF' but found `domain`.
          Did you mean `Domain`?
    1:12 `Vision` misspelt-keyword: Expecting token of type '}' but found `Vision`.
          Did you mean `vision`?
    2:1 `namespace` misspelt-keyword: Expecting token of type 'EOF' but found `namespace`.
          Did you mean `Namespace`?
    2:15 `boundedcontext` misspelt-keyword: Expecting token of type '}' but found `boundedcontext`.
          Did you mean `BoundedContext`?
    2:40 `Terminology` misspelt-keyword: Expecting token of type '}' but found `Terminology`.
          Did you mean `terminology`?
    3:13 `ohs` misspelt-keyword: Expecting token of type ']' but found `ohs`.
          Did you mean `OHS`?
    3:22 `cf` misspelt-keyword: Expecting token of type ']' but found `cf`.
          Did you mean `CF`?
    "#);
}

#[test]
fn misplaced_elements() {
    insta::assert_snapshot!(check("Domain A {\n  bc B for A { description: \"d\" }\n  vision: \"v\"\n}"), @r#"
    MODEL …
      DOMAIN Domain … …
        NAME A
        DOMAIN_BODY { … … }
          ERROR …
            BOUNDED_CONTEXT bc … … …
              NAME B
              FOR_CLAUSE for …
                REFERENCE A
              CONTEXT_BODY { … }
                DESCRIPTION_PROPERTY description : \"d\"
          VISION_PROPERTY vision : \"v\"
    2:3 `bc` misplaced-element: Expecting token of type '}' but found `bc`.
          Elements cannot be nested except in namespaces: move this one out of the braces.
    "#);
}

#[test]
fn a_missing_brace_ends_the_block_by_layout() {
    insta::assert_snapshot!(check("Namespace N {\n    bc A {\n        metadata {\n            K: \"v\"\n    }\n    bc B\n}\nTeam T"), @r#"
    MODEL … …
      NAMESPACE_DECLARATION Namespace … …
        QUALIFIED_NAME N
        NAMESPACE_BODY { … … }
          BOUNDED_CONTEXT bc … …
            NAME A
            CONTEXT_BODY { … }
              METADATA_BLOCK metadata { …
                METADATA_ENTRY … : \"v\"
                  REFERENCE K
          BOUNDED_CONTEXT bc …
            NAME B
      TEAM Team …
        NAME T
    4:19 `` expected-token: Expecting token of type '}' but found `}`.
          at 42..43: This brace has no matching `}`.
    "#);
    insta::assert_snapshot!(check("Namespace N {\n    Team A\n\nTeam B"), @"
    MODEL … …
      NAMESPACE_DECLARATION Namespace … …
        QUALIFIED_NAME N
        NAMESPACE_BODY { …
          TEAM Team …
            NAME A
      TEAM Team …
        NAME B
    2:11 `` expected-token: Expecting token of type '}' but found `Team`.
          at 12..13: This brace has no matching `}`.
    ");
}

#[test]
fn a_missing_opening_brace() {
    insta::assert_snapshot!(check("Domain A vision: \"v\" }\nNamespace N\n  Team T\n}\ncmap M contains A }\nbc B { metadata K: \"v\" } team: T }"), @r#"
    MODEL … … … …
      DOMAIN Domain … …
        NAME A
        DOMAIN_BODY … }
          VISION_PROPERTY vision : \"v\"
      NAMESPACE_DECLARATION Namespace … …
        QUALIFIED_NAME N
        NAMESPACE_BODY … }
          TEAM Team …
            NAME T
      CONTEXT_MAP cmap … …
        NAME M
        CONTEXT_MAP_BODY … }
          CONTAINS_CLAUSE contains …
            REFERENCE A
      BOUNDED_CONTEXT bc … …
        NAME B
        CONTEXT_BODY { … … }
          METADATA_BLOCK metadata … }
            METADATA_ENTRY … : \"v\"
              REFERENCE K
          TEAM_PROPERTY team : …
            REFERENCE T
    1:10 `vision` expected-token: Expecting token of type '{' but found `vision`.
    2:12 `` expected-token: Expecting token of type '{' but found `Team`.
    5:8 `contains` expected-token: Expecting token of type '{' but found `contains`.
    6:17 `K` expected-token: Expecting token of type '{' but found `K`.
    "#);
}

#[test]
fn a_namespace_without_a_keyword() {
    insta::assert_snapshot!(check("Shop.Inner { Team A }\nnonsense { x: 1 } Team B }"), @"
    MODEL … … … …
      NAMESPACE_DECLARATION … …
        QUALIFIED_NAME Shop . Inner
        NAMESPACE_BODY { … }
          TEAM Team …
            NAME A
      ERROR nonsense { x : 1 }
      TEAM Team …
        NAME B
      ERROR }
    2:15 `1` unexpected-character: unexpected character: ->1<- at offset: 36, skipped 1 characters.
    1:1 `Shop` unexpected-token: Expecting token of type 'EOF' but found `Shop`.
          Write `Namespace` before the name of a namespace.
    2:1 `nonsense` unexpected-token: Expecting token of type 'EOF' but found `nonsense`.
    2:26 `}` unexpected-token: Expecting token of type 'EOF' but found `}`.
          This brace has no matching `{`.
    ");
}

#[test]
fn broken_relationships() {
    insta::assert_snapshot!(check("bc B { relationships {\n [OHS] A -> [ACL] B\n -> B\n A B\n A ->\n A -> C\n A [] -> B\n A -> [SK] B\n A [SK, P] B\n A [OHS -> B\n A OHS] -> B\n A [X, PL] -> B\n A [OHS] >< B\n ] , A -> B\n} }"), @"
    MODEL …
      BOUNDED_CONTEXT bc … …
        NAME B
        CONTEXT_BODY { … }
          RELATIONSHIPS_BLOCK relationships { … … … … … … … … … … … … … … }
            ERROR …
              PATTERN_LIST [ … ]
                PATTERN OHS
            DIRECTIONAL_RELATIONSHIP … -> … …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST [ … ]
                PATTERN ACL
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            DIRECTIONAL_RELATIONSHIP -> …
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            DIRECTIONAL_RELATIONSHIP … …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            DIRECTIONAL_RELATIONSHIP … ->
              BOUNDED_CONTEXT_REF …
                REFERENCE A
            DIRECTIONAL_RELATIONSHIP … -> …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              BOUNDED_CONTEXT_REF …
                REFERENCE C
            DIRECTIONAL_RELATIONSHIP … … -> …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST [ ]
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            DIRECTIONAL_RELATIONSHIP … -> … …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST [ … ]
                ERROR SK
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            SYMMETRIC_RELATIONSHIP … … …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST [ … , … ]
                PATTERN SK
                PATTERN P
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            DIRECTIONAL_RELATIONSHIP … … -> …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST [ …
                PATTERN OHS
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            DIRECTIONAL_RELATIONSHIP … … -> …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST … ]
                PATTERN OHS
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            DIRECTIONAL_RELATIONSHIP … … -> …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST [ … , … ]
                ERROR X
                PATTERN PL
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            SYMMETRIC_RELATIONSHIP … … >< …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST [ … ]
                PATTERN OHS
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            ERROR ] , A -> B
    1:23 `` expected-token: Expecting: one of these possible Token sequences:⏎  1. [this]⏎  2. [ID]⏎but found: '['
          Write patterns between their context and the arrow: `A [OHS] -> [CF] B`.
    2:20 `` expected-token: Expecting: one of these possible Token sequences:⏎  1. [this]⏎  2. [ID]⏎but found: '->'
    4:4 `B` expected-token: Expecting: one of these possible Token sequences:⏎  1. [<->]⏎  2. [->]⏎  3. [<-]⏎  4. [><]⏎but found: 'B'
    5:6 `` expected-token: Expecting: one of these possible Token sequences:⏎  1. [this]⏎  2. [ID]⏎but found: 'A'
    6:7 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    7:5 `]` expected-token: Expecting: one of these possible Token sequences:⏎  1. [OHS]⏎  2. [OpenHostService]⏎  3. [PL]⏎  4. [PublishedLanguage]⏎  5. [CF]⏎  6. [Conformist]⏎  7. [ACL]⏎  8. [AntiCorruptionLayer]⏎  9. [S]⏎  10. [Supplier]⏎  11. [C]⏎  12. [Customer]⏎  13. [BBoM]⏎  14. [BigBallOfMud]⏎  15. [SK]⏎  16. [SharedKernel]⏎  17. [P]⏎  18. [Partnership]⏎  19. [SW]⏎  20. [SeparateWays]⏎but found: ']'
    8:8 `SK` misplaced-pattern: Expecting token of type ']' but found `SK`.
          Write symmetric patterns without an arrow: `A [SK] B`.
    9:7 `,` misplaced-pattern: Expecting token of type ']' but found `,`.
          A symmetric pattern must be the only one.
    10:9 `->` expected-token: Expecting token of type ']' but found `->`.
    11:4 `OHS` expected-token: Expecting token of type '[' but found `OHS`.
    12:5 `X` expected-token: Expecting: one of these possible Token sequences:⏎  1. [OHS]⏎  2. [OpenHostService]⏎  3. [PL]⏎  4. [PublishedLanguage]⏎  5. [CF]⏎  6. [Conformist]⏎  7. [ACL]⏎  8. [AntiCorruptionLayer]⏎  9. [S]⏎  10. [Supplier]⏎  11. [C]⏎  12. [Customer]⏎  13. [BBoM]⏎  14. [BigBallOfMud]⏎  15. [SK]⏎  16. [SharedKernel]⏎  17. [P]⏎  18. [Partnership]⏎  19. [SW]⏎  20. [SeparateWays]⏎but found: 'X'
    13:10 `><` misplaced-pattern: Expecting token of type '}' but found `><`.
          `><` has no patterns.
    14:2 `]` unexpected-token: Expecting token of type '}' but found `]`.
    ");
}

#[test]
fn broken_lists() {
    insta::assert_snapshot!(complaints("bc B { terminology { term A aka X, term B examples \"a\", term C examples \"a\" aka X } }"), @"
    1:36 `term` expected-token: Expecting token of type 'ID' but found `term`.
          A comma after `aka` or `examples` continues the list; remove it before the next term.
    1:57 `term` expected-token: Expecting token of type 'STRING' but found `term`.
          A comma after `aka` or `examples` continues the list; remove it before the next term.
    1:62 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    1:77 `aka` misplaced-clause: Expecting token of type '}' but found `aka`.
          A term has at most one `aka` and one `examples`, in this order.
    ");
    insta::assert_snapshot!(complaints("cmap M { contains , A,, B, A -> B }"), @"
    1:19 `,` expected-token: Expecting token of type 'ID' but found `,`.
    1:23 `,` expected-token: Expecting token of type 'ID' but found `,`.
    1:26 `,` unexpected-token: Expecting token of type '}' but found `,`.
          Remove this comma.
    ");
    insta::assert_snapshot!(complaints("bc B { decisions { rule X] A: \"t\" rule [X A: \"t\" : \"t\" rule B } }"), @r"
    1:25 `X` expected-token: Expecting token of type '[' but found `X`.
    1:43 `A` expected-token: Expecting token of type ']' but found `A`.
    1:50 `:` unexpected-token: Expecting token of type '}' but found `:`.
    1:63 `}` expected-token: Expecting: one of these possible Token sequences:⏎  1. [:]⏎  2. [is]⏎  3. [=]⏎but found: '}'
    ");
}

#[test]
fn misplaced_imports() {
    insta::assert_snapshot!(check("nonsense\nimport x\nns N { import \"a\" }\nbc B { import \"b\" }"), @r#"
    MODEL … … …
      ERROR nonsense import x
      NAMESPACE_DECLARATION ns … …
        QUALIFIED_NAME N
        NAMESPACE_BODY { … }
          ERROR …
            IMPORT_STATEMENT import \"a\"
      BOUNDED_CONTEXT bc … …
        NAME B
        CONTEXT_BODY { … }
          ERROR …
            IMPORT_STATEMENT import \"b\"
    1:1 `nonsense` unexpected-token: Expecting token of type 'EOF' but found `nonsense`.
    3:8 `import` misplaced-import: Expecting token of type '}' but found `import`.
          Move this import to the beginning of the file.
    4:8 `import` misplaced-import: Expecting token of type '}' but found `import`.
          Move this import to the beginning of the file.
    "#);
}

#[test]
fn blocks_inside_blocks() {
    insta::assert_snapshot!(complaints("bc B { terminology { term A description: \"d\" term C } metadata { K: \"a\", L: \"b\" } }"), @"
    1:29 `description` misplaced-property: Expecting token of type '}' but found `description`.
          This property belongs to the bounded context, outside these braces.
    1:51 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    1:72 `,` unexpected-token: Expecting token of type '}' but found `,`.
          Remove this comma.
    ");
}
