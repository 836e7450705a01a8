//! The syntactic context of an offset, from a trial parse with a name inserted there.

use dlang_model::ElementKind;
use dlang_syntax::ast::{Reference, StringToken};
use dlang_syntax::{AstNode as _, Parse, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize};

use crate::expected_kind::expected_kind;
use dlang_model::edit::{TextEdit, apply};

/// The name that is inserted for the trial parse.
const MARK: &str = "x";

/// The context of an offset.
pub(super) struct CompletionContext<'a> {
    text: &'a str,
    offset: TextSize,
    /// The range of the word at the offset; empty without a word.
    range: TextRange,
    /// A blank if a word begins directly after the offset; it separates that word from the inserted name.
    padding: &'static str,
    /// The inserted name, in the tree of the text that contains it.
    mark: SyntaxToken,
}

/// The reference that the inserted name is part of.
pub(super) struct ReferenceSite {
    /// The kind of element that the reference expects.
    pub(super) expected_kind: ElementKind,
    /// The text before the name, including the dot: `Shop.`
    pub(super) prefix: String,
    /// The text after the name, including the dot.
    pub(super) suffix: String,
    /// The start of the namespace declaration that contains the reference.
    pub(super) namespace: Option<TextSize>,
}

impl<'a> CompletionContext<'a> {
    /// Finds the context at an offset; `None` in comments and strings, and if an inserted name would not be a word by
    /// itself.
    pub(super) fn find(parse: &Parse, text: &'a str, offset: TextSize) -> Option<Self> {
        let root = parse.syntax();
        if offset > root.text_range().end() || parse.text_len() != TextSize::of(text) {
            return None;
        }
        let tokens = root.token_at_offset(offset);
        let (left, right) = (tokens.clone().left_biased(), tokens.right_biased());
        if left.as_ref().is_some_and(|left| is_open_at(left, offset)) {
            return None;
        }
        let is_after_dot = left.as_ref().is_some_and(|left| left.kind() == SyntaxKind::DOT);
        let right_word = right.as_ref().filter(|right| is_word(right)).map(SyntaxToken::text_range);
        let range = match left.as_ref().filter(|left| is_word(left)) {
            Some(word) => word.text_range(),
            None if is_after_dot => right_word.unwrap_or(TextRange::empty(offset)),
            None => TextRange::empty(offset),
        };
        let padding = if range.is_empty() && right_word.is_some() { " " } else { "" };
        let mark = write(text, range, &[MARK, padding].concat())?;
        (mark.text() == MARK).then_some(Self { text, offset, range, padding, mark })
    }

    /// Returns the inserted name, in the tree of the text that contains it. The text before the name is unchanged.
    pub(super) fn mark(&self) -> &SyntaxToken {
        &self.mark
    }

    /// Returns the typed part of the word at the offset, up to the offset.
    pub(super) fn typed_prefix(&self) -> &'a str {
        self.text.get(usize::from(self.range.start())..usize::from(self.offset)).unwrap_or_default()
    }

    /// Returns the edit that writes `text` at the offset.
    pub(super) fn edit(&self, text: &str) -> TextEdit {
        TextEdit { range: self.range, insert: [text, self.padding].concat() }
    }

    /// Whether the offset is the first position on its line that is not blank.
    pub(super) fn is_first_on_line(&self) -> bool {
        let before = self.text.get(..usize::from(self.range.start())).unwrap_or_default();
        before.rsplit(['\n', '\r']).next().is_none_or(|line| line.trim().is_empty())
    }

    /// Returns the reference that the inserted name is part of.
    pub(super) fn site(&self) -> Option<ReferenceSite> {
        let node = self.mark.parent()?;
        let reference = Reference::cast(node.clone())?;
        let expected = expected_kind(&node.parent()?)?;
        // Text in an error node is not part of the model, so no name in it resolves.
        if node.ancestors().any(|node| node.kind() == SyntaxKind::ERROR) {
            return None;
        }
        let namespace = node.ancestors().find(|node| node.kind() == SyntaxKind::NAMESPACE_DECLARATION);
        let text = reference.text();
        let segments = reference.segments().take_while(|segment| *segment != self.mark);
        let start: usize = segments.map(|segment| segment.text().len() + 1).sum();
        Some(ReferenceSite {
            expected_kind: expected,
            prefix: text.get(..start)?.to_owned(),
            suffix: text.get(start + MARK.len()..)?.to_owned(),
            namespace: namespace.map(|namespace| namespace.text_range().start()),
        })
    }

    /// Whether inserting `name` results in exactly this reference.
    pub(super) fn is_read_as(&self, name: &str, reference: &str) -> bool {
        let written = write(self.text, self.range, &[name, self.padding].concat());
        let node = written.and_then(|token| token.parent()).and_then(Reference::cast);
        node.is_some_and(|node| node.text() == reference)
    }

    /// Returns the token directly before the name, which is the dot in a dotted name; `None` at the beginning of the
    /// text.
    pub(super) fn previous(&self) -> Option<SyntaxToken> {
        let mut token = self.mark.prev_token();
        while let Some(current) = token {
            if !current.kind().is_trivia() {
                return Some(current);
            }
            token = current.prev_token();
        }
        None
    }
}

fn is_word(token: &SyntaxToken) -> bool {
    token.kind() == SyntaxKind::IDENT || token.kind().is_keyword()
}

/// Whether text inserted inside or directly after the token would become part of it: in comments, strings and invalid
/// text.
fn is_open_at(token: &SyntaxToken, offset: TextSize) -> bool {
    let is_inside = offset < token.text_range().end();
    let text = token.text();
    match token.kind() {
        SyntaxKind::LINE_COMMENT => true,
        SyntaxKind::BLOCK_COMMENT | SyntaxKind::DOC_COMMENT => is_inside || !text.ends_with("*/") || text.len() < 4,
        SyntaxKind::STRING => {
            let is_terminated = StringToken::cast(token.clone()).is_some_and(|string| string.is_terminated());
            is_inside || !is_terminated
        }
        SyntaxKind::WHITESPACE => false,
        _ => is_inside && !is_word(token),
    }
}

/// Replaces a range of a text, and returns the token that begins there in the new text.
fn write(text: &str, range: TextRange, insert: &str) -> Option<SyntaxToken> {
    let edit = TextEdit { range, insert: insert.to_owned() };
    let root: SyntaxNode = dlang_syntax::parse(&apply(text, &[edit])).syntax();
    let token = root.token_at_offset(range.start()).right_biased()?;
    (token.text_range().start() == range.start() && token.kind() == SyntaxKind::IDENT).then_some(token)
}
