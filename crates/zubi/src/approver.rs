//! Approval prompts on the terminal: what the call would do, why it requires approval, and what an approval covers.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};

use async_trait::async_trait;
use tokio::sync::Mutex;
use zubi_base::escape::printable;
use zubi_tool_api::approval_prompt;
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, Approver};

/// An approver that prompts on the terminal.
#[derive(Debug)]
pub(crate) struct TerminalApprover {
    /// Locked while a prompt is open, so that prompts of parallel calls do not mix.
    prompt_lock: Mutex<()>,
}

impl TerminalApprover {
    /// Returns `None` if stdin or stderr is not a terminal.
    pub(crate) fn new() -> Option<Self> {
        (io::stdin().is_terminal() && io::stderr().is_terminal()).then(|| Self { prompt_lock: Mutex::default() })
    }
}

#[async_trait]
impl Approver for TerminalApprover {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let _open = self.prompt_lock.lock().await;
        let count = request.options.len();
        let card = render_prompt(&request);
        let answer = tokio::task::spawn_blocking(move || -> io::Result<ApprovalAnswer> {
            write!(io::stderr().lock(), "{card}")?;
            loop {
                let mut line = String::new();
                io::stdin().read_line(&mut line)?;
                match read(&line, count) {
                    Ok(answer) => return Ok(answer),
                    Err(wrong) => write!(io::stderr().lock(), "{wrong}")?,
                }
            }
        })
        .await;
        match answer {
            Ok(Ok(answer)) => answer,
            _ => ApprovalAnswer::Unavailable,
        }
    }
}

/// Parses an answer. `y` or a number approves; a JSON object after it replaces the arguments. `n` or an empty line
/// denies, and text after `n` is sent to the model. For any other line, the error is the text to print before the next
/// line is read.
pub(crate) fn read(line: &str, options: usize) -> Result<ApprovalAnswer, String> {
    let line = line.trim();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let option = match first {
        "y" | "Y" | "yes" => Some(0),
        number => number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|at| *at < options),
    };
    let rest = rest.trim();
    if let Some(option) = option.filter(|_| rest.is_empty() || rest.starts_with('{')) {
        if rest.is_empty() {
            return Ok(ApprovalAnswer::Allow { option, arguments: None });
        }
        return match serde_json::from_str(rest) {
            Ok(arguments) => Ok(ApprovalAnswer::Allow { option, arguments: Some(arguments) }),
            Err(error) => Err(format!("Invalid JSON arguments: {error}. Try again, or n: ")),
        };
    }
    match first {
        "" => Ok(ApprovalAnswer::Deny { text: None }),
        "n" | "N" | "no" => Ok(ApprovalAnswer::Deny { text: (!rest.is_empty()).then(|| rest.to_owned()) }),
        _ => Err(format!("Invalid answer `{}`. Type a number up to {options}, y, or n: ", printable(line))),
    }
}

/// Renders the approval prompt with its options.
pub(crate) fn render_prompt(request: &ApprovalRequest) -> String {
    let mut card = format!("\n{}", approval_prompt::prompt_text(request));
    for (number, option) in (1..).zip(&request.options) {
        let (label, others) = approval_prompt::option(option);
        let _ = writeln!(card, "  {number}) yes: {label}");
        for other in others {
            let _ = writeln!(card, "       would also have allowed {other}");
        }
    }
    card.push_str("Number, y for 1, or n and what to do instead; {…} behind a number: with these arguments [n]: ");
    card
}

#[cfg(test)]
mod tests {
    use zubi_policy::ApprovalOption;
    use zubi_tool_api::Footprint;
    use zubi_tool_api::cx::ApprovalScope;

    use super::*;

    #[test]
    fn prompt_describes_effects_and_hides_nothing() {
        let option = |scope, label: &str, would_also_allow| ApprovalOption {
            scope,
            label: label.to_owned(),
            rules: Vec::new(),
            would_also_allow,
        };
        let request = ApprovalRequest {
            tool: "shell.run".to_owned(),
            reason: "it runs `git push`".to_owned(),
            rule: None,
            footprint: Footprint {
                commands: vec![vec!["git".into(), "push".into(), "\u{1b}[2Jx\ny".into()]],
                directory: Some("/w".into()),
                secrets: vec!["TOKEN".into()],
                ..Footprint::default()
            },
            arguments: serde_json::Value::Null,
            options: vec![
                option(ApprovalScope::Once, "this call", Vec::new()),
                option(
                    ApprovalScope::Session,
                    "`git push` with any arguments, for this session",
                    vec!["git push -f".into()],
                ),
            ],
        };
        insta::assert_snapshot!(render_prompt(&request), @r#"
        shell.run wants to run: it runs `git push`
          command    git push '\u{1b}[2Jx\ny'
          in         /w
          secret     TOKEN
          1) yes: this call
          2) yes: `git push` with any arguments, for this session
               would also have allowed git push -f
        Number, y for 1, or n and what to do instead; {…} behind a number: with these arguments [n]:
        "#);
    }

    #[test]
    fn answers_table() {
        let deny = |text: Option<&str>| ApprovalAnswer::Deny { text: text.map(str::to_owned) };
        for (line, expected) in [
            ("y\n", ApprovalAnswer::allow_once()),
            ("1", ApprovalAnswer::allow_once()),
            ("2", ApprovalAnswer::Allow { option: 1, arguments: None }),
            (
                r#"2 {"command": "ls"}"#,
                ApprovalAnswer::Allow { option: 1, arguments: Some(serde_json::json!({ "command": "ls" })) },
            ),
            ("", deny(None)),
            ("n use rsync\n", deny(Some("use rsync"))),
            ("n", deny(None)),
        ] {
            assert_eq!(read(line, 2), Ok(expected), "{line}");
        }
        for line in ["3", "0", "x", "yes please", "1 2"] {
            let wrong = read(line, 2).unwrap_err();
            assert_eq!(wrong, format!("Invalid answer `{line}`. Type a number up to 2, y, or n: "));
        }
        let wrong = read("y {command: ls}", 2).unwrap_err();
        assert_eq!(wrong, "Invalid JSON arguments: key must be a string at line 1 column 2. Try again, or n: ");
    }
}
