use dlang_syntax::{TextRange, TextSize, parse};

use super::{format, format_range};

mod comments;

/// Formats a text, and checks that formatting it again changes nothing.
#[track_caller]
fn check(text: &str) -> String {
    let formatted = format(&parse(text)).expect("a text without errors");
    let again = format(&parse(&formatted.text)).expect("a formatted text has no errors");
    assert_eq!(again.text, formatted.text, "formatting is not idempotent");
    assert_eq!(again.edits, []);
    formatted.text
}

/// Formats the range between two `$0`, or at one `$0`.
#[track_caller]
fn check_range(fixture: &str) -> String {
    let (before, rest) = fixture.split_once("$0").expect("a mark");
    let (inside, after) = rest.split_once("$0").unwrap_or(("", rest));
    let text = format!("{before}{inside}{after}");
    let range = TextRange::at(TextSize::of(before), TextSize::of(inside));
    match format_range(&parse(&text), range) {
        Ok(formatted) => formatted.text,
        Err(refusal) => format!("{refusal:?}"),
    }
}

#[test]
fn properties_and_headers() {
    insta::assert_snapshot!(check("
import   \"./a\"as b import 'x'
dom  Sales  in
 Shop . Commerce{vision:\"v\"
description   is'd' type=Core}
Team   A Team B
BoundedContext  Orders   for Sales
    as Core
    by A
{
classification:Core
metadata{Language:\"Rust\"
  Owner = \"alice\"}
decisions { decision[Shop .Core]ES:\"text\",policy P is \"p\" ,
rule R=\"r\"}}
"), @r#"
    import "./a" as b
    import 'x'
    dom Sales in Shop.Commerce {
        vision: "v"
        description is 'd'
        type = Core
    }
    Team A
    Team B
    BoundedContext Orders for Sales as Core by A {
        classification: Core
        metadata {
            Language: "Rust"
            Owner = "alice"
        }
        decisions {
            decision [Shop.Core] ES: "text",
            policy P is "p",
            rule R = "r"
        }
    }
    "#);
}

#[test]
fn relationships() {
    insta::assert_snapshot!(check("cmap M{contains A,B ,C contains D
    A[OHS,PL]->[ ACL ]B A  [SK]   B,
    A<->B
      A.B.C >< D  this<-[S]A
}"), @r"
    cmap M {
        contains A, B, C
        contains D
        A [OHS, PL] -> [ACL] B
        A [SK] B,
        A <-> B
        A.B.C >< D
        this <- [S] A
    }
    ");
}

#[test]
fn bodies_on_one_line() {
    insta::assert_snapshot!(check("Domain A{vision:\"short\"type:T}
Domain B { }
Domain B {
}
Domain C {  vision: \"much too long to be kept on the line it was written on\" description: \"because of this\" }
bc X { terminology { term A, term B aka C } relationships { this -> B } }
ns N { Domain A { vision: \"v\" } Team B }
ns N { Domain A { vision: \"v\" } Team B bc Something for SomethingElse { description: \"it is too long as a whole\" } }
"), @r#"
    Domain A { vision: "short" type: T }
    Domain B {}
    Domain B {}
    Domain C {
        vision: "much too long to be kept on the line it was written on"
        description: "because of this"
    }
    bc X { terminology { term A, term B aka C } relationships { this -> B } }
    ns N { Domain A { vision: "v" } Team B }
    ns N {
        Domain A { vision: "v" }
        Team B
        bc Something for SomethingElse { description: "it is too long as a whole" }
    }
    "#);
}

#[test]
fn lists_that_do_not_fit() {
    insta::assert_snapshot!(check("cmap M { contains Alpha, Beta, Gamma
contains AlphaAlphaAlpha, BetaBetaBetaBeta, GammaGammaGammaGamma, DeltaDeltaDeltaDelta EpsilonEpsilonEpsilonEpsilon
}
bc X { glossary {
term Order: \"What somebody wants from us, on paper or not\" aka Purchase, Commission examples \"Order 4711\", \"A gift\"
term Line: \"What somebody wants from us\" synonyms: Entry, Position examples = \"One line of an order that wants a lot of room\", \"Another line that wants even more\"
term Lines: \"On
two lines\" aka L
term Short:
  \"one\"
   aka
     A,
     B
} }"), @r#"
    cmap M {
        contains Alpha, Beta, Gamma
        contains
            AlphaAlphaAlpha,
            BetaBetaBetaBeta,
            GammaGammaGammaGamma,
            DeltaDeltaDeltaDelta
            EpsilonEpsilonEpsilonEpsilon
    }
    bc X {
        glossary {
            term Order: "What somebody wants from us, on paper or not"
                aka Purchase, Commission
                examples "Order 4711", "A gift"
            term Line: "What somebody wants from us"
                synonyms: Entry, Position
                examples =
                    "One line of an order that wants a lot of room",
                    "Another line that wants even more"
            term Lines: "On
    two lines"
                aka L
            term Short: "one" aka A, B
        }
    }
    "#);
}

#[test]
fn comments_are_not_moved() {
    insta::assert_snapshot!(check("// first


/* second */ Team A // behind A   \n  // above B
   /** documents B */ Team B /* behind B */
Team C /** documents D */ Team D
bc X // behind the name
  for /* between */ D
  // before by
  by T
{ // behind the brace

     // own line
  description: // behind the colon
  \"text\" /* behind the text */ // and more


  // last
}
bc Y { // only
}
bc Z { /* inline */ description: \"d\" /* too */ }
bc W /* a */ { /* b */ }
cmap M {
  contains A, // the first
    B // the second
    , C
    // last of the list
  A [ /* in */ OHS /* after */ , PL ] -> B
}
// end"), @r#"
    // first

    /* second */ Team A // behind A
    // above B
    /** documents B */ Team B /* behind B */
    Team C
    /** documents D */ Team D
    bc X // behind the name
        for /* between */ D
        // before by
        by T { // behind the brace

        // own line
        description: // behind the colon
            "text" /* behind the text */ // and more

        // last
    }
    bc Y { // only
    }
    bc Z { /* inline */ description: "d" /* too */ }
    bc W /* a */ { /* b */ }
    cmap M {
        contains
            A, // the first
            B // the second
            ,
            C
        // last of the list
        A [/* in */ OHS /* after */, PL] -> B
    }
    // end
    "#);
}

#[test]
fn comments_of_several_lines() {
    insta::assert_snapshot!(check("   /**
        * Stars are
   *   aligned.   \n   */
    ns N {
    /**
 * Here
 too not: a line without a star.
     */
    Team A
    /* one
     * two */
    Team B }"), @r"
    /**
     * Stars are
     *   aligned.
     */
    ns N {
        /**
     * Here
     too not: a line without a star.
         */
        Team A
        /* one
         * two */
        Team B
    }
    ");
}

#[test]
fn empty_lines() {
    insta::assert_snapshot!(check("


Team A



Team B
ns N {


    Team C



    // c


    Team D


}


"), @r"
    Team A

    Team B
    ns N {
        Team C

        // c

        Team D
    }
    ");
}

#[test]
fn strings_are_untouched() {
    insta::assert_snapshot!(check("Domain D { description: \"  a\n   b  \n\n\n// no comment\"   vision: 'x\\'  y' }"), @r#"
    Domain D {
        description: "  a
       b  


    // no comment"
        vision: 'x\'  y'
    }
    "#);
}

#[test]
fn reserved_words_as_names() {
    insta::assert_snapshot!(check("Team team bc S for A { terminology{term Customer:\"c\"aka is,aka} relationships{ S[S]->[C]C } }"), @r#"
    Team team
    bc S for A { terminology { term Customer: "c" aka is, aka } relationships { S [S] -> [C] C } }
    "#);
}

#[test]
fn line_ends() {
    assert_eq!(check("Team A\r\n\r\n\r\nTeam B // c\r\n\nTeam C"), "Team A\r\n\r\nTeam B // c\r\n\r\nTeam C\r\n");
    assert_eq!(check("Team A\n\r\nTeam B\nTeam C"), "Team A\n\nTeam B\nTeam C\n");
    assert_eq!(check("// a\rTeam A\r\rTeam B"), "// a\nTeam A\n\nTeam B\n");
    assert_eq!(
        check("ns N {\r\n/**\r\n* a\n* b\r\n*/\r\nTeam A }\r\n"),
        "ns N {\r\n    /**\r\n     * a\r\n     * b\r\n     */\r\n    Team A\r\n}\r\n"
    );
    assert_eq!(check("Domain A { vision: \"a\r\nb\" }\n"), "Domain A {\n    vision: \"a\r\nb\"\n}\n");
}

#[test]
fn first_and_last_lines() {
    assert_eq!(check(""), "");
    assert_eq!(check(" \n\n"), "");
    assert_eq!(check("\u{feff}\n Team A\u{a0}\u{3000}"), "\u{feff}Team A\n");
    assert_eq!(check("  // a"), "// a\n");
    assert_eq!(check("Team A // a"), "Team A // a\n");
    assert_eq!(check("Team A\n\n\n\n/* a */\n\n"), "Team A\n\n/* a */\n");
}

#[test]
fn edits_are_minimal() {
    let text = "Team A\nTeam  B\nDomain C {\n  vision:\"v\"\n}\n";
    let edits = format(&parse(text)).expect("no errors").edits;
    let rendered: Vec<_> = edits.iter().map(|edit| format!("{:?} {:?}", edit.range, edit.insert)).collect();
    assert_eq!(rendered, ["11..13 \" \"", "25..28 \"\\n    \"", "35..35 \" \""]);
}

#[test]
fn a_text_with_errors_is_refused() {
    let refusal = format(&parse("Team A Domain { } Domain {")).expect_err("errors");
    insta::assert_snapshot!(format!("{refusal:?}"), @"Refusal { first: 14..15, count: 3 }");
}

#[test]
fn ranges() {
    insta::assert_snapshot!(check_range("Team   A\nTeam  $0 B\nTeam   C\n"), @r"
    Team   A
    Team B
    Team   C
    ");
    insta::assert_snapshot!(check_range("ns  N {\n Team   A\n Domain  B {\n vision$0:'b'\n type :  T\n}\n}\n"), @r"
    ns  N {
     Team   A
     Domain  B {
            vision: 'b'
     type :  T
    }
    }
    ");
    insta::assert_snapshot!(check_range("ns  N {\n Team   A\n Domain  $0B {\n vision:'b'\n type :  T\n}\n}\n"), @r"
    ns  N {
     Team   A
        Domain B {
            vision: 'b'
            type: T
        }
    }
    ");
    insta::assert_snapshot!(check_range("ns  N {\n Team  $0 A\n Team   B\n Te$0am   C\n Team   D}\n"), @r"
    ns  N {
        Team A
        Team B
        Team C
     Team   D}
    ");
    insta::assert_snapshot!(check_range("ns  N { Team   A Team  $0 B }\n"), @"ns N { Team A Team B }");
    insta::assert_snapshot!(check_range("Team   A\n$0\n\n\nTeam   B\n"), @r"
    Team   A



    Team   B
    ");
}

#[test]
fn ranges_of_a_text_with_errors() {
    insta::assert_snapshot!(check_range("Domain  {\n}\nTeam  $0 B\nteem   C\n"), @r"
    Domain  {
    }
    Team B
    teem   C
    ");
    insta::assert_snapshot!(check_range("Domain  $0{\n}\nTeam   B\n"), @"Refusal { first: 8..9, count: 1 }");
    insta::assert_snapshot!(check_range("Domain A {\n vision: \"\nTeam   B\nTeam  $0 C\n"), @"Refusal { first: 20..21, count: 1 }");
    insta::assert_snapshot!(check_range("bc X {\n teem : A\n description : $0\"d\"\n}\n"), @r#"
    bc X {
     teem : A
        description: "d"
    }
    "#);
}
