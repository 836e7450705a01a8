//! `settings://update-imports`: whether imports follow files that move.

use std::sync::Arc;

use async_trait::async_trait;
use zubi_code::CodeIntel;
use zubi_tool_api::{Resource, ResourceSpec, ResourceText, ToolCx, ToolError};

use crate::settings::update_imports_setting;

const MIME_TYPE: &str = "text/plain";

pub(super) struct UpdateImportsEnabled {
    spec: ResourceSpec,
    intel: Arc<CodeIntel>,
}

impl UpdateImportsEnabled {
    pub(super) fn new(intel: &Arc<CodeIntel>) -> Self {
        Self {
            intel: Arc::clone(intel),
            spec: ResourceSpec {
                uri: "settings://update-imports".to_owned(),
                name: "update-imports-enabled".to_owned(),
                description: "Whether rename_file updates imports of moved TypeScript files: always (the default without an editor), prompt or never.".to_owned(),
                mime_type: MIME_TYPE.to_owned(),
            },
        }
    }
}

#[async_trait]
impl Resource for UpdateImportsEnabled {
    fn spec(&self) -> &ResourceSpec {
        &self.spec
    }

    async fn read(&self, _uri: &str, cx: &ToolCx) -> Result<ResourceText, ToolError> {
        let text = update_imports_setting(&self.intel, cx).await?.name().to_owned();
        Ok(ResourceText { mime_type: MIME_TYPE.to_owned(), text })
    }
}
