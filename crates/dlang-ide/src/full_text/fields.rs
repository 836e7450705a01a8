//! The texts of an element, field by field.

use dlang_model::{Body, ContextData, Db, DecisionKind, Definition, DomainData, file_index, file_model};

/// The role of a text in its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    Name,
    /// The enclosing namespaces.
    Namespace,
    Description,
    Vision,
    Term,
    Synonym,
    Example,
    Decision,
    Policy,
    Rule,
    Metadata,
}

impl FieldKind {
    /// Returns the name of the field in answers.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Namespace => "namespace",
            Self::Description => "description",
            Self::Vision => "vision",
            Self::Term => "term",
            Self::Synonym => "synonym",
            Self::Example => "example",
            Self::Decision => "decision",
            Self::Policy => "policy",
            Self::Rule => "rule",
            Self::Metadata => "metadata",
        }
    }

    /// Returns the weight of a match in the field's name.
    pub(super) fn name_weight(self) -> u32 {
        match self {
            Self::Name => 8,
            Self::Namespace => 1,
            Self::Term | Self::Decision | Self::Policy | Self::Rule => 5,
            Self::Metadata => 3,
            // The name is that of the term, which is a separate field.
            Self::Synonym | Self::Example => 0,
            Self::Description | Self::Vision => 0,
        }
    }

    /// Returns the weight of a match in the field's text.
    pub(super) fn text_weight(self) -> u32 {
        match self {
            Self::Synonym | Self::Metadata => 4,
            Self::Example => 2,
            _ => 3,
        }
    }
}

/// One text, or a name with a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'db> {
    pub(super) kind: FieldKind,
    pub(super) name: Option<&'db str>,
    pub(super) text: Option<&'db str>,
}

/// Returns the texts of an element, in the order of importance of its parts.
pub(super) fn fields(db: &dyn Db, definition: Definition) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    if let Some(element) = file_index(db, definition.file).element(definition.number) {
        let name = element.name.as_deref();
        push(&mut fields, FieldKind::Name, name, None);
        let namespace = element.fqn().zip(name).and_then(|(fqn, name)| fqn.strip_suffix(name)?.strip_suffix('.'));
        push(&mut fields, FieldKind::Namespace, namespace, None);
    }
    match definition.body(db) {
        Some(Body::Domain(domain)) => push_domain(&mut fields, domain),
        Some(Body::Context(context)) => push_context(db, definition, &mut fields, context),
        _ => {}
    }
    fields
}

fn push<'db>(fields: &mut Vec<Field<'db>>, kind: FieldKind, name: Option<&'db str>, text: Option<&'db str>) {
    if name.is_some() || text.is_some() {
        fields.push(Field { kind, name, text });
    }
}

fn push_domain<'db>(fields: &mut Vec<Field<'db>>, domain: &'db DomainData) {
    push(fields, FieldKind::Description, None, domain.description.as_deref());
    push(fields, FieldKind::Vision, None, domain.vision.as_deref());
}

fn push_context<'db>(db: &'db dyn Db, definition: Definition, fields: &mut Vec<Field<'db>>, context: &'db ContextData) {
    push(fields, FieldKind::Description, None, context.description.as_deref());
    for term in &context.terms {
        let name = term.name.as_deref();
        push(fields, FieldKind::Term, name, term.meaning.as_deref());
        for synonym in &term.synonyms {
            push(fields, FieldKind::Synonym, name, Some(synonym));
        }
        for example in &term.examples {
            push(fields, FieldKind::Example, name, Some(example));
        }
    }
    for decision in &context.decisions {
        let kind = match decision.kind {
            DecisionKind::Decision => FieldKind::Decision,
            DecisionKind::Policy => FieldKind::Policy,
            DecisionKind::Rule => FieldKind::Rule,
        };
        push(fields, kind, decision.name.as_deref(), decision.value.as_deref());
    }
    let model = file_model(db, definition.file);
    for entry in &context.metadata {
        let key = model.reference(entry.key).map(|key| key.text.as_str());
        push(fields, FieldKind::Metadata, key, entry.value.as_deref());
    }
}
