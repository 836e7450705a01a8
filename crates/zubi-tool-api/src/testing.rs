//! Tools and circumstances for this crate's tests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use zubi_base::text::DiskText;
use zubi_base::workspace::Workspace;

use crate::cx::{Caller, NoProgress, NoApprover, Restrictions, Surface, ToolCx};
use crate::spec::{Approval, Effect, Exposure, ToolSpec};

/// A specification with a string parameter `text` and nothing remarkable.
pub(crate) fn spec(id: &str, effect: Effect) -> ToolSpec {
    let input = json!({
        "type": "object",
        "properties": {"text": {"type": "string", "description": "Any text."}},
    });
    ToolSpec {
        id: id.to_owned(),
        title: id.to_owned(),
        description: "Does something for a test.".to_owned(),
        input: input.as_object().unwrap().clone(),
        examples: Vec::new(),
        notes: String::new(),
        effect,
        toolset: id.split(['.', '_']).next().unwrap().to_owned(),
        exposure: Exposure::Direct,
        approval: Approval::ByEffect,
        timeout: Duration::from_mins(1),
        category: "test".to_owned(),
        tags: Vec::new(),
        icon: None,
    }
}

/// Circumstances of a call without any restriction, with nobody to ask.
pub(crate) fn cx() -> ToolCx {
    let here = Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    ToolCx {
        cancel: CancellationToken::new(),
        deadline: Instant::now() + Duration::from_mins(10),
        progress: Arc::new(NoProgress),
        token_budget: None,
        nesting: 0,
        caller: Arc::new(Caller {
            surface: Surface::Mcp,
            client: None,
            session: 0,
            restrictions: Restrictions::default(),
        }),
        approver: Arc::new(NoApprover),
        workspace: Arc::new(Workspace::open(&[here]).unwrap()),
        text_source: Arc::new(DiskText),
    }
}
