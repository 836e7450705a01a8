//! Explanations of parts that are not elements: terms, decisions, relationships, imports.

use std::fmt::Write as _;

use dlang_model::{
    Body, ContextData, DecisionKind, Definition, End, File, FileModel, ImportOutcome, Relationship, RelationshipForm,
    RelationshipKind, WrittenPattern, containing_context, definition_at, file_index, file_model, imported_files,
};
use dlang_syntax::ast::{Arrow, ImportStatement, PatternKind};
use dlang_syntax::{AstNode as _, SyntaxKind, SyntaxNode, SyntaxToken, TextSize, trivia};

use super::page::{MAX_ITEMS, NOT_FOUND, Page, RULE, code, emphasize, line, name, prose};

/// Renders the header of an explanation, after the documentation comment.
pub(super) fn header(documentation: Option<&str>, emoji: &str, kind: &str, title: &str) -> String {
    let documentation = documentation.and_then(emphasize).map(|text| text + RULE).unwrap_or_default();
    format!("{documentation}{emoji} **({kind}) {title}**")
}

/// Returns the bounded context that contains a node.
fn context_around<'a>(page: &Page<'a>, file: File, node: &SyntaxNode) -> Option<(Definition, &'a ContextData)> {
    let context = node.ancestors().find(|node| node.kind() == SyntaxKind::BOUNDED_CONTEXT)?;
    let definition = definition_at(page.db, file, context.text_range())?;
    match definition.body(page.db)? {
        Body::Context(data) => Some((definition, data)),
        _ => None,
    }
}

/// Explains a term, with its synonyms and examples.
pub(super) fn term(page: &Page<'_>, file: File, node: &SyntaxNode) -> Option<String> {
    let (_, context) = context_around(page, file, node)?;
    let term = context.terms.iter().find(|term| term.range == node.text_range())?;
    let documentation = trivia::documentation(node);
    let mut parts = vec![header(documentation.as_deref(), "🗝️", "term", &name(term.name.as_ref()?))];
    let meaning = term.meaning.as_deref().and_then(emphasize);
    let synonyms = Page::list("**Also known as:**", term.synonyms.len(), term.synonyms.iter().map(|it| code(it)));
    let examples = term.examples.iter().map(|it| line(it).unwrap_or_else(|| "(empty)".to_owned()));
    let examples = Page::list("**Examples:**", term.examples.len(), examples);
    let fields: Vec<_> = [meaning, synonyms, examples].into_iter().flatten().collect();
    if !fields.is_empty() {
        parts.push("---".to_owned());
        parts.extend(fields);
    }
    Some(parts.join("\n\n"))
}

/// Explains a decision, policy or rule.
pub(super) fn decision(page: &mut Page<'_>, file: File, node: &SyntaxNode) -> Option<String> {
    let (owner, context) = context_around(page, file, node)?;
    let decision = context.decisions.iter().find(|decision| decision.range == node.text_range())?;
    let (emoji, kind) = match decision.kind {
        DecisionKind::Decision => ("⚖️", "decision"),
        DecisionKind::Policy => ("📜", "policy"),
        DecisionKind::Rule => ("⚖️", "rule"),
    };
    let documentation = trivia::documentation(node);
    let mut parts = vec![header(documentation.as_deref(), emoji, kind, &name(decision.name.as_ref()?))];
    let value = decision.value.as_deref().and_then(prose).map(|value| format!("*Definition:* {value}"));
    let classification = decision.classification.and_then(|id| page.reference(owner, id));
    let classification = classification.map(|it| format!("🔖 **Classification:** {it}"));
    let fields: Vec<_> = [value, classification].into_iter().flatten().collect();
    if !fields.is_empty() {
        parts.push("---".to_owned());
        parts.extend(fields);
    }
    Some(parts.join("\n\n"))
}

/// Explains an import.
pub(super) fn import(page: &mut Page<'_>, file: File, node: &ImportStatement) -> Option<String> {
    let db = page.db;
    let range = node.syntax().text_range();
    let number = file_model(db, file).imports.iter().position(|import| import.range == range)?;
    let import = file_index(db, file).imports.get(number)?;
    let target = imported_files(db, file).get(number).copied().flatten();
    let specifier = import.specifier.as_deref();
    let title =
        import.alias.as_deref().map(name).or_else(|| specifier.and_then(line)).unwrap_or_else(|| "?".to_owned());
    let documentation = trivia::documentation(node.syntax());
    let mut parts = vec![header(documentation.as_deref(), "📦", "import", &title), "---".to_owned()];
    if let Some(uri) = specifier.and_then(line) {
        let link = match target {
            Some(target) => page.link_to(uri, target, TextSize::new(0)),
            None => uri,
        };
        parts.push(format!("**URI:** {link}"));
    }
    if let Some(alias) = &import.alias {
        parts.push(format!("**Alias:** {}", name(alias)));
    }
    if let Some(target) = target {
        let visible = file_index(db, target).elements.iter();
        let count = visible.filter(|it| it.kind.is_referenceable() && it.fqn().is_some()).count();
        let noun = if count == 1 { "element" } else { "elements" };
        parts.push(format!("Shows {count} {noun}."));
    } else if let Some(ImportOutcome::Problem(problem)) = specifier.and_then(|it| file.import_outcomes(db).get(it)) {
        parts.extend(prose(&problem.text()));
    }
    Some(parts.join("\n\n"))
}

/// Returns the relationship that contains a token.
pub(super) fn relationship_around<'a>(model: &'a FileModel, token: &SyntaxToken) -> Option<&'a Relationship> {
    let node = token.parent_ancestors().find(|node| {
        matches!(node.kind(), SyntaxKind::DIRECTIONAL_RELATIONSHIP | SyntaxKind::SYMMETRIC_RELATIONSHIP)
    })?;
    let range = node.text_range();
    let before = model.relationships.partition_point(|it| it.range.start() < range.start());
    model.relationships.get(before).filter(|it| it.range == range)
}

/// Explains the relationship that an arrow or bracket belongs to.
pub(super) fn relationship(page: &mut Page<'_>, file: File, token: &SyntaxToken) -> Option<String> {
    let relationship = relationship_around(file_model(page.db, file), token)?;
    let node = token.parent_ancestors().find(|node| node.text_range() == relationship.range)?;
    let owner = Definition { file, number: relationship.owner };
    let (left, right) =
        (end(page, owner, relationship, relationship.left), end(page, owner, relationship, relationship.right));
    let title = format!("{left} {} {right}", arrow(&relationship.form));
    let documentation = trivia::documentation(&node);
    let mut parts = vec![header(documentation.as_deref(), "🔗", "relationship", &title)];
    let mut fields = Vec::new();
    if let Some(kind) = RelationshipKind::from_form(&relationship.form) {
        fields.push(format!("**Kind:** {}", kind.as_str()));
    }
    match &relationship.form {
        RelationshipForm::Directional { arrow, left: left_patterns, right: right_patterns } => {
            match arrow {
                Some(Arrow::Right) => {
                    fields.extend([format!("**Upstream:** {left}"), format!("**Downstream:** {right}")]);
                }
                Some(Arrow::Left) => {
                    fields.extend([format!("**Upstream:** {right}"), format!("**Downstream:** {left}")]);
                }
                Some(Arrow::Both) | None => {}
            }
            for (title, patterns) in [("Left patterns", left_patterns), ("Right patterns", right_patterns)] {
                let names = names(patterns, PatternKind::long_name);
                fields.extend(names.map(|names| format!("**{title}:** {names}")));
            }
        }
        RelationshipForm::Symmetric { pattern, .. } => {
            fields.extend(pattern.map(|pattern| format!("**Pattern:** {}", pattern.kind.long_name())));
        }
    }
    if !fields.is_empty() {
        parts.push("---".to_owned());
        parts.extend(fields);
    }
    Some(parts.join("\n\n"))
}

/// Renders a relationship on one line: `Left → Right [OHS] → [CF]`.
pub(super) fn relationship_line(page: &mut Page<'_>, owner: Definition, relationship: &Relationship) -> String {
    let mut text = end(page, owner, relationship, relationship.left);
    let arrow = arrow(&relationship.form);
    _ = write!(text, " {arrow} ");
    text.push_str(&end(page, owner, relationship, relationship.right));
    match &relationship.form {
        RelationshipForm::Directional { left, right, .. } => match (short_names(left), short_names(right)) {
            (None, None) => {}
            (left, right) => {
                for part in [left.as_deref(), Some(arrow), right.as_deref()].into_iter().flatten() {
                    text.push(' ');
                    text.push_str(part);
                }
            }
        },
        RelationshipForm::Symmetric { pattern: Some(pattern), .. } => {
            _ = write!(text, " {}", short_names(&[*pattern]).unwrap_or_default());
        }
        RelationshipForm::Symmetric { pattern: None, .. } => {}
    }
    text
}

fn arrow(form: &RelationshipForm) -> &'static str {
    match form {
        RelationshipForm::Directional { arrow: Some(Arrow::Right), .. } => "→",
        RelationshipForm::Directional { arrow: Some(Arrow::Left), .. } => "←",
        RelationshipForm::Directional { arrow: Some(Arrow::Both), .. }
        | RelationshipForm::Symmetric { is_apart: false, .. } => "↔",
        RelationshipForm::Symmetric { is_apart: true, .. } => "><",
        RelationshipForm::Directional { arrow: None, .. } => "?",
    }
}

/// Formats patterns as `[OHS, PL]`. Such brackets are a link only before an address, which never follows.
fn short_names(patterns: &[WrittenPattern]) -> Option<String> {
    names(patterns, PatternKind::short_name).map(|names| format!("[{names}]"))
}

/// Returns the names of patterns, with commas between them.
fn names(patterns: &[WrittenPattern], name: fn(PatternKind) -> &'static str) -> Option<String> {
    let pattern_names: Vec<_> = patterns.iter().take(MAX_ITEMS).map(|pattern| name(pattern.kind)).collect();
    let mut names = pattern_names.join(", ");
    if let Some(more) = patterns.len().checked_sub(MAX_ITEMS).filter(|more| *more > 0) {
        _ = write!(names, ", …and {more} more");
    }
    (!names.is_empty()).then_some(names)
}

/// Formats an end of a relationship. `this` is the context that contains the relationship; in a map it does not
/// resolve.
fn end(page: &mut Page<'_>, owner: Definition, relationship: &Relationship, end: End) -> String {
    let text = match end {
        End::Missing => None,
        End::This(_) => match containing_context(page.db, owner.file, relationship) {
            Some(context) => Some(page.link(context)),
            None => Some(format!("this {NOT_FOUND}")),
        },
        End::Context(id) => page.reference(owner, id),
    };
    text.unwrap_or_else(|| "?".to_owned())
}
