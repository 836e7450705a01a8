//! The kinds of symbols as zubi's kinds of declarations.

use zubi_syntax::DeclarationKind as Kind;

use super::symbol::{DescriptorSuffix, ScipSymbol};
use crate::store::kind::code_of;

/// Returns the kind for a variant of `SymbolInformation.Kind` in `scip.proto`, by its number. `None` for those that are not
/// declarations of zubi, such as parameters and theorems.
pub(super) fn from_scip(number: u64) -> Option<Kind> {
    Some(match number {
        // AbstractMethod, Getter, Method, MethodAlias, MethodSpecification, ProtocolMethod, PureVirtualMethod, Setter,
        // SingletonMethod, StaticMethod, TraitMethod, TypeClassMethod
        66 | 18 | 26 | 74 | 67 | 68 | 69 | 45 | 76 | 80 | 70 | 71 => Kind::Method,
        // Accessor, Property, StaticProperty
        72 | 41 | 81 => Kind::Property,
        // AssociatedType, Type, TypeAlias, TypeFamily
        3 | 54 | 55 | 57 => Kind::TypeAlias,
        // Class, Contract, Mixin, SingletonClass
        7 | 62 | 85 | 75 => Kind::Class,
        // Concept, Interface, Protocol, Trait, TypeClass
        86 | 21 | 42 | 53 | 56 => Kind::Interface,
        // Message, Struct, Union
        28 | 49 | 59 => Kind::Struct,
        8 => Kind::Constant,
        9 => Kind::Constructor,
        11 => Kind::Enum,
        12 => Kind::EnumMember,
        // Event, StaticEvent
        13 | 78 => Kind::Event,
        // Extension
        84 => Kind::Implementation,
        // Field, StaticDataMember, StaticField
        15 | 77 | 79 => Kind::Field,
        17 => Kind::Function,
        22 => Kind::Key,
        25 => Kind::Macro,
        // File, Module, Object, PackageObject
        16 | 29 | 33 | 36 => Kind::Module,
        30 => Kind::Namespace,
        34 => Kind::Operator,
        // Library, Package
        64 | 35 => Kind::Package,
        // StaticVariable, Value, Variable
        82 | 60 | 61 => Kind::Variable,
        _ => return None,
    })
}

/// Returns the code of the kind that the grammar of symbols shows, for producers that send no kinds.
pub(crate) fn from_symbol(symbol: &ScipSymbol) -> Option<u32> {
    let is_member = matches!(symbol.descriptors.as_slice(),
        [.., above, _] if matches!(above.suffix, DescriptorSuffix::Type | DescriptorSuffix::TypeParameter));
    from_suffix(symbol.suffix(), is_member).map(code_of)
}

fn from_suffix(suffix: DescriptorSuffix, is_member: bool) -> Option<Kind> {
    Some(match suffix {
        DescriptorSuffix::Namespace => Kind::Module,
        DescriptorSuffix::Type => Kind::Class,
        DescriptorSuffix::Term => Kind::Variable,
        DescriptorSuffix::Method if is_member => Kind::Method,
        DescriptorSuffix::Method => Kind::Function,
        DescriptorSuffix::Macro => Kind::Macro,
        // scip-python describes modules by it.
        DescriptorSuffix::Meta => Kind::Module,
        DescriptorSuffix::Parameter | DescriptorSuffix::TypeParameter => return None,
    })
}
