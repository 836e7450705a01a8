//! Locations related to a symbol: definition, references, implementations, type definition.

use std::io;
use std::sync::Arc;

use camino::Utf8Path;
use futures_util::future::join_all;
use serde_json::{Value, json};
use zubi_base::endpoint::{DocumentRef, Endpoint};
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextRange, size};
use zubi_base::text::{BOM, pluralize};
use zubi_base::{fs, uri};

use crate::error::CodeError;
use crate::locate::ResolvedTarget;
use crate::location::{SourceLocation, parse};
use crate::query::{CodeQuery, SourceDocument};
use crate::readiness::ReadinessLevel;
use crate::request::{EndpointReply, position_params};
use crate::status::QualifiedAnswer;
use crate::text_search;

/// The relation between a symbol and the requested locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Definition,
    References { include_declaration: bool },
    Implementations,
    TypeDefinition,
}

impl Relation {
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Definition => "textDocument/definition",
            Self::References { .. } => "textDocument/references",
            Self::Implementations => "textDocument/implementation",
            Self::TypeDefinition => "textDocument/typeDefinition",
        }
    }

    pub(crate) fn operation(self) -> &'static str {
        match self {
            Self::Definition => "find definitions",
            Self::References { .. } => "find references",
            Self::Implementations => "find implementations",
            Self::TypeDefinition => "find type definitions",
        }
    }
}

impl Relation {
    /// Adds the `context` parameter of a request for references.
    pub(crate) fn add_context(self, params: &mut Value) {
        if let Self::References { include_declaration } = self {
            params["context"] = json!({ "includeDeclaration": include_declaration });
        }
    }
}

/// A location that a server returned. zubi reads its source line only to show it, because an answer has hundreds of
/// locations and shows one page of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawLocation {
    pub(crate) location: lsp::Location,
    pub(crate) encoding: Encoding,
    /// See [`SourceLocation::display_path`].
    pub display_path: String,
    /// See [`SourceLocation::external`].
    pub external: bool,
    pub declaration: bool,
    /// Whether this is a whole-word match that no server counts as a reference; see [`crate::features::mentions::Mentions`].
    pub text_only: bool,
}

impl RawLocation {
    /// Creates the location of a range in a document.
    pub(crate) fn in_document(
        query: &CodeQuery<'_>,
        document: &SourceDocument,
        path: &Utf8Path,
        range: TextRange,
    ) -> Self {
        let range = document.index.range_to_lsp(range, Encoding::Utf16);
        let location = lsp::Location { uri: uri::from_path(path), range };
        let (display_path, external) = query.display_location(&location);
        let encoding = Encoding::Utf16;
        Self { location, encoding, display_path, external, declaration: false, text_only: false }
    }

    /// Returns the line of the start, 1-based.
    pub fn line(&self) -> u32 {
        self.location.range.start.line.saturating_add(1)
    }
}

/// A location in the form that answers show, with its relation to the symbol; see [`RawLocation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayLocation {
    pub location: SourceLocation,
    pub declaration: bool,
    pub text_only: bool,
}

impl CodeQuery<'_> {
    /// Returns the locations with this relation to a target, sorted by path and line, without duplicates.
    pub async fn locations(
        &self,
        at: &ResolvedTarget,
        relation: Relation,
    ) -> Result<QualifiedAnswer<Vec<RawLocation>>, CodeError> {
        let ready =
            match self.ready_for(&at.reference, relation.method(), relation.operation(), ReadinessLevel::Project).await
            {
                Err(error) => {
                    if let CodeError::Unsupported { servers, .. } = &error
                        && relation == Relation::Implementations
                        && let Some(answer) = Box::pin(self.implementations_by_references(at, servers)).await?
                    {
                        return Ok(answer);
                    }
                    return self.textual_locations(at, relation, error.absent_servers()?).await;
                }
                Ok(ready) => ready,
            };
        let document = self.document(&at.path).await?;
        let cx = self.request_cx().for_document(&at.reference);
        let request = self.request_all(&ready, relation.method(), &cx, |endpoint| {
            let mut params = position_params(&at.reference, &document, at.offset, endpoint.encoding());
            relation.add_context(&mut params);
            params
        });
        // Requested at the same time, to mark the declarations among the references.
        let declarations = async {
            if matches!(relation, Relation::References { include_declaration: true }) {
                self.declarations(&ready.endpoints, at, &document).await
            } else {
                Vec::new()
            }
        };
        let has_other_projects = self.may_lead_to_other_projects(at, relation);
        let (replies, declarations, has_other_projects) = tokio::join!(request, declarations, has_other_projects);
        let replies = match replies {
            Err(error) => return self.textual_locations(at, relation, error.absent_servers()?).await,
            Ok(replies) => replies,
        };
        let mut status = replies.status;
        let mut found: Vec<RawLocation> = Vec::new();
        let mut deleted = self.add_replies(&mut found, &replies.replies, &declarations);
        if has_other_projects {
            let other_replies = self.query_other_projects(at, relation, &found).await?;
            deleted += self.add_replies(&mut found, &other_replies.replies, &declarations);
            status.merge(other_replies.status);
            let is_limited = |endpoint: &Arc<dyn Endpoint>| {
                relation == Relation::Implementations && endpoint.answers_per_project(relation.method())
            };
            if ready.endpoints.iter().any(is_limited) {
                self.add_implementations_at_uses(at, &mut found, &mut status).await?;
            }
        }
        // The matches of the name show whether references are missing; other places may be in files with new names.
        if deleted > 0 && (found.is_empty() || !matches!(relation, Relation::References { .. })) {
            let places = pluralize(deleted, "place");
            status.mark_incomplete(format!("the server still reports {places} in files that do not exist any more"));
        }
        if relation == (Relation::References { include_declaration: false }) {
            self.remove_own_declaration(&mut found, &ready.endpoints, at, &document).await;
        }
        if let Some(name) = at.name.as_deref().filter(|_| relation != Relation::TypeDefinition) {
            self.narrow_to_name(&mut found, name).await;
        }
        if matches!(relation, Relation::References { .. } | Relation::Implementations) {
            status.notes.extend(self.leave_out_other_worktrees(&at.path, &mut found));
        }
        self.sort(&mut found).await;
        if relation == Relation::Definition {
            self.add_named_definition(&ready.endpoints, at, &mut found).await;
            self.add_counterpart(at, &mut found).await;
        }
        // References are compared with the word matches first; see `references`.
        if !matches!(relation, Relation::References { .. }) {
            status.add_library_caveats(found.is_empty());
        }
        if matches!(relation, Relation::Definition | Relation::TypeDefinition) && !found.is_empty() {
            status.excuse_gaps();
        }
        Ok(QualifiedAnswer { value: found, status })
    }

    /// Sorts locations by path and line, and removes duplicates.
    pub(crate) async fn sort(&self, found: &mut Vec<RawLocation>) {
        self.correct_first_lines(found).await;
        let first = found.first().map(|one| one.encoding);
        if found.iter().any(|one| Some(one.encoding) != first) {
            for one in found.iter_mut() {
                self.convert_to_utf16(one).await;
            }
        }
        let key = |found: &RawLocation| {
            let range = found.location.range;
            let (start, end) = (range.start, range.end);
            (found.external, found.display_path.clone(), start.line, start.character, end.line, end.character)
        };
        found.sort_by_cached_key(key);
        found.dedup_by(|one, other| {
            let is_same = one.location.range == other.location.range && one.display_path == other.display_path;
            other.declaration |= is_same && one.declaration;
            is_same
        });
    }

    /// Corrects the columns of servers that count the byte-order mark of a file; see [`SourceDocument::without_mark`].
    async fn correct_first_lines(&self, found: &mut [RawLocation]) {
        // Servers group locations by file, so zubi looks at each file once per group.
        for group in found.chunk_by_mut(|one, next| one.location.uri == next.location.uri) {
            let is_first_line = |one: &RawLocation| one.location.range.start.line == 0 && !one.external;
            if !group.iter().any(is_first_line) {
                continue;
            }
            let Some(path) = group.first().and_then(|one| uri::to_path(&one.location.uri)) else { continue };
            if !fs::begins_with(&path, BOM.as_bytes()) {
                continue;
            }
            let Ok(document) = self.document(&path).await else { continue };
            for one in group {
                if let Some(corrected) = document.without_mark(&one.location.range, one.encoding) {
                    one.location.range = corrected;
                }
            }
        }
    }

    /// Narrows ranges of one line that are longer than the name to the name after their qualifiers: `EmmyLua` 0.25 returns
    /// `M.show` for `show`, at whose start is another symbol.
    async fn narrow_to_name(&self, found: &mut [RawLocation], name: &str) {
        let is_wide = |one: &RawLocation| {
            let lsp::Range { start, end } = one.location.range;
            let length = usize::try_from(end.character.saturating_sub(start.character)).unwrap_or_default();
            start.line == end.line && length > one.encoding.length(name) && !one.external
        };
        // Servers group locations by file, so zubi reads each file once per group.
        for group in found.chunk_by_mut(|one, next| one.location.uri == next.location.uri) {
            if !group.iter().any(is_wide) {
                continue;
            }
            let Some(path) = group.first().and_then(|one| uri::to_path(&one.location.uri)) else { continue };
            let Ok(document) = self.document(&path).await else { continue };
            for one in group.iter_mut().filter(|one| is_wide(one)) {
                let range = document.index.range_from_lsp(&one.location.range, one.encoding);
                let text = document.text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default();
                // `-` and `$` are parts of names of stylesheets.
                let is_qualified =
                    |at: &usize| text.get(..*at).is_some_and(|path| path.ends_with(['.', ':', '\\', '"', '\'']));
                if let Some(last) = text_search::occurrences(text, name).filter(is_qualified).last() {
                    let range = TextRange::at(range.start() + size(last), size(name.len()));
                    one.location.range = document.index.range_to_lsp(range, one.encoding);
                }
            }
        }
    }

    /// Adds the locations in servers' replies. Returns the number of those that it leaves out, because their files do not
    /// exist.
    pub(crate) fn add_replies(
        &self,
        found: &mut Vec<RawLocation>,
        replies: &[EndpointReply],
        declarations: &[lsp::Location],
    ) -> usize {
        let mut deleted = 0;
        for reply in replies {
            let encoding = reply.endpoint.encoding();
            // Servers group references by file, so zubi converts each URI once per group.
            for file_locations in parse(&reply.result).chunk_by(|one, next| one.uri == next.uri) {
                let Some(first) = file_locations.first() else { continue };
                if self.is_deleted(&first.uri) {
                    deleted += file_locations.len();
                    continue;
                }
                self.virtual_documents.register(&first.uri, &reply.endpoint);
                let uri = self.resolve_links(&first.uri).unwrap_or_else(|| first.uri.clone());
                let (shown, external) = self.display_location(&lsp::Location { uri: uri.clone(), range: first.range });
                for location in file_locations {
                    let declaration = declarations.iter().any(|declared| same_start(declared, location));
                    let location = lsp::Location { uri: uri.clone(), range: location.range };
                    let shown = shown.clone();
                    found.push(RawLocation {
                        location,
                        encoding,
                        display_path: shown,
                        external,
                        declaration,
                        text_only: false,
                    });
                }
            }
        }
        deleted
    }

    /// Whether a URI names a file of the workspace that does not exist: a server may not have read a deletion or a new name
    /// yet.
    fn is_deleted(&self, uri: &lsp::Uri) -> bool {
        let Some(path) = uri::to_path(uri).filter(|path| self.workspace().contains(path)) else { return false };
        let is_missing = std::fs::symlink_metadata(&path)
            .is_err_and(|error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory));
        is_missing && !self.intel.texts.unsaved_texts().contains_key(&path)
    }

    /// Returns the URI of a file of the workspace without links, if it has some: a file that two paths reach is one.
    pub(crate) fn resolve_links(&self, uri: &lsp::Uri) -> Option<lsp::Uri> {
        let path = uri::to_path(uri).filter(|path| self.workspace().contains(path))?;
        let real = fs::canonical(&path).ok().filter(|real| *real != path && self.workspace().contains(real))?;
        Some(uri::from_path(&real))
    }

    /// clangd returns the declaration for a request at the definition, and the reverse. If a symbol's only location is
    /// elsewhere and a request there leads back, the named position is its definition and the location its declaration.
    async fn add_named_definition(
        &self,
        endpoints: &[Arc<dyn Endpoint>],
        at: &ResolvedTarget,
        found: &mut Vec<RawLocation>,
    ) {
        let ([answer], Some(_), Some(name)) = (found.as_mut_slice(), at.kind, &at.name) else { return };
        let Some(path) = uri::to_path(&answer.location.uri) else { return };
        let (Ok(source), Ok(target)) = (self.document(&at.path).await, self.document(&path).await) else { return };
        let range = TextRange::at(at.offset, size(name.len()));
        let own = lsp::Location { uri: at.reference.uri(), range: source.index.range_to_lsp(range, answer.encoding) };
        if answer.external || same_start(&own, &answer.location) {
            return;
        }
        let reference = DocumentRef::new(path);
        let offset = target.index.from_lsp(answer.location.range.start, answer.encoding);
        let cx = self.request_cx().for_document(&reference);
        let requests = endpoints.iter().map(|endpoint| {
            let params = position_params(&reference, &target, offset, endpoint.encoding());
            self.send(endpoint.as_ref(), "textDocument/definition", params, &cx)
        });
        let back = join_all(requests).await.into_iter().flatten().flat_map(|result| parse(&result)).collect::<Vec<_>>();
        if back.iter().any(|back| same_start(&own, back)) {
            answer.declaration = true;
            let (shown, external) = self.display_location(&own);
            let encoding = answer.encoding;
            found.insert(
                0,
                RawLocation {
                    location: own,
                    encoding,
                    display_path: shown,
                    external,
                    declaration: false,
                    text_only: false,
                },
            );
        }
    }

    /// Adds the second declaration of a symbol: a stub beside its module.
    async fn add_counterpart(&self, at: &ResolvedTarget, found: &mut Vec<RawLocation>) {
        let Some(counterpart) = self.counterpart(at, found).await else { return };
        let (Ok(document), Some(name)) = (self.document(&counterpart.path).await, &counterpart.name) else { return };
        let encoding = Encoding::Utf16;
        let range = document.index.range_to_lsp(TextRange::at(counterpart.offset, size(name.len())), encoding);
        let location = lsp::Location { uri: counterpart.reference.uri(), range };
        let (display_path, external) = self.display_location(&location);
        // A stub only declares.
        let declaration = display_path.ends_with('i') || display_path.contains(".d.");
        found.push(RawLocation { location, encoding, display_path, external, declaration, text_only: false });
        self.sort(found).await;
    }

    /// Converts a location to the displayed form, with `context` lines around it.
    pub async fn hit(&self, found: &RawLocation, context: u32) -> DisplayLocation {
        DisplayLocation {
            location: self.location(&found.location, found.encoding, context).await,
            declaration: found.declaration,
            text_only: found.text_only,
        }
    }

    /// Converts a location to UTF-16, so that locations of servers with different encodings can be compared.
    pub(crate) async fn convert_to_utf16(&self, found: &mut RawLocation) {
        if let Some(path) = uri::to_path(&found.location.uri)
            && let Ok(document) = self.document(&path).await
        {
            let range = document.range_from_server(&found.location.range, found.encoding);
            found.location.range = document.index.range_to_lsp(range, Encoding::Utf16);
            found.encoding = Encoding::Utf16;
        }
    }

    /// Removes the requested position if it is a declaration and the caller excluded declarations. Some servers
    /// (jedi-language-server 0.47) return it anyway, and an unused symbol would look used.
    async fn remove_own_declaration(
        &self,
        found: &mut Vec<RawLocation>,
        endpoints: &[Arc<dyn Endpoint>],
        at: &ResolvedTarget,
        document: &SourceDocument,
    ) {
        let is_own = |one: &RawLocation| {
            one.location.range.start == document.index.to_lsp(at.offset, one.encoding)
                && uri::to_path(&one.location.uri).as_ref() == Some(&at.path)
        };
        if found.iter().any(is_own) {
            let declared = self.declarations(endpoints, at, document).await;
            found.retain(|one| !(is_own(one) && declared.iter().any(|own| same_start(own, &one.location))));
        }
    }

    /// Returns the locations of a symbol's declaration and definition: two in C++, where each response depends on the
    /// position.
    pub(crate) async fn declarations(
        &self,
        endpoints: &[Arc<dyn Endpoint>],
        at: &ResolvedTarget,
        document: &SourceDocument,
    ) -> Vec<lsp::Location> {
        let cx = self.request_cx().for_document(&at.reference);
        let requests = endpoints.iter().flat_map(|endpoint| {
            ["textDocument/definition", "textDocument/declaration"].map(|method| (Arc::clone(endpoint), method))
        });
        let answers = requests.map(|(endpoint, method)| {
            let params = position_params(&at.reference, document, at.offset, endpoint.encoding());
            let cx = &cx;
            async move {
                if !endpoint.supports(method, Some(&at.reference), cx).await {
                    return Vec::new();
                }
                self.send(endpoint.as_ref(), method, params, cx).await.map(|result| parse(&result)).unwrap_or_default()
            }
        });
        join_all(answers).await.concat()
    }
}

fn same_start(a: &lsp::Location, b: &lsp::Location) -> bool {
    a.range.start == b.range.start
        && (a.uri == b.uri || uri::to_path(&a.uri).is_some_and(|path| uri::to_path(&b.uri) == Some(path)))
}
