//! The properties of an outline and of matches hold for cut and spliced samples.

use proptest::prelude::*;
use proptest::sample::Index;
use zubi_syntax::LANGUAGES;

use crate::patterns::CASES;
use crate::rewrites::rewrite;
use crate::samples::samples;
use crate::{fuzz, replay};

/// Returns the offset of a character of a text.
fn boundary(text: &str, index: Index) -> usize {
    let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
    offsets[index.index(offsets.len())]
}

#[test]
fn the_committed_corpus_holds() {
    replay::replay("syntax_outline", fuzz::syntax_outline);
}

#[test]
fn the_committed_corpus_of_patterns_holds() {
    replay::replay("syntax_pattern", fuzz::syntax_pattern);
}

/// Patterns, in which `$A` and `$B` can be any expression and `$$$C` any arguments.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("rust", "fn f() { let x = $A.g($B, $$$C); }"),
    ("python", "f($A)[$B].g($$$C)"),
    ("typescript", "if ($A) { f($B, $$$C); }"),
    ("go", "f($A, g($B), $$$C)"),
    ("cpp", "x = f($A)->g($B, $$$C);"),
    ("php", "f($A, $B)->g($$$C)"),
    ("java", "f($A).g($B, $$$C)"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn cut_and_spliced_samples(
        which: [Index; 3],
        cuts: [Index; 4],
        between in prop::sample::select(vec!["", "\n", "{", "}", "(", "\"", "/*", "é", "\u{feff}", "\r\n", "名", "\0"]),
    ) {
        let samples = samples();
        let (first, second) = (&samples[which[0].index(samples.len())], &samples[which[1].index(samples.len())]);
        let (start, end) = (boundary(&second.text, cuts[1]), boundary(&second.text, cuts[2]));
        let piece = &second.text[start.min(end)..start.max(end)];
        let (head, tail) = (boundary(&first.text, cuts[0]), boundary(&first.text, cuts[3]));
        let text = format!("{}{between}{piece}{between}{}", &first.text[..head], &first.text[tail..]);
        fuzz::check(first.language, &text);
        fuzz::check(&LANGUAGES[which[2].index(LANGUAGES.len())], &text);
    }

    #[test]
    fn patterns_in_cut_and_spliced_samples(which: [Index; 4], cuts: [Index; 4]) {
        let samples = samples();
        let (first, second) = (&samples[which[0].index(samples.len())], &samples[which[1].index(samples.len())]);
        let (start, end) = (boundary(&second.text, cuts[1]), boundary(&second.text, cuts[2]));
        let (_, pattern, case) = CASES[which[2].index(CASES.len())];
        let own: Vec<_> = CASES.iter().filter(|(language, ..)| *language == first.language.id).collect();
        let head = boundary(&first.text, cuts[0]);
        let text = format!("{}\n{case}\n{}", &first.text[..head], &second.text[start.min(end)..start.max(end)]);
        fuzz::check_pattern(first.language, pattern, &text);
        if !own.is_empty() {
            let (_, pattern, case) = own[which[3].index(own.len())];
            fuzz::check_pattern(first.language, pattern, &format!("{case}\n{text}"));
            // A part of a text as a pattern.
            let piece = &first.text[head.min(boundary(&first.text, cuts[3]))..head.max(boundary(&first.text, cuts[3]))];
            fuzz::check_pattern(first.language, piece, &text);
        }
    }

    #[test]
    fn a_pattern_as_its_own_replacement_changes_nothing(
        which: Index,
        parts in prop::collection::vec(prop::sample::select(vec!["a", "1", "a.b", "f(x, y)", "'é'", "\"\"", "(a)"]), 2..6),
        indentation in "[ \t]{0,4}",
    ) {
        let (language, pattern) = EXPRESSIONS[which.index(EXPRESSIONS.len())];
        let list = parts[2..].join(", ");
        let code = pattern.replace("$A", parts[0]).replace("$B", parts[1]).replace(", $$$C", &format!(", {list}"));
        let code = code.replace("$$$C", &list).replace(", )", ")");
        let text = match language {
            "python" => format!("if x:\n {indentation}{code}\n"),
            "go" => format!("package p\nfunc f() {{\n{indentation}{code}\n}}\n"),
            "cpp" => format!("void f() {{\n{indentation}{code}\n}}\n"),
            "php" => format!("<?php\n{indentation}{code};\n"),
            "java" => format!("class C {{ void f() {{\n{indentation}{code};\n}} }}\n"),
            _ => format!("{indentation}{code}\n"),
        };
        prop_assert_eq!(rewrite(language, pattern, pattern, &text), text);
    }
}
