//! The differences between the declarations of two versions of a text.

use std::collections::BTreeMap;
use std::ops::Range;

use zubi_base::position::{TextIndex, size};
use zubi_syntax::{Declaration, DeclarationKind, SyntaxOutline};

use crate::features::repo_map::signature_line;
use crate::markup::clean_line;

/// How a declaration differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeclarationChange {
    Changed,
    Added,
    Removed,
}

impl DeclarationChange {
    /// The mark in texts.
    pub fn mark(self) -> char {
        match self {
            Self::Changed => '~',
            Self::Added => '+',
            Self::Removed => '-',
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

/// A declaration that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedDeclaration {
    pub change: DeclarationChange,
    /// The name as the text spells it.
    pub name: String,
    /// The kind in LSP's spelling.
    pub kind: &'static str,
    /// The names around it, outermost first.
    pub containers: Vec<String>,
    /// The first part of the declaration, on one line.
    pub signature: String,
    /// The 1-based lines of the name and of the end, in the new text; for a removed declaration, in the old text.
    pub line: u32,
    pub end_line: u32,
    /// The number of declarations in it, all of which are added or removed with it.
    pub members: usize,
    /// The last part of the name, by which other files mention it.
    pub(super) word: String,
    /// The importance of the kind; 0 is the most important.
    pub(super) rank: u8,
}

/// One version of a file's text with its declarations.
pub(super) struct DeclaredText<'a> {
    pub(super) text: &'a str,
    pub(super) outline: &'a SyntaxOutline,
}

/// A declaration by its names and its kind.
type DeclarationKey<'a> = (Vec<&'a str>, &'static str);

impl<'a> DeclaredText<'a> {
    fn key(&self, index: usize) -> DeclarationKey<'a> {
        let outline = self.outline;
        let declaration = outline.declarations.get(index);
        let mut names = outline.above(index);
        names.extend(declaration.map(|it| it.name.as_str()));
        (names, declaration.map_or("", |it| it.kind.lsp_name()))
    }

    /// Returns the text of each declaration with its documentation, without its members and its indentation.
    fn own_texts(&self) -> Vec<String> {
        let declarations = &self.outline.declarations;
        let mut holes: Vec<Vec<Range<usize>>> = vec![Vec::new(); declarations.len()];
        for declaration in declarations {
            if let Some(holes) = declaration.parent.and_then(|parent| holes.get_mut(parent)) {
                holes.push(with_doc(declaration));
            }
        }
        let own = |(declaration, holes): (&Declaration, Vec<Range<usize>>)| {
            let mut text = String::new();
            let range = with_doc(declaration);
            let mut at = range.start;
            for hole in holes.into_iter().filter(|hole| hole.end > range.start && hole.start < range.end) {
                text.push_str(self.text.get(at..hole.start.max(at)).unwrap_or_default());
                at = at.max(hole.end);
            }
            text.push_str(self.text.get(at..range.end.max(at)).unwrap_or_default());
            without_indentation(&text, self.indentation(range.start))
        };
        declarations.iter().zip(holes).map(own).collect()
    }

    /// Returns the number of white-space bytes before a position in its line.
    fn indentation(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        if line.trim().is_empty() { line.len() } else { 0 }
    }

    /// Returns the text outside all declarations: imports and other statements.
    fn outside(&self) -> String {
        let mut text = String::new();
        let mut at = 0;
        for range in self.outline.declarations.iter().filter(|it| it.parent.is_none()).map(with_doc) {
            text.push_str(self.text.get(at..range.start.max(at)).unwrap_or_default());
            at = at.max(range.end);
        }
        text.push_str(self.text.get(at..).unwrap_or_default());
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn describe_change(
        &self,
        lines: &TextIndex,
        index: usize,
        change: DeclarationChange,
    ) -> Option<ChangedDeclaration> {
        let declaration = self.outline.declarations.get(index)?;
        let line_at = |offset: usize| lines.line_col(size(offset)).line + 1;
        let (mut members, mut ends) = (0, vec![index]);
        for (member, at) in self.outline.declarations.iter().zip(0_usize..).skip(index + 1) {
            if !member.parent.is_some_and(|parent| ends.contains(&parent)) {
                break;
            }
            members += 1;
            ends.push(at);
        }
        let word = crate::locate::declared_segments(&declaration.name).pop().unwrap_or_default();
        Some(ChangedDeclaration {
            change,
            name: clean_line(&declaration.name),
            kind: declaration.kind.lsp_name(),
            containers: self.outline.above(index).into_iter().map(clean_line).collect(),
            signature: signature_line(declaration, self.text),
            line: line_at(declaration.name_range.start),
            end_line: line_at(declaration.range.end.max(declaration.name_range.end)),
            members: if change == DeclarationChange::Changed { 0 } else { members },
            word,
            rank: rank_of(declaration.kind),
        })
    }
}

/// Returns the declarations that differ, most important first, and whether the text outside of all declarations differs.
pub(super) fn compare(old: &DeclaredText<'_>, new: &DeclaredText<'_>) -> (Vec<ChangedDeclaration>, bool) {
    let (old_texts, new_texts) = (old.own_texts(), new.own_texts());
    let mut by_key: BTreeMap<DeclarationKey<'_>, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for index in 0..old_texts.len() {
        by_key.entry(old.key(index)).or_default().0.push(index);
    }
    for index in 0..new_texts.len() {
        by_key.entry(new.key(index)).or_default().1.push(index);
    }
    let (mut removed, mut added, mut changed) =
        (vec![false; old_texts.len()], vec![false; new_texts.len()], Vec::new());
    for (mut olds, mut news) in by_key.into_values() {
        // Equal declarations first: overloads and blocks with one name.
        olds.retain(|old| {
            let same = news.iter().position(|new| new_texts.get(*new) == old_texts.get(*old));
            same.map(|at| news.remove(at)).is_none()
        });
        let count = olds.len().min(news.len());
        changed.extend(news.drain(..count));
        olds.drain(..count);
        mark_all(&mut removed, &olds);
        mark_all(&mut added, &news);
    }
    // An added or removed declaration has its members with it.
    let is_top = |text: &DeclaredText<'_>, marks: &[bool], index: usize| {
        let parent = text.outline.declarations.get(index).and_then(|it| it.parent);
        !parent.is_some_and(|parent| marks.get(parent).copied().unwrap_or(false))
    };
    let (old_lines, new_lines) = (TextIndex::new(old.text), TextIndex::new(new.text));
    let marked =
        |marks: &[bool]| marks.iter().zip(0..).filter(|(mark, _)| **mark).map(|(_, at)| at).collect::<Vec<usize>>();
    let mut changes: Vec<ChangedDeclaration> = Vec::new();
    changes
        .extend(changed.into_iter().filter_map(|at| new.describe_change(&new_lines, at, DeclarationChange::Changed)));
    let added_top = marked(&added).into_iter().filter(|at| is_top(new, &added, *at));
    changes.extend(added_top.filter_map(|at| new.describe_change(&new_lines, at, DeclarationChange::Added)));
    let removed_top = marked(&removed).into_iter().filter(|at| is_top(old, &removed, *at));
    changes.extend(removed_top.filter_map(|at| old.describe_change(&old_lines, at, DeclarationChange::Removed)));
    changes.sort_by_key(|it| (it.rank, it.line, it.change));
    (changes, old.outside() != new.outside())
}

fn mark_all(marks: &mut [bool], indexes: &[usize]) {
    for index in indexes {
        if let Some(mark) = marks.get_mut(*index) {
            *mark = true;
        }
    }
}

/// Returns the range of a declaration with the comment above it.
fn with_doc(declaration: &Declaration) -> Range<usize> {
    let start = declaration.doc.as_ref().map_or(declaration.range.start, |doc| doc.start.min(declaration.range.start));
    start..declaration.range.end
}

/// Removes the indentation of the first line from all lines, white space at their ends, and empty lines.
fn without_indentation(text: &str, indentation: usize) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let spaces = line.len() - line.trim_start().len();
        lines.push(line.get(spaces.min(indentation)..).unwrap_or_default().trim_end());
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// Returns the importance of a kind; 0 is the most important.
fn rank_of(kind: DeclarationKind) -> u8 {
    use DeclarationKind as Kind;
    match kind {
        Kind::Class
        | Kind::Struct
        | Kind::Interface
        | Kind::Enum
        | Kind::TypeAlias
        | Kind::Function
        | Kind::Method
        | Kind::Constructor
        | Kind::Macro
        | Kind::Operator
        | Kind::Event => 0,
        Kind::Implementation | Kind::Module | Kind::Namespace | Kind::Package => 1,
        Kind::Constant | Kind::Variable | Kind::Field | Kind::Property | Kind::EnumMember => 2,
        Kind::Style | Kind::Heading | Kind::Key => 3,
    }
}

#[cfg(test)]
mod tests;
