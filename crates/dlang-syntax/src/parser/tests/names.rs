//! Reserved words as names; the crate's documentation states the rule.

use super::{check, complaints};

#[test]
fn declared_names() {
    insta::assert_snapshot!(check("Domain type { vision: \"v\" }\nTeam team\nbc S for A\nNamespace in.by { Team Team }"), @r#"
    MODEL … … … …
      DOMAIN Domain … …
        NAME type
        DOMAIN_BODY { … }
          VISION_PROPERTY vision : \"v\"
      TEAM Team …
        NAME team
      BOUNDED_CONTEXT bc … …
        NAME S
        FOR_CLAUSE for …
          REFERENCE A
      NAMESPACE_DECLARATION Namespace … …
        QUALIFIED_NAME in . by
        NAMESPACE_BODY { … }
          TEAM Team …
            NAME Team
    1:8 `type` reserved-name: `type` is a reserved word; here it is read as a name.
    2:6 `team` reserved-name: `team` is a reserved word; here it is read as a name.
    3:4 `S` reserved-name: `S` is a reserved word; here it is read as a name.
    4:11 `in` reserved-name: `in` is a reserved word; here it is read as a name.
    4:14 `by` reserved-name: `by` is a reserved word; here it is read as a name.
    4:24 `Team` reserved-name: `Team` is a reserved word; here it is read as a name.
    "#);
}

#[test]
fn references() {
    insta::assert_snapshot!(complaints("bc B for Customer as type by team {\n team: by\n metadata { type: \"x\" OHS.is is \"y\" }\n decisions { rule [for] is is \"x\" }\n}"), @r"
    1:10 `Customer` reserved-name: `Customer` is a reserved word; here it is read as a name.
    1:22 `type` reserved-name: `type` is a reserved word; here it is read as a name.
    1:30 `team` reserved-name: `team` is a reserved word; here it is read as a name.
    2:8 `by` reserved-name: `by` is a reserved word; here it is read as a name.
    3:13 `type` reserved-name: `type` is a reserved word; here it is read as a name.
    3:23 `OHS` reserved-name: `OHS` is a reserved word; here it is read as a name.
    3:27 `is` reserved-name: `is` is a reserved word; here it is read as a name.
    4:20 `for` reserved-name: `for` is a reserved word; here it is read as a name.
    4:25 `is` reserved-name: `is` is a reserved word; here it is read as a name.
    ");
}

#[test]
fn terms_and_lists() {
    insta::assert_snapshot!(complaints("bc B { terminology { term Customer: \"who buys\" aka C, term, is examples \"a\" term term, term aka aka X term is, term aka is X } }"), @"
    1:27 `Customer` reserved-name: `Customer` is a reserved word; here it is read as a name.
    1:52 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    1:55 `term` reserved-name: `term` is a reserved word; here it is read as a name.
    1:61 `is` reserved-name: `is` is a reserved word; here it is read as a name.
    1:82 `term` reserved-name: `term` is a reserved word; here it is read as a name.
    1:93 `aka` reserved-name: `aka` is a reserved word; here it is read as a name.
    1:108 `is` reserved-name: `is` is a reserved word; here it is read as a name.
    1:117 `aka` reserved-name: `aka` is a reserved word; here it is read as a name.
    1:124 `X` expected-token: Expecting token of type 'STRING' but found `X`.
          Write texts in quotes.
    ");
}

#[test]
fn ends_of_relationships() {
    insta::assert_snapshot!(check("cmap M { contains Customer, Supplier\n Customer [C] <- [S] Supplier\n Supplier -> Customer\n Customer -> B\n B -> Supplier }"), @r"
    MODEL …
      CONTEXT_MAP cmap … …
        NAME M
        CONTEXT_MAP_BODY { … … … … … }
          CONTAINS_CLAUSE contains … , …
            REFERENCE Customer
            REFERENCE Supplier
          DIRECTIONAL_RELATIONSHIP … … <- … …
            BOUNDED_CONTEXT_REF …
              REFERENCE Customer
            PATTERN_LIST [ … ]
              PATTERN C
            PATTERN_LIST [ … ]
              PATTERN S
            BOUNDED_CONTEXT_REF …
              REFERENCE Supplier
          DIRECTIONAL_RELATIONSHIP … -> …
            BOUNDED_CONTEXT_REF …
              REFERENCE Supplier
            BOUNDED_CONTEXT_REF …
              REFERENCE Customer
          DIRECTIONAL_RELATIONSHIP … -> …
            BOUNDED_CONTEXT_REF …
              REFERENCE Customer
            BOUNDED_CONTEXT_REF …
              REFERENCE B
          DIRECTIONAL_RELATIONSHIP … -> …
            BOUNDED_CONTEXT_REF …
              REFERENCE B
            BOUNDED_CONTEXT_REF …
              REFERENCE Supplier
    1:19 `Customer` reserved-name: `Customer` is a reserved word; here it is read as a name.
    1:29 `Supplier` reserved-name: `Supplier` is a reserved word; here it is read as a name.
    2:2 `Customer` reserved-name: `Customer` is a reserved word; here it is read as a name.
    2:22 `Supplier` reserved-name: `Supplier` is a reserved word; here it is read as a name.
    3:2 `Supplier` reserved-name: `Supplier` is a reserved word; here it is read as a name.
    3:14 `Customer` reserved-name: `Customer` is a reserved word; here it is read as a name.
    4:2 `Customer` reserved-name: `Customer` is a reserved word; here it is read as a name.
    5:7 `Supplier` reserved-name: `Supplier` is a reserved word; here it is read as a name.
    ");
}

#[test]
fn import_aliases() {
    insta::assert_snapshot!(complaints("import \"a\" as import\nimport \"b\" as as\nDomain A"), @r"
    1:15 `import` reserved-name: `import` is a reserved word; here it is read as a name.
    2:15 `as` reserved-name: `as` is a reserved word; here it is read as a name.
    ");
}

#[test]
fn keywords_are_not_read_as_names() {
    // Each of these lacks a name; the word after the gap is the keyword.
    for text in [
        "Domain in Sales {}",
        "bc for A",
        "bc B for as X",
        "bc B as by T",
        "Team\nTeam B",
        "Domain\nbc B",
        "import \"a\" as import \"b\"",
        "Domain A { type: vision: \"v\" }",
        "bc B { team: metadata { } }",
        "bc B { terminology { term is \"x\" } }",
        "bc B { terminology { term aka X } }",
        "bc B { terminology { term T aka examples \"x\" } }",
        "cmap M { contains contains A }",
        "bc B { decisions { rule is \"x\" } }",
    ] {
        let complaints = complaints(text);
        assert!(complaints.contains("Expecting token of type 'ID'"), "{text}\n{complaints}");
        assert_eq!(complaints.lines().count(), 1, "{text}\n{complaints}");
    }
}

#[test]
fn this_always_refers_to_the_context() {
    insta::assert_snapshot!(check("bc this { relationships { this -> N.this } }"), @r"
    MODEL …
      BOUNDED_CONTEXT bc … …
        NAME this
        CONTEXT_BODY { … }
          RELATIONSHIPS_BLOCK relationships { … }
            DIRECTIONAL_RELATIONSHIP … -> …
              THIS_REF this
              BOUNDED_CONTEXT_REF …
                REFERENCE N . this
    1:4 `this` reserved-name: `this` is a reserved word; here it is read as a name.
    1:37 `this` reserved-name: `this` is a reserved word; here it is read as a name.
    ");
}

#[test]
fn properties_in_a_metadata_block_are_misplaced() {
    insta::assert_snapshot!(complaints("bc B { metadata { team: \"x\" } }"), @r#"
    1:19 `team` misplaced-property: Expecting token of type '}' but found `team`.
          This property belongs to the bounded context, outside these braces.
    1:25 `\"x\"` expected-token: Expecting token of type 'ID' but found `"x"`.
          The value is the name of an element, without quotes.
    "#);
}
