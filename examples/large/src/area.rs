//! The file of one area.

use crate::style::Style;
use crate::text::Text;
use crate::words::{self, BUSINESS, CONCERN, DECISIONS, METADATA, ROLE, STAGE, STRATEGY, TEAMS, TERMS, turn};
use crate::{GeneratedFile, MARK, area_path};

/// The alias of the previous area's file inside this one.
const BEFORE: &str = "before";

/// The fully qualified name of something in an area.
pub(crate) fn fqn(area: usize, name: &str) -> String {
    match Style::for_area(area) {
        Style::Long => format!("{}.{name}", namespace(area)),
        Style::Short => name.to_owned(),
    }
}

fn namespace(area: usize) -> String {
    format!("Harbour.{}", words::area(area))
}

pub(crate) fn file(area: usize, contexts: usize) -> GeneratedFile {
    let style = Style::for_area(area);
    let mut text = Text::default();
    text.line(&format!("// {MARK}"));
    let import = style.pick("import", "Import");
    text.line(&format!("{import} \"@shared/vocabulary\""));
    if let Some(number) = area.checked_sub(1) {
        let path = area_path(number);
        let name = path.trim_start_matches("areas/");
        text.line(&format!("{import} \"./{name}\" as {BEFORE}"));
    }
    text.line("");
    let area = Area { number: area, contexts, style, name: words::area(area) };
    match style {
        Style::Long => text.block(&format!("Namespace {}", namespace(area.number)), |text| area.elements(text)),
        Style::Short => {
            area.elements(&mut text);
            area.maps(&mut text);
        }
    }
    GeneratedFile { path: area_path(area.number), text: text.end() }
}

struct Area {
    number: usize,
    contexts: usize,
    style: Style,
    name: String,
}

impl Area {
    fn elements(&self, text: &mut Text) {
        let Self { style, name, number, .. } = self;
        text.block(&format!("{} {name} in HarbourBusiness", style.pick("Domain", "dom")), |text| {
            text.line(&property("description", *number, &format!("Everything about {}", name.to_lowercase())));
            text.line(&property("vision", number + 1, &format!("No delay in {}", name.to_lowercase())));
            text.line(&format!("type{} Strategy.{}", Style::assign(number + 2), turn(STRATEGY, *number)));
        });
        for context in 0..self.contexts {
            text.line("");
            self.context(context, text);
        }
    }

    fn context(&self, context: usize, text: &mut Text) {
        let Self { style, name, number, .. } = self;
        // Neighbouring contexts differ in everything that comes from a table.
        let seed = number * self.contexts + context;
        let own = words::context(*number, context);
        let (strategy, team) = (turn(STRATEGY, seed), turn(TEAMS, seed));
        // The body declares the properties that the header lacks.
        let (header, body) = if context % 3 == 2 {
            (format!("for {name}"), true)
        } else {
            (format!("for {name} as Strategy.{strategy} by {team}"), false)
        };
        if context.is_multiple_of(2) {
            text.line(&format!("/** {own} for {}. */", name.to_lowercase()));
        }
        text.block(&format!("{} {own} {header}", style.pick("BoundedContext", "bc")), |text| {
            text.line(&property("description", seed, words::description(context)));
            if body {
                text.line(&format!("classification{} Strategy.{strategy}", Style::assign(seed)));
                text.line(&format!("team{} {team}", Style::assign(seed + 1)));
            }
            if !context.is_multiple_of(3) {
                text.line(&format!("businessModel: Business.{}", turn(BUSINESS, seed)));
            }
            if context % 3 != 1 {
                text.line(&format!("evolution: Stage.{}", turn(STAGE, seed)));
            }
            if context.is_multiple_of(2) {
                text.line(&format!("archetype: Role.{}", turn(ROLE, seed)));
            }
            self.metadata(seed, text);
            text.block(style.pick("terminology", "glossary"), |text| self.terms(seed, text));
            text.block(style.pick("decisions", "rules"), |text| self.decisions(seed, text));
            if self.contexts > 1 || *number > 0 {
                text.block(style.pick("relationships", "integrations"), |text| self.relationships(context, text));
            }
        });
    }

    fn metadata(&self, seed: usize, text: &mut Text) {
        let entries = METADATA.iter().enumerate().skip(seed % 2);
        let entries = entries.map(|(at, (key, values))| property(key, seed + at, turn(values, seed + at)));
        match self.style {
            Style::Long => text.block("metadata", |text| entries.for_each(|entry| text.line(&entry))),
            Style::Short => text.line(&format!("meta {{ {} }}", entries.collect::<Vec<_>>().join(" "))),
        }
    }

    fn terms(&self, seed: usize, text: &mut Text) {
        let (word, aka) = (self.style.pick("term", "Term"), self.style.pick("aka", "synonyms"));
        let (one, other) = (turn(TERMS, seed), turn(TERMS, seed + 4));
        if self.style == Style::Long {
            text.line(&format!("{word} {}{} \"{}\",", one.name, Style::assign(seed), one.meaning));
        }
        let head = format!("{word} {}{} \"{}\"", other.name, Style::assign(seed + 1), other.meaning);
        let lists =
            [format!("{aka} {}", other.synonym), format!("examples \"{}\", '{}'", other.examples.0, other.examples.1)];
        text.list(&head, &lists);
    }

    fn decisions(&self, seed: usize, text: &mut Text) {
        let style = self.style;
        let words = [style.pick("decision", "Decision"), style.pick("policy", "Policy"), style.pick("rule", "Rule")];
        let item = |turned: usize, classification: &str| {
            let (word, (name, value)) = (turn(&words, turned), turn(DECISIONS, turned));
            format!("{word} {classification}{name}{} \"{value}\"", Style::assign(turned))
        };
        let first = item(seed, &format!("[Concern.{}] ", turn(CONCERN, seed)));
        if style == Style::Short {
            text.line(&first);
        } else {
            text.line(&format!("{first},"));
            text.line(&item(seed + 1, ""));
        }
    }

    /// Relates the context to the next one of the area, and to one of the previous area.
    fn relationships(&self, context: usize, text: &mut Text) {
        let turned = self.number / 2 * self.contexts + context;
        if self.contexts > 1 {
            let next = words::context(self.number, (context + 1) % self.contexts);
            text.line(&relationship(self.style, turned, "this", &next));
        }
        if let Some(number) = self.number.checked_sub(1) {
            let other = format!("{BEFORE}.{}", fqn(number, &words::context(number, context)));
            text.line(&relationship(self.style, turned + 4, &other, "this"));
        }
    }

    fn maps(&self, text: &mut Text) {
        text.line("");
        text.block(&format!("cmap {}Map", self.name), |text| {
            let names: Vec<_> = (0..self.contexts).map(|context| words::context(self.number, context)).collect();
            contains(text, &names);
            if self.contexts > 1 {
                let (one, other) = (words::context(self.number, 0), words::context(self.number, 1));
                text.line(&format!("{one} -> {other}"));
            }
        });
        text.line("");
        text.block(&format!("dmap {}Domains", self.name), |text| {
            text.line(&format!("contains HarbourBusiness, {}", self.name));
        });
    }
}

/// The number of entries in a `contains` line; so few that the line never exceeds the formatter's width.
const A_LINE: usize = 2;

/// Writes the entries of a map. The comma between two entries is optional; every other line omits it.
pub(crate) fn contains(text: &mut Text, names: &[String]) {
    for (number, names) in names.chunks(A_LINE).enumerate() {
        let between = if number.is_multiple_of(2) { ", " } else { " " };
        text.line(&format!("contains {}", names.join(between)));
    }
}

/// A property with a string value.
fn property(word: &str, turned: usize, value: &str) -> String {
    format!("{word}{} \"{value}\"", Style::assign(turned))
}

/// The relationships between two contexts: the text between their names, in long and in short words. Every pattern is
/// on a side that the rules allow.
const RELATIONSHIPS: &[(&str, &str)] = &[
    ("[OpenHostService, PublishedLanguage] -> [Conformist]", "[OHS, PL] -> [CF]"),
    ("[Supplier] -> [Customer]", "[S] -> [C]"),
    ("[AntiCorruptionLayer] <- [OpenHostService]", "[ACL] <- [OHS]"),
    ("[SharedKernel]", "[SK]"),
    ("->", "->"),
    ("[BigBallOfMud] <-> [AntiCorruptionLayer]", "[BBoM] <-> [ACL]"),
    ("[Partnership]", "[P]"),
    ("><", "><"),
    ("[Customer] <- [Supplier]", "[C] <- [S]"),
    ("[SeparateWays]", "[SW]"),
    ("<-> [Conformist]", "<-> [CF]"),
];

/// The relationship for a number; the table repeats.
pub(crate) fn relationship(style: Style, turned: usize, left: &str, right: &str) -> String {
    let (long, short) = turn(RELATIONSHIPS, turned);
    format!("{left} {} {right}", style.pick(long, short))
}
