//! Name paths: `Type/method`, `module::func`, `Class.method`, and the conversion of servers' symbol names to them.

/// A name path as a caller writes it: segments separated by `/`, `.`, `::` or `#`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePath {
    segments: Vec<String>,
}

impl NamePath {
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

    pub fn is_qualified(&self) -> bool {
        self.segments.len() > 1
    }

    /// Whether a declared symbol matches: its own segments end with these. Leading segments may also name its file or
    /// directories (`rich.console.Console`, `parser::parse`).
    pub fn matches(&self, above: &[&str], name: &str, path: &camino::Utf8Path) -> bool {
        let own: Vec<String> = above.iter().copied().chain([name]).flat_map(declared_segments).collect();
        let directories =
            path.parent().into_iter().flat_map(|parent| parent.components().map(|part| part.as_str().to_owned()));
        let modules = directories.chain(path.file_stem().map(str::to_owned));
        let full: Vec<String> = modules.chain(own.iter().cloned()).collect();
        // The last segment must be the symbol's name, not a directory's.
        own.last() == self.segments.last() && full.ends_with(&self.segments)
            // Paths to symbols of `mod.rs`, `__init__.py` or `index.ts` usually omit the file's own name.
            || own.last() == self.segments.last() && {
                let mut shorter: Vec<String> = full;
                if path.file_stem().is_some_and(|stem| matches!(stem, "mod" | "lib" | "main" | "__init__" | "index")) {
                    let at = shorter.len() - own.len() - 1;
                    shorter.remove(at);
                }
                shorter.ends_with(&self.segments)
            }
    }
}

/// Returns the name path of a declared symbol; see [`NamePath`].
pub(crate) fn join_segments(above: &[&str], name: &str) -> String {
    above.iter().copied().chain([name]).flat_map(declared_segments).collect::<Vec<_>>().join("/")
}

fn split(text: &str) -> Vec<String> {
    // Rust's raw identifiers: `r#match` is named `match`.
    let text = text.strip_prefix("r#").unwrap_or(text);
    let text = ["/", ".", ":", "#"]
        .iter()
        .fold(text.to_owned(), |text, separator| text.replace(&format!("{separator}r#"), separator));
    text.split(['/', '.', '#'])
        .flat_map(|part| part.split("::"))
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Splits a server's symbol name: rust-analyzer sends `impl Display for Point`, gopls `(*Server).Run`, clangd
/// `DB::Open`; some servers add generics or a parameter list. Returns at least one segment; the last one is the name
/// itself.
pub fn declared_segments(name: &str) -> Vec<String> {
    let name = impl_target(name).map_or(name, |(target, _)| target);
    // A receiver is in parentheses at the start; a parameter list is at the end.
    let plain: String = without_brackets(name, '<', '>');
    let (receiver, rest) = match plain.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((receiver, rest)) => (receiver.trim_start_matches('*'), rest),
        None => ("", plain.as_str()),
    };
    let rest = rest.split('(').next().unwrap_or_default();
    let segments: Vec<String> = split(receiver).into_iter().chain(split(rest)).collect();
    // An operator or a decorated name may have no segments.
    if segments.is_empty() { vec![name.trim().to_owned()] } else { segments }
}

/// Returns the type of a Rust `impl` by its header, and whether a trait is implemented: `Rate<T>` of
/// `impl<T> Display for Rate<T>`. Without a trait, the text begins with the generic parameters of the header.
pub(crate) fn impl_target(header: &str) -> Option<(&str, bool)> {
    let rest = header.strip_prefix("impl").filter(|rest| rest.starts_with([' ', '<']))?;
    let rest = rest.split(" where ").next().unwrap_or_default();
    Some(rest.rsplit_once(" for ").map_or((rest, false), |(_, target)| (target, true)))
}

/// Removes bracketed parts, unless the brackets do not pair (`operator<`).
fn without_brackets(text: &str, open: char, close: char) -> String {
    if text.matches(open).count() != text.matches(close).count() {
        return text.to_owned();
    }
    let mut depth = 0usize;
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character == open {
            depth += 1;
        } else if character == close {
            depth = depth.saturating_sub(1);
        } else if depth == 0 {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

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
            ("(Server).Run", "Server/Run"),
            ("DB::Open", "DB/Open"),
            ("render(text: string)", "render"),
            ("operator<", "operator<"),
            ("r#match", "match"),
            ("r::match", "r/match"),
            ("(anonymous)", "anonymous"),
        ] {
            assert_eq!(declared_segments(name).join("/"), expected, "{name}");
        }
    }

    #[test]
    fn name_paths_match_from_the_end() {
        let path = Utf8Path::new("src/rich/console.py");
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
            ("Rate::r#match", vec!["impl Rate"], "r#match", true),
            ("Rate::r#match", vec!["impl Rate"], "match", true),
        ] {
            let name_path = NamePath::parse(input).unwrap();
            assert_eq!(name_path.matches(&above, name, path), expected, "{input}");
        }
        assert!(NamePath::parse("shapes::area").unwrap().matches(&[], "area", Utf8Path::new("src/shapes/mod.rs")));
        assert!(NamePath::parse(" / ").is_none());
    }
}
