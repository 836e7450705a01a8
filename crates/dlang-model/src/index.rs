//! What a file declares, without places in the text.
//!
//! Other files see no more of a file than this. It is equal before and after an edit inside a body, so that such an edit
//! costs them nothing.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::db::Db;
use crate::inputs::File;
use crate::kind::ElementKind;
use crate::lower::file_model;

/// The declarations of one file.
#[derive(Debug, PartialEq, Eq)]
pub struct FileIndex {
    /// The import statements, in their order.
    pub imports: Box<[IndexedImport]>,
    /// The elements, each before those inside it: the order of the text.
    pub elements: Box<[IndexedElement]>,
}

/// An import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedImport {
    /// What is imported; nothing when the string is not there.
    pub specifier: Option<SmolStr>,
    /// The name before everything that comes from it.
    pub alias: Option<SmolStr>,
}

/// An element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedElement {
    /// What it is.
    pub kind: ElementKind,
    /// Its name as it is written, a namespace's with its dots. Nothing when it is missing or ends in a dot.
    pub name: Option<SmolStr>,
    /// The namespace that it stands in.
    pub container: Option<u32>,
    /// The last element inside it, or itself: together with its own number this says which elements it contains.
    pub last: u32,
    /// Its path from the root of the file. That is its fully qualified name if [`Self::is_qualified`]; else it has a part
    /// in it that no reference can be equal to.
    pub(crate) path: SmolStr,
    /// Whether it and every namespace around it has a name.
    pub is_qualified: bool,
    /// What stands behind a domain's `in`.
    pub parent: Option<SmolStr>,
}

impl IndexedElement {
    /// Its fully qualified name: the names of the namespaces around it and its own, with dots between them.
    pub fn fqn(&self) -> Option<&SmolStr> {
        self.is_qualified.then_some(&self.path)
    }
}

impl FileIndex {
    /// An element by its number.
    pub fn element(&self, number: u32) -> Option<&IndexedElement> {
        self.elements.get(number as usize)
    }

    /// Elements with their numbers.
    pub fn elements_with_numbers(&self) -> impl Iterator<Item = (u32, &IndexedElement)> {
        (0..).zip(self.elements.iter())
    }
}

/// What a file declares.
#[salsa::tracked(returns(ref))]
pub fn file_index(db: &dyn Db, file: File) -> Arc<FileIndex> {
    Arc::clone(&file_model(db, file).index)
}

/// How long a path may be. An element with a longer one cannot be named from outside its namespace. Every element has its
/// path, so without a bound one very long name around many short ones would cost more memory than there is.
const MAX_PATH: usize = 512;

/// Puts names together to paths while a file is walked through.
#[derive(Debug, Default)]
pub(crate) struct IndexBuilder {
    elements: Vec<IndexedElement>,
}

impl IndexBuilder {
    /// Begins an element; [`Self::end`] ends it.
    pub(crate) fn begin(
        &mut self,
        kind: ElementKind,
        name: Option<SmolStr>,
        container: Option<u32>,
        parent: Option<SmolStr>,
    ) -> u32 {
        let number = u32::try_from(self.elements.len()).unwrap_or(u32::MAX);
        let around = container.and_then(|container| self.elements.get(container as usize));
        let length = around.map_or(0, |around| around.path.len() + 1) + name.as_ref().map_or(0, SmolStr::len);
        let is_qualified = name.is_some() && length <= MAX_PATH && around.is_none_or(|around| around.is_qualified);
        let path = match (&name, around) {
            // `#` begins no name. Two nameless namespaces are two.
            (None, _) => smol_str::format_smolstr!("#{number}"),
            (Some(name), None) => name.clone(),
            (Some(name), Some(around)) if length <= MAX_PATH => smol_str::format_smolstr!("{}.{name}", around.path),
            (Some(_), Some(_)) => smol_str::format_smolstr!("#{number}"),
        };
        self.elements.push(IndexedElement { kind, name, container, last: number, path, is_qualified, parent });
        number
    }

    /// Ends an element: all that began since is inside it.
    pub(crate) fn end(&mut self, number: u32) {
        let last = u32::try_from(self.elements.len().saturating_sub(1)).unwrap_or(u32::MAX);
        if let Some(element) = self.elements.get_mut(number as usize) {
            element.last = last;
        }
    }

    pub(crate) fn finish(self, imports: Vec<IndexedImport>) -> FileIndex {
        FileIndex { imports: imports.into(), elements: self.elements.into() }
    }
}
