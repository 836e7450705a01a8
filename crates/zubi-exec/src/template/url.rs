//! Positions of placeholders in a URL, as the URL Standard parses one: the host decides who receives the request, so it
//! cannot contain an argument.

use std::ops::Range;

use super::placeholder::{PlaceholderPosition, PlaceholderSource, TemplateProblem, not_several};
use super::scan::{Placeholder, ScannedTemplate, TemplateToken};

/// The part of the URL that is being read.
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
    let mut reader = UrlReader { symbols: &scanned.symbols, holes: &scanned.holes, problems: Vec::new(), host: 0 };
    let positions = reader.read();
    scanned.problems.append(&mut reader.problems);
    let cut = pairs(scanned, &positions, |position| matches!(position, PlaceholderPosition::Encoded));
    finish(scanned, positions, cut)
}

pub(super) fn form_places(scanned: &mut ScannedTemplate) -> Vec<Option<PlaceholderPosition>> {
    let positions: Vec<Option<PlaceholderPosition>> = vec![Some(PlaceholderPosition::Encoded); scanned.holes.len()];
    let cut = pairs(scanned, &positions, |_| true);
    for (index, hole) in scanned.holes.iter().enumerate() {
        let key = scanned.symbols.iter().position(|symbol| *symbol == TemplateToken::Hole(index));
        if key.is_some_and(|at| !after_equals(&scanned.symbols, at)) && hole.source.argument().is_some() {
            scanned.problems.push(refused_key(hole));
        }
    }
    finish(scanned, positions, cut)
}

fn refused_key(hole: &Placeholder) -> TemplateProblem {
    let message = format!("{} would be a name in the query; write the name", hole.source.describe());
    TemplateProblem::error(hole.range.clone(), message)
}

/// Replaces the variables of the file up to the end of the host by their text.
fn splice_variables(scanned: &mut ScannedTemplate) {
    let mut symbols = Vec::with_capacity(scanned.symbols.len());
    let mut seen = String::new();
    for symbol in &scanned.symbols {
        let before_path = match seen.split_once("://") {
            Some((_, rest)) => !rest.contains(['/', '\\', '?', '#']),
            None => true,
        };
        match *symbol {
            TemplateToken::Hole(index) if before_path => match scanned.holes.get(index) {
                Some(Placeholder { source: PlaceholderSource::Variable(_, value), range }) => {
                    seen.push_str(value);
                    symbols.extend(value.chars().map(|character| TemplateToken::Char(character, range.start)));
                }
                _ => symbols.push(*symbol),
            },
            TemplateToken::Hole(_) => symbols.push(*symbol),
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
    holes: &'a [Placeholder],
    problems: Vec<TemplateProblem>,
    /// How many characters and placeholders the host has.
    host: usize,
}

impl UrlReader<'_> {
    fn read(&mut self) -> Vec<Option<PlaceholderPosition>> {
        let mut positions = vec![None; self.holes.len()];
        let mut at = UrlPart::Start;
        let mut index = 0;
        while let Some(symbol) = self.symbols.get(index).copied() {
            match symbol {
                TemplateToken::Hole(hole) => {
                    if let (Some(found), Some(slot)) = (self.holes.get(hole), positions.get_mut(hole)) {
                        *slot = self.hole(found, at, index);
                    }
                    match at {
                        UrlPart::Start => at = UrlPart::AfterBase,
                        UrlPart::Authority => self.host += 1,
                        _ => {}
                    }
                }
                TemplateToken::Char(character, offset) => {
                    let here = offset..offset + character.len_utf8();
                    if character.is_ascii_control() || character.is_whitespace() {
                        self.error(here.clone(), "a URL cannot contain white space; write `%20`");
                    }
                    if at == UrlPart::Start {
                        let rest = self.symbols.get(index..).unwrap_or_default();
                        let Some(length) = scheme(rest) else {
                            self.error(here, "a URL begins with `https://` or `http://`");
                            break;
                        };
                        index += length;
                        at = UrlPart::Authority;
                        continue;
                    }
                    at = self.step(at, character, here);
                }
            }
            index += 1;
        }
        if self.symbols.is_empty() || (at == UrlPart::Authority && self.host == 0) {
            self.error(0..0, "the URL has no host");
        }
        positions
    }

    fn error(&mut self, range: Range<usize>, message: &str) {
        self.problems.push(TemplateProblem::error(range, message));
    }

    fn step(&mut self, at: UrlPart, character: char, here: Range<usize>) -> UrlPart {
        match (at, character) {
            (UrlPart::Authority | UrlPart::AfterBase, '/' | '\\' | '?' | '#') => {
                if at == UrlPart::Authority && self.host == 0 {
                    self.error(here, "the URL has no host");
                }
                match character {
                    '?' => UrlPart::Query,
                    '#' => UrlPart::Fragment,
                    _ => UrlPart::Path,
                }
            }
            (UrlPart::AfterBase, _) => {
                self.error(here, "after a URL out of the settings comes `/`, `?` or `#`");
                UrlPart::Path
            }
            (UrlPart::Authority, '@') => {
                self.error(here, "a URL cannot contain a user name or a password; use the header `Authorization`");
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

    fn hole(&mut self, hole: &Placeholder, at: UrlPart, index: usize) -> Option<PlaceholderPosition> {
        let environment = matches!(hole.source, PlaceholderSource::Environment(_));
        match at {
            UrlPart::Start | UrlPart::Authority if environment => {
                Some(if at == UrlPart::Start { PlaceholderPosition::UrlBase } else { PlaceholderPosition::UrlHost })
            }
            UrlPart::Start | UrlPart::Authority | UrlPart::AfterBase => {
                let message =
                    format!("{} cannot choose the host; write the host, or use a variable", hole.source.describe());
                self.error(hole.range.clone(), &message);
                None
            }
            UrlPart::Path => {
                let edge = |symbol: Option<&TemplateToken>, ends: &str| match symbol {
                    None => true,
                    Some(TemplateToken::Char(character, _)) => ends.contains(*character),
                    Some(TemplateToken::Hole(_)) => false,
                };
                let before = index.checked_sub(1).and_then(|before| self.symbols.get(before));
                let alone = edge(before, "/\\") && edge(self.symbols.get(index + 1), "/\\?#");
                if hole.source.is_array() {
                    self.problems.push(not_several(&hole.source, hole.range.clone()));
                } else if alone && hole.source.argument().is_some_and(|argument| !argument.required) {
                    let message = format!(
                        "{} may be missing, and the URL would name another resource; make it required",
                        hole.source.describe()
                    );
                    self.error(hole.range.clone(), &message);
                }
                Some(PlaceholderPosition::Segment { alone })
            }
            UrlPart::Query => {
                if hole.source.argument().is_some() && !after_equals(self.symbols, index) {
                    self.problems.push(refused_key(hole));
                }
                Some(PlaceholderPosition::Encoded)
            }
            UrlPart::Fragment => Some(PlaceholderPosition::Encoded),
        }
    }
}

/// How many symbols `http://` or `https://` takes.
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

/// A pair whose value is one placeholder: which symbols are its `&key=`, and what they say.
struct QueryPair {
    hole: usize,
    symbols: Range<usize>,
    lead: Option<char>,
    key: String,
}

fn pairs(
    scanned: &ScannedTemplate,
    places: &[Option<PlaceholderPosition>],
    wanted: impl Fn(&PlaceholderPosition) -> bool,
) -> Vec<QueryPair> {
    let mut cuts = Vec::new();
    let mut start = None;
    // In a form there is no `?` before the first pair.
    if !scanned.symbols.iter().any(|symbol| matches!(symbol, TemplateToken::Char('?', _))) {
        start = Some(0);
    }
    for (at, symbol) in scanned.symbols.iter().enumerate() {
        match *symbol {
            TemplateToken::Char('#', _) => break,
            TemplateToken::Char('?' | '&', _) => start = Some(at),
            TemplateToken::Char(..) => {}
            TemplateToken::Hole(hole) => {
                let ends = matches!(scanned.symbols.get(at + 1), None | Some(TemplateToken::Char('&' | '#', _)));
                let position = places.get(hole).and_then(Option::as_ref);
                let Some(from) = start.filter(|_| ends && position.is_some_and(&wanted)) else { continue };
                let text: Option<String> = scanned
                    .symbols
                    .get(from..at)
                    .unwrap_or_default()
                    .iter()
                    .map(|symbol| if let TemplateToken::Char(character, _) = symbol { Some(*character) } else { None })
                    .collect();
                let Some(text) = text else { continue };
                let lead = text.chars().next().filter(|first| matches!(first, '?' | '&'));
                let key = text.trim_start_matches(['?', '&']);
                if let Some(key) = key.strip_suffix('=').filter(|key| !key.is_empty() && !key.contains('=')) {
                    cuts.push(QueryPair { hole, symbols: from..at, lead, key: key.to_owned() });
                }
            }
        }
    }
    cuts
}

/// Takes the pairs' keys out of the text and checks arrays.
fn finish(
    scanned: &mut ScannedTemplate,
    mut places: Vec<Option<PlaceholderPosition>>,
    cuts: Vec<QueryPair>,
) -> Vec<Option<PlaceholderPosition>> {
    for cut in cuts.into_iter().rev() {
        scanned.symbols.drain(cut.symbols);
        if let Some(slot) = places.get_mut(cut.hole) {
            *slot = Some(PlaceholderPosition::Pair { lead: cut.lead, key: cut.key });
        }
    }
    for (hole, place) in scanned.holes.iter().zip(&places) {
        if matches!(place, Some(PlaceholderPosition::Encoded)) && hole.source.is_array() {
            scanned.problems.push(not_several(&hole.source, hole.range.clone()));
        }
    }
    // A variable that was spliced in has no place, and no symbol either.
    let used: Vec<usize> = scanned
        .symbols
        .iter()
        .filter_map(|symbol| if let TemplateToken::Hole(hole) = symbol { Some(*hole) } else { None })
        .collect();
    used.into_iter().map(|hole| places.get_mut(hole).and_then(Option::take)).collect()
}
