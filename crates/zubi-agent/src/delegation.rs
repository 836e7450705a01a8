//! Whether a question is about the call of a model itself, so that nothing is done before it is answered, or about one that the
//! call makes in its course. A call that only passes another on is asked about by the name of that other.

use serde_json::Value;
use zubi_tool_api::cx::ApprovalAnswer;
use zubi_tool_api::spec::is_called;

/// Tools that do nothing but make another call, which is asked about in place of theirs.
const PASSING_ON: [&str; 2] = ["call_read_tool", "call_tool"];

/// Whether a tool, by its id, is one of them.
pub(crate) fn is_delegating_tool(tool: &str) -> bool {
    PASSING_ON.contains(&tool)
}

/// Whether a question about `asked` is one about the call of `tool` with these arguments.
pub(crate) fn matches_call(asked: &str, tool: &str, arguments: &Value) -> bool {
    if !is_delegating_tool(tool) {
        return asked == tool;
    }
    arguments["tool"].as_str().is_some_and(|named| is_called(asked, named))
}

/// The arguments of a call of `tool` in which a person has put others into the call that is asked about.
pub(crate) fn apply_edited_args(tool: &str, given: &Value, edited: Value) -> Value {
    match given {
        Value::Object(given) if is_delegating_tool(tool) => {
            let mut given = given.clone();
            given.insert("arguments".to_owned(), edited);
            Value::Object(given)
        }
        _ => edited,
    }
}

/// How far the questions about a call have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ApprovalState {
    #[default]
    Nothing,
    /// The one about the call itself waits, and nothing is done before it is answered.
    Waiting,
    /// A person has put other arguments into it: it may be asked about again before it begins.
    Edited,
    Answered,
}

impl ApprovalState {
    /// Takes a question; `is_about` says whether it is about the call itself.
    pub(crate) fn question(&mut self, is_about: bool) {
        let is_before = is_about && matches!(self, Self::Nothing | Self::Edited);
        *self = if is_before { Self::Waiting } else { Self::Answered };
    }

    /// Takes the answer to a question about these arguments.
    pub(crate) fn answer(&mut self, arguments: &Value, answer: &ApprovalAnswer) {
        if *self != Self::Waiting {
            return;
        }
        *self = match answer {
            ApprovalAnswer::Unanswered { .. } => Self::Waiting,
            ApprovalAnswer::Allow { arguments: Some(edited), .. } if edited != arguments => Self::Edited,
            _ => Self::Answered,
        };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_has_begun_once_anything_but_itself_is_asked_about() {
        let through = json!({ "tool": "shell_run", "arguments": {} });
        for (asked, tool, expected) in [
            ("shell.run", "shell.run", true),
            ("shell.run", "flow.release", false),
            ("shell.run", "call_tool", true),
            ("file.write", "call_tool", false),
        ] {
            assert_eq!(matches_call(asked, tool, &through), expected, "{asked} in {tool}");
        }
        let (given, edited) = (json!({ "command": "a" }), json!({ "command": "b" }));
        let allow = |arguments: Option<&Value>| ApprovalAnswer::Allow { option: 0, arguments: arguments.cloned() };
        let stopped = ApprovalAnswer::Unanswered { how: "it was stopped".to_owned() };
        let check = |steps: &[(bool, &ApprovalAnswer)]| {
            let mut asked = ApprovalState::default();
            for (is_about, answer) in steps {
                asked.question(*is_about);
                asked.answer(&given, answer);
            }
            asked
        };
        assert_eq!(check(&[(true, &stopped)]), ApprovalState::Waiting);
        assert_eq!(check(&[(false, &stopped)]), ApprovalState::Answered);
        assert_eq!(check(&[(true, &allow(None))]), ApprovalState::Answered);
        assert_eq!(check(&[(true, &allow(Some(&given)))]), ApprovalState::Answered);
        assert_eq!(check(&[(true, &allow(Some(&edited)))]), ApprovalState::Edited);
        assert_eq!(check(&[(true, &allow(Some(&edited))), (true, &stopped)]), ApprovalState::Waiting);
        assert_eq!(check(&[(true, &allow(None)), (true, &stopped)]), ApprovalState::Answered);
    }
}
