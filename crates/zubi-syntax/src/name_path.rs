//! Name paths: `Type/method`, `module::func`, `Class.method`.

/// A name path as a caller writes it: segments separated by `/`, `.`, `::` or `#`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePathPattern {
    segments: Vec<String>,
}

impl NamePathPattern {
    /// Parses a name path; returns `None` for a text without segments.
    pub fn parse(text: &str) -> Option<Self> {
        let segments = split(text);
        (!segments.is_empty()).then_some(Self { segments })
    }

    /// Returns the last segment, the name itself.
    pub fn last(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }

    /// Returns the segments before the name.
    pub fn qualifiers(&self) -> &[String] {
        self.segments.split_last().map_or(&[], |(_, qualifiers)| qualifiers)
    }

    /// Whether a declaration with this name may match. This is cheaper than [`Self::matches`].
    pub(crate) fn can_match(&self, name: &str) -> bool {
        name.contains(self.last())
    }

    /// Whether a declaration matches: its own segments end with these. Leading segments may also name its file or
    /// directories (`rich.console.Console`, `parser::parse`). `file` has `/` between its components.
    pub fn matches(&self, above: &[&str], name: &str, file: &str) -> bool {
        let own: Vec<String> = above.iter().copied().chain([name]).flat_map(declared_segments).collect();
        if own.last() != self.segments.last() {
            return false;
        }
        let (directories, file_name) = file.rsplit_once('/').unwrap_or(("", file));
        let stem = match file_name.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem,
            _ => file_name,
        };
        let ends_with_self = |modules: Vec<&str>| {
            let full: Vec<&str> = modules.into_iter().chain(own.iter().map(String::as_str)).collect();
            full.ends_with(&self.segments.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let directories = || directories.split('/').filter(|directory| !directory.is_empty());
        // Paths to symbols of `mod.rs`, `__init__.py` or `index.ts` usually omit the file's own name.
        ends_with_self(directories().chain([stem]).collect())
            || matches!(stem, "mod" | "lib" | "main" | "__init__" | "index") && ends_with_self(directories().collect())
    }
}

fn split(text: &str) -> Vec<String> {
    // Rust's raw identifiers: `r#match` is named `match`.
    let text = text.strip_prefix("r#").unwrap_or(text);
    let text = ["/", ".", ":", "#"]
        .iter()
        .fold(text.to_owned(), |text, separator| text.replace(&format!("{separator}r#"), separator));
    text.split(['/', '.', '#'])
        .flat_map(|part| part.split("::"))
        // Lua's methods: `Account:deposit`.
        .flat_map(|part| part.split(':'))
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Splits the name of a declaration, which may be `impl Display for Point`, `(*Server).Run` or `DB::Open`, into at least
/// one segment; the last one is the name itself.
pub fn declared_segments(name: &str) -> Vec<String> {
    let name = match name.strip_prefix("impl").filter(|rest| rest.starts_with([' ', '<'])) {
        Some(rest) => {
            let rest = rest.split(" where ").next().unwrap_or_default();
            rest.rsplit(" for ").next().unwrap_or_default()
        }
        None => name,
    };
    let plain = without_generics(name);
    // A receiver is in parentheses at the start; a parameter list is at the end.
    let (receiver, rest) = match plain.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((receiver, rest)) => (receiver.trim_start_matches('*'), rest),
        None => ("", plain.as_str()),
    };
    let rest = rest.split('(').next().unwrap_or_default();
    let segments: Vec<String> = split(receiver).into_iter().chain(split(rest)).collect();
    // An operator or a decorated name may have no segments.
    if segments.is_empty() { vec![name.trim().to_owned()] } else { segments }
}

/// Removes type arguments, unless their brackets do not pair (`operator<`).
fn without_generics(text: &str) -> String {
    if text.matches('<').count() != text.matches('>').count() {
        return text.to_owned();
    }
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_names_as_segments() {
        for (name, expected) in [
            ("parse", "parse"),
            ("impl Display for Point", "Point"),
            ("impl<T> Stack<T>", "Stack"),
            ("impl<T: Ord> From<Vec<T>> for Heap<T> where T: Copy", "Heap"),
            ("implement", "implement"),
            ("(*Server).Run", "Server/Run"),
            ("DB::Open", "DB/Open"),
            ("Account:deposit", "Account/deposit"),
            ("operator<", "operator<"),
            ("r#match", "match"),
        ] {
            assert_eq!(declared_segments(name).join("/"), expected, "{name}");
        }
    }

    #[test]
    fn name_paths_match_from_the_end() {
        let file = "src/rich/console.py";
        for (input, above, name, expected) in [
            ("Console", vec![], "Console", true),
            ("Console", vec![], "ConsoleOptions", false),
            ("Console/print", vec!["Console"], "print", true),
            ("Console.print", vec!["Console"], "print", true),
            ("rich.console.Console.print", vec!["Console"], "print", true),
            ("console::Console", vec![], "Console", true),
            ("print", vec!["Console"], "print", true),
            ("Other/print", vec!["Console"], "print", false),
            ("rich/console", vec![], "print", false),
            ("console", vec![], "Console", false),
            ("Rate/match", vec!["impl Rate"], "r#match", true),
            ("Rate::r#match", vec!["impl Rate"], "match", true),
        ] {
            let pattern = NamePathPattern::parse(input).unwrap();
            assert_eq!(pattern.matches(&above, name, file), expected, "{input}");
        }
        assert!(NamePathPattern::parse("shapes::area").unwrap().matches(&[], "area", "src/shapes/mod.rs"));
        assert!(NamePathPattern::parse(" / ").is_none());
    }
}
