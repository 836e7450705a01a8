//! Asking the person in front of the terminal.

use std::io::{self, IsTerminal as _, Write as _};

use async_trait::async_trait;
use zubi_tools::cx::{ApprovalAnswer, ApprovalRequest, ApprovalScope, Approver};

/// Asks on the terminal.
#[derive(Debug)]
pub(crate) struct AskOnTerminal;

impl AskOnTerminal {
    /// `None` when there is nobody in front of a terminal.
    pub(crate) fn new() -> Option<Self> {
        (io::stdin().is_terminal() && io::stderr().is_terminal()).then_some(Self)
    }
}

#[async_trait]
impl Approver for AskOnTerminal {
    async fn ask(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let question = format!("Run {}? {} [y/N] ", request.tool, request.why);
        let answer = tokio::task::spawn_blocking(move || -> io::Result<String> {
            write!(io::stderr().lock(), "{question}")?;
            let mut line = String::new();
            io::stdin().read_line(&mut line)?;
            Ok(line)
        })
        .await;
        match answer {
            Ok(Ok(line)) if matches!(line.trim(), "y" | "Y" | "yes") => ApprovalAnswer::Allow(ApprovalScope::Once),
            Ok(Ok(_)) => ApprovalAnswer::Deny,
            _ => ApprovalAnswer::Unavailable,
        }
    }
}
