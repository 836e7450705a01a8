//! The body of the target for tool files (the tests of `zubi-tools` include this file).

use zubi_declared::{FileContent, ProblemSeverity};

/// A tool file: no panic, every problem has a range in the text and a message, and the rest of the
/// file can be used.
pub fn parse_tool_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let content = FileContent::parse(text, &["TOKEN".to_owned()]);
    for problem in &content.problems {
        let range = &problem.range;
        assert!(range.start <= range.end && range.end <= text.len(), "a range outside the text: {problem:?}");
        assert!(!problem.message.is_empty() && !problem.code.is_empty(), "a problem without a message: {problem:?}");
    }
    let errors = content.problems.iter().filter(|problem| problem.severity == ProblemSeverity::Error);
    // A second reading gives the same result: nothing depends on the order of a table.
    let again = FileContent::parse(text, &["TOKEN".to_owned()]);
    assert_eq!(again.problems, content.problems, "a second reading reports other problems");
    for id in &content.broken {
        assert!(errors.clone().next().is_some(), "`{id}` is omitted without an error");
    }
    for tool in &content.tools {
        let spec = tool.definition.spec(None);
        assert!(spec.wire_name().len() <= 40 && !spec.id.is_empty(), "no name for a tool: {}", spec.id);
        assert!(serde_json::from_str::<serde_json::Value>(&spec.to_json().to_string()).is_ok());
    }
}
