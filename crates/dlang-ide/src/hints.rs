//! Inlay hints for what the text leaves implicit: the kind of a relationship.

use dlang_model::{Db, File, relationship_views};
use dlang_syntax::{TextRange, TextSize};

/// A short text that an editor inserts into the display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The offset after which the hint is shown.
    pub offset: TextSize,
    pub text: String,
}

/// Returns the kinds of the relationships that end in a range and have a directed arrow, in text order: the kind
/// follows from the patterns on each side. The other forms already show their kind.
pub fn hints(db: &dyn Db, file: File, range: TextRange) -> Vec<Hint> {
    let views = relationship_views(db, file);
    let directional = views.iter().filter(|view| view.is_directional() && range.contains_inclusive(view.range.end()));
    directional.map(|view| Hint { offset: view.range.end(), text: view.kind.as_str().to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use dlang_model::testing::host;
    use dlang_syntax::{TextRange, TextSize};
    use insta::assert_snapshot;

    use super::hints;

    /// Renders a text with its hints.
    fn check(text: &str, range: TextRange) -> String {
        let host = host(text);
        let file = host.files().next().unwrap();
        let mut rendered = String::new();
        let mut from = 0;
        for hint in hints(host.db(), file, range) {
            let to = usize::from(hint.offset);
            write!(rendered, "{}«{}»", &text[from..to], hint.text).unwrap();
            from = to;
        }
        rendered + &text[from..]
    }

    const TEXT: &str = "Domain D { vision: \"v\" }
bc A for D { description: \"d\" }
bc B for D { description: \"d\" relationships { A [OHS] -> this  A [S] -> [C] this  A <-> this  A >< this  A [SK] this  Gone -> this } }
ContextMap M { contains A, B  B -> A }
";

    #[test]
    fn kinds_of_relationships() {
        assert_snapshot!(check(TEXT, TextRange::up_to(TextSize::of(TEXT))), @r#"
        Domain D { vision: "v" }
        bc A for D { description: "d" }
        bc B for D { description: "d" relationships { A [OHS] -> this«UpstreamDownstream»  A [S] -> [C] this«CustomerSupplier»  A <-> this«Bidirectional»  A >< this  A [SK] this  Gone -> this } }
        ContextMap M { contains A, B  B -> A«UpstreamDownstream» }
        "#);
        assert_eq!(check(TEXT, TextRange::up_to(TextSize::from(10))), TEXT);
    }
}
