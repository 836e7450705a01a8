//! Line breaks next to comments: which ones stay, and that the next formatting decides the same.

use super::check;

#[test]
fn a_comment_on_its_own_line_breaks_a_list() {
    insta::assert_snapshot!(check("cmap M { contains A,
/* why */
B contains C, /* inline */ D contains E,
/* before */ F }"), @r"
    cmap M {
        contains
            A,
            /* why */
            B
        contains C, /* inline */ D
        contains
            E,
            /* before */ F
    }
    ");
}

#[test]
fn a_line_break_after_a_trailing_comment_is_removed() {
    insta::assert_snapshot!(check("cmap M { contains A /* c */
, B contains A /* c */
.B contains A, /* c */
B contains A /* c */ /* d */
, B }"), @r"
    cmap M {
        contains A /* c */, B
        contains A /* c */.B
        contains
            A, /* c */
            B
        contains A /* c */ /* d */, B
    }
    ");
}

#[test]
fn a_line_break_after_a_leading_comment_is_preserved() {
    insta::assert_snapshot!(check("cmap M { contains A
/* c */
, B contains A
/* c */ , B contains A
/* c */ /* d */
.B }"), @r"
    cmap M {
        contains
            A
            /* c */
            ,
            B
        contains
            A
            /* c */,
            B
        contains
            A
            /* c */ /* d */
            .B
    }
    ");
}

#[test]
fn a_line_break_after_a_comment_in_a_term_is_removed() {
    insta::assert_snapshot!(check("bc X { glossary {
term T /* c */
: \"x\" examples \"a\"
term T: /* c */
\"x\" examples \"a\"
term T: \"x\" /* c */
examples \"a\"
term T: \"x\" examples /* c */
\"a\" /* d */
, \"b\", /* e */
\"c\"
term T aka A /* c */
, B
} }"), @r#"
    bc X {
        glossary {
            term T /* c */: "x" examples "a"
            term T: /* c */ "x" examples "a"
            term T: "x" /* c */
                examples "a"
            term T: "x"
                examples /* c */
                    "a" /* d */,
                    "b", /* e */
                    "c"
            term T aka A /* c */, B
        }
    }
    "#);
}

#[test]
fn a_list_with_comments_is_wrapped_when_too_long() {
    insta::assert_snapshot!(check("cmap M { contains AlphaAlphaAlphaAlphaAlpha, BetaBetaBetaBetaBetaBeta /* why */
, GammaGammaGammaGammaGamma, /* because */
Delta
}"), @r"
    cmap M {
        contains
            AlphaAlphaAlphaAlphaAlpha,
            BetaBetaBetaBetaBetaBeta /* why */,
            GammaGammaGammaGammaGamma, /* because */
            Delta
    }
    ");
}

/// A carriage return alone ends a line, in a comment as anywhere.
#[test]
fn carriage_returns_in_comments() {
    assert_eq!(check("/* a\r * b */\rTeam A\n"), "/* a\n * b */\nTeam A\n");
    assert_eq!(check("/* a\r b\n * c */\nTeam A\n"), "/* a\r b\n * c */\nTeam A\n");
    assert_eq!(check("/* a\r\r\n * c */\nTeam A\n"), "/* a\r\r\n * c */\nTeam A\n");
}
