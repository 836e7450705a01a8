//! The parser of the toy language.

use std::sync::Arc;

use async_trait::async_trait;
use camino::Utf8Path;
use zubi_syntax::{Declaration, DeclarationKind, SyntaxLanguage, SyntaxLayout, SyntaxOutline, TextExtent};

use super::{DeclaredSymbol, ToyEndpoint};
use crate::syntax::{DirectParser, NodeSearch, PatternAnswer, PatternSearchError, SyntaxError, SyntaxParser};

/// A parser of the toy language; of other languages as [`DirectParser`].
#[derive(Debug, Clone, Copy)]
pub(super) struct ToyParser;

#[async_trait]
impl SyntaxParser for ToyParser {
    fn has_language(&self, file_name: &str) -> bool {
        is_toy(file_name) || DirectParser.has_language(file_name)
    }

    async fn outline(&self, file_name: &str, text: &Arc<str>) -> Result<SyntaxOutline, SyntaxError> {
        if !is_toy(file_name) {
            return DirectParser.outline(file_name, text).await;
        }
        let declaration = |declared: DeclaredSymbol| {
            let range: std::ops::Range<usize> = declared.range.into();
            Declaration {
                name: declared.name,
                kind: DeclarationKind::Class,
                name_range: range.clone(),
                signature: range.clone(),
                range,
                doc: None,
                parent: None,
            }
        };
        let declarations = ToyEndpoint::declared_symbols(text).into_iter().map(declaration).collect();
        Ok(SyntaxOutline { declarations, ..SyntaxOutline::default() })
    }

    async fn layout(&self, file_name: &str, extent: TextExtent, text: &Arc<str>) -> Result<SyntaxLayout, SyntaxError> {
        DirectParser.layout(file_name, extent, text).await
    }

    async fn find_matches(
        &self,
        language: &'static SyntaxLanguage,
        search: &NodeSearch,
        text: &Arc<str>,
    ) -> Result<PatternAnswer, PatternSearchError> {
        DirectParser.find_matches(language, search, text).await
    }
}

fn is_toy(file_name: &str) -> bool {
    Utf8Path::new(file_name).extension() == Some("toy")
}
