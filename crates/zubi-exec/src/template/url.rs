//! Positions of placeholders in a URL, parsed as the URL Standard does. The host decides who receives the request, so
//! it cannot contain an argument.

use std::ops::Range;

use super::placeholder::{PlaceholderPosition, PlaceholderSource, TemplateProblem, array_problem};
use super::scan::{Placeholder, ScannedTemplate, TemplateToken};

/// The current part of the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UrlPart {
    Start,
    /// After a whole base that comes from the settings.
    AfterBase,
    Authority,
    Path,
    Query,
    Fragment,
}

pub(super) fn resolve_positions(scanned: &mut ScannedTemplate) -> Vec<Option<PlaceholderPosition>> {
    splice_variables(scanned);
    let mut reader =
        UrlReader { symbols: &scanned.symbols, placeholders: &scanned.placeholders, problems: Vec::new(), host: 0 };
    let positions = reader.read();
    scanned.problems.append(&mut reader.problems);
    let pairs = find_pairs(scanned, &positions, |position| matches!(position, PlaceholderPosition::Encoded));
    finish(scanned, positions, pairs)
}

pub(super) fn resolve_form_positions(scanned: &mut ScannedTemplate) -> Vec<Option<PlaceholderPosition>> {
    let positions: Vec<Option<PlaceholderPosition>> =
        vec![Some(PlaceholderPosition::Encoded); scanned.placeholders.len()];
    let pairs = find_pairs(scanned, &positions, |_| true);
    for (index, placeholder) in scanned.placeholders.iter().enumerate() {
        let key = scanned.symbols.iter().position(|symbol| *symbol == TemplateToken::Placeholder(index));
        if key.is_some_and(|at| !after_equals(&scanned.symbols, at)) && placeholder.source.argument().is_some() {
            scanned.problems.push(key_problem(placeholder));
        }
    }
    finish(scanned, positions, pairs)
}

fn key_problem(placeholder: &Placeholder) -> TemplateProblem {
    let message = format!("{} would be a name in the query; write the name", placeholder.source.describe());
    TemplateProblem::error(placeholder.range.clone(), message)
}

/// Replaces the file's variables up to the end of the host by their values.
fn splice_variables(scanned: &mut ScannedTemplate) {
    let mut symbols = Vec::with_capacity(scanned.symbols.len());
    let mut seen = String::new();
    for symbol in &scanned.symbols {
        let is_before_path = match seen.split_once("://") {
            Some((_, rest)) => !rest.contains(['/', '\\', '?', '#']),
            None => true,
        };
        match *symbol {
            TemplateToken::Placeholder(index) if is_before_path => match scanned.placeholders.get(index) {
                Some(Placeholder { source: PlaceholderSource::Variable(_, value), range }) => {
                    seen.push_str(value);
                    symbols.extend(value.chars().map(|character| TemplateToken::Char(character, range.start)));
                }
                _ => symbols.push(*symbol),
            },
            TemplateToken::Placeholder(_) => symbols.push(*symbol),
            TemplateToken::Char(character, _) => {
                seen.push(character);
                symbols.push(*symbol);
            }
        }
    }
    scanned.symbols = symbols;
}

struct UrlReader<'a> {
    symbols: &'a [TemplateToken],
    placeholders: &'a [Placeholder],
    problems: Vec<TemplateProblem>,
    /// The number of characters and placeholders in the host.
    host: usize,
}

impl UrlReader<'_> {
    fn read(&mut self) -> Vec<Option<PlaceholderPosition>> {
        let mut positions = vec![None; self.placeholders.len()];
        let mut at = UrlPart::Start;
        let mut index = 0;
        while let Some(symbol) = self.symbols.get(index).copied() {
            match symbol {
                TemplateToken::Placeholder(number) => {
                    if let (Some(found), Some(slot)) = (self.placeholders.get(number), positions.get_mut(number)) {
                        *slot = self.position_of(found, at, index);
                    }
                    match at {
                        UrlPart::Start => at = UrlPart::AfterBase,
                        UrlPart::Authority => self.host += 1,
                        _ => {}
                    }
                }
                TemplateToken::Char(character, offset) => {
                    let range = offset..offset + character.len_utf8();
                    if character.is_ascii_control() || character.is_whitespace() {
                        self.report(range.clone(), "a URL cannot contain white space; write `%20`");
                    }
                    if at == UrlPart::Start {
                        let rest = self.symbols.get(index..).unwrap_or_default();
                        let Some(length) = scheme(rest) else {
                            self.report(range, "a URL begins with `https://` or `http://`");
                            break;
                        };
                        index += length;
                        at = UrlPart::Authority;
                        continue;
                    }
                    at = self.next_part(at, character, range);
                }
            }
            index += 1;
        }
        if self.symbols.is_empty() || (at == UrlPart::Authority && self.host == 0) {
            self.report(0..0, "the URL has no host");
        }
        positions
    }

    fn report(&mut self, range: Range<usize>, message: &str) {
        self.problems.push(TemplateProblem::error(range, message));
    }

    fn next_part(&mut self, at: UrlPart, character: char, range: Range<usize>) -> UrlPart {
        match (at, character) {
            (UrlPart::Authority | UrlPart::AfterBase, '/' | '\\' | '?' | '#') => {
                if at == UrlPart::Authority && self.host == 0 {
                    self.report(range, "the URL has no host");
                }
                match character {
                    '?' => UrlPart::Query,
                    '#' => UrlPart::Fragment,
                    _ => UrlPart::Path,
                }
            }
            (UrlPart::AfterBase, _) => {
                self.report(range, "after a URL out of the settings comes `/`, `?` or `#`");
                UrlPart::Path
            }
            (UrlPart::Authority, '@') => {
                self.report(range, "a URL cannot contain a user name or a password; use the header `Authorization`");
                at
            }
            (UrlPart::Authority, _) => {
                self.host += 1;
                at
            }
            (UrlPart::Path, '?') => UrlPart::Query,
            (UrlPart::Path | UrlPart::Query, '#') => UrlPart::Fragment,
            _ => at,
        }
    }

    fn position_of(&mut self, placeholder: &Placeholder, at: UrlPart, index: usize) -> Option<PlaceholderPosition> {
        let is_environment = matches!(placeholder.source, PlaceholderSource::Environment(_));
        match at {
            UrlPart::Start | UrlPart::Authority if is_environment => {
                Some(if at == UrlPart::Start { PlaceholderPosition::UrlBase } else { PlaceholderPosition::UrlHost })
            }
            UrlPart::Start | UrlPart::Authority | UrlPart::AfterBase => {
                let message = format!(
                    "{} cannot choose the host; write the host, or use a variable",
                    placeholder.source.describe()
                );
                self.report(placeholder.range.clone(), &message);
                None
            }
            UrlPart::Path => {
                let is_edge = |symbol: Option<&TemplateToken>, delimiters: &str| match symbol {
                    None => true,
                    Some(TemplateToken::Char(character, _)) => delimiters.contains(*character),
                    Some(TemplateToken::Placeholder(_)) => false,
                };
                let before = index.checked_sub(1).and_then(|before| self.symbols.get(before));
                let is_alone = is_edge(before, "/\\") && is_edge(self.symbols.get(index + 1), "/\\?#");
                if placeholder.source.is_array() {
                    self.problems.push(array_problem(&placeholder.source, placeholder.range.clone()));
                } else if is_alone && placeholder.source.argument().is_some_and(|argument| !argument.required) {
                    let message = format!(
                        "{} may be missing, and the URL would name another resource; make it required",
                        placeholder.source.describe()
                    );
                    self.report(placeholder.range.clone(), &message);
                }
                Some(PlaceholderPosition::Segment { is_alone })
            }
            UrlPart::Query => {
                if placeholder.source.argument().is_some() && !after_equals(self.symbols, index) {
                    self.problems.push(key_problem(placeholder));
                }
                Some(PlaceholderPosition::Encoded)
            }
            UrlPart::Fragment => Some(PlaceholderPosition::Encoded),
        }
    }
}

/// Returns the number of symbols of `http://` or `https://`.
fn scheme(symbols: &[TemplateToken]) -> Option<usize> {
    let start: String = symbols
        .iter()
        .map_while(|symbol| if let TemplateToken::Char(c, _) = symbol { Some(*c) } else { None })
        .take(8)
        .collect();
    let start = start.to_ascii_lowercase();
    ["https://", "http://"].into_iter().find(|scheme| start.starts_with(scheme)).map(str::len)
}

/// Whether the placeholder at `index` is after the `=` of its pair.
fn after_equals(symbols: &[TemplateToken], index: usize) -> bool {
    let before = symbols.get(..index).unwrap_or_default();
    let found = before.iter().rev().find(|symbol| matches!(symbol, TemplateToken::Char('=' | '&' | '?', _)));
    matches!(found, Some(TemplateToken::Char('=', _)))
}

/// A pair whose value is one placeholder, with the symbols of its `&key=` and their text.
struct QueryPair {
    placeholder: usize,
    symbols: Range<usize>,
    separator: Option<char>,
    key: String,
}

fn find_pairs(
    scanned: &ScannedTemplate,
    positions: &[Option<PlaceholderPosition>],
    predicate: impl Fn(&PlaceholderPosition) -> bool,
) -> Vec<QueryPair> {
    let mut pairs = Vec::new();
    let mut start = None;
    // A form has no `?` before the first pair.
    if !scanned.symbols.iter().any(|symbol| matches!(symbol, TemplateToken::Char('?', _))) {
        start = Some(0);
    }
    for (at, symbol) in scanned.symbols.iter().enumerate() {
        match *symbol {
            TemplateToken::Char('#', _) => break,
            TemplateToken::Char('?' | '&', _) => start = Some(at),
            TemplateToken::Char(..) => {}
            TemplateToken::Placeholder(placeholder) => {
                let is_last = matches!(scanned.symbols.get(at + 1), None | Some(TemplateToken::Char('&' | '#', _)));
                let position = positions.get(placeholder).and_then(Option::as_ref);
                let Some(from) = start.filter(|_| is_last && position.is_some_and(&predicate)) else { continue };
                let text: Option<String> = scanned
                    .symbols
                    .get(from..at)
                    .unwrap_or_default()
                    .iter()
                    .map(|symbol| if let TemplateToken::Char(character, _) = symbol { Some(*character) } else { None })
                    .collect();
                let Some(text) = text else { continue };
                let separator = text.chars().next().filter(|first| matches!(first, '?' | '&'));
                let key = text.trim_start_matches(['?', '&']);
                if let Some(key) = key.strip_suffix('=').filter(|key| !key.is_empty() && !key.contains('=')) {
                    pairs.push(QueryPair { placeholder, symbols: from..at, separator, key: key.to_owned() });
                }
            }
        }
    }
    pairs
}

/// Removes the keys of pairs from the text and checks arrays.
fn finish(
    scanned: &mut ScannedTemplate,
    mut positions: Vec<Option<PlaceholderPosition>>,
    pairs: Vec<QueryPair>,
) -> Vec<Option<PlaceholderPosition>> {
    for pair in pairs.into_iter().rev() {
        scanned.symbols.drain(pair.symbols);
        if let Some(slot) = positions.get_mut(pair.placeholder) {
            *slot = Some(PlaceholderPosition::Pair { separator: pair.separator, key: pair.key });
        }
    }
    for (placeholder, position) in scanned.placeholders.iter().zip(&positions) {
        if matches!(position, Some(PlaceholderPosition::Encoded)) && placeholder.source.is_array() {
            scanned.problems.push(array_problem(&placeholder.source, placeholder.range.clone()));
        }
    }
    // An inserted variable has neither a position nor a symbol.
    let used: Vec<usize> = scanned
        .symbols
        .iter()
        .filter_map(|symbol| if let TemplateToken::Placeholder(index) = symbol { Some(*index) } else { None })
        .collect();
    used.into_iter().map(|index| positions.get_mut(index).and_then(Option::take)).collect()
}
