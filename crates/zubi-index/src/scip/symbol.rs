//! The grammar of SCIP's symbols: `scheme manager package version descriptors`, as `scip.proto` defines it.
//!
//! Each of the first four parts ends in a space; a space inside is doubled, and `.` is an empty part. A descriptor is a
//! name with a suffix for its kind: `module/Type#method().` A name with other characters than letters, digits, `_`, `+`,
//! `-` and `$` is in backticks, and a backtick in it is doubled.

/// The symbols of one document, which are of no use in others, begin with this.
pub(crate) const LOCAL_PREFIX: &str = "local ";

/// A symbol that is not local.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScipSymbol {
    /// `None` if the producer does not know it.
    pub(crate) package: Option<String>,
    /// At least one; outermost first.
    pub(crate) descriptors: Vec<SymbolDescriptor>,
}

/// A part of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SymbolDescriptor {
    pub(crate) name: String,
    pub(crate) suffix: DescriptorSuffix,
}

/// The kind of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DescriptorSuffix {
    Namespace,
    Type,
    Term,
    Method,
    TypeParameter,
    Parameter,
    Meta,
    Macro,
}

impl ScipSymbol {
    /// Parses a symbol. Returns `None` for a local or an invalid one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.starts_with(LOCAL_PREFIX) {
            return None;
        }
        let mut rest = text;
        let scheme = take_part(&mut rest)?;
        let _manager = take_part(&mut rest)?;
        let package = take_part(&mut rest)?;
        let _version = take_part(&mut rest)?;
        if scheme.is_empty() {
            return None;
        }
        let mut descriptors = Vec::new();
        while !rest.is_empty() {
            descriptors.push(take_descriptor(&mut rest)?);
        }
        let package = Some(package).filter(|package| !package.is_empty() && package != ".");
        (!descriptors.is_empty()).then_some(Self { package, descriptors })
    }

    /// The kind of the last descriptor.
    pub(crate) fn suffix(&self) -> DescriptorSuffix {
        self.descriptors.last().map_or(DescriptorSuffix::Meta, |descriptor| descriptor.suffix)
    }

    /// Returns the name. Python's modules have the name of their file.
    pub(crate) fn name(&self) -> &str {
        match self.descriptors.as_slice() {
            // scip-python: `package/module/__init__:` is the module itself.
            [.., module, SymbolDescriptor { name, suffix: DescriptorSuffix::Meta }] if name == "__init__" => {
                &module.name
            }
            [.., last] => &last.name,
            [] => "",
        }
    }

    /// Returns the names of the enclosing symbols, outermost first. An implementation of rust-analyzer
    /// (`` impl#[`Stack<T>`][Display]fmt(). ``) has the name of its type.
    pub(crate) fn containers(&self) -> Vec<String> {
        let Some((last, above)) = self.descriptors.split_last() else { return Vec::new() };
        let is_module = last.suffix == DescriptorSuffix::Meta && last.name == "__init__";
        let above = if is_module { above.split_last().map_or(above, |(_, above)| above) } else { above };
        let mut names: Vec<String> = Vec::new();
        let mut is_implementation = false;
        let mut has_type = false;
        for descriptor in above {
            if descriptor.suffix == DescriptorSuffix::TypeParameter && is_implementation {
                if !has_type {
                    names.push(without_arguments(&descriptor.name).to_owned());
                    has_type = true;
                }
                continue;
            }
            is_implementation = descriptor.suffix == DescriptorSuffix::Type && descriptor.name == "impl";
            has_type = false;
            if !is_implementation {
                names.push(descriptor.name.clone());
            }
        }
        names
    }

    /// Returns the name by which a search can find the symbol. Parameters have none: they are part of their
    /// function.
    pub(crate) fn searchable_name(&self) -> Option<&str> {
        let is_part = matches!(self.suffix(), DescriptorSuffix::Parameter | DescriptorSuffix::TypeParameter);
        (!is_part).then(|| self.name())
    }
}

fn without_arguments(name: &str) -> &str {
    name.split('<').next().map(str::trim).filter(|name| !name.is_empty()).unwrap_or(name)
}

/// Reads a part and the space after it.
fn take_part(rest: &mut &str) -> Option<String> {
    let mut part = String::new();
    loop {
        let (before, after) = rest.split_once(' ')?;
        part.push_str(before);
        match after.strip_prefix(' ') {
            Some(after) => {
                part.push(' ');
                *rest = after;
            }
            None => {
                *rest = after;
                return Some(part);
            }
        }
    }
}

fn take_descriptor(rest: &mut &str) -> Option<SymbolDescriptor> {
    if let Some(inner) = rest.strip_prefix('(') {
        return take_enclosed(rest, inner, ')', DescriptorSuffix::Parameter);
    }
    if let Some(inner) = rest.strip_prefix('[') {
        return take_enclosed(rest, inner, ']', DescriptorSuffix::TypeParameter);
    }
    let name = take_name(rest)?;
    let mut characters = rest.chars();
    let suffix = match characters.next()? {
        '/' => DescriptorSuffix::Namespace,
        '#' => DescriptorSuffix::Type,
        '.' => DescriptorSuffix::Term,
        ':' => DescriptorSuffix::Meta,
        '!' => DescriptorSuffix::Macro,
        '(' => {
            let (disambiguator, after) = characters.as_str().split_once(").")?;
            if !disambiguator.chars().all(is_simple) {
                return None;
            }
            *rest = after;
            return Some(SymbolDescriptor { name, suffix: DescriptorSuffix::Method });
        }
        _ => return None,
    };
    *rest = characters.as_str();
    Some(SymbolDescriptor { name, suffix })
}

fn take_enclosed<'a>(
    rest: &mut &'a str,
    mut inner: &'a str,
    end: char,
    suffix: DescriptorSuffix,
) -> Option<SymbolDescriptor> {
    let name = take_name(&mut inner)?;
    *rest = inner.strip_prefix(end)?;
    Some(SymbolDescriptor { name, suffix })
}

fn take_name(rest: &mut &str) -> Option<String> {
    let Some(mut escaped) = rest.strip_prefix('`') else {
        let end = rest.find(|character| !is_simple(character)).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end)?;
        *rest = after;
        return (!name.is_empty()).then(|| name.to_owned());
    };
    let mut name = String::new();
    loop {
        let (before, after) = escaped.split_once('`')?;
        name.push_str(before);
        match after.strip_prefix('`') {
            Some(after) => {
                name.push('`');
                escaped = after;
            }
            None => {
                *rest = after;
                return (!name.is_empty()).then_some(name);
            }
        }
    }
}

fn is_simple(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '+' | '-' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_have_names_containers_and_packages() {
        for (text, expected) in [
            ("rust-analyzer cargo shapes 0.1.0 square/Square#", "shapes square/Square Type"),
            ("rust-analyzer cargo shapes 0.1.0 square/impl#[Square]new().", "shapes square/Square/new Method"),
            ("r cargo shapes 0.1.0 square/impl#[`Stack<T>`][Shape]area().", "shapes square/Stack/area Method"),
            ("r cargo shapes 0.1.0 square/impl#[Square]", "shapes square/Square TypeParameter -"),
            ("r cargo core https://x/y iter/impl#[`[T]`]iter().", "core iter/[T]/iter Method"),
            ("r cargo shapes 0.1.0 println!", "shapes println Macro"),
            ("scip-python python shapes 1.0 app/__init__:", "shapes app Meta"),
            ("scip-python python shapes 1.0 `a.b`/Square#side.", "shapes a.b/Square/side Term"),
            (
                "scip-typescript npm shapes 1.0.0 `shapes.ts`/total().(shapes)",
                "shapes shapes.ts/total/shapes Parameter -",
            ),
            ("scip-java maven . . com/example/Box#put(+1).", "- com/example/Box/put Method"),
            ("my  scheme m a  package 1 Type#[T]", "a package Type/T TypeParameter -"),
            ("s . . . `a``b c`#", "- a`b c Type"),
            ("s . . . impl#x.", "- x Term"),
        ] {
            let symbol = ScipSymbol::parse(text).unwrap_or_else(|| panic!("{text}"));
            let mut path = symbol.containers();
            // The name of an implementation is its type.
            path.push(symbol.name().to_owned());
            let package = symbol.package.as_deref().unwrap_or("-");
            let search = if symbol.searchable_name().is_some() { "" } else { " -" };
            assert_eq!(format!("{package} {} {:?}{search}", path.join("/"), symbol.suffix()), expected, "{text}");
        }
    }

    #[test]
    fn invalid_and_local_symbols_are_refused() {
        for text in [
            "",
            " ",
            "local 1",
            "a b c",
            "s m p v ",
            "s m p v x",
            "s m p v `x",
            "s m p v x(",
            "s m p v x(é).",
            "s m p v (x",
            "s m p v ``#",
            "s m p v é#",
            "s m p v [x)",
            "s m p v x#y",
            " m p v x#",
            "s m p v x).",
        ] {
            assert_eq!(ScipSymbol::parse(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_parses_without_a_panic(text in "[a-z `/#.:!()\\[\\]é]{0,40}") {
            if let Some(symbol) = ScipSymbol::parse(&format!("s m p v {text}")) {
                proptest::prop_assert!(!symbol.name().is_empty());
                symbol.containers();
            }
        }
    }
}
