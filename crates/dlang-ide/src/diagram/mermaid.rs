//! Graphs as Mermaid flowcharts.

use std::fmt::Write as _;

use super::graph::{Graph, Line, Node};

/// Renders the whole diagram. Boxes are named `n0`, `n1`, …, because a name of the model may be a word of Mermaid's.
pub(super) fn write(graph: &Graph) -> String {
    let mut text = String::new();
    if !graph.title.is_empty() {
        // A double-quoted YAML string; without these characters, no name needs escaping in it.
        let title: String = graph.title.chars().filter(|c| !matches!(c, '"' | '\\') && !c.is_control()).collect();
        _ = writeln!(text, "---\ntitle: \"{title}\"\n---");
    }
    text.push_str(if graph.is_downward { "flowchart TB\n" } else { "flowchart LR\n" });
    let (groups, others) = graph.group_boxes();
    for (group, (label, nodes)) in graph.groups.iter().zip(groups).enumerate() {
        _ = writeln!(text, "  subgraph g{group}[\"{}\"]", escape(label));
        for (number, node) in nodes {
            _ = writeln!(text, "    {}", box_of(number, node));
        }
        text.push_str("  end\n");
    }
    for (number, node) in others {
        _ = writeln!(text, "  {}", box_of(number, node));
    }
    for edge in &graph.edges {
        let line = match edge.line {
            Line::Arrow => "-->",
            Line::Both => "<-->",
            Line::Plain => "---",
            Line::Dotted => "-.-",
        };
        let label = if edge.label.is_empty() { String::new() } else { format!("|\"{}\"|", edge.label) };
        _ = writeln!(text, "  n{} {line}{label} n{}", edge.from, edge.to);
    }
    text
}

fn box_of(number: usize, node: &Node) -> String {
    let note = node.note.as_deref().map(|note| format!("<br/>{}", escape(note))).unwrap_or_default();
    format!("n{number}[\"{}{note}\"]", escape(&node.label))
}

/// Escapes a label's text for Mermaid. Any text that could end the string, or be read as HTML, an entity or Markdown
/// (which Mermaid reads in every label), becomes an entity; a single `_` or `-` between letters needs no escape.
fn escape(text: &str) -> String {
    super::escape(text, |c| format!("#{};", u32::from(c)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::escape;

    #[test]
    fn names_are_escaped() {
        assert_eq!(escape("Shop.Order-Context_2"), "Shop.Order-Context_2");
        assert_eq!(escape("Größe 単位"), "Größe 単位");
        assert_eq!(escape("__init__"), "#95;#95;init#95;#95;");
        assert_eq!(escape("say \"end\"]"), "say #34;end#34;#93;");
        assert_eq!(escape("<b>&amp;#35;`x`\n"), "#60;b#62;#38;amp#59;#35;35#59;#96;x#96;");
    }

    proptest! {
        #[test]
        fn escaped_text_has_no_delimiters(text in any::<String>()) {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['"', '`', '<', '>', '&', '[', ']', '\n', '\r']));
            // Every `#` begins an entity of our own.
            for entity in escaped.split('#').skip(1) {
                let (number, _) = entity.split_once(';').expect("it ends");
                prop_assert!(number.parse::<u32>().is_ok());
            }
        }
    }
}
