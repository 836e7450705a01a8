//! Extreme sizes: deep nesting, long files, many mistakes. None may overflow a stack, and the time must be
//! proportional.

use std::fmt::Write as _;

use dlang_syntax::{AstNode as _, MAX_DIAGNOSTICS, MAX_NESTING, SyntaxCode, SyntaxKind, ast, parse};

use crate::invariants::check;

/// Runs `work` on a stack as small as the smallest thread stacks.
fn with_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(work).expect("a thread");
    thread.join().expect("no panic");
}

#[test]
fn namespaces_ten_thousand_deep() {
    with_small_stack(|| {
        let depth = 10_000;
        let text = format!("{}Domain Innermost {}Team Last", "ns A { Team T ".repeat(depth), "} ".repeat(depth));
        let parse = check(&text);
        let codes: Vec<_> = parse.diagnostics().iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, [SyntaxCode::NestingTooDeep]);
        let root = parse.syntax();
        let count = |kind: SyntaxKind| root.descendants().filter(|node| node.kind() == kind).count();
        assert_eq!(count(SyntaxKind::NAMESPACE_DECLARATION), MAX_NESTING);
        // Everything within the limit is in the tree, also after the part that is too deep.
        assert_eq!(count(SyntaxKind::TEAM), MAX_NESTING + 1);
        drop(parse);
        drop(root);
    });
}

#[test]
fn other_constructs_ten_thousand_deep() {
    with_small_stack(|| {
        for opening in [
            "{ ",
            "[ ",
            "ns A { ",
            "ns ",
            "bc A { ",
            "bc A { metadata { ",
            "cmap M { contains A ",
            "A { ",
            "Domain ",
            "/* ",
        ] {
            for closing in ["", "} ", "] "] {
                check(&format!("{}x {}", opening.repeat(10_000), closing.repeat(10_000)));
            }
        }
    });
}

/// Generates a model far larger than real ones.
fn large(contexts: usize) -> String {
    let mut text = "Domain All { vision: \"Everything\" }\n".to_owned();
    for index in 0..contexts {
        _ = writeln!(
            text,
            "/** Number {index}. */\nbc Context{index} for All {{\n    description: \"One of many\"\n    terminology {{\n        \
             term Term{index}: \"A word\" aka Word{index}\n    }}\n    relationships {{\n        this [OHS] -> [CF] \
             Context{index}\n    }}\n}}\n"
        );
    }
    text
}

#[test]
fn ten_megabytes() {
    let text = large(50_000);
    assert!(text.len() > 10_000_000);
    let parse = parse(&text);
    assert_eq!(parse.diagnostics(), []);
    assert_eq!(usize::from(parse.text_len()), text.len());
    assert_eq!(parse.tree().children().filter(|it| matches!(it, ast::Element::BoundedContext(_))).count(), 50_000);
}

#[test]
fn diagnostics_are_limited() {
    for fragment in ["bc ", "{ ", "} ", "A.", "[ ", "-> ", "\"\n\\", "'\"\n", "/*\n", "# ", "term T: ", "A { Domain X "]
    {
        let parse = check(&fragment.repeat(250_000 / fragment.len()));
        let errors = parse.diagnostics().iter().filter(|it| it.code != SyntaxCode::ReservedName).count();
        // Lexer and parser each have their own limit, and each reports when there is more.
        assert!(errors <= 2 * (MAX_DIAGNOSTICS + 1), "{fragment}: {errors}");
    }
}

#[test]
fn many_reserved_names_hide_no_error() {
    let parse = parse(&format!("{}Domain {{ }}", "Team team\n".repeat(3000)));
    let count = |code: SyntaxCode| parse.diagnostics().iter().filter(|it| it.code == code).count();
    assert_eq!((count(SyntaxCode::ReservedName), count(SyntaxCode::ExpectedToken)), (MAX_DIAGNOSTICS, 1));
    assert_eq!(parse.tree().syntax().children().count(), 3001);
}
