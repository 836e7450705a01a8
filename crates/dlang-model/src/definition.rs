//! Elements as values that can be kept, compared and asked about.

use std::sync::Arc;

use dlang_syntax::ast::Element;
use dlang_syntax::{AstNode as _, NodeOrToken, TextRange};
use smol_str::SmolStr;

use crate::data::{Body, ElementData, FileModel};
use crate::db::Db;
use crate::index::{IndexedElement, file_index};
use crate::inputs::File;
use crate::kind::ElementKind;
use crate::lower::{file_model, parse};

/// An element of the model: a declaration in a file.
///
/// It stays the same through every change that leaves the declarations of its file alone, edits of bodies above all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Definition {
    /// The file that it is declared in.
    pub file: File,
    /// Its number among the elements of the file, in the order of the text.
    pub number: u32,
}

impl Definition {
    pub(crate) fn indexed(self, db: &dyn Db) -> Option<&IndexedElement> {
        file_index(db, self.file).element(self.number)
    }

    /// What it is. A definition of an earlier state of the file may be none any more.
    pub fn kind(self, db: &dyn Db) -> Option<ElementKind> {
        self.indexed(db).map(|element| element.kind)
    }

    /// Its name as it is written.
    pub fn name(self, db: &dyn Db) -> Option<SmolStr> {
        self.indexed(db).and_then(|element| element.name.clone())
    }

    /// Its fully qualified name.
    pub fn fqn(self, db: &dyn Db) -> Option<SmolStr> {
        self.indexed(db).and_then(|element| element.fqn().cloned())
    }

    /// The namespace that it stands in.
    pub fn container(self, db: &dyn Db) -> Option<Self> {
        self.indexed(db)?.container.map(|number| Self { file: self.file, number })
    }

    /// The elements that stand directly in it, a namespace.
    pub fn children(self, db: &dyn Db) -> Vec<Self> {
        let last = self.indexed(db).map_or(self.number, |element| element.last);
        (self.number.saturating_add(1)..=last)
            .map(|number| Self { file: self.file, number })
            .filter(|child| child.container(db) == Some(self))
            .collect()
    }

    /// Its places and content.
    pub fn data(self, db: &dyn Db) -> Option<&ElementData> {
        file_model(db, self.file).element(self.number)
    }

    /// Its content.
    pub fn body(self, db: &dyn Db) -> Option<&Body> {
        self.data(db).map(|data| &data.body)
    }

    /// The file that it stands in, as data.
    pub fn file_model(self, db: &dyn Db) -> &Arc<FileModel> {
        file_model(db, self.file)
    }

    /// Where all of it stands.
    pub fn range(self, db: &dyn Db) -> Option<TextRange> {
        self.data(db).map(|data| data.range)
    }

    /// Where its name stands, or else its first word.
    pub fn focus(self, db: &dyn Db) -> Option<TextRange> {
        self.data(db).map(|data| data.name.unwrap_or(data.keyword))
    }

    /// Its node.
    pub fn syntax(self, db: &dyn Db) -> Option<Element> {
        let range = self.range(db)?;
        let root = parse(db, self.file).syntax();
        // Found by halving. A file may have thousands of elements, and all of them may be asked for one after the other.
        // The smallest node or token of this range may be a part of the element, if that has no other.
        let covering = match root.covering_element(range) {
            NodeOrToken::Node(node) => node,
            NodeOrToken::Token(token) => token.parent()?,
        };
        covering.ancestors().find_map(|node| Element::cast(node).filter(|it| it.syntax().text_range() == range))
    }
}

/// The elements of a file in the order of its text.
pub fn definitions(db: &dyn Db, file: File) -> impl Iterator<Item = Definition> + use<> {
    let count = u32::try_from(file_index(db, file).elements.len()).unwrap_or(u32::MAX);
    (0..count).map(move |number| Definition { file, number })
}

/// The element whose declaration or name covers exactly this range: where a node is known and its element is wanted.
pub fn definition_at(db: &dyn Db, file: File, range: TextRange) -> Option<Definition> {
    let elements = &file_model(db, file).elements;
    // Those around it and those before it begin no later; the nearest of them is the one.
    let after = elements.partition_point(|element| element.range.start() <= range.start());
    let is_it = |element: &ElementData| element.range == range || element.name == Some(range);
    let number = after.checked_sub(1)?;
    let numbered = elements.get(number).filter(|element| is_it(element))?;
    debug_assert!(numbered.range.contains_range(range), "a name stands inside its element");
    Some(Definition { file, number: u32::try_from(number).ok()? })
}
