//! What all bodies in braces have in common.

use crate::SyntaxKind::*;
use crate::diagnostics::Code;

use super::{Parser, elements};

/// How the entries of a block are read.
pub(super) struct Entries<Read, Begins, Ends> {
    /// Reads what stands here, if it is an entry; otherwise consumes nothing and says no.
    pub(super) read: Read,
    /// Whether an entry seems to begin here, which is where skipping ends.
    pub(super) begins: Begins,
    /// Whether something begins here that belongs to the block around this one.
    pub(super) ends: Ends,
}

/// A block: `{`, entries, `}`. Either brace may be missing; the caller has decided that there is a block.
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
                // Elements never stand in a body. Where a brace is missing, it is missing here.
                if p.braces.may_lack_close() {
                    break;
                }
                misplaced_element(p);
            }
            _ if (entries.ends)(p) && p.braces.may_lack_close() => break,
            _ => {
                let before = p.position;
                if !(entries.read)(p) || p.position == before {
                    let hint = p.is_at(COMMA).then_some("There is no comma here.");
                    p.report_unexpected(Code::UnexpectedToken, hint);
                    p.skip(|p| (entries.begins)(p) || (entries.ends)(p));
                }
            }
        }
    }
    p.close_block();
}

fn misplaced_element(p: &mut Parser<'_>) {
    if elements::is_too_deep(p) {
        p.skip_too_deep();
        return;
    }
    if p.is_at(IMPORT_KW) {
        p.report_unexpected(Code::MisplacedImport, Some("Imports stand at the beginning of a file."));
    } else {
        p.report_unexpected(
            Code::MisplacedElement,
            Some("Elements stand in a file or namespace, not in each other: move this one out of the braces."),
        );
    }
    p.start(ERROR);
    elements::element(p);
    p.finish();
}

/// Whether a block without its `{` ends right here: `cmap Empty }`.
pub(super) fn is_closed_unopened(p: &Parser<'_>) -> bool {
    p.is_at(R_CURLY) && p.braces.may_lack_open() && !p.is_first_on_line()
}
