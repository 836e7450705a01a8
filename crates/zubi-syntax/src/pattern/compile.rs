//! Compiles a pattern: finds code in which it is one node of the language's tree.
//!
//! A metavariable is not valid code in most languages. So a placeholder replaces it: an identifier, or a piece of code that
//! is valid at its position. A node with the range of a placeholder becomes the metavariable.

use std::ops::Range;

use ast_grep_core::matcher::PatternNode;
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, Pattern};
use tree_sitter::{Node, Parser, Tree};

use super::grammar::{self, PatternGrammar, PatternSyntax};
use super::tokens::{self, PatternToken, VariablePosition};
use super::{MAX_PATTERN_BYTES, PatternVariable, SyntaxPattern, depth, named_variable};
use crate::language::SyntaxLanguage;

/// The maximum depth of a pattern's tree, which is handled recursively.
const MAX_PATTERN_DEPTH: usize = 200;

/// The maximum number of lists in a pattern: the time of the search can double with each that contains another.
const MAX_LISTS: usize = 12;

/// The maximum number of kinds of nodes that a pattern can be.
const MAX_ALTERNATIVES: usize = 4;

/// The reason why a pattern is invalid, with an example of a valid one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The pattern has no code.
    #[error("the pattern is empty; an example for {language}: `{example}`")]
    Empty {
        /// The identifier of the language.
        language: &'static str,
        /// A valid pattern.
        example: &'static str,
    },
    /// The pattern is longer than [`MAX_PATTERN_BYTES`], nests too deeply or has too many lists.
    #[error(
        "the pattern is too large; the maximum is {MAX_PATTERN_BYTES} bytes, {MAX_PATTERN_DEPTH} levels and {MAX_LISTS} lists (`$$$`)"
    )]
    TooLarge,
    /// The grammar rejects the pattern.
    #[error("the pattern is not valid {language} code; an example: `{example}`")]
    Invalid {
        /// The identifier of the language.
        language: &'static str,
        /// A valid pattern.
        example: &'static str,
    },
    /// The pattern is valid code but not one node of the tree.
    #[error(
        "the pattern has several parts, but must be one expression, statement or declaration of {language}; an example: `{example}`"
    )]
    SeveralNodes {
        /// The identifier of the language.
        language: &'static str,
        /// A valid pattern.
        example: &'static str,
    },
    /// A metavariable is a part of a token, such as a longer string.
    #[error(
        "`{variable}` is a part of a longer token; a metavariable must be a whole expression, name, type or other node"
    )]
    InToken {
        /// The metavariable with its `$`.
        variable: String,
    },
    /// A metavariable follows a list, which takes as few nodes as possible.
    #[error(
        "`{variable}` directly follows a list (`$$$`), which would be empty; write code between them, or a list alone"
    )]
    AfterList {
        /// The metavariable with its `$`.
        variable: String,
    },
    /// The pattern is a single metavariable.
    #[error("the pattern matches everything; add code to it, as in `{example}`")]
    Unspecific {
        /// A valid pattern.
        example: &'static str,
    },
}

/// The code for a pattern, without its surroundings.
struct PatternCode {
    text: String,
    placeholders: Vec<Placeholder>,
}

/// A piece of code that replaces a metavariable.
struct Placeholder {
    range: Range<usize>,
    /// The metavariable as the user wrote it.
    original: String,
    metavariable: MetaVariable,
}

pub(super) fn compile(language: &'static SyntaxLanguage, pattern: &str) -> Result<SyntaxPattern, PatternError> {
    let pattern = pattern.trim();
    let syntax = grammar::pattern_syntax(language);
    let PatternSyntax { example, .. } = syntax;
    if pattern.is_empty() {
        return Err(PatternError::Empty { language: language.id, example });
    }
    let tokens = tokens::split(pattern, language);
    let is_list = |token: &&PatternToken<'_>| {
        matches!(
            token,
            PatternToken::Variable { metavariable: MetaVariable::Multiple | MetaVariable::MultiCapture(_), .. }
        )
    };
    if pattern.len() > MAX_PATTERN_BYTES || tokens.iter().filter(is_list).count() > MAX_LISTS {
        return Err(PatternError::TooLarge);
    }
    if tokens.iter().all(|token| matches!(token, PatternToken::Variable { .. })) {
        return Err(PatternError::Unspecific { example });
    }
    let forms_at = |position: VariablePosition| {
        let is_used =
            tokens.iter().any(|token| matches!(token, PatternToken::Variable { position: at, .. } if *at == position));
        let forms = position.forms();
        if is_used { forms } else { forms.get(..1).unwrap_or_default() }
    };
    let mut error = PatternError::Invalid { language: language.id, example };
    for name in syntax.names {
        for parameter in forms_at(VariablePosition::Parameter) {
            for member in forms_at(VariablePosition::Member) {
                let code = PatternCode::new(&tokens, |position| match position {
                    VariablePosition::Parameter => (name, parameter),
                    VariablePosition::Member => (name, member),
                    VariablePosition::Other => (name, "{}"),
                });
                match compile_code(language, syntax, &code) {
                    Ok(compiled) => return Ok(compiled),
                    Err(PatternError::Invalid { .. }) => {}
                    Err(other) => error = other,
                }
            }
        }
    }
    Err(error)
}

impl PatternCode {
    /// Replaces the metavariables. `forms` returns the form of a name, and the form of the code in which the name is.
    fn new<'a>(tokens: &[PatternToken<'_>], forms: impl Fn(VariablePosition) -> (&'a str, &'a str)) -> Self {
        let (mut text, mut placeholders) = (String::new(), Vec::new());
        for token in tokens {
            match token {
                PatternToken::Code(code) => text.push_str(code),
                PatternToken::Variable { original, name, metavariable, position } => {
                    let (name_form, form) = forms(*position);
                    let start = text.len();
                    text.push_str(&form.replace("{}", &name_form.replace("{}", name)));
                    let (range, metavariable) = (start..text.len(), metavariable.clone());
                    placeholders.push(Placeholder { range, original: (*original).to_owned(), metavariable });
                }
            }
        }
        Self { text, placeholders }
    }

    /// Whether other code must be equal to that of a metavariable. The library compares nodes of the same kind, so that the
    /// node must not be one that has only the code in it, such as PHP's `argument`.
    fn is_repeated(&self, placeholder: &Placeholder) -> bool {
        let same = |other: &&Placeholder| other.metavariable == placeholder.metavariable;
        named_variable(&placeholder.metavariable).is_some_and(|variable| !variable.is_list)
            && self.placeholders.iter().filter(same).count() > 1
    }
}

/// Whether a node has nothing but one child.
fn is_wrapper(node: Node<'_>) -> bool {
    node.child(0).is_some_and(|child| child.byte_range() == node.byte_range())
}

/// Compiles the code of a pattern, in all surroundings in which it is a different kind of node.
fn compile_code(
    language: &'static SyntaxLanguage,
    syntax: PatternSyntax,
    code: &PatternCode,
) -> Result<SyntaxPattern, PatternError> {
    let PatternSyntax { example, contexts, .. } = syntax;
    let mut error = PatternError::Invalid { language: language.id, example };
    let grammar = PatternGrammar { grammar: language.grammar };
    let mut alternatives: Vec<Alternative> = Vec::new();
    for (before, after) in contexts {
        let text = format!("{before}{}{after}", code.text);
        let Some(tree) = parse(language, &text).filter(|tree| !tree.root_node().has_error()) else { continue };
        if depth(&tree) > MAX_PATTERN_DEPTH {
            return Err(PatternError::TooLarge);
        }
        let range = before.len()..before.len() + code.text.len();
        let Some(node) = select(&tree, &text, &range) else {
            error = PatternError::SeveralNodes { language: language.id, example };
            continue;
        };
        let shape = node.to_sexp();
        if alternatives.iter().any(|alternative| alternative.shape == shape) {
            continue;
        }
        let mut conversion = Conversion {
            text: &text,
            code,
            start: range.start,
            end: range.end,
            names: Vec::new(),
            literals: Vec::new(),
            placed: Vec::new(),
            after_list: None,
        };
        let converted = conversion.convert(node);
        if let PatternNode::MetaVar { .. } = converted {
            error = PatternError::Unspecific { example };
            continue;
        }
        let Conversion { names, literals, placed, after_list, .. } = conversion;
        if let Some(index) = after_list {
            let variable = code.placeholders.get(index).map(|placeholder| placeholder.original.clone());
            error = PatternError::AfterList { variable: variable.unwrap_or_default() };
            continue;
        }
        if let Some(placeholder) = code.placeholders.iter().enumerate().find(|(index, _)| !placed.contains(index)) {
            error = PatternError::InToken { variable: placeholder.1.original.clone() };
            continue;
        }
        let mut pattern = Pattern::from(AstGrep::doc(StrDoc { src: text, lang: grammar, tree: tree.clone() }).root());
        pattern.node = converted;
        alternatives.push(Alternative { shape, pattern, names, literals });
        if alternatives.len() == MAX_ALTERNATIVES {
            break;
        }
    }
    let Some((first, others)) = alternatives.split_first() else { return Err(error) };
    let is_common = |literal: &&String| others.iter().all(|other| other.literals.contains(literal));
    let mut literals: Vec<String> = first.literals.iter().filter(is_common).cloned().collect();
    literals.sort();
    literals.dedup();
    let compares = alternatives.iter().any(|alternative| {
        let names = &alternative.names;
        names.iter().enumerate().any(|(index, name)| names.iter().skip(index + 1).any(|other| other == name))
    });
    let mut variables: Vec<PatternVariable> = alternatives.iter().flat_map(|it| it.names.iter().cloned()).collect();
    variables.sort();
    variables.dedup();
    let patterns = alternatives.into_iter().map(|alternative| alternative.pattern).collect();
    Ok(SyntaxPattern { language, grammar, patterns, variables, literals, compares, kinds: None })
}

/// A pattern as one kind of node.
struct Alternative {
    /// The kinds of its nodes.
    shape: String,
    pattern: Pattern,
    /// The named metavariables, as often as they occur.
    names: Vec<PatternVariable>,
    literals: Vec<String>,
}

fn parse(language: &SyntaxLanguage, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language.grammar.language()).ok()?;
    parser.parse(text, None)
}

/// Selects the smallest node with the range of a pattern. A line end or a semicolon of the surroundings may belong to it.
fn select<'tree>(tree: &'tree Tree, text: &str, range: &Range<usize>) -> Option<Node<'tree>> {
    let node = tree.root_node().descendant_for_byte_range(range.start, range.end)?;
    let added = text.get(range.end..node.end_byte())?.trim();
    let is_whole = node.start_byte() == range.start && matches!(added, "" | ";");
    if node.parent().is_some() {
        return is_whole.then_some(node);
    }
    // The root has the range of several statements too. At the top level, the semicolon after a class of C++ is a statement.
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    match children.as_slice() {
        [declaration, end] if declaration.is_named() && end.kind() == ";" => Some(*declaration),
        _ => None,
    }
}

/// The conversion of a tree to a pattern.
struct Conversion<'a> {
    text: &'a str,
    code: &'a PatternCode,
    /// The offset of the pattern in the text.
    start: usize,
    /// The end of the pattern in the text: nodes after it belong to the surroundings.
    end: usize,
    names: Vec<PatternVariable>,
    literals: Vec<String>,
    /// The indexes of the placeholders that are nodes.
    placed: Vec<usize>,
    /// The index of a placeholder of a single node that follows a list.
    after_list: Option<usize>,
}

impl Conversion<'_> {
    /// Converts a node, recursively: the depth of the tree is limited.
    fn convert(&mut self, node: Node<'_>) -> PatternNode {
        let end = node.end_byte().min(self.end);
        let range = node.start_byte().saturating_sub(self.start)..end.saturating_sub(self.start);
        let mut placeholders = self.code.placeholders.iter().enumerate();
        let found = placeholders.find(|(_, placeholder)| placeholder.range == range);
        if let Some((index, placeholder)) =
            found.filter(|(_, found)| !(self.code.is_repeated(found) && is_wrapper(node)))
        {
            self.placed.push(index);
            self.names.extend(named_variable(&placeholder.metavariable));
            return PatternNode::MetaVar { meta_var: placeholder.metavariable.clone() };
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        if children.is_empty() {
            let text = self.text.get(node.byte_range()).unwrap_or_default().to_owned();
            // The library compares only the kind of other tokens.
            if node.is_named() && !text.is_empty() {
                self.literals.push(text.clone());
            }
            return PatternNode::Terminal { text, is_named: node.is_named(), kind_id: node.kind_id() };
        }
        let end = self.end;
        let own = children.into_iter().filter(|child| child.start_byte() < end || child.byte_range().is_empty());
        let (mut converted, mut is_after_list) = (Vec::new(), false);
        for child in own {
            let child = self.convert(child);
            match &child {
                PatternNode::MetaVar { meta_var: MetaVariable::Multiple | MetaVariable::MultiCapture(_) } => {
                    is_after_list = true;
                }
                PatternNode::MetaVar { .. } if is_after_list => self.after_list = self.placed.last().copied(),
                // Separators may be missing in the text.
                PatternNode::Terminal { is_named: false, .. } => {}
                _ => is_after_list = false,
            }
            converted.push(child);
        }
        PatternNode::Internal { kind_id: node.kind_id(), children: converted }
    }
}
