//! The matches of patterns.

use std::fmt::Write as _;

use zubi_syntax::{
    LANGUAGES, MAX_MATCHES, MAX_PATTERN_BYTES, MatchError, OutlineError, PatternMatches, SyntaxLanguage, SyntaxPattern,
};

pub(crate) fn compile(language: &str, pattern: &str) -> SyntaxPattern {
    SyntaxPattern::compile(SyntaxLanguage::from_id(language).unwrap(), pattern)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Renders matches as lines `line:column code` with their captures; columns count characters.
fn render(text: &str, found: &PatternMatches) -> String {
    let mut rendered = String::new();
    for found in &found.matches {
        let before = &text[..found.range.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
        write!(rendered, "{line}:{column} {:?}", &text[found.range.clone()]).unwrap();
        for capture in &found.captures {
            let sigil = if capture.variable.is_list { "$$$" } else { "$" };
            write!(rendered, " {sigil}{}={:?}", capture.variable.name, &text[capture.range.clone()]).unwrap();
        }
        rendered.push('\n');
    }
    if found.has_errors {
        rendered.push_str("with errors\n");
    }
    if rendered.is_empty() { "nothing".to_owned() } else { rendered }
}

fn check(language: &str, pattern: &str, text: &str) -> String {
    let compiled = match SyntaxPattern::compile(SyntaxLanguage::from_id(language).unwrap(), pattern) {
        Ok(compiled) => compiled,
        Err(error) => return error.to_string(),
    };
    let found = compiled.find(text, &|| false).unwrap();
    if !found.matches.is_empty() {
        for literal in compiled.literals() {
            assert!(text.contains(literal), "{literal}");
        }
    }
    render(text, &found)
}

/// The language, the pattern and the text of each case.
pub(crate) const CASES: &[(&str, &str, &str)] = &[
    ("c", "printf($$$ARGS)", "int main() { printf(\"a\", 1); }"),
    ("c", "int $X = $Y", "int main() { int a = 1; }\nint b = 2;"),
    ("c", "#include $H", "#include <stdio.h>\n"),
    ("c", "int $F($$$) { $$$ }", "int main(int a) { return a; }"),
    ("c", "if ($A) { $B }", "void f() { if (a) { b(); } }"),
    ("cpp", "$V.push_back($I)", "void f() { a.push_back(1); a->b.push_back(2); }"),
    ("cpp", "std::vector<$T>", "std::vector<int> f(std::vector<A> b);"),
    ("cpp", "new $T($$$A)", "void f() { auto a = new A(1); }"),
    ("cpp", "class $N { $$$ };", "class A { int a; };"),
    ("cpp", "for (auto $X : $Y) $$$", "void f() { for (auto a : b) { c(); } }"),
    ("cpp", "class $N { $$$M }", "class A { int a; int b; };"),
    ("css", "color: $COLOR", "a { color: red; }"),
    ("dart", "class $N { $$$M }", "class A { int a; }"),
    ("dart", "print($$$ARGS)", "void main() { print(1); }"),
    ("elixir", "IO.puts($TEXT)", "IO.puts(\"a\")\n"),
    ("go", "fmt.Println($A)", "package p\nfunc f() {\n\tfmt.Println(1)\n}\n"),
    ("go", "$A = 0", "package p\nfunc f() {\n\ta = 0\n}\n"),
    ("go", "if $E != nil { return $$$R }", "package p\nfunc f() {\n\tif err != nil {\n\t\treturn nil, err\n\t}\n}\n"),
    ("go", "func ($R $T) $N($$$) $$$ { $$$ }", "package p\nfunc (r *R) N(a int) error {\n}\n"),
    ("go", "func $N($$$) { $$$ }", "package p\nfunc N(a int) {\n}\n"),
    ("html", "<$TAG class=\"$C\">$$$</$TAG>", "<b class=\"x\">y</b>"),
    ("html", "<a href=\"$URL\">$$$</a>", "<p><a href=\"x\">y <b>z</b></a></p>"),
    ("java", "class $N { $$$M }", "class A { int a; int b; }"),
    ("java", "for ($T $X : $Y) { $$$B }", "class A { void f() { for (int a : b) { c(); d(); } } }"),
    ("java", "System.out.println($$$A)", "class A { void f() { System.out.println(1); } }"),
    ("java", "public $R $N($$$) { $$$ }", "class A { public int f(int a) { return 1; } }"),
    ("java", "List<$T>", "class A { List<String> a; }"),
    ("java", "@Override", "class A { @Override void a() {} }"),
    ("javascript", "() => $X", "a(() => b)"),
    ("javascript", "key: $V", "a = { key: 1 }"),
    ("json", "\"a\": [$$$X]", "{\"a\": [1, 2]}"),
    ("json", "{\"a\": $X, $$$}", "{\"a\": 1, \"b\": 2}"),
    ("json", "\"name\": \"$NAME\"", "{\"a\": {\"name\": \"b\"}}"),
    ("lua", "print($$$ARGS)", "print(1, 2)\n"),
    ("markdown", "# $TITLE", "# A b\n\nc\n"),
    ("php", "count($A)", "<?php echo count($a); "),
    ("php", "$X = $Y", "<?php $a = 1; $b->c = 2;"),
    ("php", "$O->$M($$$A)", "<?php $a->b(1, 2);"),
    ("php", "new $C($$$)", "<?php $a = new A(1);"),
    ("php", "function $N($$$) { $$$ }", "<?php function a($b) { return 1; }"),
    ("php", "$X = new $C($$$)", "<?php $a = new A(1);"),
    ("php", "$_GET[$K]", "<?php $a = $_GET['a'];"),
    ("php", "isset($X) ? $X : $Y", "<?php $a = isset($b) ? $b : 1;"),
    ("python", "print($$$ARGS)", "print(1, 'a')\nprint()\n"),
    ("python", "try:\n    $A\nexcept $E:\n    $B", "try:\n    a()\nexcept X:\n    pass\n"),
    ("python", "try: $A\nexcept: $B", "try:\n    a()\nexcept:\n    pass\n"),
    ("python", "def $F($$$ARGS): $$$BODY", "def f(a, b):\n    return a\n    return b\n"),
    ("python", "return $A", "def f():\n    return 1\n"),
    ("python", "$A == $A", "a == a\na == b\na[1] == a[1]\n"),
    ("python", "@$D\ndef $F($$$): $$$", "@a\ndef f(): pass\n"),
    ("python", "hass.data[$X][$Y]", "hass.data[1][2]\n"),
    ("python", "await $X", "async def f():\n    await g()\n"),
    ("python", "\"$A\"", "a = 'x'\nb = \"y\"\n"),
    ("python", "if $A:\n    $$$B\nelse:\n    $$$C", "if a:\n    b()\n    c()\nelse:\n    d()\n"),
    ("python", "Optional[$T]", "a: Optional[int] = f(Optional[str])\n"),
    ("ruby", "puts $A", "puts 1\nputs(2)\n"),
    ("ruby", "class $N\n$$$\nend", "class A\n  def a; end\nend\n"),
    ("rust", "$X.unwrap()", "fn f() { a.b().unwrap(); println!(\"{}\", c.unwrap()); }"),
    ("rust", "let $X = $Y", "fn f() { let a = 1; let b: u8 = 2; }"),
    ("rust", "Vec<$T>", "fn f(a: Vec<u8>) -> Vec<String> {}"),
    ("rust", "if let Some($X) = $Y { $$$BODY }", "fn f() { if let Some(a) = b { c(); d() } }"),
    ("rust", "fn $NAME(&self) -> $R { $$$ }", "impl A { fn a(&self) -> u8 { 1 } fn b(&self) {} }"),
    ("rust", "Some($X) => $Y", "fn f() { match a { Some(b) => c, None => d } }"),
    ("rust", "println!($$$ARGS)", "fn f() { println!(\"{}\", 1); }"),
    ("rust", "Foo { $$$FIELDS }", "fn f() { let a = Foo { b: 1, c }; }"),
    ("rust", "struct $N { $$$F }", "struct A { a: u8, b: u8 }"),
    ("rust", "match $X { $$$A }", "fn f() { match a { B => c, D => e } }"),
    ("rust", "fn $N($$$P) { $$$B }", "fn f(a: u8, b: u8) { c(); }"),
    ("shellscript", "if $A; then $$$B; fi", "if a; then b; c; fi\n"),
    ("shellscript", "echo $TEXT", "echo a\necho \"$B\"\n"),
    ("toml", "name = $V", "name = \"a\"\n"),
    ("toml", "[$T]", "[a]\nb = 1\n"),
    ("toml", "$KEY = true", "a = true\nb = false\n"),
    ("typescript", "console.log($$$ARGS)", "console.log(1, 2); console.log()"),
    ("typescript", "$A && $A()", "a && a(); b && a();"),
    ("typescript", "async $NAME($$$P) { $$$ }", "class A { async f(a: number) { return 1; } }"),
    ("typescript", "{ a: $X }", "let v = { a: 1 };"),
    ("typescript", "Promise<$T>", "let a: Promise<string>;"),
    ("typescript", "const $A = $B", "const a = 1; let b = 2;"),
    ("typescript", "case $X: $$$", "switch (a) { case 1: b(); break; }"),
    ("typescript", "interface $N { $$$ }", "export interface A { a: number }"),
    ("typescript", "import { $$$N } from '$M'", "import { a, b } from 'c';"),
    ("typescript", "$X as any", "a(b as any);"),
    ("typescript", "class $N extends $B { $$$ }", "class A extends B { a = 1; f() {} }"),
    ("typescriptreact", "<Button $$$ATTRS>$$$C</Button>", "const a = <Button a={1} b>x</Button>;"),
    ("typescriptreact", "<Button onClick={$ACTION} />", "let a = <Button onClick={f} />;"),
    ("vue", "console.log($$$ARGS)", "<template></template>\n<script>\nconsole.log(1)\n</script>\n"),
    ("yaml", "name: $NAME", "- name: a\n  b: c\n"),
    ("zig", "foo($$$ARGS)", "fn f() void { foo(1, 2); }"),
];

/// Such cases of the languages that only the cargo feature `heavy` includes.
const HEAVY_CASES: &[(&str, &str, &str)] = &[
    ("csharp", "public $R $N($$$P) { $$$B }", "class A { public int F(int a) { return 1; } }"),
    ("csharp", "Console.WriteLine($A)", "class A { void f() { Console.WriteLine(1); } }"),
    ("haskell", "putStrLn $TEXT", "main = putStrLn x\n"),
    ("kotlin", "fun $N($$$P) { $$$B }", "fun f(a: Int) { g() }"),
    ("kotlin", "println($A)", "fun f() { println(1) }"),
    ("ocaml", "print_endline $TEXT", "let () = print_endline x\n"),
    ("ocaml.interface", "val $NAME : int", "val a : int\nval b : string\n"),
    ("scala", "def $N($$$P) = $B", "object A { def f(a: Int) = 1 }"),
    ("scala", "println($A)", "object A { println(1) }"),
    ("sql", "INSERT INTO $T VALUES ($$$V)", "INSERT INTO a VALUES (1, 2);"),
    ("sql", "SELECT $COLUMN FROM users", "SELECT a FROM users;"),
    ("swift", "func $N($$$P) { $$$B }", "func f(a: Int) { g() }"),
    ("swift", "print($A)", "func f() { print(1) }"),
];

fn render_cases(cases: &[(&str, &str, &str)]) -> String {
    let mut rendered = String::new();
    for (language, pattern, text) in cases {
        let found = check(language, pattern, text);
        assert!(found != "nothing" && !found.contains("with errors"), "{language}: {pattern}");
        writeln!(rendered, "{language} {pattern:?}\n    {}", found.trim_end().replace('\n', "\n    ")).unwrap();
    }
    rendered
}

#[test]
fn patterns_match_their_structure() {
    insta::assert_snapshot!(render_cases(CASES));
}

#[test]
fn patterns_of_languages_with_large_grammars() {
    if cfg!(feature = "heavy") {
        insta::assert_snapshot!(render_cases(HEAVY_CASES));
    }
}

#[test]
fn comments_outside_the_captures_are_marked() {
    let marks = |pattern, text: &str| -> Vec<bool> {
        let found = compile("python", pattern).find(text, &|| false).unwrap();
        found.matches.iter().map(|found| found.has_loose_comments).collect()
    };
    assert_eq!(marks("f($A, $B)", "f(1, # a\n 2)\nf(1, [2, # b\n 3])\nf(1, 2) # c\n"), [true, false, false]);
    assert_eq!(marks("f($A, $$$B)", "f(1, # a\n 2)\nf(1 # a\n, 2)\n"), [false, true]);
}

/// Each language has a pattern whose example in an error matches code of its own form.
#[test]
fn the_example_of_each_language_is_valid() {
    for language in LANGUAGES {
        let error = SyntaxPattern::compile(language, "").err().unwrap().to_string();
        let example = error.split_once('`').unwrap().1.trim_end_matches('`');
        let compiled =
            SyntaxPattern::compile(language, example).unwrap_or_else(|error| panic!("{}: {error}", language.id));
        assert!(!compiled.literals().is_empty() || language.id == "html" || language.id == "css", "{}", language.id);
    }
}

#[test]
fn invalid_patterns_are_errors() {
    let cases = [
        ("go", ""),
        ("rust", "foo("),
        ("typescript", "function {"),
        ("python", "try $A"),
        ("rust", "a(); b();"),
        ("python", "a()\nb()"),
        ("python", "$A"),
        ("rust", "$$$A"),
        ("typescript", "f('a $B')"),
        ("c", "#include <$H>"),
        ("python", "f($A, $$$B, $C)"),
    ];
    let errors: Vec<String> = cases.iter().map(|(language, pattern)| check(language, pattern, "")).collect();
    insta::assert_snapshot!(errors.join("\n"), @r"
    the pattern is empty; an example for go: `fmt.Println($$$ARGS)`
    the pattern is not valid rust code; an example: `$VALUE.unwrap()`
    the pattern is not valid typescript code; an example: `console.log($$$ARGS)`
    the pattern is not valid python code; an example: `print($$$ARGS)`
    the pattern has several parts, but must be one expression, statement or declaration of rust; an example: `$VALUE.unwrap()`
    the pattern has several parts, but must be one expression, statement or declaration of python; an example: `print($$$ARGS)`
    the pattern matches everything; add code to it, as in `print($$$ARGS)`
    the pattern matches everything; add code to it, as in `$VALUE.unwrap()`
    `$B` is a part of a longer token; a metavariable must be a whole expression, name, type or other node
    `$H` is a part of a longer token; a metavariable must be a whole expression, name, type or other node
    `$C` directly follows a list (`$$$`), which would be empty; write code between them, or a list alone
    ");
    let large = "a".repeat(MAX_PATTERN_BYTES + 1);
    let nested = "(".repeat(500) + "a" + &")".repeat(500);
    let lists = format!("f({})", vec!["$$$"; 20].join(", a, "));
    for pattern in [large, nested, lists] {
        assert!(check("javascript", &pattern, "").starts_with("the pattern is too large"), "{pattern}");
    }
}

#[test]
fn a_pattern_that_matches_nothing_has_no_matches() {
    assert_eq!(check("rust", "$X.unwrap()", "fn f() { a.expect(\"b\") }"), "nothing");
}

#[test]
fn white_space_comments_and_line_ends_do_not_matter() {
    insta::assert_snapshot!(check("python", "f($A, $B)", "f( # c\r\n  1,\r\n  # d\r\n  2,\r\n)\r\n"), @r#"1:1 "f( # c\r\n  1,\r\n  # d\r\n  2,\r\n)" $A="1" $B="2""#);
    insta::assert_snapshot!(check("go", "f($$$A)", "package p\r\nfunc g() {\r\n\tf(1, /* b */\r\n\t\t2)\r\n}\r\n"), @r#"3:2 "f(1, /* b */\r\n\t\t2)" $$$A="1, /* b */\r\n\t\t2""#);
    insta::assert_snapshot!(check("typescript", "f($$$A);", "/* f(0) */ f( /* x */ 1 /* y */ , 2); // f(3)\n"), @r#"1:12 "f( /* x */ 1 /* y */ , 2);" $$$A="/* x */ 1 /* y */ , 2""#);
    insta::assert_snapshot!(check("cpp", "if ($A) {\r\n  $$$B\r\n}", "void f() { if (a) { b(); /* c */ d(); } }"), @r#"1:12 "if (a) { b(); /* c */ d(); }" $A="a" $$$B="b(); /* c */ d();""#);
}

#[test]
fn names_that_occur_twice_match_equal_code() {
    insta::assert_snapshot!(check("typescript", "$A.$B = $A.$B || $C", "a.b = a.b || c; a.b = a.c || d; x[0].y = x[ 0 ].y || z"), @r#"
    1:1 "a.b = a.b || c" $A="a" $B="b" $C="c"
    1:33 "x[0].y = x[ 0 ].y || z" $A="x[ 0 ]" $B="y" $C="z"
    "#);
    insta::assert_snapshot!(check("php", "isset($X) ? $X : $Y", "<?php isset($a) ? $a : 1; isset($a) ? $b : 2; isset($a['k']) ? $a['k'] : 3;"), @r#"
    1:7 "isset($a) ? $a : 1" $X="$a" $Y="1"
    1:47 "isset($a['k']) ? $a['k'] : 3" $X="$a['k']" $Y="3"
    "#);
    insta::assert_snapshot!(check("rust", "if $C { $$$A } else { $$$A }", "fn f() { if a { b(); c() } else { b(); c() } }"), @r#"1:10 "if a { b(); c() } else { b(); c() }" $$$A="b(); c()" $C="a""#);
}

#[test]
fn lists_match_any_number_of_nodes() {
    insta::assert_snapshot!(check("python", "f($A, $$$B, x)", "f(x)\nf(1, x)\nf(1, 2, x)\nf(1, 2, 3, x)\n"), @r#"
    2:1 "f(1, x)" $A="1"
    3:1 "f(1, 2, x)" $A="1" $$$B="2"
    4:1 "f(1, 2, 3, x)" $A="1" $$$B="2, 3"
    "#);
    insta::assert_snapshot!(check("javascript", "f($$$, x, $$$A)", "f(x); f(1, x, 2, 3); f(1, 2);"), @r#"1:7 "f(1, x, 2, 3)" $$$A="2, 3""#);
}

#[test]
fn offsets_are_bytes() {
    insta::assert_snapshot!(check("python", "größe($A)", "名 = größe('é') + größe('😀')\n"), @r#"
    1:5 "größe('é')" $A="'é'"
    1:18 "größe('😀')" $A="'😀'"
    "#);
    insta::assert_snapshot!(check("rust", "$X.né()", "fn f() { \"é\".né(); }"), @r#"1:10 "\"é\".né()" $X="\"é\"""#);
}

#[test]
fn matches_inside_matches_are_listed_after_them() {
    insta::assert_snapshot!(check("javascript", "f($A)", "f(f(f(1)))"), @r#"
    1:1 "f(f(f(1)))" $A="f(f(1))"
    1:3 "f(f(1))" $A="f(1)"
    1:5 "f(1)" $A="1"
    "#);
}

#[test]
fn broken_code_is_marked() {
    insta::assert_snapshot!(check("javascript", "f($A)", "f(1); function ( {"), @r#"
    1:1 "f(1)" $A="1"
    with errors
    "#);
}

#[test]
fn the_scripts_of_a_component_are_searched() {
    let text =
        "<script>\nf(1)\n</script>\n<template>f(2)</template>\n<script setup lang=\"ts\">\nf(3 as any)\n</script>\n";
    insta::assert_snapshot!(check("vue", "f($A)", text), @r#"
    2:1 "f(1)" $A="1"
    6:1 "f(3 as any)" $A="3 as any"
    "#);
}

#[test]
fn the_number_of_matches_is_limited() {
    let found = compile("javascript", "f($A)").find(&"f(1);\n".repeat(MAX_MATCHES + 1), &|| false).unwrap();
    assert_eq!((found.matches.len(), found.is_cut), (MAX_MATCHES, true));
}

#[test]
fn a_search_can_be_stopped() {
    let found = compile("javascript", "f($A)").find("f(1);", &|| true);
    assert_eq!(found, Err(MatchError::Text(OutlineError::Stopped)));
}

/// The library would compare such trees recursively.
#[test]
fn deep_code_is_refused_if_parts_of_it_are_compared() {
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let text = format!("a = {deep} == {deep}\n");
    assert_eq!(compile("python", "$A == $A").find(&text, &|| false), Err(MatchError::TooDeep));
    assert_eq!(compile("python", "$A == $B").find(&text, &|| false).unwrap().matches.len(), 1);
}

#[test]
fn nodes_of_a_kind() {
    let rust = SyntaxLanguage::from_id("rust").unwrap();
    let text = "fn a() { b(1); c::<u8>(); }\nfn d() {}\n";
    let code = |pattern: SyntaxPattern| {
        let found = pattern.find(text, &|| false).unwrap().matches;
        found.into_iter().map(|found| &text[found.range]).collect::<Vec<_>>()
    };
    assert_eq!(code(SyntaxPattern::from_kind(rust, "function_item").unwrap()).len(), 2);
    assert_eq!(code(SyntaxPattern::from_kind(rust, "call_expression").unwrap()), ["b(1)", "c::<u8>()"]);
    let calls = SyntaxPattern::compile(rust, "$F($$$)").unwrap();
    assert_eq!(code(calls.clone().with_kind("call_expression").unwrap()).len(), 2);
    assert!(code(calls.with_kind("function_item").unwrap()).is_empty());
    assert!(SyntaxPattern::from_kind(rust, "_expression").is_none() && SyntaxPattern::from_kind(rust, "(").is_none());
    assert!(rust.node_kinds().contains("function_item"));
}
