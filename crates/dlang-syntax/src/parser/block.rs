//! Bodies in braces: their shared loop, and the text before them.

use crate::diagnostics::SyntaxCode;
use crate::generated::kinds::SyntaxKind::*;

use super::names::DECLARATION;
use super::state::Parser;

/// Parser of the entries of a block.
pub(super) struct Entries<Read, Begins, Ends> {
    /// Parses an entry that begins here and returns true; otherwise consumes nothing and returns false.
    pub(super) read: Read,
    /// Whether an entry seems to begin here; skipping ends there.
    pub(super) begins: Begins,
    /// Whether an entry of the enclosing block begins here.
    pub(super) ends: Ends,
}

/// Parses a block: `{`, entries, `}`. Either brace may be missing; the caller has decided that there is a block.
pub(super) fn block<Read, Begins, Ends>(p: &mut Parser<'_>, mut entries: Entries<Read, Begins, Ends>)
where
    Read: FnMut(&mut Parser<'_>) -> bool,
    Begins: Fn(&Parser<'_>) -> bool,
    Ends: Fn(&Parser<'_>) -> bool,
{
    p.open_block();
    loop {
        match p.current() {
            EOF | R_CURLY => break,
            _ if p.is_declaration(0) => {
                // No body contains elements. If a brace is missing, it is missing here.
                if p.braces.may_lack_close() {
                    break;
                }
                misplaced_element(p);
            }
            _ if (entries.ends)(p) && p.braces.may_lack_close() => break,
            _ => {
                let before = p.position;
                if !(entries.read)(p) || p.position == before {
                    let hint = p.is_at(COMMA).then_some("Remove this comma.");
                    p.report_unexpected(SyntaxCode::UnexpectedToken, hint);
                    p.skip(|p| (entries.begins)(p) || (entries.ends)(p));
                }
            }
        }
    }
    p.close_block();
}

fn misplaced_element(p: &mut Parser<'_>) {
    if is_too_deep(p) {
        p.skip_too_deep();
        return;
    }
    if p.is_at(IMPORT_KW) {
        p.report_unexpected(SyntaxCode::MisplacedImport, Some("Move this import to the beginning of the file."));
    } else {
        p.report_unexpected(
            SyntaxCode::MisplacedElement,
            Some("Elements cannot be nested except in namespaces: move this one out of the braces."),
        );
    }
    p.start(ERROR);
    (p.element)(p);
    p.finish();
}

/// Whether a block without its `{` ends right here: `cmap Empty }`.
pub(super) fn is_closed_unopened(p: &Parser<'_>) -> bool {
    p.is_at(R_CURLY) && p.braces.may_lack_open() && !p.is_first_on_line()
}

/// Whether an element begins here that would exceed the nesting limit.
pub(super) fn is_too_deep(p: &Parser<'_>) -> bool {
    let is_bare = matches!(p.current(), TEAM_KW | CLASSIFICATION_KW | METADATA_KW);
    DECLARATION.contains(p.current()) && !is_bare && p.braces.depth() >= p.max_nesting
}

/// Skips the rest of a line before a body into an error node.
pub(super) fn skip_rest_of_header(p: &mut Parser<'_>, is_recovery_point: impl Fn(&Parser<'_>) -> bool) {
    let is_end = |p: &Parser<'_>| {
        p.is_first_on_line() || p.is_at(L_CURLY) || p.is_at(R_CURLY) || p.is_declaration(0) || is_recovery_point(p)
    };
    if !is_end(p) {
        p.report_unexpected(SyntaxCode::UnexpectedToken, None);
        p.skip(is_end);
    }
}
