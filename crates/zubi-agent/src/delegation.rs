//! Matches approval prompts to calls. A prompt about the model's own call blocks that call; any other prompt is about a
//! call that the running call makes. The prompt for a tool that only delegates names the other tool.

use serde_json::{Value, json};
use zubi_tool_api::cx::ApprovalAnswer;
use zubi_tool_api::spec::{CALL_READ_TOOL, CALL_TOOL, is_called, present_id};

/// Tools that only delegate to another tool. The approval prompt is about that other tool's call.
const DELEGATING_TOOLS: [&str; 2] = [CALL_READ_TOOL, CALL_TOOL];

/// Whether the tool with this id only delegates to another tool.
pub(crate) fn is_delegating_tool(tool: &str) -> bool {
    DELEGATING_TOOLS.contains(&present_id(tool))
}

/// Whether an approval prompt for `prompted_tool` is about this call of `tool` itself.
pub(crate) fn matches_call(prompted_tool: &str, tool: &str, arguments: &Value) -> bool {
    if !is_delegating_tool(tool) {
        return prompted_tool == tool;
    }
    arguments["tool"].as_str().is_some_and(|named| is_called(prompted_tool, named))
}

/// Returns the arguments of a call of `tool` with the arguments that a user has edited in its approval prompt.
pub(crate) fn apply_edited_args(tool: &str, arguments: &Value, edited: Value) -> Value {
    match arguments {
        Value::Object(object) if is_delegating_tool(tool) => {
            // The model may have given them beside `tool`.
            json!({ "tool": object.get("tool"), "arguments": edited })
        }
        _ => edited,
    }
}

/// The state of the approval prompts for a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ApprovalState {
    #[default]
    Nothing,
    /// The prompt about the call itself waits; the call does nothing before it is answered.
    Waiting,
    /// The user has edited the arguments: another approval prompt may follow before the call begins.
    Edited,
    Answered,
}

impl ApprovalState {
    /// Records an approval prompt; `is_about` is true if it is about the call itself.
    pub(crate) fn question(&mut self, is_about: bool) {
        let is_before = is_about && matches!(self, Self::Nothing | Self::Edited);
        *self = if is_before { Self::Waiting } else { Self::Answered };
    }

    /// Records the answer to an approval prompt about these arguments.
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
    fn a_call_has_started_once_a_prompt_is_about_another_call() {
        let through = json!({ "tool": "shell_run", "arguments": {} });
        for (prompted, tool, expected) in [
            ("shell.run", "shell.run", true),
            ("shell.run", "flow.release", false),
            ("shell.run", "zubi_call_tool", true),
            ("file.write", "zubi_call_tool", false),
        ] {
            assert_eq!(matches_call(prompted, tool, &through), expected, "{prompted} in {tool}");
        }
        let (original, edited) = (json!({ "command": "a" }), json!({ "command": "b" }));
        let allow = |arguments: Option<&Value>| ApprovalAnswer::Allow { option: 0, arguments: arguments.cloned() };
        let stopped = ApprovalAnswer::Unanswered { reason: "it was stopped".to_owned() };
        let check = |steps: &[(bool, &ApprovalAnswer)]| {
            let mut state = ApprovalState::default();
            for (is_about, answer) in steps {
                state.question(*is_about);
                state.answer(&original, answer);
            }
            state
        };
        assert_eq!(check(&[(true, &stopped)]), ApprovalState::Waiting);
        assert_eq!(check(&[(false, &stopped)]), ApprovalState::Answered);
        assert_eq!(check(&[(true, &allow(None))]), ApprovalState::Answered);
        assert_eq!(check(&[(true, &allow(Some(&original)))]), ApprovalState::Answered);
        assert_eq!(check(&[(true, &allow(Some(&edited)))]), ApprovalState::Edited);
        assert_eq!(check(&[(true, &allow(Some(&edited))), (true, &stopped)]), ApprovalState::Waiting);
        assert_eq!(check(&[(true, &allow(None)), (true, &stopped)]), ApprovalState::Answered);
    }
}
