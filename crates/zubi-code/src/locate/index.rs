//! The servers' symbol indexes (`workspace/symbol`), and symbols that no index has because their language has no
//! server.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::future::join_all;
use rustc_hash::FxHashSet;
use serde::Deserialize as _;
use serde_json::json;
use zubi_base::endpoint::{DocumentRef, Endpoint, Endpoints, MissingServer, Readiness};
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_base::uri;

use super::NamePath;
use super::symbol::{Candidate, MAX_WORD_FILES, name_in};
use crate::error::CodeError;
use crate::features::index_search::SERVER_WAIT;
use crate::features::symbol_filter::FileCondition;
use crate::location::{self, SourceLocation};
use crate::markup::clean_line;
use crate::outline;
use crate::query::CodeQuery;
use crate::request::{EndpointReply, SearchEndpoints};
use crate::status::AnswerStatus;

/// The maximum number of index entries read from one server's response.
const MAX_INDEXED: usize = 2_000;

/// The request for symbols of the whole workspace.
const METHOD: &str = "workspace/symbol";

/// The entries of the servers' symbol indexes for a name.
pub(crate) struct IndexedSymbols {
    /// Entries of the workspace's own files first.
    pub(crate) symbols: Vec<Indexed>,
    pub(crate) status: AnswerStatus,
    /// The endpoints that returned a response.
    pub(crate) endpoints: Vec<Arc<dyn Endpoint>>,
}

/// Declarations that the indexes lack because their language has no server.
#[derive(Default)]
pub(crate) struct UnindexedMatches {
    pub(crate) candidates: Vec<Candidate>,
    /// The status of the outlines.
    pub(crate) status: AnswerStatus,
    /// The number of outlined files.
    pub(crate) files: usize,
    /// Whether more files contain the word than were outlined.
    pub(crate) cut: bool,
}

/// One entry of a server's symbol index.
#[derive(Debug, Clone)]
pub(crate) struct Indexed {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) container: Option<String>,
    pub(crate) path: Utf8PathBuf,
    /// The server's own range; absent if the server requires a `workspaceSymbol/resolve` request for it.
    pub(crate) location: Option<lsp::Location>,
    /// The unit of the range's columns.
    pub(crate) encoding: Encoding,
    /// 1-based.
    pub(crate) line: Option<u32>,
}

impl Indexed {
    /// Returns the identity of an entry: two entries for the same symbol have the same key.
    fn key(&self) -> (Utf8PathBuf, Option<(u32, u32)>, String, &'static str) {
        let start = self.location.as_ref().map(|location| location.range.start);
        let start = start.map(|start| (start.line, start.character));
        (self.path.clone(), start, self.name.clone(), self.kind)
    }

    fn parse(item: &serde_json::Value, encoding: Encoding) -> Option<Self> {
        let uri = lsp::Uri(item.pointer("/location/uri")?.as_str()?.to_owned());
        let range = item.pointer("/location/range").and_then(|range| lsp::Range::deserialize(range).ok());
        let text = |field: &str| {
            let text = item.get(field)?.as_str()?;
            Some(clean_line(text)).filter(|text| !text.is_empty())
        };
        Some(Self {
            name: text("name")?,
            kind: outline::kind_of(item),
            container: text("containerName"),
            path: uri::to_path(&uri)?,
            encoding,
            line: range.map(|range| range.start.line.saturating_add(1)),
            location: range.map(|range| lsp::Location { uri, range }),
        })
    }
}

impl CodeQuery<'_> {
    /// Returns the endpoints of the workspace that search symbols, or that all of them are loading, so that the index can
    /// answer meanwhile.
    pub(crate) async fn endpoints_of_symbols(&self) -> SearchEndpoints {
        if self.cx.may_use_index && self.wait_for_index().await {
            return self.endpoints_within(METHOD, SERVER_WAIT).await;
        }
        SearchEndpoints::Settled(self.endpoints_for_workspace().await)
    }

    /// Returns the endpoints of the workspace that search symbols, without waiting for them.
    pub(crate) async fn endpoints_for_workspace(&self) -> Endpoints {
        self.intel.router.for_workspace(METHOD, &self.request_cx()).await
    }

    /// Returns the entries of the servers' symbol indexes for a name. Returns an error if there is no index.
    pub(crate) async fn indexed(&self, query: &str) -> Result<IndexedSymbols, CodeError> {
        let found = self.endpoints_for_workspace().await;
        self.indexed_by(found, query).await
    }

    /// Like [`Self::indexed`], with the endpoints of the workspace.
    pub(crate) async fn indexed_by(&self, found: Endpoints, query: &str) -> Result<IndexedSymbols, CodeError> {
        let ready = self.ready_for_workspace(found, METHOD, "search symbols by name").await?;
        let replies = self.request_all(&ready, METHOD, &self.request_cx(), |_| json!({ "query": query })).await?;
        let mut found = Vec::new();
        let mut status = replies.status;
        let mut virtual_symbols = Vec::new();
        // A server that received a request about a document of another project has that document in its index from then
        // on, under another name. The server of that project returns it as well.
        let is_foreign = |reply: &EndpointReply, path: &Utf8Path| {
            let document = DocumentRef::new(path);
            let serves = |other: &EndpointReply| other.endpoint.serves(&document);
            replies.replies.len() > 1 && !serves(reply) && replies.replies.iter().any(serves)
        };
        for reply in &replies.replies {
            let Some(items) = reply.result.as_array() else { continue };
            for item in items.iter().take(MAX_INDEXED) {
                match Indexed::parse(item, reply.endpoint.encoding()) {
                    Some(symbol) if is_foreign(reply, &symbol.path) => {}
                    Some(symbol) => found.push(symbol),
                    None => virtual_symbols.extend(describe_virtual_symbol(item)),
                }
            }
        }
        if let Some(first) = virtual_symbols.first() {
            // Symbols of libraries without a file on this machine.
            let more = virtual_symbols.len().checked_sub(1).filter(|more| *more > 0);
            let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
            status.notes.push(format!("also in virtual documents: {first}{more}"));
        }
        // A project that another project uses is in the indexes of both.
        let mut seen = FxHashSet::default();
        found.retain(|symbol| symbol.line.is_none() || seen.insert(symbol.key()));
        // Stable, so that each half has the servers' order.
        found.sort_by_key(|symbol| !self.workspace().contains(&symbol.path));
        let endpoints = replies.replies.into_iter().map(|reply| reply.endpoint).collect();
        Ok(IndexedSymbols { symbols: found, status, endpoints })
    }

    /// Returns declarations that the index lacks because their language has no server, from the outlines of the files
    /// below `scope` that contain the word. Searches nothing if every language has a server.
    pub(crate) async fn unindexed_matches(
        &self,
        index: &IndexedSymbols,
        name_path: &NamePath,
        scope: Option<&Utf8Path>,
    ) -> Result<UnindexedMatches, CodeError> {
        let mut unindexed = UnindexedMatches::default();
        if index.status.absent.is_empty() {
            return Ok(unindexed);
        }
        let named: FxHashSet<_> = index.symbols.iter().map(|symbol| &symbol.path).collect();
        let is_indexed = |file: &DocumentRef| {
            named.contains(&file.path) || index.endpoints.iter().any(|endpoint| endpoint.serves(file))
        };
        let found = self.search_words(name_path.last(), scope).await.files;
        let files = found.into_iter().map(|(path, _)| DocumentRef::new(path));
        let files: Vec<_> = files.filter(|file| !is_indexed(file)).take(MAX_WORD_FILES).collect();
        unindexed.cut = files.len() == MAX_WORD_FILES;
        // A text about the code also contains its names, but a server for texts would not index them.
        let missing_providers = join_all(files.iter().map(|file| self.missing_providers(file, METHOD))).await;
        let is_missing = |absent: &[MissingServer]| absent.iter().any(|absent| index.status.absent.contains(absent));
        let files = files.into_iter().zip(missing_providers).filter(|(_, absent)| is_missing(absent));
        let files: Vec<_> = files.map(|(file, _)| file.path).collect();
        unindexed.files = files.len();
        unindexed.candidates = self.find_by_outline(&files, name_path, &mut unindexed.status).await?;
        for candidate in &mut unindexed.candidates {
            candidate.unindexed = true;
        }
        Ok(unindexed)
    }

    /// Returns declarations that the index lacks although a server serves their language, if the index lacks the name:
    /// a server without a readiness signal may not have read all files. `None` if the index can be trusted.
    pub(crate) async fn missing_from_index(
        &self,
        index: &IndexedSymbols,
        name_path: &NamePath,
    ) -> Result<Option<UnindexedMatches>, CodeError> {
        let serves = |path: &Utf8Path| {
            let document = DocumentRef::new(path);
            let is_unknown = |endpoint: &Arc<dyn Endpoint>| matches!(endpoint.readiness(), Readiness::Unknown { .. });
            index.endpoints.iter().any(|endpoint| is_unknown(endpoint) && endpoint.serves(&document))
        };
        if index.symbols.iter().any(|symbol| symbol.name == name_path.last() && serves(&symbol.path)) {
            return Ok(None);
        }
        let mut unindexed = UnindexedMatches::default();
        let status = &mut unindexed.status;
        let mut files =
            self.files_with_word(name_path.last(), None, &FileCondition::default(), MAX_WORD_FILES, status).await;
        unindexed.cut = files.len() >= MAX_WORD_FILES;
        files.retain(|file| serves(file));
        if files.is_empty() {
            return Ok(None);
        }
        unindexed.files = files.len();
        unindexed.candidates = self.find_by_outline(&files, name_path, &mut unindexed.status).await?;
        Ok(Some(unindexed))
    }

    /// Returns the location of an index entry: its name, if the server's range, which often is the whole declaration,
    /// contains it.
    pub(crate) async fn indexed_location(&self, symbol: &Indexed) -> Option<SourceLocation> {
        let location = symbol.location.as_ref()?;
        if let Ok(document) = self.document(&symbol.path).await {
            let range = document.range_from_server(&location.range, symbol.encoding);
            let name = NamePath::parse(&symbol.name);
            let range = name_in(&document.text, range, name.as_ref().map_or(&symbol.name, NamePath::last));
            return Some(self.location_in(&document, &symbol.path, range));
        }
        Some(self.location(location, symbol.encoding, 0).await)
    }
}

/// Returns the note of an answer that the index gave because all servers are loading.
pub(crate) fn describe_loading(loading: &[String]) -> String {
    format!("{}: wait: \"ready\" waits for the servers", loading.join(", "))
}

/// Describes an index symbol in a virtual document: its name and the document.
fn describe_virtual_symbol(item: &serde_json::Value) -> Option<String> {
    let uri = lsp::Uri(item.pointer("/location/uri")?.as_str()?.to_owned());
    let name = clean_line(item.get("name")?.as_str()?);
    uri::to_path(&uri).is_none().then(|| format!("`{name}` in {}", location::display_uri(&uri)))
}
