//! Valid texts.

use super::check;

#[test]
fn empty_texts() {
    insta::assert_snapshot!(check(""), @"MODEL");
    insta::assert_snapshot!(check("\u{feff}\r\n// only a comment"), @"MODEL");
}

#[test]
fn imports() {
    insta::assert_snapshot!(check("import \"a.dlang\"\nImport 'b' as c"), @r#"
    MODEL … …
      IMPORT_STATEMENT import \"a.dlang\"
      IMPORT_STATEMENT Import \'b\' as …
        NAME c
    "#);
}

#[test]
fn bare_declarations() {
    insta::assert_snapshot!(check("Team A Classification B\nMetadata C-d"), @r"
    MODEL … … …
      TEAM Team …
        NAME A
      CLASSIFICATION Classification …
        NAME B
      METADATA Metadata …
        NAME C-d
    ");
}

#[test]
fn domains() {
    insta::assert_snapshot!(check("dom A Domain B in A { vision: \"v\" type is N . C // c\n description = 'd' vision: \"w\" }"), @r#"
    MODEL … …
      DOMAIN dom …
        NAME A
      DOMAIN Domain … … …
        NAME B
        IN_CLAUSE in …
          REFERENCE A
        DOMAIN_BODY { … … … … }
          VISION_PROPERTY vision : \"v\"
          TYPE_PROPERTY type is …
            REFERENCE N . C
          DESCRIPTION_PROPERTY description = \'d\'
          VISION_PROPERTY vision : \"w\"
    1:47 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    "#);
}

#[test]
fn a_context_with_all_properties() {
    insta::assert_snapshot!(check(
        "bc B for N.D as C by T {
            description: \"d\" classification: C team: T businessModel: M evolution is E archetype = A
            meta { K: \"v\" N.L is \"w\" }
            terminology { term A: \"m\" aka X, Y examples \"1\", '2', Term B }
            rules { decision [N.C] D: \"t\", Policy P = \"u\" rule R is \"v\", }
            integrations { this -> X }
        }"
    ), @r#"
    MODEL …
      BOUNDED_CONTEXT bc … … … … …
        NAME B
        FOR_CLAUSE for …
          REFERENCE N . D
        AS_CLAUSE as …
          REFERENCE C
        BY_CLAUSE by …
          REFERENCE T
        CONTEXT_BODY { … … … … … … … … … … }
          DESCRIPTION_PROPERTY description : \"d\"
          CLASSIFICATION_PROPERTY classification : …
            REFERENCE C
          TEAM_PROPERTY team : …
            REFERENCE T
          BUSINESS_MODEL_PROPERTY businessModel : …
            REFERENCE M
          EVOLUTION_PROPERTY evolution is …
            REFERENCE E
          ARCHETYPE_PROPERTY archetype = …
            REFERENCE A
          METADATA_BLOCK meta { … … }
            METADATA_ENTRY … : \"v\"
              REFERENCE K
            METADATA_ENTRY … is \"w\"
              REFERENCE N . L
          TERMINOLOGY_BLOCK terminology { … … }
            DOMAIN_TERM term … : \"m\" … …
              NAME A
              SYNONYM_LIST aka … , …
                NAME X
                NAME Y
              EXAMPLE_LIST examples \"1\" , \'2\' ,
            DOMAIN_TERM Term …
              NAME B
          DECISIONS_BLOCK rules { … , … … , }
            DECISION decision [ … ] … : \"t\"
              REFERENCE N . C
              NAME D
            POLICY Policy … = \"u\"
              NAME P
            BUSINESS_RULE rule … is \"v\"
              NAME R
          RELATIONSHIPS_BLOCK integrations { … }
            DIRECTIONAL_RELATIONSHIP … -> …
              THIS_REF this
              BOUNDED_CONTEXT_REF …
                REFERENCE X
    1:17 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    2:46 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    4:67 `Term` expected-token: Expecting token of type 'STRING' but found `Term`.
          A comma after `aka` or `examples` continues the list; remove it before the next term.
    5:33 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    5:51 `P` reserved-name: `P` is a reserved word; here it is read as a name.
    "#);
}

#[test]
fn relationships() {
    insta::assert_snapshot!(check(
        "bc B { relationships {
            this [OHS, PublishedLanguage] -> [ACL] N.X, X<-this
            A [BBoM]<->[CF]B A [SK] B A >< this
            X->Y
        } }"
    ), @r"
    MODEL …
      BOUNDED_CONTEXT bc … …
        NAME B
        CONTEXT_BODY { … }
          RELATIONSHIPS_BLOCK relationships { … , … … … … … }
            DIRECTIONAL_RELATIONSHIP … … -> … …
              THIS_REF this
              PATTERN_LIST [ … , … ]
                PATTERN OHS
                PATTERN PublishedLanguage
              PATTERN_LIST [ … ]
                PATTERN ACL
              BOUNDED_CONTEXT_REF …
                REFERENCE N . X
            DIRECTIONAL_RELATIONSHIP … <- …
              BOUNDED_CONTEXT_REF …
                REFERENCE X
              THIS_REF this
            DIRECTIONAL_RELATIONSHIP … … <-> … …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST [ … ]
                PATTERN BBoM
              PATTERN_LIST [ … ]
                PATTERN CF
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            SYMMETRIC_RELATIONSHIP … … …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              PATTERN_LIST [ … ]
                PATTERN SK
              BOUNDED_CONTEXT_REF …
                REFERENCE B
            SYMMETRIC_RELATIONSHIP … >< …
              BOUNDED_CONTEXT_REF …
                REFERENCE A
              THIS_REF this
            DIRECTIONAL_RELATIONSHIP … -> …
              BOUNDED_CONTEXT_REF …
                REFERENCE X
              BOUNDED_CONTEXT_REF …
                REFERENCE Y
    ");
}

#[test]
fn maps() {
    insta::assert_snapshot!(check("cmap M { contains A, N.B C contains D A -> B, B [P] C }\ndmap D { contains A B }\nContextMap E {}"), @r"
    MODEL … … …
      CONTEXT_MAP cmap … …
        NAME M
        CONTEXT_MAP_BODY { … … … , … }
          CONTAINS_CLAUSE contains … , … …
            REFERENCE A
            REFERENCE N . B
            REFERENCE C
          CONTAINS_CLAUSE contains …
            REFERENCE D
          DIRECTIONAL_RELATIONSHIP … -> …
            BOUNDED_CONTEXT_REF …
              REFERENCE A
            BOUNDED_CONTEXT_REF …
              REFERENCE B
          SYMMETRIC_RELATIONSHIP … … …
            BOUNDED_CONTEXT_REF …
              REFERENCE B
            PATTERN_LIST [ … ]
              PATTERN P
            BOUNDED_CONTEXT_REF …
              REFERENCE C
      DOMAIN_MAP dmap … …
        NAME D
        DOMAIN_MAP_BODY { … }
          CONTAINS_CLAUSE contains … …
            REFERENCE A
            REFERENCE B
      CONTEXT_MAP ContextMap … …
        NAME E
        CONTEXT_MAP_BODY { }
    1:26 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    1:53 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    ");
}

#[test]
fn namespaces() {
    insta::assert_snapshot!(check("Namespace A.B { ns C { Team T } Domain D }"), @r"
    MODEL …
      NAMESPACE_DECLARATION Namespace … …
        QUALIFIED_NAME A . B
        NAMESPACE_BODY { … … }
          NAMESPACE_DECLARATION ns … …
            QUALIFIED_NAME C
            NAMESPACE_BODY { … }
              TEAM Team …
                NAME T
          DOMAIN Domain …
            NAME D
    1:20 `C` reserved-name: `C` is a reserved word; here it is read as a name.
    ");
}

#[test]
fn comments_are_placed_between_nodes() {
    let parse = crate::parse("/** a */ Team /* b */ A // c\n// d\nTeam B");
    insta::assert_snapshot!(format!("{:#?}", parse.syntax()), @r#"
    MODEL@0..40
      DOC_COMMENT@0..8 "/** a */"
      WHITESPACE@8..9 " "
      TEAM@9..23
        TEAM_KW@9..13 "Team"
        WHITESPACE@13..14 " "
        BLOCK_COMMENT@14..21 "/* b */"
        WHITESPACE@21..22 " "
        NAME@22..23
          IDENT@22..23 "A"
      WHITESPACE@23..24 " "
      LINE_COMMENT@24..28 "// c"
      WHITESPACE@28..29 "\n"
      LINE_COMMENT@29..33 "// d"
      WHITESPACE@33..34 "\n"
      TEAM@34..40
        TEAM_KW@34..38 "Team"
        WHITESPACE@38..39 " "
        NAME@39..40
          IDENT@39..40 "B"
    "#);
}
