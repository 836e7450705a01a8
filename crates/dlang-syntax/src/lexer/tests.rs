use std::fmt::Write as _;

use super::{LexicalFault, lex};
use crate::{SyntaxKind, tokenize};

/// Renders the tokens one per line, without white space, and their errors.
fn check(text: &str) -> String {
    let lexed = lex(text);
    let mut rendered = String::new();
    for (index, token) in tokenize(text).into_iter().enumerate() {
        let fault = lexed.faults.iter().find(|(at, _)| *at == index).map(|(_, fault)| *fault);
        if token.kind != SyntaxKind::WHITESPACE || fault.is_some() {
            let fault = fault.map(|fault: LexicalFault| format!(" !{fault:?}")).unwrap_or_default();
            _ = writeln!(rendered, "{:?} {:?}{fault}", token.kind, &text[token.range]);
        }
    }
    rendered
}

#[test]
fn keywords_match_whole_words_only() {
    insta::assert_snapshot!(check("bc bcX Bc in-x _a a-- Team team"), @r#"
    BOUNDED_CONTEXT_KW "bc"
    IDENT "bcX"
    IDENT "Bc"
    IDENT "in-x"
    IDENT "_a"
    IDENT "a--"
    TEAM_KW "Team"
    TEAM_PROPERTY_KW "team"
    "#);
}

#[test]
fn a_hyphen_before_an_arrow_head_ends_the_word() {
    insta::assert_snapshot!(check("X->Y X-->Y X- >Y a-b->c as->x X<-Y X<->Y X><Y ]->["), @r#"
    IDENT "X"
    RIGHT_ARROW "->"
    IDENT "Y"
    IDENT "X-"
    RIGHT_ARROW "->"
    IDENT "Y"
    IDENT "X-"
    UNKNOWN ">" !Unknown
    IDENT "Y"
    IDENT "a-b"
    RIGHT_ARROW "->"
    IDENT "c"
    AS_KW "as"
    RIGHT_ARROW "->"
    IDENT "x"
    IDENT "X"
    LEFT_ARROW "<-"
    IDENT "Y"
    IDENT "X"
    BOTH_ARROW "<->"
    IDENT "Y"
    IDENT "X"
    APART_ARROW "><"
    IDENT "Y"
    R_BRACK "]"
    RIGHT_ARROW "->"
    L_BRACK "["
    "#);
}

#[test]
fn strings() {
    insta::assert_snapshot!(check("\"a\\\"b\" 'it\\'s' \"two\nlines\" '\"' \"\\\\\" \"\""), @r#"
    STRING "\"a\\\"b\""
    STRING "'it\\'s'"
    STRING "\"two\nlines\""
    STRING "'\"'"
    STRING "\"\\\\\""
    STRING "\"\""
    "#);
}

#[test]
fn comments() {
    insta::assert_snapshot!(check("/**/ /***/ /** doc */ /* a /* b */ // to the end \" /*\nx //"), @r#"
    BLOCK_COMMENT "/**/"
    DOC_COMMENT "/***/"
    DOC_COMMENT "/** doc */"
    BLOCK_COMMENT "/* a /* b */"
    LINE_COMMENT "// to the end \" /*"
    IDENT "x"
    LINE_COMMENT "//"
    "#);
}

#[test]
fn unicode_white_space() {
    insta::assert_snapshot!(check("\u{feff}a\u{a0}b\u{2028}c\u{3000}\r\nd\u{200b}e"), @r#"
    IDENT "a"
    IDENT "b"
    IDENT "c"
    IDENT "d"
    UNKNOWN "\u{200b}" !Unknown
    IDENT "e"
    "#);
}

#[test]
fn consecutive_unknown_characters_form_one_token() {
    insta::assert_snapshot!(check("a #$% é\0 9b < > - /"), @r##"
    IDENT "a"
    UNKNOWN "#$%" !Unknown
    UNKNOWN "é\0" !Unknown
    UNKNOWN "9" !Unknown
    IDENT "b"
    UNKNOWN "<" !Unknown
    UNKNOWN ">" !Unknown
    UNKNOWN "-" !Unknown
    UNKNOWN "/" !Unknown
    "##);
}

#[test]
fn an_open_string_ends_with_its_line() {
    insta::assert_snapshot!(check("vision: \"never closed }\nTeam A"), @r#"
    VISION_KW "vision"
    COLON ":"
    STRING "\"never closed" !OpenString
    R_CURLY "}"
    TEAM_KW "Team"
    IDENT "A"
    "#);
}

#[test]
fn a_missing_quote_is_located() {
    // Read strictly, the first string would end where the second begins, and the last one would not end.
    insta::assert_snapshot!(check("vision: \"first\ntype: A\ndescription: \"second\""), @r#"
    VISION_KW "vision"
    COLON ":"
    STRING "\"first" !OpenString
    TYPE_KW "type"
    COLON ":"
    IDENT "A"
    DESCRIPTION_KW "description"
    COLON ":"
    STRING "\"second\""
    "#);
    insta::assert_snapshot!(check("vision: 'first\n\"other\" is 'second' 'a\nb'"), @r#"
    VISION_KW "vision"
    COLON ":"
    STRING "'first" !OpenString
    STRING "\"other\""
    IS_KW "is"
    STRING "'second'"
    STRING "'a\nb'"
    "#);
}

#[test]
fn multiline_strings_are_unchanged_when_all_quotes_are_paired() {
    insta::assert_snapshot!(check("\"one\n x: \" \"two\n\""), @r#"
    STRING "\"one\n x: \""
    STRING "\"two\n\""
    "#);
}

#[test]
fn an_open_comment_ends_before_the_next_element() {
    insta::assert_snapshot!(check("/* open\n * Domain in prose\nDomain A"), @r#"
    BLOCK_COMMENT "/* open\n * Domain in prose" !OpenComment
    DOMAIN_KW "Domain"
    IDENT "A"
    "#);
    insta::assert_snapshot!(check("/* open\nto the end \n"), @r#"BLOCK_COMMENT "/* open\nto the end" !OpenComment"#);
}
