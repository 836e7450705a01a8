//! The codes of kinds in the store, ordered as search results are.

use zubi_syntax::DeclarationKind as Kind;

use super::IndexStoreError;

/// The kinds by their code. The order is that of search results.
const KINDS: [(Kind, u8); 23] = [
    (Kind::Class, 0),
    (Kind::Struct, 0),
    (Kind::Interface, 0),
    (Kind::Enum, 0),
    (Kind::TypeAlias, 0),
    (Kind::Function, 1),
    (Kind::Method, 1),
    (Kind::Constructor, 1),
    (Kind::Macro, 1),
    (Kind::Operator, 1),
    (Kind::Module, 2),
    (Kind::Namespace, 2),
    (Kind::Package, 2),
    (Kind::Implementation, 2),
    (Kind::EnumMember, 2),
    (Kind::Property, 2),
    (Kind::Field, 2),
    (Kind::Event, 2),
    (Kind::Constant, 3),
    (Kind::Variable, 4),
    (Kind::Style, 5),
    (Kind::Heading, 5),
    (Kind::Key, 5),
];

/// Returns the code of a kind.
pub(crate) fn code_of(kind: Kind) -> u32 {
    // The table has every kind, as the test shows.
    KINDS.iter().zip(0..).find(|((known, _), _)| *known == kind).map_or(0, |(_, code)| code)
}

/// Returns the kind with a code.
pub(crate) fn from_code(code: u32) -> Result<Kind, IndexStoreError> {
    let entry = usize::try_from(code).ok().and_then(|code| KINDS.get(code));
    entry.map(|(kind, _)| *kind).ok_or(IndexStoreError::Damaged("an unknown kind"))
}

/// Returns the rank of a code among search results; 0 is best.
pub(crate) fn rank_of(code: u32) -> u8 {
    usize::try_from(code).ok().and_then(|code| KINDS.get(code)).map_or(u8::MAX, |(_, rank)| *rank)
}

/// Returns the codes of the kinds with one of LSP's names.
pub(crate) fn codes_of_lsp_names(names: &[String]) -> Vec<u32> {
    let has_name = |kind: Kind| names.iter().any(|name| kind.lsp_name() == name);
    KINDS.iter().zip(0..).filter(|((kind, _), _)| has_name(*kind)).map(|(_, code)| code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_code_in_the_order_of_ranks() {
        assert!(KINDS.is_sorted_by_key(|(_, rank)| *rank));
        for ((kind, rank), code) in KINDS.iter().zip(0..) {
            assert_eq!((code_of(*kind), from_code(code).unwrap(), rank_of(code)), (code, *kind, *rank));
        }
        // Serde lists the names of all kinds in its error.
        let error = serde_json::from_str::<Kind>("\"\"").unwrap_err().to_string();
        assert_eq!(error.matches('`').count() / 2, KINDS.len() + 1, "{error}");
    }
}
