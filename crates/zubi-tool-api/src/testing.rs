//! Contexts of calls for this crate's tests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use tokio_util::sync::CancellationToken;
use zubi_base::text::DiskText;
use zubi_base::workspace::WorkspaceFolders;

pub(crate) use zubi_policy::testing::spec;

use crate::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface, ToolCx};

/// Creates the context of a call without restrictions and without a user to prompt.
pub(crate) fn cx() -> ToolCx {
    let directory = Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR"));
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
        workspace: Arc::new(WorkspaceFolders::open(&[directory]).unwrap()),
        text_source: Arc::new(DiskText),
    }
}
