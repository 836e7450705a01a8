//! Diagrams of context maps and domain maps as source text for other programs: Mermaid and PlantUML.
//!
//! [`graph`] builds the boxes and lines of a map, once for all formats; each format prints them in its own syntax. Text
//! from a model is data: no name can end a box, a line, or the diagram.

mod graph;
mod mermaid;
mod plantuml;

use std::str::FromStr;

use dlang_model::{Db, Definition, ElementKind, file_index, nearest_names, project_files};
use serde_json::{Value, json};
use smol_str::SmolStr;

use crate::query::{InvalidInput, find};

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 5;

/// The format of a diagram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DiagramFormat {
    /// A Mermaid flowchart.
    #[default]
    Mermaid,
    /// A PlantUML component diagram.
    PlantUml,
}

impl DiagramFormat {
    /// Returns the format's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mermaid => "mermaid",
            Self::PlantUml => "plantuml",
        }
    }
}

impl FromStr for DiagramFormat {
    type Err = InvalidInput;

    fn from_str(name: &str) -> Result<Self, InvalidInput> {
        match name {
            "mermaid" => Ok(Self::Mermaid),
            "plantuml" => Ok(Self::PlantUml),
            _ => {
                let message = format!("unknown format '{name}'. Use mermaid or plantuml.");
                Err(InvalidInput { field: "format", message })
            }
        }
    }
}

/// Returns the diagram of a context map or domain map, by its fully qualified name or, if only one map has it, its
/// simple name: `{fqn, type, format, diagram}`. `fqn` is the requested name; `resolvedFqn` is present if the map's own
/// name differs. If there is no such map, `diagram` is null, and `error` and `suggestions` say what to do.
pub fn diagram(db: &dyn Db, fqn: &str, format: DiagramFormat) -> Value {
    let maps = maps(db);
    let Some(map) = map_named(db, &maps, fqn) else { return not_found(db, &maps, fqn, format) };
    let graph = graph::build(db, map);
    let text = match format {
        DiagramFormat::Mermaid => mermaid::write(&graph),
        DiagramFormat::PlantUml => plantuml::write(&graph),
    };
    let kind = map.kind(db).map(ElementKind::type_name);
    let mut answer = json!({ "fqn": fqn, "type": kind, "format": format.as_str(), "diagram": text });
    if let Some(resolved) = map.fqn(db).filter(|resolved| resolved != fqn)
        && let Some(answer) = answer.as_object_mut()
    {
        answer.insert("resolvedFqn".to_owned(), resolved.as_str().into());
    }
    answer
}

/// Returns all maps of the project.
fn maps(db: &dyn Db) -> Vec<Definition> {
    let maps_of_file = |file: &dlang_model::File| {
        let file = *file;
        let numbered = file_index(db, file).elements_with_numbers();
        let is_map = |kind| matches!(kind, ElementKind::ContextMap | ElementKind::DomainMap);
        numbered.filter(move |(_, it)| is_map(it.kind)).map(move |(number, _)| Definition { file, number })
    };
    project_files(db).iter().flat_map(maps_of_file).collect()
}

/// Returns the map with a name. Other elements with that name are ignored.
fn map_named(db: &dyn Db, maps: &[Definition], name: &str) -> Option<Definition> {
    let by_fqn = maps.iter().find(|map| map.fqn(db).is_some_and(|fqn| fqn == name));
    let mut named = maps.iter().filter(|map| map.name(db).is_some_and(|own| own == name));
    let only = named.next().filter(|_| named.next().is_none());
    by_fqn.or(only).copied()
}

fn not_found(db: &dyn Db, maps: &[Definition], fqn: &str, format: DiagramFormat) -> Value {
    let names: Vec<SmolStr> = maps.iter().filter_map(|map| map.fqn(db)).collect();
    let nearest = nearest_names(fqn, names.iter().cloned());
    let mut suggestions: Vec<SmolStr> = nearest.into_iter().map(|(_, name)| name).collect();
    let kind = find(db, fqn).element().and_then(|definition| definition.kind(db));
    if suggestions.is_empty() {
        // A model has few maps, and the request may mean any of them.
        suggestions = names;
        suggestions.dedup();
    }
    suggestions.truncate(MAX_SUGGESTIONS);
    let suggestions: Vec<&str> = suggestions.iter().map(SmolStr::as_str).collect();
    let error = match kind {
        Some(ElementKind::ContextMap | ElementKind::DomainMap) | None => format!("Map '{fqn}' not found"),
        Some(kind) => format!("'{fqn}' is a {}, not a map", kind.type_name()),
    };
    let kind = kind.map(ElementKind::type_name);
    json!({
        "fqn": fqn, "type": kind, "format": format.as_str(), "diagram": null, "error": error, "suggestions": suggestions
    })
}

/// Escapes a label's text. Letters, digits, blanks and dots are unchanged in every format, and so is a single `_` or
/// `-` between two of them; `special` escapes everything else. Control characters are removed.
fn escape(text: &str, special: impl Fn(char) -> String) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let is_inside = |other: Option<char>| other.is_some_and(char::is_alphanumeric);
        match c {
            '.' | ' ' => escaped.push(c),
            '_' | '-' if is_inside(before) && is_inside(characters.peek().copied()) => escaped.push(c),
            c if c.is_alphanumeric() => escaped.push(c),
            c if c.is_control() => {}
            c => escaped.push_str(&special(c)),
        }
        before = Some(c);
    }
    escaped
}

#[cfg(test)]
mod tests;
