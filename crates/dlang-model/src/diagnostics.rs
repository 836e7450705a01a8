//! Diagnostics of a file, as data.

use dlang_syntax::{Diagnostic, TextRange};
use smol_str::SmolStr;

use crate::code::ModelCode;
use crate::inputs::Definition;
use crate::kind::ElementKind;

/// Diagnostic of a model, a manifest or a lock.
pub type ModelDiagnostic = Diagnostic<ModelCode, RelatedLocation, DiagnosticData>;

/// Range in the same file, or an element of any file. Elements are stable, so that a diagnostic does not change
/// whenever text moves in another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelatedLocation {
    /// Range in the file of the diagnostic.
    SameFile(TextRange),
    /// Name of this element.
    Definition(Definition),
}

/// Machine-readable details of a diagnostic.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DiagnosticData {
    /// No details.
    #[default]
    None,
    /// Unresolved reference.
    Reference {
        /// Kind of element that the reference requires.
        expected_kind: ElementKind,
        /// Type of the node that contains it.
        container: &'static str,
        /// JSON property that holds it.
        property: &'static str,
        /// Reference as it is written.
        text: SmolStr,
    },
    /// Unresolved import.
    Import {
        /// Specifier of the import.
        specifier: SmolStr,
        /// Reason, one word of a fixed set.
        reason: &'static str,
    },
    /// Dependency or alias in the manifest or lock.
    Key(SmolStr),
}
