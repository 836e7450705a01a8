//! The languages as the library for patterns sees them, and the code in which a pattern of each language can be.

use ast_grep_core::language::Language;
use ast_grep_core::matcher::PatternBuilder;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use ast_grep_core::{Pattern, PatternError};

use crate::grammars::Grammar;
use crate::language::SyntaxLanguage;

/// A grammar as a language of the library, which uses it only to compare trees.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatternGrammar {
    pub(super) grammar: &'static Grammar,
}

impl Language for PatternGrammar {
    fn kind_to_id(&self, kind: &str) -> u16 {
        self.grammar.language().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.grammar.language().field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        builder.build(|text| StrDoc::try_new(text, *self))
    }
}

impl LanguageExt for PatternGrammar {
    fn get_ts_language(&self) -> TSLanguage {
        self.grammar.language()
    }
}

/// The form of a language's patterns.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatternSyntax {
    /// The forms of identifiers that replace a metavariable with the name `{}`, in the order in which they are tried.
    pub(super) names: &'static [&'static str],
    /// The code before and after the pattern. A pattern can be a different kind of node in each.
    pub(super) contexts: &'static [(&'static str, &'static str)],
    /// A valid pattern.
    pub(super) example: &'static str,
}

const ALONE: (&str, &str) = ("", "");
const LINE: (&str, &str) = ("", "\n");
const STATEMENT: (&str, &str) = ("", ";");

const C: &[(&str, &str)] = &[
    ("void f() { ", "; }"),
    ("void f() { ", " }"),
    LINE,
    STATEMENT,
    ("struct S { ", " };"),
    ("struct S { ", " f; };"),
];

const CPP: &[(&str, &str)] = &[
    ("void f() { ", "; }"),
    ("void f() { ", " }"),
    LINE,
    STATEMENT,
    ("struct S { ", " };"),
    ("using T = ", ";"),
    ("void f() { ", "::f(); }"),
];

const CLASSES: &[(&str, &str)] = &[
    ("class C { void f() { ", "; } }"),
    ("class C { void f() { ", " } }"),
    ("class C { ", " }"),
    ALONE,
    ("class C { ", " f; }"),
    ("class C { ", " int f; }"),
];

const SCRIPT: &[(&str, &str)] = &[
    ALONE,
    STATEMENT,
    ("x = ", ";"),
    ("class C { ", " }"),
    ("async function f() { ", " }"),
    ("switch (x) { ", " }"),
    ("x = { ", " };"),
];

const TYPED_SCRIPT: &[(&str, &str)] = &[
    ALONE,
    STATEMENT,
    ("x = ", ";"),
    ("class C { ", " }"),
    ("async function f() { ", " }"),
    ("switch (x) { ", " }"),
    ("x = { ", " };"),
    ("type T = ", ";"),
    ("interface I { ", " }"),
];

const GO: &[(&str, &str)] =
    &[ALONE, STATEMENT, ("func f() { g(); ", " }"), ("var x ", ""), ("package p\n", ""), ("type T struct { ", " }")];

const RUST: &[(&str, &str)] = &[
    ALONE,
    STATEMENT,
    ("async fn f() { ", " }"),
    ("trait T { ", " }"),
    ("match x { ", " }"),
    ("type T = ", ";"),
    ("struct S { ", " }"),
];

const PHP: &[(&str, &str)] = &[("<?php ", ";"), ("<?php ", ""), ("<?php class C { ", " }"), ALONE];

/// Returns the form of a language's patterns.
pub(super) fn pattern_syntax(language: &SyntaxLanguage) -> PatternSyntax {
    /// A dollar is a letter.
    const DOLLAR: &[&str] = &["${}"];
    /// A letter that is valid in most languages.
    const LETTER: &[&str] = &["\u{b5}{}"];
    const ASCII: &[&str] = &["_{}"];
    const QUOTED: &[&str] = &["${}", "\"{}\""];
    let (names, contexts, example): (&[&str], &[(&str, &str)], _) = match language.id {
        "c" => (DOLLAR, C, "printf($$$ARGS)"),
        "cpp" => (DOLLAR, CPP, "$VALUE.push_back($ITEM)"),
        "csharp" => (LETTER, CLASSES, "Console.WriteLine($$$ARGS)"),
        "css" => (ASCII, &[ALONE, ("a { ", "; }"), ("a { ", " }")], "color: $COLOR"),
        "dart" => {
            (DOLLAR, &[("void f() { ", "; }"), ("void f() { ", " }"), ALONE, ("class C { ", " }")], "print($$$ARGS)")
        }
        "elixir" => (LETTER, &[ALONE], "IO.puts($TEXT)"),
        "go" => (LETTER, GO, "fmt.Println($$$ARGS)"),
        "haskell" => (LETTER, &[ALONE, ("f = ", "")], "putStrLn $TEXT"),
        "html" => (&["${}", "z{}"], &[ALONE], "<a href=\"$URL\">$$$</a>"),
        "java" => (DOLLAR, CLASSES, "System.out.println($$$ARGS)"),
        "javascript" => (DOLLAR, SCRIPT, "console.log($$$ARGS)"),
        "json" => (QUOTED, &[("{ ", " }"), ("[ ", " ]")], "\"name\": $NAME"),
        "kotlin" => (LETTER, &[ALONE, ("fun f() { g(); ", " }"), ("class C { ", " }")], "println($$$ARGS)"),
        "lua" => (LETTER, &[ALONE, ("x = ", "")], "print($$$ARGS)"),
        "markdown" => (DOLLAR, &[LINE], "# $TITLE"),
        "ocaml" => (LETTER, &[ALONE, ("let f = ", "")], "print_endline $TEXT"),
        "ocaml.interface" => (LETTER, &[ALONE], "val $NAME : int"),
        "php" => (&["${}", "\u{b5}{}"], PHP, "count($$$ARGS)"),
        "python" => (
            LETTER,
            &[ALONE, ("class C:\n pass\n ", "\n"), ("async def f():\n pass\n ", "\n"), ("x: ", "")],
            "print($$$ARGS)",
        ),
        "ruby" => (&["\u{b5}{}", "X{}"], &[ALONE, ("x = ", "")], "puts $TEXT"),
        "rust" => (LETTER, RUST, "$VALUE.unwrap()"),
        "scala" => (DOLLAR, &[ALONE, ("object O { ", " }")], "println($$$ARGS)"),
        "shellscript" => (DOLLAR, &[ALONE], "echo $TEXT"),
        "sql" => (&["\u{b5}{}", "_{}", "x{}"], &[ALONE, STATEMENT], "SELECT $COLUMN FROM users"),
        "swift" => (LETTER, &[ALONE, ("class C { ", " }")], "print($$$ARGS)"),
        "toml" => (&["_{}", "\"{}\""], &[LINE], "name = $NAME"),
        "typescriptreact" => (DOLLAR, TYPED_SCRIPT, "<Button onClick={$ACTION} />"),
        "typescript" | "vue" | "svelte" | "astro" => (DOLLAR, TYPED_SCRIPT, "console.log($$$ARGS)"),
        "yaml" => (DOLLAR, &[LINE], "name: $NAME"),
        "zig" => (ASCII, &[ALONE, ("fn f() void { ", "; }"), ("fn f() void { ", " }")], "print($$$ARGS)"),
        _ => (&["${}", "\u{b5}{}"], &[ALONE, STATEMENT], "f($$$ARGS)"),
    };
    PatternSyntax { names, contexts, example }
}
