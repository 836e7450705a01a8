//! Folding ranges.

use dlang_syntax::SyntaxKind::{self, *};
use dlang_syntax::{NodeOrToken, Parse, SyntaxNode, SyntaxToken, TextRange};

use crate::lines::Lines;

/// A range that an editor can fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// The range that the editor hides: from the end of the line that stays visible to the end of the last hidden line.
    /// The line of a closing brace stays visible if nothing comes before the brace.
    pub range: TextRange,
    /// The kind of the fold.
    pub kind: FoldKind,
}

/// The kind of a folding range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    /// An element, or an entry of a block.
    Code,
    /// A comment, or several on consecutive lines.
    Comment,
    /// The imports.
    Imports,
}

/// The minimum number of lines of a fold.
const LINES: usize = 3;

/// Returns the folds of a text, ordered by their start; no two begin on one line. Elements, blocks, entries and
/// comments fold from three lines on, imports from two imports on.
pub fn folding(parse: &Parse) -> Vec<Fold> {
    let root = parse.syntax();
    let text = root.text().to_string();
    let mut folds = Folds { lines: Lines::new(&text), text: &text, found: Vec::new() };
    for element in root.descendants_with_tokens() {
        match element {
            NodeOrToken::Node(node) if is_foldable(node.kind()) => folds.node(&node),
            NodeOrToken::Token(token) if token.kind().is_comment() => folds.comment(&token),
            _ => {}
        }
    }
    folds.imports(&root);
    let mut found = folds.found;
    // If several folds begin on a line, the longest one counts.
    found.sort_by_key(|fold| (fold.range.start(), std::cmp::Reverse(fold.range.end())));
    found.dedup_by_key(|fold| fold.range.start());
    found
}

fn is_foldable(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        DOMAIN
            | BOUNDED_CONTEXT
            | CONTEXT_MAP
            | DOMAIN_MAP
            | NAMESPACE_DECLARATION
            | DESCRIPTION_PROPERTY
            | VISION_PROPERTY
            | METADATA_BLOCK
            | RELATIONSHIPS_BLOCK
            | TERMINOLOGY_BLOCK
            | DECISIONS_BLOCK
            | METADATA_ENTRY
            | DOMAIN_TERM
            | EXAMPLE_LIST
            | SYNONYM_LIST
            | DECISION
            | POLICY
            | BUSINESS_RULE
            | CONTAINS_CLAUSE
            | DIRECTIONAL_RELATIONSHIP
            | SYMMETRIC_RELATIONSHIP
    )
}

struct Folds<'t> {
    text: &'t str,
    lines: Lines,
    found: Vec<Fold>,
}

impl Folds<'_> {
    fn node(&mut self, node: &SyntaxNode) {
        let (first, last) = self.line_numbers(node.text_range());
        if last + 1 < first + LINES {
            return;
        }
        // The brace of an element is the last token of its body.
        let brace = node.last_token().filter(|token| token.kind() == R_CURLY);
        let is_alone = brace.is_some_and(|brace| {
            let before = TextRange::new(self.lines.line(last).start(), brace.text_range().start());
            self.text.get(std::ops::Range::<usize>::from(before)).is_some_and(|text| text.trim().is_empty())
        });
        self.fold(first, if is_alone { last - 1 } else { last }, FoldKind::Code);
    }

    /// Folds a comment of several lines; or, at the last of several comments each on a line of its own, all of them.
    fn comment(&mut self, token: &SyntaxToken) {
        let (first, last) = self.line_numbers(token.text_range());
        if token.kind() != LINE_COMMENT {
            if last + 1 >= first + LINES {
                self.fold(first, last, FoldKind::Comment);
            }
            return;
        }
        if !begins_line(token) || comment_below(token).is_some() {
            return;
        }
        let run = std::iter::successors(Some(token.clone()), comment_above);
        let first = first + 1 - run.count();
        if last + 1 >= first + LINES {
            self.fold(first, last, FoldKind::Comment);
        }
    }

    fn imports(&mut self, root: &SyntaxNode) {
        let mut imports = root.children().filter(|node| node.kind() == IMPORT_STATEMENT);
        if let Some((first, last)) = imports.next().zip(imports.last()) {
            let (first, last) = self.line_numbers(first.text_range().cover(last.text_range()));
            self.fold(first, last, FoldKind::Imports);
        }
    }

    fn line_numbers(&self, range: TextRange) -> (usize, usize) {
        (self.lines.number(range.start()), self.lines.number(range.end()))
    }

    /// Folds the lines after the first one.
    fn fold(&mut self, first: usize, last: usize, kind: FoldKind) {
        if first < last {
            let range = TextRange::new(self.lines.line(first).end(), self.lines.line(last).end());
            self.found.push(Fold { range, kind });
        }
    }
}

/// Whether only white space precedes a comment on its line.
fn begins_line(token: &SyntaxToken) -> bool {
    token.prev_token().is_none_or(|before| {
        before.kind() == WHITESPACE && (before.text().contains('\n') || before.prev_token().is_none())
    })
}

/// Returns the comment on a line of its own directly below or above one: only one line end separates them.
fn comment_below(token: &SyntaxToken) -> Option<SyntaxToken> {
    neighbour(token, SyntaxToken::next_token)
}

fn comment_above(token: &SyntaxToken) -> Option<SyntaxToken> {
    neighbour(token, SyntaxToken::prev_token).filter(begins_line)
}

fn neighbour(token: &SyntaxToken, step: impl Fn(&SyntaxToken) -> Option<SyntaxToken>) -> Option<SyntaxToken> {
    let gap = step(token).filter(|gap| gap.kind() == WHITESPACE && gap.text().matches('\n').count() == 1)?;
    step(&gap).filter(|token| token.kind() == LINE_COMMENT)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use dlang_syntax::parse;

    use super::folding;

    /// Renders the text with `‹` and `›` around each hidden range.
    #[track_caller]
    fn check(text: &str) -> String {
        let mut marks = Vec::new();
        for fold in folding(&parse(text)) {
            let range = Range::<usize>::from(fold.range);
            marks.push((range.start, format!("‹{:?}", fold.kind)));
            marks.push((range.end, "›".to_owned()));
        }
        // If two folds end together, the inner one ends first; none begins where another ends.
        marks.sort_by_key(|(at, _)| *at);
        let mut rendered = text.to_owned();
        for (at, mark) in marks.into_iter().rev() {
            rendered.insert_str(at, &mark);
        }
        rendered
    }

    #[test]
    fn elements_and_blocks() {
        insta::assert_snapshot!(check("ns N {
    Domain A {
        vision: \"v\"
    }
    bc X for A
    {
        terminology {
            term T: \"m\"
                aka A,
                    B
        } }
    Domain B { vision: \"v\"
    }
    Team T
}
"), @r#"
        ns N {‹Code
            Domain A {‹Code
                vision: "v"›
            }
            bc X for A‹Code
            {
                terminology {‹Code
                    term T: "m"‹Code
                        aka A,
                            B››
                } }›
            Domain B { vision: "v"
            }
            Team T›
        }
        "#);
    }

    #[test]
    fn comments_and_imports() {
        insta::assert_snapshot!(check("// one
// two
// three

// four
// five
import \"a\"
import \"b\"

/**
 * Doc.
 */
Team A // behind
// below
// and below
/* short
 */
"), @r#"
        // one‹Comment
        // two
        // three›

        // four
        // five
        import "a"‹Imports
        import "b"›

        /**‹Comment
         * Doc.
         */›
        Team A // behind
        // below
        // and below
        /* short
         */
        "#);
    }

    #[test]
    fn carriage_returns() {
        let text = "Domain A {\r\n  vision: \"v\"\r\n}\r\n";
        let folds = folding(&parse(text));
        assert_eq!(folds.len(), 1);
        assert_eq!(&text[Range::<usize>::from(folds[0].range)], "\r\n  vision: \"v\"");
    }

    #[test]
    fn unfinished_text() {
        insta::assert_snapshot!(check("Domain A {\n  vision: \"v\"\n  type: T\nbc X {\n\n\n"), @r#"
        Domain A {‹Code
          vision: "v"
          type: T›
        bc X {
        "#);
    }
}
