//! Graphs as PlantUML component diagrams.

use std::fmt::Write as _;

use super::graph::{Graph, Line, Node};

/// Renders the whole diagram. Boxes are named `n0`, `n1`, …, because a name of the model may be a word of PlantUML's.
pub(super) fn write(graph: &Graph) -> String {
    let mut text = "@startuml\n".to_owned();
    if !graph.title.is_empty() {
        _ = writeln!(text, "title {}", escape(&graph.title));
    }
    if !graph.is_downward {
        text.push_str("left to right direction\n");
    }
    let (groups, others) = graph.group_boxes();
    for (group, (label, nodes)) in graph.groups.iter().zip(groups).enumerate() {
        _ = writeln!(text, "package \"{}\" as g{group} {{", escape(label));
        for (number, node) in nodes {
            _ = writeln!(text, "  {}", box_of(number, node));
        }
        text.push_str("}\n");
    }
    for (number, node) in others {
        _ = writeln!(text, "{}", box_of(number, node));
    }
    for edge in &graph.edges {
        let line = match edge.line {
            Line::Arrow => "-->",
            Line::Both => "<-->",
            Line::Plain => "--",
            Line::Dotted => "..",
        };
        let label = if edge.label.is_empty() { String::new() } else { format!(" : {}", edge.label) };
        _ = writeln!(text, "n{} {line} n{}{label}", edge.from, edge.to);
    }
    text.push_str("@enduml\n");
    text
}

fn box_of(number: usize, node: &Node) -> String {
    let note = node.note.as_deref().map(|note| format!("\\n{}", escape(note))).unwrap_or_default();
    format!("rectangle \"{}{note}\" as n{number}", escape(&node.label))
}

/// Escapes a label's text for PlantUML. Characters that could end the string, or be markup (Creole), are written as
/// character numbers; a single `_` or `-` between letters is neither.
fn escape(text: &str) -> String {
    super::escape(text, |c| format!("<U+{:04X}>", u32::from(c)))
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn names_are_escaped() {
        assert_eq!(escape("Shop.Order-Context_2"), "Shop.Order-Context_2");
        assert_eq!(escape("a--b__c"), "a<U+002D><U+002D>b<U+005F><U+005F>c");
        assert_eq!(escape("say \"@enduml\"\n"), "say <U+0022><U+0040>enduml<U+0022>");
    }
}
