//! The single files: manifest, entry, vocabulary.

use crate::style::Style;
use crate::text::Text;
use crate::words::{BUSINESS, CONCERN, METADATA, ROLE, STAGE, STRATEGY, TEAMS};
use crate::{GeneratedFile, MARK, Size, area, area_path, context_fqn, words};

pub(crate) fn manifest() -> GeneratedFile {
    let text = format!(
        "# {MARK}\nmodel:\n  name: harbour\n  version: 1.0.0\n\npaths:\n  \"@shared\": ./shared\n  \"@areas\": ./areas\n"
    );
    GeneratedFile { path: "model.yaml".to_owned(), text }
}

/// Imports every area, and draws the map of all contexts and the map of all domains.
pub(crate) fn entry(size: Size) -> GeneratedFile {
    let mut text = Text::default();
    text.line(&format!("// {MARK}"));
    text.line("import \"@shared/vocabulary\"");
    for number in 0..size.areas {
        let path = area_path(number);
        // An alias and a relative path import the same files.
        text.line(&match Style::for_area(number) {
            Style::Long => format!("import \"./{path}\""),
            Style::Short => format!("import \"@{path}\""),
        });
    }
    text.line("");
    text.line("/** All bounded contexts of the harbour, and the relationships between the areas. */");
    text.block("ContextMap Harbour", |text| {
        for number in 0..size.areas {
            let names: Vec<_> = (0..size.contexts).map(|context| context_fqn(number, context)).collect();
            area::contains(text, &names);
        }
        for number in 1..size.areas {
            let (one, next) = (context_fqn(number - 1, 0), context_fqn(number, size.contexts - 1));
            text.line(&area::relationship(Style::for_area(number), number / 2, &one, &next));
        }
        if size.areas == 1 && size.contexts > 1 {
            text.line(&format!("{} -> {}", context_fqn(0, 0), context_fqn(0, 1)));
        }
    });
    text.line("");
    text.block("DomainMap Business", |text| {
        let domains: Vec<_> = (0..size.areas).map(|number| area::fqn(number, &words::area(number))).collect();
        area::contains(text, &["HarbourBusiness".to_owned()]);
        area::contains(text, &domains);
    });
    GeneratedFile { path: "index.dlang".to_owned(), text: text.end() }
}

/// The shared file of all areas: classifications, teams, metadata keys, and the domain that contains them.
pub(crate) fn vocabulary() -> GeneratedFile {
    let mut text = Text::default();
    text.line(&format!("// {MARK}"));
    let spaces =
        [("Strategy", STRATEGY), ("Business", BUSINESS), ("Stage", STAGE), ("Role", ROLE), ("Concern", CONCERN)];
    for (name, classifications) in spaces {
        // The language has several words for a namespace.
        let word = if name.len() > 4 { "Namespace" } else { "ns" };
        text.block(&format!("{word} {name}"), |text| {
            for classification in classifications {
                text.line(&format!("Classification {classification}"));
            }
        });
        text.line("");
    }
    for team in TEAMS {
        text.line(&format!("Team {team}"));
    }
    text.line("");
    for (key, _) in METADATA {
        text.line(&format!("Metadata {key}"));
    }
    text.line("");
    text.line("Domain HarbourBusiness { vision: \"Goods that arrive by sea leave by land within a day\" }");
    GeneratedFile { path: "shared/vocabulary.dlang".to_owned(), text: text.end() }
}
