//! Bounded contexts: header, properties and blocks.

use dlang_syntax::{SyntaxKind, SyntaxNode};
use smol_str::SmolStr;

use super::{LoweringState, dotted_text, name_of, string_of, strings_of};
use crate::data::{ContextData, DecisionData, DecisionKind, MetadataData, ReferenceRole, TermData};

impl LoweringState {
    pub(super) fn context(&mut self, node: &SyntaxNode, owner: u32) -> ContextData {
        let begin = self.next_relationship();
        let mut context = ContextData::default();
        for child in node.children() {
            match child.kind() {
                SyntaxKind::FOR_CLAUSE => {
                    context.for_clause = Some(child.text_range());
                    let domain = self.target(&child, ReferenceRole::ContextDomain, owner);
                    context.domain = context.domain.or(domain);
                }
                SyntaxKind::AS_CLAUSE => {
                    context.classifications.extend(self.target(&child, ReferenceRole::HeaderClassification, owner));
                }
                SyntaxKind::BY_CLAUSE => context.teams.extend(self.target(&child, ReferenceRole::HeaderTeam, owner)),
                SyntaxKind::CONTEXT_BODY => {
                    for property in child.children() {
                        self.context_property(&property, owner, &mut context);
                    }
                }
                _ => {}
            }
        }
        context.relationships = begin..self.next_relationship();
        context
    }

    fn context_property(&mut self, node: &SyntaxNode, owner: u32, context: &mut ContextData) {
        match node.kind() {
            SyntaxKind::DESCRIPTION_PROPERTY => context.description = string_of(node),
            SyntaxKind::CLASSIFICATION_PROPERTY => {
                context.classifications.extend(self.target(node, ReferenceRole::BodyClassification, owner));
            }
            SyntaxKind::TEAM_PROPERTY => context.teams.extend(self.target(node, ReferenceRole::BodyTeam, owner)),
            SyntaxKind::BUSINESS_MODEL_PROPERTY => {
                context.business_model = self.target(node, ReferenceRole::BusinessModel, owner);
            }
            SyntaxKind::EVOLUTION_PROPERTY => context.evolution = self.target(node, ReferenceRole::Evolution, owner),
            SyntaxKind::ARCHETYPE_PROPERTY => context.archetype = self.target(node, ReferenceRole::Archetype, owner),
            SyntaxKind::METADATA_BLOCK => {
                for entry in node.children().filter(|entry| entry.kind() == SyntaxKind::METADATA_ENTRY) {
                    if let Some(key) = self.target(&entry, ReferenceRole::MetadataKey, owner) {
                        context.metadata.push(MetadataData {
                            key,
                            value: string_of(&entry),
                            range: entry.text_range(),
                        });
                    }
                }
            }
            SyntaxKind::RELATIONSHIPS_BLOCK => {
                for relationship in node.children() {
                    self.relationship(&relationship, owner);
                }
            }
            SyntaxKind::TERMINOLOGY_BLOCK => {
                context.terms.extend(
                    node.children().filter(|term| term.kind() == SyntaxKind::DOMAIN_TERM).map(|node| term(&node)),
                );
            }
            SyntaxKind::DECISIONS_BLOCK => {
                for node in node.children() {
                    let kind = match node.kind() {
                        SyntaxKind::DECISION => DecisionKind::Decision,
                        SyntaxKind::POLICY => DecisionKind::Policy,
                        SyntaxKind::BUSINESS_RULE => DecisionKind::Rule,
                        _ => continue,
                    };
                    let classification = self.target(&node, ReferenceRole::DecisionClassification, owner);
                    let (name, name_range) = name_of(&node).unzip();
                    context.decisions.push(DecisionData {
                        kind,
                        classification,
                        name,
                        name_range,
                        value: string_of(&node),
                        range: node.text_range(),
                    });
                }
            }
            _ => {}
        }
    }
}

fn term(node: &SyntaxNode) -> TermData {
    let (name, name_range) = name_of(node).unzip();
    let mut term = TermData {
        name,
        name_range,
        meaning: string_of(node),
        synonyms: Box::default(),
        examples: Box::default(),
        range: node.text_range(),
    };
    for child in node.children() {
        match child.kind() {
            SyntaxKind::SYNONYM_LIST => {
                let names = child.children().filter(|name| name.kind() == SyntaxKind::NAME);
                term.synonyms = names.map(|name| dotted_text(&name)).collect::<Vec<SmolStr>>().into();
            }
            SyntaxKind::EXAMPLE_LIST => term.examples = strings_of(&child).collect::<Vec<_>>().into(),
            _ => {}
        }
    }
    term
}
