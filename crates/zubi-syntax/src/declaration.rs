//! Declarations.

use std::ops::Range;

/// A declaration in a source text. All ranges are in bytes of the UTF-8 text, and begin and end between characters.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Declaration {
    /// The name on one line as the text spells it, with its qualifiers: `Rate::price` in C++, `M.price` in Lua. For an
    /// `impl` block of Rust, its header without the conditions; for a method of Go, `(*Server).Run`.
    pub name: String,
    /// The kind.
    pub kind: DeclarationKind,
    /// The range of the name, or of its last part. It is in `range`.
    pub name_range: Range<usize>,
    /// The range of the declaration with its annotations, decorators and modifiers, without the comments before it. It is
    /// in the range of the parent.
    pub range: Range<usize>,
    /// The range from the first modifier to the body, without annotations. Without a body, it ends in the name's line.
    pub signature: Range<usize>,
    /// The range of the comments directly above, or of the documentation string.
    pub doc: Option<Range<usize>>,
    /// The index of the enclosing declaration in the outline, which is smaller than the index of this declaration.
    pub parent: Option<usize>,
}

/// The kind of a declaration. Each has a name among LSP's symbol kinds; see [`Self::lsp_name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum DeclarationKind {
    /// A module, or a table of a TOML file.
    Module,
    /// A namespace.
    Namespace,
    /// A package clause.
    Package,
    /// A class, or a named type of Go that is neither a struct nor an interface.
    Class,
    /// A struct or a union, or a table of a database.
    Struct,
    /// An interface, a trait or a protocol.
    Interface,
    /// An enumeration or a sum type.
    Enum,
    /// A value of an enumeration, or a variant of a sum type.
    EnumMember,
    /// A block that adds members to a type, such as Rust's `impl` and Swift's `extension`.
    Implementation,
    /// A name for another type.
    TypeAlias,
    /// A function outside a type.
    Function,
    /// A function in a type.
    Method,
    /// A constructor.
    Constructor,
    /// A property with accessors, or one that a class declares.
    Property,
    /// A field of a type, or a column of a table.
    Field,
    /// A variable.
    Variable,
    /// A constant.
    Constant,
    /// A macro.
    Macro,
    /// An event, an exception or a trigger.
    Event,
    /// An operator.
    Operator,
    /// A key of a data file, or the id of an element of a page.
    Key,
    /// A heading. Its range is its whole section.
    Heading,
    /// A rule of a style sheet.
    Style,
}

impl DeclarationKind {
    /// Returns the name of the corresponding kind in LSP's `SymbolKind`, in lower case: `enum member`. LSP has no kinds for
    /// macros, type aliases, headings and rules, so these have the kinds that language servers use for them.
    pub fn lsp_name(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Namespace => "namespace",
            Self::Package => "package",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Interface => "interface",
            Self::Enum => "enum",
            Self::EnumMember => "enum member",
            Self::Implementation => "object",
            Self::TypeAlias => "type parameter",
            Self::Function | Self::Macro => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Property => "property",
            Self::Field => "field",
            Self::Variable => "variable",
            Self::Constant => "constant",
            Self::Event => "event",
            Self::Operator => "operator",
            Self::Key => "key",
            Self::Heading => "string",
            Self::Style => "class",
        }
    }

    /// Whether functions in it are methods.
    pub fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Struct | Self::Interface | Self::Enum | Self::Implementation)
    }

    /// Whether values in it are local.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Operator | Self::Macro)
    }

    /// Whether only a function can name such a declaration if it is in that function.
    pub(crate) fn is_value(self) -> bool {
        matches!(self, Self::Variable | Self::Constant)
    }
}
