//! `settings://update-imports`: whether imports follow files that move.

use async_trait::async_trait;
use zubi_tools::{Resource, ResourceSpec, ResourceText, ToolCx, ToolError};

use crate::settings::setting;
use crate::settings::update_imports::{TYPESCRIPT, UpdateImports};

const PLAIN: &str = "text/plain";

pub(super) struct UpdateImportsEnabled {
    spec: ResourceSpec,
}

impl UpdateImportsEnabled {
    pub(super) fn new() -> Self {
        Self {
            spec: ResourceSpec {
                uri: "settings://update-imports".to_owned(),
                name: "update-imports-enabled".to_owned(),
                description: "Whether rename_file lets imports follow TypeScript files: always (also where the workspace sets nothing), prompt or never.".to_owned(),
                mime_type: PLAIN.to_owned(),
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
        let value = setting(cx, "read the setting", TYPESCRIPT).await?;
        let text = UpdateImports::of(value.as_ref()).name().to_owned();
        Ok(ResourceText { mime_type: PLAIN.to_owned(), text })
    }
}
