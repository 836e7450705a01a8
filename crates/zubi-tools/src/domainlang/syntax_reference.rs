//! `domainlang://syntax-reference`: the language on one page.

use async_trait::async_trait;
use dlang_syntax::SYNTAX_REFERENCE;
use zubi_tool_api::{Resource, ResourceSpec, ResourceText, ToolCx, ToolError};

const MARKDOWN: &str = "text/markdown";

pub(super) struct SyntaxReference {
    spec: ResourceSpec,
}

impl SyntaxReference {
    pub(super) fn new() -> Self {
        Self {
            spec: ResourceSpec {
                uri: "domainlang://syntax-reference".to_owned(),
                name: "domainlang-syntax-reference".to_owned(),
                description: "The syntax of DomainLang with examples; read it before writing .dlang files.".to_owned(),
                mime_type: MARKDOWN.to_owned(),
            },
        }
    }
}

#[async_trait]
impl Resource for SyntaxReference {
    fn spec(&self) -> &ResourceSpec {
        &self.spec
    }

    async fn read(&self, _uri: &str, _cx: &ToolCx) -> Result<ResourceText, ToolError> {
        Ok(ResourceText { mime_type: MARKDOWN.to_owned(), text: SYNTAX_REFERENCE.to_owned() })
    }
}
