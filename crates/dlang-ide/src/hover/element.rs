//! Explanations of elements: everything that a file or namespace declares.

use dlang_model::{
    Body, ContextData, Definition, DomainData, ElementKind, File, MapData, Reference, ReferenceId, effective_team,
    file_index, file_model, imported_files, resolutions, resolve_name, target, usages,
};
use dlang_syntax::{AstNode as _, trivia};
use rustc_hash::FxHashSet;

use super::page::{NOT_FOUND, Page, code, line, name, prose, render_unresolved, short};
use super::part::{header, relationship_line};

/// Explains an element as a file sees it.
pub(crate) fn element(page: &mut Page<'_>, definition: Definition, from: File) -> Option<String> {
    let kind = definition.kind(page.db)?;
    let (emoji, word) = match kind {
        ElementKind::Domain => ("📁", "domain"),
        ElementKind::BoundedContext => ("🎯", "bounded context"),
        ElementKind::Team => ("👥", "team"),
        ElementKind::Classification => ("🏷️", "classification"),
        ElementKind::Metadata => ("🔖", "metadata"),
        ElementKind::ContextMap => ("🗺️", "context map"),
        ElementKind::DomainMap => ("🗺️", "domain map"),
        ElementKind::Namespace => ("🧭", "namespace"),
    };
    let documentation = definition.syntax(page.db).and_then(|node| trivia::documentation(node.syntax()));
    let title = title(page, definition, from);
    let mut parts = vec![header(documentation.as_deref(), emoji, word, &title)];
    match definition.body(page.db)? {
        Body::Domain(data) => domain(page, definition, data, &mut parts),
        Body::Context(data) => context(page, definition, data, &mut parts),
        Body::ContextMap(data) => {
            section(&mut parts, entries(page, definition, data, "**📕 Bounded Contexts**"));
            section(&mut parts, relationships(page, definition, &data.relationships, "**🔗 Relationships**"));
        }
        Body::DomainMap(data) => section(&mut parts, entries(page, definition, data, "**📁 Domains**")),
        Body::None if kind == ElementKind::Namespace => namespace(page, definition, &mut parts),
        Body::None => section(&mut parts, user_list(page, definition, kind)),
    }
    Some(parts.join("\n\n"))
}

/// Returns the title of an element, as seen from a file.
fn title(page: &Page<'_>, definition: Definition, from: File) -> String {
    let db = page.db;
    let Some(fqn) = definition.fqn(db).or_else(|| definition.name(db)) else { return "?".to_owned() };
    let Some(kind) = definition.kind(db).filter(|_| definition.file != from) else { return name(&fqn) };
    let is_match = |path: &str| resolve_name(db, from, None, kind, path) == Some(definition);
    if is_match(&fqn) {
        return name(&fqn);
    }
    let imports = file_index(db, from).imports.iter().zip(imported_files(db, from));
    // The alias may belong to another file of the same package, so it is resolved instead of compared.
    let aliases = imports.filter(|(_, target)| target.is_some()).filter_map(|(import, _)| import.alias.as_ref());
    let path = aliases.map(|alias| format!("{alias}.{fqn}")).find(|path| is_match(path));
    name(path.as_deref().unwrap_or(&fqn))
}

/// Adds a section after a rule.
fn section(parts: &mut Vec<String>, text: Option<String>) {
    if let Some(text) = text {
        parts.extend(["---".to_owned(), text]);
    }
}

/// Renders a declaration without its body. Names in it are simple; unresolved ones are as written.
fn signature(page: &Page<'_>, definition: Definition, clauses: &[(&str, Option<ReferenceId>)]) -> String {
    let db = page.db;
    let word = definition.kind(db).map(ElementKind::type_name).unwrap_or_default();
    let mut text = format!("{word} {}", definition.name(db).as_deref().unwrap_or("?"));
    for (clause, id) in clauses {
        let Some(id) = *id else { continue };
        let simple = target(db, definition, Some(id)).and_then(|it| it.name(db));
        let written = || file_model(db, definition.file).reference(id).map(|it| it.text.clone());
        if let Some(name) = simple.or_else(written).filter(|name| !name.is_empty()) {
            text.extend([" ", clause, " ", &name]);
        }
    }
    format!("```domain-lang\n{}\n```", short(&text))
}

fn domain(page: &mut Page<'_>, definition: Definition, data: &DomainData, parts: &mut Vec<String>) {
    parts.push(signature(page, definition, &[("in", data.parent)]));
    parts.extend(data.description.as_deref().and_then(prose));
    let vision = data.vision.as_deref().and_then(line);
    let classification = data.classification.and_then(|id| page.reference(definition, id));
    let parent = data.parent.and_then(|id| page.reference(definition, id));
    let fields = [("Vision", vision), ("Type", classification), ("Parent", parent)];
    let fields = fields.into_iter().filter_map(|(title, value)| Some(format!("**{title}:** {}", value?)));
    let fields: Vec<_> = fields.collect();
    section(parts, (!fields.is_empty()).then(|| fields.join("\n\n")));
}

fn context(page: &mut Page<'_>, definition: Definition, data: &ContextData, parts: &mut Vec<String>) {
    let (classification, team) = (data.classifications.first().copied(), data.teams.first().copied());
    parts.push(signature(page, definition, &[("for", data.domain), ("as", classification), ("by", team)]));
    parts.extend(data.description.as_deref().and_then(prose));
    let fields = [
        ("📁", "Domain", data.domain),
        ("🔖", "Classification", classification),
        ("👥", "Team", team),
        ("💼", "Business Model", data.business_model),
        ("🔄", "Evolution", data.evolution),
        ("🧩", "Archetype", data.archetype),
    ];
    let fields = fields.into_iter().filter_map(|(emoji, title, id)| {
        let value = page.reference(definition, id?)?;
        Some(format!("{emoji} **{title}:** {value}"))
    });
    let fields: Vec<_> = fields.collect();
    section(parts, (!fields.is_empty()).then(|| fields.join("\n")));

    parts.extend(relationships(page, definition, &data.relationships, "**Relationships:**"));
    let terms = data.terms.iter().filter_map(|term| Some(entry(term.name.as_ref()?, term.meaning.as_deref())));
    parts.extend(Page::list("**Terminology:**", terms.clone().count(), terms));
    let decisions = data.decisions.iter().filter_map(|it| Some(entry(it.name.as_ref()?, it.value.as_deref())));
    parts.extend(Page::list("**Decisions:**", decisions.clone().count(), decisions));
    let model = file_model(page.db, definition.file);
    let metadata = data.metadata.iter().filter_map(|it| {
        let rendered = entry(&model.reference(it.key)?.text, it.value.as_deref());
        let is_there = target(page.db, definition, Some(it.key)).is_some();
        Some(if is_there { rendered } else { format!("{rendered} {NOT_FOUND}") })
    });
    parts.extend(Page::list("**Metadata:**", metadata.clone().count(), metadata));
}

/// Renders a named entry of a list.
fn entry(name: &str, text: Option<&str>) -> String {
    match text.and_then(line) {
        Some(text) => format!("{}: {text}", code(name)),
        None => code(name),
    }
}

fn relationships(
    page: &mut Page<'_>,
    definition: Definition,
    numbers: &std::ops::Range<u32>,
    title: &str,
) -> Option<String> {
    let all = file_model(page.db, definition.file).relationships_in(numbers);
    Page::list(title, all.len(), all.iter().map(|it| relationship_line(page, definition, it)))
}

/// Returns the entries of a map: each element once.
fn entries(page: &mut Page<'_>, definition: Definition, data: &MapData, title: &str) -> Option<String> {
    enum ElementEntry<'a> {
        Element(Definition),
        Missing(&'a Reference),
    }
    let model = file_model(page.db, definition.file);
    let resolutions = resolutions(page.db, definition.file);
    let mut seen = FxHashSet::default();
    let mut all = Vec::new();
    for id in &data.entries {
        let targets = resolutions.targets(*id);
        all.extend(targets.iter().filter(|target| seen.insert(**target)).map(|target| ElementEntry::Element(*target)));
        if targets.is_empty() {
            all.extend(model.reference(*id).map(ElementEntry::Missing));
        }
    }
    let items = all.iter().map(|entry| match entry {
        ElementEntry::Element(definition) => page.link(*definition),
        ElementEntry::Missing(reference) => render_unresolved(reference).unwrap_or_else(|| "?".to_owned()),
    });
    Page::list(title, all.len(), items)
}

fn namespace(page: &mut Page<'_>, definition: Definition, parts: &mut Vec<String>) {
    let children = definition.children(page.db);
    let noun = if children.len() == 1 { "element" } else { "elements" };
    parts.push(format!("Contains {} {noun}.", children.len()));
    parts.extend(Page::list("", children.len(), children.iter().map(|child| page.link(*child))));
}

/// Lists the users of a team, classification or metadata key.
fn user_list(page: &mut Page<'_>, definition: Definition, kind: ElementKind) -> Option<String> {
    let db = page.db;
    let title = if kind == ElementKind::Team { "**Responsible for:**" } else { "**Used by:**" };
    let mut users: Vec<Definition> = Vec::new();
    for usage in usages(db, definition) {
        let Some(reference) = file_model(db, usage.file).reference(usage.reference) else { continue };
        let user = Definition { file: usage.file, number: reference.owner };
        // If a context has several teams, only the first is responsible. Usages are in text order, so those of one
        // element are adjacent.
        let counts = kind != ElementKind::Team || effective_team(db, user) == Some(definition);
        if counts && users.last() != Some(&user) {
            users.push(user);
        }
    }
    Page::list(title, users.len(), users.iter().map(|user| page.link(*user)))
}
