//! Elements as values that can be stored, compared and queried.

use std::sync::Arc;

use dlang_syntax::ast::Element;
use dlang_syntax::{AstNode as _, NodeOrToken, TextRange};
use smol_str::SmolStr;

use crate::data::{Body, ElementData, FileModel};
use crate::db::Db;
use crate::index::IndexedElement;
use crate::inputs::{Definition, File};
use crate::kind::ElementKind;
use crate::lower::{file_index, file_model, parse};

impl Definition {
    pub(crate) fn indexed(self, db: &dyn Db) -> Option<&IndexedElement> {
        file_index(db, self.file).element(self.number)
    }

    /// Returns its kind, or `None` for a definition of an earlier state of the file that no longer exists.
    pub fn kind(self, db: &dyn Db) -> Option<ElementKind> {
        self.indexed(db).map(|element| element.kind)
    }

    /// Returns its name as it is written.
    pub fn name(self, db: &dyn Db) -> Option<SmolStr> {
        self.indexed(db).and_then(|element| element.name.clone())
    }

    /// Returns its fully qualified name.
    pub fn fqn(self, db: &dyn Db) -> Option<SmolStr> {
        self.indexed(db).and_then(|element| element.fqn().cloned())
    }

    /// Returns the namespace that contains it.
    pub fn container(self, db: &dyn Db) -> Option<Self> {
        self.indexed(db)?.container.map(|number| Self { file: self.file, number })
    }

    /// Returns the elements directly inside a namespace.
    pub fn children(self, db: &dyn Db) -> Vec<Self> {
        let last = self.indexed(db).map_or(self.number, |element| element.last);
        (self.number.saturating_add(1)..=last)
            .map(|number| Self { file: self.file, number })
            .filter(|child| child.container(db) == Some(self))
            .collect()
    }

    /// Returns its ranges and content.
    pub fn data(self, db: &dyn Db) -> Option<&ElementData> {
        file_model(db, self.file).element(self.number)
    }

    /// Returns its content.
    pub fn body(self, db: &dyn Db) -> Option<&Body> {
        self.data(db).map(|data| &data.body)
    }

    /// Returns the data of its file.
    pub fn file_model(self, db: &dyn Db) -> &Arc<FileModel> {
        file_model(db, self.file)
    }

    /// Returns its whole range.
    pub fn range(self, db: &dyn Db) -> Option<TextRange> {
        self.data(db).map(|data| data.range)
    }

    /// Returns the range of its name, or else of its keyword.
    pub fn focus(self, db: &dyn Db) -> Option<TextRange> {
        self.data(db).map(|data| data.name.unwrap_or(data.keyword))
    }

    /// Returns its syntax node.
    pub fn syntax(self, db: &dyn Db) -> Option<Element> {
        let range = self.range(db)?;
        let root = parse(db, self.file).syntax();
        // Binary search: a file may have thousands of elements, and callers may request them one after the other. The
        // smallest node or token with this range may be a part of the element that spans all of it.
        let covering = match root.covering_element(range) {
            NodeOrToken::Node(node) => node,
            NodeOrToken::Token(token) => token.parent()?,
        };
        covering.ancestors().find_map(|node| Element::cast(node).filter(|it| it.syntax().text_range() == range))
    }
}

/// Returns the elements of a file in text order.
pub fn definitions(db: &dyn Db, file: File) -> impl Iterator<Item = Definition> + use<> {
    let count = u32::try_from(file_index(db, file).elements.len()).unwrap_or(u32::MAX);
    (0..count).map(move |number| Definition { file, number })
}

/// Returns the element whose declaration or name has exactly this range, for callers that have a node and need its
/// element.
pub fn definition_at(db: &dyn Db, file: File, range: TextRange) -> Option<Definition> {
    let elements = &file_model(db, file).elements;
    // Elements around it and before it begin no later; the nearest of those is the match.
    let after = elements.partition_point(|element| element.range.start() <= range.start());
    let is_match = |element: &ElementData| element.range == range || element.name == Some(range);
    let number = after.checked_sub(1)?;
    let numbered = elements.get(number).filter(|element| is_match(element))?;
    debug_assert!(numbered.range.contains_range(range), "a name is inside its element");
    Some(Definition { file, number: u32::try_from(number).ok()? })
}
