//! The text of an outline: one line for each symbol with its source line if that fits, and shorter forms if it does not.
//! A shorter form covers the whole file or folder and says how many symbols it leaves out.

use std::fmt::Write as _;

use camino::Utf8Path;
use zubi_base::position::{TextIndex, TextSize};
use zubi_base::text::{ellipsize, pluralize};
use zubi_code::location::line_text;
use zubi_code::markup;
use zubi_code::outline::{self, IMPORT, OutlineSymbol};
use zubi_code::query::SourceDocument;

/// The maximum number of characters of a source line beside a symbol.
const MAX_SOURCE: usize = 100;

/// Words of declarations that say no more than the symbol's kind.
const DECLARERS: [&str; 32] = [
    "abstract",
    "async",
    "class",
    "const",
    "constructor",
    "def",
    "default",
    "enum",
    "export",
    "final",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "let",
    "local",
    "mod",
    "module",
    "namespace",
    "package",
    "private",
    "protected",
    "pub",
    "public",
    "static",
    "struct",
    "trait",
    "type",
    "val",
    "var",
];

/// One line of an outline.
pub(crate) struct OutlineRow<'a> {
    pub(crate) depth: usize,
    pub(crate) symbol: &'a OutlineSymbol,
}

/// The shown symbols of one file.
pub(crate) struct FileRows<'a> {
    pub(crate) display_path: &'a str,
    pub(crate) document: &'a SourceDocument,
    pub(crate) rows: Vec<OutlineRow<'a>>,
}

/// The numbers of symbols that an outline leaves out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HiddenSymbols {
    /// Symbols in functions.
    locals: usize,
    imports: usize,
}

impl HiddenSymbols {
    /// Returns a line that says how to see them; empty without any.
    pub(crate) fn describe(self) -> String {
        let counts = [(self.locals, "local"), (self.imports, "import")];
        let counts: Vec<_> = counts.into_iter().filter(|(count, _)| *count > 0).collect();
        let names: Vec<_> = counts.iter().map(|(count, noun)| pluralize(*count, noun)).collect();
        if names.is_empty() { String::new() } else { format!("{}: locals=true\n", names.join(", ")) }
    }
}

/// Returns the symbols of a file up to a depth; without `with_locals`, those in functions and the imports are counted.
pub(crate) fn select_rows<'a>(
    symbols: &'a [OutlineSymbol],
    text: &str,
    depth: usize,
    with_locals: bool,
    hidden: &mut HiddenSymbols,
) -> Vec<OutlineRow<'a>> {
    let mut rows = Vec::new();
    outline::walk(symbols, |parents, symbol| {
        if parents.len() >= depth {
            return;
        }
        if !with_locals && parents.iter().any(|parent| parent.is_function(text)) {
            hidden.locals += 1;
        } else if !with_locals && symbol.kind == IMPORT {
            hidden.imports += 1;
        } else {
            rows.push(OutlineRow { depth: parents.len(), symbol });
        }
    });
    rows
}

impl OutlineRow<'_> {
    /// Writes the symbol on one line, with its source line if that says more.
    pub(crate) fn write(&self, text: &mut String, file: &FileRows<'_>, has_source: bool) {
        let Self { depth, symbol } = self;
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{}{} {}", "  ".repeat(depth + 1), symbol.kind, symbol.name);
        if let Some(detail) = &symbol.detail {
            let _ = write!(text, " {}", markup::source_line(detail));
        }
        let _ = write!(text, "  {}", file.lines_of(symbol));
        if has_source && let Some(source) = file.source_of(symbol) {
            let _ = write!(text, "  {source}");
        }
        text.push('\n');
    }
}

impl FileRows<'_> {
    /// Renders `12-40`, or `cell 3:1-4` in a notebook.
    fn lines_of(&self, symbol: &OutlineSymbol) -> String {
        let notebook = self.document.notebook(Utf8Path::new(self.display_path));
        let position = |offset: TextSize| notebook?.position(offset.into());
        let ends = position(symbol.selection.start())
            .zip(symbol.range.end().checked_sub(TextSize::from(1)).and_then(position));
        let (prefix, first, last) = match ends {
            Some((first, last)) => (format!("cell {}:", first.cell), first.line, last.line),
            None => {
                let (first, last) = lines_of(symbol, &self.document.index);
                (String::new(), first as usize, last as usize)
            }
        };
        if last > first { format!("{prefix}{first}-{last}") } else { format!("{prefix}{first}") }
    }

    /// Returns the line of a symbol's name, if it says more than the kind, the name and the detail.
    fn source_of(&self, symbol: &OutlineSymbol) -> Option<String> {
        if self.document.notebook(Utf8Path::new(self.display_path)).is_some() {
            return None;
        }
        let line = self.document.index.line_col(symbol.selection.start()).line;
        let line = line_text(&self.document.text, &self.document.index, line)?;
        adds_to(line, &symbol.name, symbol.detail.as_deref().unwrap_or_default())
            .then(|| markup::source_line(&ellipsize(line.trim(), MAX_SOURCE)))
    }
}

/// Whether a source line says more than the name of the symbol, its kind and a text beside it.
pub(crate) fn adds_to(line: &str, name: &str, beside: &str) -> bool {
    let is_part = |character: char| character == '_' || character.is_alphanumeric();
    let mut words = line.split(|character| !is_part(character)).filter(|word| !word.is_empty());
    words.any(|word| !DECLARERS.contains(&word) && !name.contains(word) && !beside.contains(word))
}

/// Returns the 1-based lines of a symbol's name and of its end.
pub(crate) fn lines_of(symbol: &OutlineSymbol, index: &TextIndex) -> (u32, u32) {
    let line = |offset| index.line_col(offset).line + 1;
    (line(symbol.selection.start()), line(symbol.range.end()))
}

/// Renders all rows, one line each; `with_paths` writes the path of each file before its rows.
pub(crate) fn render_rows(files: &[FileRows<'_>], with_paths: bool, has_source: bool) -> String {
    let mut text = String::new();
    for file in files {
        if with_paths {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{}", file.display_path);
        }
        let mut previous = None;
        for row in &file.rows {
            let line = lines_of(row.symbol, &file.document.index).0;
            row.write(&mut text, file, has_source && previous != Some(line));
            previous = Some(line);
        }
    }
    text
}

/// The parts of a short form, from the longest to the shortest form.
#[derive(Debug, Clone, Copy)]
struct ShortForm {
    has_fields: bool,
    has_private: bool,
    has_lines: bool,
    has_names: bool,
}

const FORMS: [ShortForm; 5] = [
    ShortForm { has_fields: true, has_private: true, has_lines: true, has_names: true },
    ShortForm { has_fields: false, has_private: true, has_lines: true, has_names: true },
    ShortForm { has_fields: false, has_private: false, has_lines: true, has_names: true },
    ShortForm { has_fields: false, has_private: false, has_lines: false, has_names: true },
    ShortForm { has_fields: false, has_private: false, has_lines: false, has_names: false },
];

/// A short form of an outline.
pub(crate) struct ShortOutline {
    pub(crate) text: String,
    /// The number of symbols without their names.
    pub(crate) left_out: usize,
}

/// Returns the longest short form that fits; `None` if none does, or if most symbols are values, whose names are all that
/// an outline of them says.
pub(crate) fn shorten(files: &[FileRows<'_>], with_paths: bool, budget: usize) -> Option<ShortOutline> {
    let rows = || files.iter().flat_map(|file| &file.rows);
    let fields = rows().filter(|row| is_field(row.symbol.kind)).count();
    if fields * 5 > rows().count() * 4 {
        return None;
    }
    FORMS.into_iter().map(|form| form.render(files, with_paths)).find(|short| short.text.len() <= budget)
}

impl ShortForm {
    fn render(self, files: &[FileRows<'_>], with_paths: bool) -> ShortOutline {
        let mut text = String::new();
        let mut left_out = LeftOut::default();
        for file in files {
            let lines = self.lines(file, &mut left_out);
            // Writing to a `String` cannot fail.
            let _ = match lines.as_slice() {
                [line] if with_paths => writeln!(text, "{}  {line}", file.display_path),
                lines => {
                    if with_paths {
                        let _ = writeln!(text, "{}", file.display_path);
                    }
                    for line in lines {
                        let _ = writeln!(text, "  {line}");
                    }
                    Ok(())
                }
            };
        }
        let mut missing = left_out.describe();
        if !self.has_lines {
            missing.push("line numbers".to_owned());
        }
        if !missing.is_empty() {
            let _ = writeln!(text, "… left out: {}; all: cursor=\"0\"", missing.join(", "));
        }
        ShortOutline { text, left_out: left_out.total() }
    }

    /// Renders the symbols of a file: a line for each kind, and one for each symbol with members.
    fn lines(self, file: &FileRows<'_>, left_out: &mut LeftOut) -> Vec<String> {
        let mut plain: Vec<(&OutlineRow<'_>, String)> = Vec::new();
        let mut containers = Vec::new();
        let mut rest = file.rows.as_slice();
        while let Some((first, following)) = rest.split_first() {
            let members = following.iter().take_while(|row| row.depth > first.depth).count();
            let (members, next) = following.split_at(members);
            if members.is_empty() {
                plain.push((first, first.symbol.name.clone()));
            } else {
                let mut above: Vec<&OutlineRow<'_>> = Vec::new();
                let named = members.iter().map(|row| {
                    above.retain(|parent| parent.depth < row.depth);
                    let names = above.iter().chain([&row]).map(|row| row.symbol.name.as_str());
                    let name = names.collect::<Vec<_>>().join("/");
                    above.push(row);
                    (row, name)
                });
                let groups = self.groups(file, &named.collect::<Vec<_>>(), left_out);
                let groups = if groups.is_empty() { String::new() } else { format!(": {}", groups.join("; ")) };
                let OutlineSymbol { kind, name, .. } = first.symbol;
                containers.push(format!("{kind} {name}  {}{groups}", file.lines_of(first.symbol)));
            }
            rest = next;
        }
        let mut lines = self.groups(file, &plain, left_out);
        if containers.is_empty() && !lines.is_empty() {
            return vec![lines.join("; ")];
        }
        lines.extend(containers);
        lines
    }

    /// Renders symbols by kind: `methods: parse 12, read 40`, or their number.
    fn groups(self, file: &FileRows<'_>, named: &[(&OutlineRow<'_>, String)], left_out: &mut LeftOut) -> Vec<String> {
        let mut kinds: Vec<&'static str> = Vec::new();
        for (row, _) in named {
            if !kinds.contains(&row.symbol.kind) {
                kinds.push(row.symbol.kind);
            }
        }
        let (mut groups, mut counts) = (Vec::new(), Vec::new());
        for kind in kinds {
            let of_kind: Vec<_> = named.iter().filter(|(row, _)| row.symbol.kind == kind).collect();
            let is_counted = !self.has_names || !self.has_fields && is_field(kind);
            if is_counted {
                left_out.add(kind, of_kind.len());
                counts.push(count_kind(of_kind.len(), kind));
                continue;
            }
            let mut names = Vec::new();
            for (row, name) in of_kind {
                if !self.has_private && is_private(&row.symbol.name) {
                    left_out.private += 1;
                } else if self.has_lines {
                    let lines = file.lines_of(row.symbol);
                    names.push(format!("{name} {}", lines.split('-').next().unwrap_or_default()));
                } else {
                    names.push(name.clone());
                }
            }
            if !names.is_empty() {
                groups.push(format!("{}: {}", pluralize_kind(kind), names.join(", ")));
            }
        }
        groups.extend(counts);
        groups
    }
}

/// The numbers of symbols that a short form does not name.
#[derive(Default)]
struct LeftOut {
    kinds: Vec<(&'static str, usize)>,
    private: usize,
}

impl LeftOut {
    fn add(&mut self, kind: &'static str, count: usize) {
        match self.kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum += count,
            None => self.kinds.push((kind, count)),
        }
    }

    fn total(&self) -> usize {
        self.private + self.kinds.iter().map(|(_, count)| count).sum::<usize>()
    }

    fn describe(&self) -> Vec<String> {
        let private = (self.private > 0).then(|| format!("{} private", self.private));
        self.kinds.iter().map(|(kind, count)| count_kind(*count, kind)).chain(private).collect()
    }
}

fn pluralize_kind(kind: &str) -> String {
    match kind {
        "class" | "type alias" => format!("{kind}es"),
        kind => kind.strip_suffix('y').map_or_else(|| format!("{kind}s"), |stem| format!("{stem}ies")),
    }
}

fn count_kind(count: usize, kind: &str) -> String {
    if count == 1 { format!("1 {kind}") } else { format!("{count} {}", pluralize_kind(kind)) }
}

/// Whether a symbol of a kind has a value or is a part of one.
fn is_field(kind: &str) -> bool {
    matches!(
        kind,
        "variable"
            | "field"
            | "property"
            | "constant"
            | "enum member"
            | "key"
            | "string"
            | "number"
            | "boolean"
            | "array"
            | "object"
            | "null"
            | "import"
    )
}

/// Whether a name is private by the customs of Python and of scripts.
fn is_private(name: &str) -> bool {
    name.starts_with('#') || name.starts_with('_') && name != "__init__"
}
