//! Replacements of matches.

use zubi_syntax::{RewriteTemplate, SyntaxLanguage, remove_nested};

use crate::patterns::compile;

/// Replaces the outermost matches of a pattern.
pub(crate) fn rewrite(language: &str, pattern: &str, template: &str, text: &str) -> String {
    let pattern = compile(language, pattern);
    let language = SyntaxLanguage::from_id(language).unwrap();
    let template = match RewriteTemplate::parse(template, language, pattern.variables()) {
        Ok(template) => template,
        Err(error) => return error.to_string(),
    };
    let (matches, _) = remove_nested(pattern.find(text, &|| false).unwrap().matches);
    let mut rewritten = text.to_owned();
    for found in matches.iter().rev() {
        rewritten.replace_range(found.range.clone(), &template.render(text, found));
    }
    rewritten
}

#[test]
fn metavariables_are_replaced() {
    let cases = [
        rewrite("rust", "$X.unwrap()", "$X?", "fn f() { a.b().unwrap(); }"),
        rewrite("python", "logging.getLogger($A)", "get_logger($A)", "x = logging.getLogger(__name__)\n"),
        rewrite("typescript", "$A && $A()", "$A?.()", "a.b && a.b();"),
        rewrite(
            "go",
            "errors.New(fmt.Sprintf($$$A))",
            "fmt.Errorf($$$A)",
            "package p\nvar e = errors.New(fmt.Sprintf(\"%d\", 1))\n",
        ),
        rewrite("cpp", "$V.push_back($I)", "$V.emplace_back($I)", "void f() { a->b.push_back(A(1)); }"),
        rewrite("php", "isset($X) ? $X : $Y", "$X ?? $Y", "<?php $a = isset($b['c']) ? $b['c'] : $d;"),
        rewrite("php", "f($A)", "g($A, $OTHER, $_GET['x'])", "<?php f(1);"),
        rewrite("javascript", "f($A)", "g('$5', $A, $a, $)", "f(1)"),
    ];
    insta::assert_snapshot!(cases.join("\n"), @r#"
    fn f() { a.b()?; }
    x = get_logger(__name__)

    a.b?.();
    package p
    var e = fmt.Errorf("%d", 1)

    void f() { a->b.emplace_back(A(1)); }
    <?php $a = $b['c'] ?? $d;
    <?php g(1, $OTHER, $_GET['x']);
    g('$5', 1, $a, $)
    "#);
}

#[test]
fn only_captures_are_valid_in_a_template() {
    let cases = [
        rewrite("rust", "$X.unwrap()", "$Y?", ""),
        rewrite("rust", "f($$$ARGS)", "g($ARGS)", ""),
        rewrite("rust", "f()", "g($$$)", ""),
        rewrite("rust", "f()", &"g".repeat(100_000), ""),
    ];
    insta::assert_snapshot!(cases.join("\n"), @r"
    the pattern does not capture `$Y`; it captures `$X`
    the pattern does not capture `$ARGS`; it captures `$$$ARGS`
    the pattern does not capture `$$$`; it captures nothing
    the replacement has more than 16384 bytes
    ");
}

#[test]
fn separators_of_empty_lists_are_omitted() {
    let cases = [
        rewrite("go", "f($A, $$$B)", "g(ctx, $A, $$$B)", "package p\nvar a = f(1)\n"),
        rewrite("javascript", "f($$$A)", "g($$$A, x)", "f(); f(1, 2); f(1, 2,);"),
        rewrite("rust", "f($$$A)", "g($$$A)", "fn h() { f(1,); }"),
    ];
    insta::assert_snapshot!(cases.join("\n"), @r"
    package p
    var a = f(1)

    g(x); g(1, 2, x); g(1, 2, x);
    fn h() { g(1,); }
    ");
}

#[test]
fn lines_are_indented_as_their_surroundings() {
    insta::assert_snapshot!(rewrite("python", "if $A: $$$B", "with $A:\n    log()\n    if x:\n        $$$B", "def f():\n    if a:\n        b()\n        if c:\n            d()\n"), @r"
    def f():
        with a:
            log()
            if x:
                b()
                if c:
                    d()
    ");
    insta::assert_snapshot!(rewrite("go", "if $A { $$$B }", "if !$A {\n\treturn\n}\n$$$B", "package p\n\nfunc f() {\n\tif a {\n\t\tb()\n\t\tc()\n\t}\n}\n"), @r"
    package p

    func f() {
    	if !a {
    		return
    	}
    	b()
    	c()
    }
    ");
}

/// An indentation would change their values.
#[test]
fn the_lines_of_strings_do_not_move() {
    let text = "def f():\n    g(\"\"\"a\nb\n    c\"\"\")\n";
    assert_eq!(rewrite("python", "g($A)", "h($A)", text), text.replace('g', "h"));
}

#[test]
fn line_ends_are_those_of_the_text() {
    assert_eq!(rewrite("javascript", "f($A)", "g(\n  $A\n)", "  f(1)\r\n"), "  g(\r\n    1\r\n  )\r\n");
}

#[test]
fn only_the_outermost_match_is_replaced() {
    assert_eq!(rewrite("javascript", "f($A)", "g($A)", "f(f(1)); f(2)"), "g(f(1)); g(2)");
}

#[test]
fn a_semicolon_remains() {
    assert_eq!(rewrite("javascript", "var $A = $B", "let $A = $B", "var a = 1; var b = 2\n"), "let a = 1; let b = 2\n");
    assert_eq!(rewrite("rust", "let $A = $B;", "let $A = f($B);", "fn g() { let a = 1; }"), "fn g() { let a = f(1); }");
}
