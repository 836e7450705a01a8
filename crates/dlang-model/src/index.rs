//! Declarations of a file, without ranges.
//!
//! Other files depend only on this part of a file. It is equal before and after an edit inside a body, so that such
//! an edit does not invalidate them.

use smol_str::SmolStr;

use crate::kind::ElementKind;

/// Declarations of one file.
#[derive(Debug, PartialEq, Eq)]
pub struct FileIndex {
    /// Import statements, in text order.
    pub imports: Box<[IndexedImport]>,
    /// Elements, each before those inside it: text order.
    pub elements: Box<[IndexedElement]>,
}

/// Import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedImport {
    /// Specifier; `None` if the string is missing.
    pub specifier: Option<SmolStr>,
    /// Prefix of all names from this import.
    pub alias: Option<SmolStr>,
}

/// Element of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedElement {
    /// Kind of the element.
    pub kind: ElementKind,
    /// Name as it is written, a namespace's with its dots. `None` if it is missing or ends in a dot.
    pub name: Option<SmolStr>,
    /// Number of the namespace that contains it.
    pub container: Option<u32>,
    /// Number of the last element inside it, or its own. With its own number, it bounds the elements inside it.
    pub last: u32,
    /// Path from the root of the file. This is its fully qualified name if [`Self::is_qualified`]; else it has a
    /// segment that no reference can match.
    pub(crate) path: SmolStr,
    /// Whether it and every enclosing namespace have a name.
    pub is_qualified: bool,
    /// Reference after a domain's `in`.
    pub parent: Option<SmolStr>,
}

impl IndexedElement {
    /// Returns its fully qualified name: the names of the enclosing namespaces and its own, separated by dots.
    pub fn fqn(&self) -> Option<&SmolStr> {
        self.is_qualified.then_some(&self.path)
    }
}

impl FileIndex {
    /// Returns an element by its number.
    pub fn element(&self, number: u32) -> Option<&IndexedElement> {
        self.elements.get(number as usize)
    }

    /// Returns the elements with their numbers.
    pub fn elements_with_numbers(&self) -> impl Iterator<Item = (u32, &IndexedElement)> {
        (0..).zip(self.elements.iter())
    }
}

/// Maximum length of a path, in bytes. An element with a longer one cannot be named from outside its namespace. Every
/// element stores its path, so without a limit one very long name around many short ones would exhaust memory.
const MAX_PATH: usize = 512;

/// Builds paths from names while a file is traversed.
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
        let outer = container.and_then(|container| self.elements.get(container as usize));
        let length = outer.map_or(0, |outer| outer.path.len() + 1) + name.as_ref().map_or(0, SmolStr::len);
        let is_qualified = name.is_some() && length <= MAX_PATH && outer.is_none_or(|outer| outer.is_qualified);
        let path = match (&name, outer) {
            // No name begins with `#`. Two nameless namespaces are different.
            (None, _) => smol_str::format_smolstr!("#{number}"),
            (Some(name), None) => name.clone(),
            (Some(name), Some(outer)) if length <= MAX_PATH => smol_str::format_smolstr!("{}.{name}", outer.path),
            (Some(_), Some(_)) => smol_str::format_smolstr!("#{number}"),
        };
        self.elements.push(IndexedElement { kind, name, container, last: number, path, is_qualified, parent });
        number
    }

    /// Ends an element: all elements that began since are inside it.
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
