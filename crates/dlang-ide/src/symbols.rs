//! The outline of a text.

use dlang_syntax::ast::{
    BoundedContext, ContextMap, ContextProperty, DecisionItem, Domain, DomainMap, DomainProperty, DomainTerm, Element,
    HasName as _, MetadataEntry, Name, NamespaceDeclaration, Relationship, StringToken,
};
use dlang_syntax::{AstChildren, AstNode, DomainLang, Parse, TextRange};

/// A named part of a text, with the symbols inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name; never empty.
    pub name: String,
    /// Further details, on one line.
    pub detail: Option<String>,
    /// The kind of the symbol.
    pub kind: SymbolKind,
    /// The whole range.
    pub range: TextRange,
    /// The range of the name, for navigation. Inside of `range`.
    pub selection: TextRange,
    /// The symbols inside it, in the order of the text; for a bounded context, one folder for each kind of entry.
    pub children: Vec<Self>,
}

/// The kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A domain.
    Domain,
    /// A bounded context.
    BoundedContext,
    /// A team.
    Team,
    /// A classification.
    Classification,
    /// A key for metadata.
    Metadata,
    /// A context map.
    ContextMap,
    /// A domain map.
    DomainMap,
    /// A namespace.
    Namespace,
    /// A folder for the entries of one kind in a bounded context.
    Folder,
    /// A relationship between bounded contexts.
    Relationship,
    /// A term.
    Term,
    /// A decision.
    Decision,
    /// A policy.
    Policy,
    /// A business rule.
    Rule,
    /// A value for a metadata key.
    MetadataEntry,
}

/// Returns the outline of a text. A declaration without a name is left out, unless it contains other elements: then its
/// name is `?`.
///
/// Only namespaces nest. They are on an explicit stack, so that the nesting depth is not limited.
pub fn document_symbols(parse: &Parse) -> Vec<Symbol> {
    let mut open: Vec<OpenNamespace> = Vec::new();
    let mut found = Vec::new();
    let mut rest = parse.tree().children();
    loop {
        match rest.next() {
            Some(Element::NamespaceDeclaration(namespace)) => {
                if let Some(body) = namespace.body() {
                    let rest = std::mem::replace(&mut rest, body.children());
                    open.push(OpenNamespace { namespace, preceding: std::mem::take(&mut found), rest });
                } else {
                    found.extend(element(&Element::NamespaceDeclaration(namespace), Vec::new()));
                }
            }
            Some(inner) => found.extend(element(&inner, Vec::new())),
            None => {
                let Some(enclosing) = open.pop() else { return found };
                let children = std::mem::replace(&mut found, enclosing.preceding);
                found.extend(element(&Element::NamespaceDeclaration(enclosing.namespace), children));
                rest = enclosing.rest;
            }
        }
    }
}

/// A namespace whose elements are being traversed.
struct OpenNamespace {
    namespace: NamespaceDeclaration,
    /// The symbols before it in the enclosing block.
    preceding: Vec<Symbol>,
    /// The elements after it in that block.
    rest: AstChildren<Element>,
}

/// Returns the symbol of an element, given the children if it is a namespace.
fn element(element: &Element, namespace_children: Vec<Symbol>) -> Option<Symbol> {
    let (kind, detail, children) = match element {
        Element::Domain(it) => (SymbolKind::Domain, Some(domain_detail(it)), Vec::new()),
        Element::BoundedContext(it) => (SymbolKind::BoundedContext, context_detail(it), folders(it)),
        Element::Team(_) => (SymbolKind::Team, None, Vec::new()),
        Element::Classification(_) => (SymbolKind::Classification, None, Vec::new()),
        Element::Metadata(_) => (SymbolKind::Metadata, None, Vec::new()),
        Element::ContextMap(it) => (SymbolKind::ContextMap, context_map_detail(it), relationships(it)),
        Element::DomainMap(it) => (SymbolKind::DomainMap, domain_map_detail(it), Vec::new()),
        Element::NamespaceDeclaration(it) => (SymbolKind::Namespace, it.name_text(), namespace_children),
    };
    let range = element.syntax().text_range();
    let name = element.name_text().filter(|name| !name.is_empty());
    let selection = element.name_range().or_else(|| element.keyword_token().map(|word| word.text_range()));
    let name = match name {
        Some(name) => name,
        None if children.is_empty() => return None,
        None => "?".to_owned(),
    };
    Some(Symbol { name, detail, kind, range, selection: selection.unwrap_or(range), children })
}

fn domain_detail(domain: &Domain) -> String {
    let (mut vision, mut description) = (None, None);
    for property in domain.body().into_iter().flat_map(|body| body.properties()) {
        match property {
            DomainProperty::VisionProperty(it) => vision = it.value().or(vision),
            DomainProperty::DescriptionProperty(it) => description = it.value().or(description),
            DomainProperty::TypeProperty(_) => {}
        }
    }
    match vision.or(description) {
        Some(text) => format!("Domain — {}", one_line(&text)),
        None => "Domain".to_owned(),
    }
}

fn context_detail(context: &BoundedContext) -> Option<String> {
    let domain = context.domain().and_then(|clause| clause.target_text());
    let properties = context.body().into_iter().flat_map(|body| body.properties());
    let descriptions = properties.filter_map(|property| match property {
        ContextProperty::DescriptionProperty(it) => it.value(),
        _ => None,
    });
    let description = descriptions.last().map(|text| one_line(&text));
    let parts: Vec<_> = domain.map(|domain| format!("BC for {domain}")).into_iter().chain(description).collect();
    (!parts.is_empty()).then(|| parts.join(" — "))
}

fn context_map_detail(map: &ContextMap) -> Option<String> {
    let clauses = map.body().into_iter().flat_map(|body| body.contains());
    number(clauses.map(|clause| clause.entries().count()).sum(), "context")
}

fn domain_map_detail(map: &DomainMap) -> Option<String> {
    let clauses = map.body().into_iter().flat_map(|body| body.contains());
    number(clauses.map(|clause| clause.entries().count()).sum(), "domain")
}

/// Formats a number as in `2 domains`; `None` for 0.
fn number(count: usize, noun: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{count} {noun}s")),
    }
}

/// Returns the value of a string, with every run of white space replaced by one blank.
fn one_line(string: &StringToken) -> String {
    string.value().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the contents of a bounded context's blocks, by kind, whatever the order of the blocks.
fn folders(context: &BoundedContext) -> Vec<Symbol> {
    let (mut decisions, mut terms, mut relationships, mut metadata) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for property in context.body().into_iter().flat_map(|body| body.properties()) {
        match property {
            ContextProperty::DecisionsBlock(it) => decisions.extend(it.decisions().filter_map(|it| decision(&it))),
            ContextProperty::TerminologyBlock(it) => terms.extend(it.terms().filter_map(|it| term(&it))),
            ContextProperty::RelationshipsBlock(it) => {
                relationships.extend(it.relationships().filter_map(|it| relationship(&it)));
            }
            ContextProperty::MetadataBlock(it) => metadata.extend(it.entries().filter_map(|it| metadata_entry(&it))),
            _ => {}
        }
    }
    let folders =
        [("decisions", decisions), ("terminology", terms), ("relationships", relationships), ("metadata", metadata)];
    folders.into_iter().filter_map(|(name, children)| folder(name, children)).collect()
}

fn folder(name: &str, children: Vec<Symbol>) -> Option<Symbol> {
    let (first, last) = children.first().zip(children.last())?;
    let (range, selection) = (first.range.cover(last.range), first.selection);
    let detail = number(children.len(), "item");
    Some(Symbol { name: name.to_owned(), detail, kind: SymbolKind::Folder, range, selection, children })
}

fn decision(item: &DecisionItem) -> Option<Symbol> {
    match item {
        DecisionItem::Decision(it) => named_symbol(it, it.name(), SymbolKind::Decision, it.value()),
        DecisionItem::Policy(it) => named_symbol(it, it.name(), SymbolKind::Policy, it.value()),
        DecisionItem::BusinessRule(it) => named_symbol(it, it.name(), SymbolKind::Rule, it.value()),
    }
}

fn term(term: &DomainTerm) -> Option<Symbol> {
    named_symbol(term, term.name(), SymbolKind::Term, term.meaning())
}

fn named_symbol(
    node: &impl AstNode<Language = DomainLang>,
    name: Option<Name>,
    kind: SymbolKind,
    text: Option<StringToken>,
) -> Option<Symbol> {
    let name = name?;
    let detail = text.map(|text| one_line(&text)).filter(|text| !text.is_empty());
    let (range, selection) = (node.syntax().text_range(), name.syntax().text_range());
    Some(Symbol { name: name.text(), detail, kind, range, selection, children: Vec::new() })
}

fn metadata_entry(entry: &MetadataEntry) -> Option<Symbol> {
    let key = entry.key()?;
    Some(Symbol {
        name: key.text(),
        detail: entry.value().map(|value| one_line(&value)).filter(|text| !text.is_empty()),
        kind: SymbolKind::MetadataEntry,
        range: entry.syntax().text_range(),
        selection: key.syntax().text_range(),
        children: Vec::new(),
    })
}

fn relationships(map: &ContextMap) -> Vec<Symbol> {
    let all = map.body().into_iter().flat_map(|body| body.relationships());
    all.filter_map(|it| relationship(&it)).collect()
}

/// Returns the symbol of a relationship, named by its ends and always the same arrow: the text shows the real one.
fn relationship(relationship: &Relationship) -> Option<Symbol> {
    let name = format!("{} → {}", relationship.left()?.text(), relationship.right()?.text());
    let range = relationship.syntax().text_range();
    Some(Symbol { name, detail: None, kind: SymbolKind::Relationship, range, selection: range, children: Vec::new() })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::ops::Range;

    use dlang_syntax::parse;

    use super::{Symbol, document_symbols};

    /// Renders one line per symbol: kind, name, detail, and the selected text.
    #[track_caller]
    fn check(text: &str) -> String {
        let mut rendered = String::new();
        for symbol in document_symbols(&parse(text)) {
            show(text, &symbol, 0, &mut rendered);
        }
        rendered
    }

    fn show(text: &str, symbol: &Symbol, depth: usize, output: &mut String) {
        assert!(symbol.range.contains_range(symbol.selection), "{symbol:?}");
        let selected = &text[Range::<usize>::from(symbol.selection)];
        let detail = symbol.detail.as_deref().map(|it| format!(" ({it})")).unwrap_or_default();
        let indent = "  ".repeat(depth);
        _ = writeln!(output, "{indent}{:?} {}{detail} at `{selected}`", symbol.kind, symbol.name);
        for child in &symbol.children {
            assert!(symbol.range.contains_range(child.range), "{symbol:?}");
            show(text, child, depth + 1, output);
        }
    }

    #[test]
    fn elements() {
        insta::assert_snapshot!(check(
            "Domain A { description: \"d\" vision: \"v\n  w\" } dom B in A { description: 'd' } Domain C Team T \
             Classification K Metadata M ns N . M { ns O { Team U } } dmap P { contains A, B contains C } dmap Q { \
             contains A } cmap R { contains X X [OHS] <- Y.Z this [SK] X } cmap S { }"
        ), @r"
        Domain A (Domain — v w) at `A`
        Domain B (Domain — d) at `B`
        Domain C (Domain) at `C`
        Team T at `T`
        Classification K at `K`
        Metadata M at `M`
        Namespace N.M (N.M) at `N . M`
          Namespace O (O) at `O`
            Team U at `U`
        DomainMap P (3 domains) at `P`
        DomainMap Q (1 domain) at `Q`
        ContextMap R (1 context) at `R`
          Relationship X → Y.Z at `X [OHS] <- Y.Z`
          Relationship this → X at `this [SK] X`
        ContextMap S at `S`
        ");
    }

    #[test]
    fn a_bounded_context() {
        insta::assert_snapshot!(check(
            "bc A for N.D { description: 'old' relationships { this -> B } terminology { term T: \"m\" aka U term V } \
             metadata { N.K: \"v\" } decisions { decision [C] E: \"t\" policy P: \"q\" } description: 'new' rules { \
             rule R: '' } } bc B { description: 'd' } bc C for D bc E"
        ), @r"
        BoundedContext A (BC for N.D — new) at `A`
          Folder decisions (3 items) at `E`
            Decision E (t) at `E`
            Policy P (q) at `P`
            Rule R at `R`
          Folder terminology (2 items) at `T`
            Term T (m) at `T`
            Term V at `V`
          Folder relationships (1 item) at `this -> B`
            Relationship this → B at `this -> B`
          Folder metadata (1 item) at `N.K`
            MetadataEntry N.K (v) at `N.K`
        BoundedContext B (d) at `B`
        BoundedContext C (BC for D) at `C`
        BoundedContext E at `E`
        ");
    }

    #[test]
    fn unfinished_text() {
        insta::assert_snapshot!(check("Domain { } Team ns { Team T } bc X { terminology { term term T: } relationships { this -> } "), @r"
        Namespace ? at `ns`
          Team T at `T`
        BoundedContext X at `X`
          Folder terminology (1 item) at `T`
            Term T at `T`
        ");
    }
}
