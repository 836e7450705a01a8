//! The proof that a mention in code is another symbol: the server resolves it to another place.
//!
//! A server that does not report a mention has resolved it elsewhere, or has not resolved it at all: the file is in no
//! project, the code is in the body of a macro, an import or a type is unknown. Only a request at the mention shows
//! which. zubi sends such requests only if mentions are left, and few.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::future::join_all;
use rustc_hash::{FxHashMap, FxHashSet};
use zubi_base::endpoint::{EndpointError, ProjectServerState};
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextSize, size};
use zubi_base::uri;

use super::sample::{agreed_verdicts, select};
use super::shape::{self, MentionText};
use super::{Mentions, UnreadKind};
use crate::cache::RevisionCache;
use crate::error::CodeError;
use crate::exclusion;
use crate::features::locations::{RawLocation, Relation};
use crate::lexical::NonCode;
use crate::locate::ResolvedTarget;
use crate::query::{CodeQuery, SourceDocument};
use crate::status::{AnswerSource, Completeness};
use crate::text_search;

/// The time limit of all checks of further mentions of an answer. The check of the queried position may take longer:
/// without it, an empty answer would not be marked.
const PROOF_TIME: Duration = Duration::from_secs(2);

const LEFT_OUT: &str = "the server resolves it to this symbol, but does not report it";
const NOT_RESOLVED: &str = "the server does not resolve it";
const UNRESOLVED_TARGET: &str = "the server does not resolve the queried one";
const UNKNOWN_SYMBOL: &str = "the server resolves no symbol here, and reports no references";
const UNRESOLVED_IMPORT: &str = "the server does not resolve its import";

/// A mention in code that the server does not report.
pub(super) struct Candidate {
    pub(super) mention: RawLocation,
    pub(super) path: Utf8PathBuf,
    /// The reason why the server may not have read it.
    pub(super) reason: Option<String>,
}

/// The definitions of recently checked mentions, by file and position (0-based line and UTF-16 column).
pub(crate) type RecentDefinitions = RevisionCache<(Utf8PathBuf, u32, u32), Vec<RawLocation>, 128>;

/// The response of a server about a mention.
enum Resolution {
    Locations(Vec<RawLocation>),
    /// The server did not answer in time, or it was still loading.
    Unknown,
}

#[derive(Clone)]
pub(super) enum MentionVerdict {
    Namesake,
    Unresolved,
    Unchecked,
    Unread { reason: String, kind: UnreadKind },
}

impl MentionVerdict {
    fn mark_unconfirmed(reason: &str) -> Self {
        Self::Unread { reason: reason.to_owned(), kind: UnreadKind::Unconfirmed }
    }
}

/// The result of the checks of an answer's mentions.
#[derive(Debug, Default, Clone)]
pub(crate) struct ProofOutcome {
    /// Whether the server resolves mentions to the symbol that it did not report, in files that it has not opened
    /// before. It may report them now.
    pub(crate) has_new_uses: bool,
    /// Mentions that the server resolves to the symbol, but does not report; those of a file follow each other.
    pub(crate) left_out: Vec<RawLocation>,
}

/// The symbol of a query, with its known places.
struct Subject<'a> {
    at: &'a ResolvedTarget,
    /// The places of the symbol.
    own: Vec<RawLocation>,
    /// Those that declare it.
    declared: Vec<RawLocation>,
    /// The names of the modules in which the symbol may be imported.
    modules: FxHashSet<&'a str>,
    /// Whether the server does not resolve the queried position, so that nothing is known to be another symbol.
    is_unresolved: bool,
}

impl Subject<'_> {
    /// Whether the symbol has the name of its module or package, so that a path may mean that.
    fn has_module_name(&self) -> bool {
        self.at.name.as_deref().is_some_and(|name| self.modules.contains(name))
    }

    /// Whether a definition is a module with the symbol's name. Its range is the whole file, so it contains the symbol.
    fn is_module(&self, definition: &RawLocation) -> bool {
        let first = lsp::Position::default();
        self.has_module_name()
            && definition.location.range.start == first
            && self.own.iter().all(|own| own.location.range.start != first)
    }
}

impl CodeQuery<'_> {
    /// Sorts candidates into the classes of mentions. `known` has the symbol's references and declarations.
    pub(super) async fn prove(
        &self,
        at: &ResolvedTarget,
        known: &[RawLocation],
        mut candidates: Vec<Candidate>,
        mentions: &mut Mentions,
    ) -> ProofOutcome {
        let mut outcome = ProofOutcome::default();
        if self.lacks_sources(at).await {
            self.add_unchecked(mentions, candidates);
            return outcome;
        }
        let tree = self.tree_of(&at.path);
        let modules = module_names(&at.path, tree.as_deref());
        let mut subject = Subject { at, own: known.to_vec(), declared: Vec::new(), modules, is_unresolved: false };
        if let Some(own) = self.own_place(at).await {
            let is_own = |one: &Candidate| one.path == at.path && one.mention.location.range == own.location.range;
            // The position itself is not a further mention: some servers do not list a declaration.
            let listed = candidates.len();
            candidates.retain(|candidate| !is_own(candidate));
            let is_listed = candidates.len() == listed;
            // A server that knows only the position itself may not have resolved it.
            if known.is_empty() || known.len() == 1 && is_listed && self.is_among(&own, known).await {
                let asked = Candidate { mention: own.clone(), path: at.path.clone(), reason: None };
                subject.own.push(own);
                self.check_target(asked, known.is_empty(), &mut subject, mentions).await;
            } else {
                subject.own.push(own);
            }
        }
        if candidates.is_empty() {
            return outcome;
        }
        subject.declared.extend(known.iter().filter(|known| known.declaration).cloned());
        let is_separate = shape::has_separate_declarations(&at.path);
        if is_separate || subject.declared.is_empty() && !subject.is_unresolved {
            let declared = self.declared_places(at).await;
            subject.declared.extend(declared.iter().cloned());
            subject.own.extend(declared.into_iter().filter(|_| is_separate));
        }
        mentions.are_namesakes_proven = true;
        let is_running = self.running_files(at, &candidates).await;
        let mut rest = Vec::new();
        for candidate in candidates {
            match self.lexical_verdict(&candidate, &subject).await {
                Some(verdict) => self.add(mentions, candidate, verdict),
                None if is_running(&candidate.path) => rest.push(candidate),
                None => self.add(mentions, candidate, MentionVerdict::Unchecked),
            }
        }
        let checked = select(&rest);
        let requests = checked.iter().filter_map(|index| Some((*index, rest.get(*index)?)));
        let requests = requests.map(|(index, candidate)| {
            let subject = &subject;
            async move { (index, self.check(candidate, subject).await) }
        });
        let mut verdicts: FxHashMap<usize, MentionVerdict> = FxHashMap::default();
        let mut left_out = BTreeSet::new();
        let until = tokio::time::Instant::now() + PROOF_TIME;
        for (index, checked) in
            join_all(requests.map(|request| tokio::time::timeout_at(until, request))).await.into_iter().flatten()
        {
            outcome.has_new_uses |= checked.is_use && checked.is_new;
            left_out.extend(checked.is_use.then_some(index));
            verdicts.insert(index, checked.verdict);
        }
        outcome.left_out = left_out.into_iter().filter_map(|index| Some(rest.get(index)?.mention.clone())).collect();
        let by_file = agreed_verdicts(&rest, &verdicts);
        for (index, candidate) in rest.into_iter().enumerate() {
            mentions.are_namesakes_proven &= verdicts.contains_key(&index);
            let verdict = verdicts.remove(&index).or_else(|| by_file.get(&candidate.part()).cloned());
            self.add(mentions, candidate, verdict.unwrap_or(MentionVerdict::Unchecked));
        }
        outcome
    }

    /// Whether the server of a language with separate declarations has not read some sources: clangd resolves a mention
    /// there only after it has compiled the file with guessed flags. The answer is marked in any case.
    async fn lacks_sources(&self, at: &ResolvedTarget) -> bool {
        shape::has_separate_declarations(&at.path)
            && self
                .navigators(&at.reference)
                .await
                .iter()
                .any(|endpoint| !endpoint.caveats(Some(&at.reference)).project.is_empty())
    }

    /// Adds candidates without a check. Those with a reason why the server may not have read them are marks.
    pub(super) fn add_unchecked(&self, mentions: &mut Mentions, candidates: Vec<Candidate>) {
        for candidate in candidates {
            self.add(mentions, candidate, MentionVerdict::Unchecked);
        }
    }

    fn add(&self, mentions: &mut Mentions, candidate: Candidate, verdict: MentionVerdict) {
        let Candidate { mention, path, reason } = candidate;
        let (reason, kind) = match (verdict, reason) {
            (MentionVerdict::Namesake, _) => return mentions.namesakes.push(mention),
            (MentionVerdict::Unread { reason, kind }, None) => (reason, kind),
            (_, Some(reason)) => (reason, UnreadKind::Unread),
            (MentionVerdict::Unresolved, None) => return mentions.unresolved.push(mention),
            (MentionVerdict::Unchecked, None) => return mentions.unchecked.push(mention),
        };
        self.add_unread(mentions, &path, reason, kind, mention);
    }

    /// Returns the location of the name that the query is about.
    async fn own_place(&self, at: &ResolvedTarget) -> Option<RawLocation> {
        let document = self.document(&at.path).await.ok()?;
        let start = document.index.to_lsp(at.offset, Encoding::Utf16);
        Some(self.location_of_word(&at.path, start, at.name.as_deref()?))
    }

    /// Returns the declarations of a symbol, which the server may not list: a header's prototype resolves to itself if the
    /// server does not know the definition.
    async fn declared_places(&self, at: &ResolvedTarget) -> Vec<RawLocation> {
        let Ok(document) = self.document(&at.path).await else { return Vec::new() };
        let endpoints = self.navigators(&at.reference).await;
        let Some(encoding) = endpoints.first().map(|endpoint| endpoint.encoding()) else { return Vec::new() };
        let declared = self.declarations(&endpoints, at, &document).await.into_iter();
        let place = |location: lsp::Location| {
            let (display_path, external) = self.display_location(&location);
            RawLocation { location, encoding, display_path, external, declaration: true, text_only: false }
        };
        declared.map(place).collect()
    }

    /// Checks the queried position of an answer with no reference, or with this one: the server must resolve it.
    async fn check_target(
        &self,
        asked: Candidate,
        has_no_references: bool,
        subject: &mut Subject<'_>,
        mentions: &mut Mentions,
    ) {
        let (resolution, _) = self.definitions_of(&asked).await;
        let Resolution::Locations(found) = resolution else { return };
        if found.is_empty() {
            subject.is_unresolved = !self.is_declaration(&asked, subject.at).await;
            if has_no_references {
                let unknown = || MentionVerdict::mark_unconfirmed(UNKNOWN_SYMBOL);
                let verdict = self.dead_file(&asked).await.unwrap_or_else(unknown);
                self.add(mentions, asked, verdict);
            }
            return;
        }
        let mut is_itself = false;
        for definition in &found {
            is_itself |= self.is_among(definition, &subject.own).await;
        }
        if has_no_references && !is_itself {
            self.add(
                mentions,
                asked,
                MentionVerdict::mark_unconfirmed("the server resolves it, but reports no references"),
            );
        }
        subject.own.extend(found);
    }

    async fn is_declaration(&self, candidate: &Candidate, at: &ResolvedTarget) -> bool {
        let Ok(document) = self.document(&candidate.path).await else { return false };
        candidate.text(&document, at.name.as_deref().unwrap_or_default()).is_declaration()
    }

    /// Returns the verdict that needs no request.
    async fn lexical_verdict(&self, candidate: &Candidate, subject: &Subject<'_>) -> Option<MentionVerdict> {
        if !self.has_same_css_name(subject.at, &candidate.path, &candidate.mention).await {
            return Some(MentionVerdict::Namesake);
        }
        let document = self.document(&candidate.path).await.ok()?;
        let mention = candidate.text(&document, subject.at.name.as_deref().unwrap_or_default());
        // A declaration may be what an unresolved position means.
        if subject.is_unresolved {
            return mention.is_rust_macro_name().then_some(MentionVerdict::Namesake);
        }
        let may_vary = candidate.reason.as_deref().is_some_and(|reason| !reason.starts_with(exclusion::MACRO_BODY));
        let is_namesake = !may_vary && mention.is_declaration() || mention.is_rust_macro_name();
        is_namesake.then_some(MentionVerdict::Namesake)
    }

    /// Whether a mention of a stylesheet's name is the whole name: `card` is not `card-title`. `true` in other languages.
    pub(super) async fn has_same_css_name(&self, at: &ResolvedTarget, path: &Utf8Path, mention: &RawLocation) -> bool {
        if !matches!(at.path.extension(), Some("css" | "scss" | "less")) {
            return true;
        }
        let (Ok(own), Ok(other)) = (self.document(&at.path).await, self.document(path).await) else { return true };
        let offset = other.index.from_lsp(mention.location.range.start, mention.encoding);
        let name = |text: &str, offset| text.get(shape::css_name(text, usize::from(offset))).map(str::to_owned);
        name(&own.text, at.offset) == name(&other.text, offset)
    }

    /// Returns which files belong to projects whose servers run: a check starts no server.
    async fn running_files(&self, at: &ResolvedTarget, candidates: &[Candidate]) -> impl Fn(&Utf8Path) -> bool + use<> {
        let method = Relation::Definition.method();
        let mut stopped = Vec::new();
        if self.intel.router.has_other_projects(&at.reference, method).await {
            let mut files: Vec<_> = candidates.iter().map(|candidate| candidate.path.clone()).collect();
            files.dedup();
            let others = self.intel.router.other_projects(&at.reference, method, files).await;
            let others = others.into_iter().filter(|other| other.server_state == ProjectServerState::Stopped);
            stopped = others.map(|other| other.root).collect();
        }
        move |path| !stopped.iter().any(|root| path.starts_with(root))
    }

    /// Checks one mention by a request for its definition.
    async fn check(&self, candidate: &Candidate, subject: &Subject<'_>) -> CheckResult {
        let (resolution, is_new) = self.definitions_of(candidate).await;
        let Resolution::Locations(found) = resolution else { return MentionVerdict::Unchecked.into() };
        let Ok(document) = self.document(&candidate.path).await else { return MentionVerdict::Unchecked.into() };
        let mention = candidate.text(&document, subject.at.name.as_deref().unwrap_or_default());
        for definition in &found {
            if !subject.is_module(definition) && self.is_among(definition, &subject.own).await {
                let verdict = self.rate_own_place(definition, subject).await;
                let is_use = !matches!(verdict, MentionVerdict::Namesake);
                return CheckResult { verdict, is_use, is_new };
            }
        }
        for definition in found {
            match self.rate_other_place(definition, mention, subject).await {
                Some(MentionVerdict::Namesake) if subject.is_unresolved => {
                    return MentionVerdict::mark_unconfirmed(UNRESOLVED_TARGET).into();
                }
                Some(verdict) => return verdict.into(),
                None => {}
            }
        }
        // Nothing is resolved.
        let imports = mention.imports();
        if !imports.is_empty() {
            let verdict = if subject.has_module_name() {
                MentionVerdict::Unresolved
            } else {
                import_verdict(&imports, &subject.modules)
            };
            return verdict.into();
        }
        if candidate.reason.is_some() {
            return MentionVerdict::mark_unconfirmed(NOT_RESOLVED).into();
        }
        if mention.is_rust_attribute() {
            return MentionVerdict::Unresolved.into();
        }
        if let Some(dead) = self.dead_file(candidate).await {
            return dead.into();
        }
        // Without a known syntax, the mention may be in a string. One in the braces of a string may be text.
        let is_uncertain = mention.is_untyped()
            || mention.is_data()
            || NonCode::of_known_file(&candidate.path, &document.text)
                .is_none_or(|text| text.is_in_string_expression(mention.offset));
        if is_uncertain {
            return MentionVerdict::Unresolved.into();
        }
        match mention.rust_macro() {
            Some(name) => {
                MentionVerdict::mark_unconfirmed(&format!("{NOT_RESOLVED} in the arguments of `{name}!`")).into()
            }
            None => MentionVerdict::mark_unconfirmed(NOT_RESOLVED).into(),
        }
    }

    /// Rates a definition that is a place of the symbol. A reference that is neither its declaration nor an import binds a
    /// variable of the same name (`let Point { x } = p`), which is another symbol.
    async fn rate_own_place(&self, definition: &RawLocation, subject: &Subject<'_>) -> MentionVerdict {
        let left_out = MentionVerdict::mark_unconfirmed(LEFT_OUT);
        if subject.declared.is_empty() || self.is_among(definition, &subject.declared).await {
            return left_out;
        }
        let Some(path) = uri::to_path(&definition.location.uri) else { return left_out };
        let Ok(document) = self.document(&path).await else { return left_out };
        let start = document.index.from_lsp(definition.location.range.start, definition.encoding);
        let is_import = shape::import_around(&document.text, usize::from(start)).is_some();
        if is_import { left_out } else { MentionVerdict::Namesake }
    }

    /// Rates a definition that is not the symbol's: another symbol, or an import that leads nowhere. `None` if it proves
    /// nothing.
    async fn rate_other_place(
        &self,
        mut definition: RawLocation,
        mention: MentionText<'_>,
        subject: &Subject<'_>,
    ) -> Option<MentionVerdict> {
        let path = uri::to_path(&definition.location.uri);
        if path.as_deref() != Some(mention.path) && path.as_ref() != Some(&subject.at.path) {
            // zuban 0.9 resolves an argument by name to the type of its value.
            let proves = !mention.is_untyped() || self.names_word(&definition, mention.word).await;
            return proves.then_some(MentionVerdict::Namesake);
        }
        self.convert_to_utf16(&mut definition).await;
        if path.as_deref() != Some(mention.path) {
            // In the symbol's own file, only another declaration of the name is another symbol: svelteserver 0.18 leads
            // from a component's property to the component's first line.
            let document = self.document(&subject.at.path).await.ok()?;
            let start = document.index.from_lsp(definition.location.range.start, Encoding::Utf16);
            let line = document.text.get(usize::from(start)..)?.lines().next()?;
            // The module itself, if it has the symbol's name.
            let is_module = subject.has_module_name() && usize::from(start) == 0;
            return (is_module || text_search::count(line, mention.word) > 0).then_some(MentionVerdict::Namesake);
        }
        let document = self.document(mention.path).await.ok()?;
        let range = document.index.range_from_lsp(&definition.location.range, Encoding::Utf16);
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        if let Some(import) = shape::import_around(mention.text, start) {
            let import = mention.text.get(import)?;
            if subject.has_module_name() {
                // A qualifier: `store` in `store.open()`.
                return Some(MentionVerdict::Namesake);
            }
            return Some(import_verdict(&[import], &subject.modules));
        }
        let line_end = mention.text.get(start..)?.find('\n').map_or(mention.text.len(), |length| start + length);
        let named = mention.text.get(start..end.clamp(start, line_end)).filter(|named| !named.is_empty());
        // A server may return the mention itself, with the path in front of it, if it does not resolve it (buf 1.75).
        let is_itself = (start..=end).contains(&mention.offset);
        let is_path = named.is_some_and(|named| named.contains('.') && !named.contains(char::is_whitespace));
        if is_itself && (is_path || mention.is_use_of_type()) {
            return None;
        }
        Some(MentionVerdict::Namesake)
    }

    /// Whether the first line of a definition has a word. `true` if zubi cannot read the file.
    async fn names_word(&self, definition: &RawLocation, word: &str) -> bool {
        let Some(path) = uri::to_path(&definition.location.uri) else { return true };
        let Ok(document) = self.document(&path).await else { return true };
        let start = document.index.from_lsp(definition.location.range.start, definition.encoding);
        let line = document.text.get(usize::from(start)..).and_then(|rest| rest.lines().next());
        // A module is its whole file.
        usize::from(start) == 0 || line.is_some_and(|line| text_search::count(line, word) > 0)
    }

    /// Returns the verdict about a mention whose file the server does not analyse at all; `None` if it does, or if that is
    /// not known.
    async fn dead_file(&self, candidate: &Candidate) -> Option<MentionVerdict> {
        let document = self.document(&candidate.path).await.ok()?;
        let declared = shape::find_declaration(&candidate.path, &document.text, "")?;
        let start = document.index.to_lsp(size(declared), Encoding::Utf16);
        let range = lsp::Range { start, end: start };
        let location = lsp::Location { uri: candidate.mention.location.uri.clone(), range };
        let mention = RawLocation { location, ..candidate.mention.clone() };
        let declaration = Candidate { mention, path: candidate.path.clone(), reason: None };
        match self.definitions_of(&declaration).await.0 {
            Resolution::Locations(found) if found.is_empty() => {
                let folder = self.tree_of(&candidate.path)?;
                let reason = exclusion::unlinked_reason(&candidate.path, &folder);
                let reason = reason.unwrap_or_else(|| "the server resolves nothing in it".to_owned());
                Some(MentionVerdict::Unread { reason, kind: UnreadKind::Unread })
            }
            _ => None,
        }
    }

    /// Requests the definitions of a mention. Returns also whether the request was necessary.
    async fn definitions_of(&self, candidate: &Candidate) -> (Resolution, bool) {
        self.resolve_word(&candidate.path, candidate.mention.location.range.start).await
    }

    /// Returns the definitions of the word at a position in UTF-16 code units. `None` if the server did not answer in
    /// time, or if it is still loading.
    pub(crate) async fn definitions_at(&self, path: &Utf8Path, start: lsp::Position) -> Option<Vec<RawLocation>> {
        match self.resolve_word(path, start).await.0 {
            Resolution::Locations(found) => Some(found),
            Resolution::Unknown => None,
        }
    }

    async fn resolve_word(&self, path: &Utf8Path, start: lsp::Position) -> (Resolution, bool) {
        let changes = self.intel.router.file_changes();
        let key = (path.to_owned(), start.line, start.character);
        if let Some(known) = self.intel.definitions.get(changes, &key) {
            return (Resolution::Locations(known.to_vec()), false);
        }
        let Ok(document) = self.document(path).await else { return (Resolution::Unknown, true) };
        let offset = document.index.from_lsp(start, Encoding::Utf16);
        let target = self.resolved_target(path.to_owned(), &document, offset, None);
        let found = match self.locations(&target, Relation::Definition).await {
            Ok(found) if found.status.source != AnswerSource::Servers => return (Resolution::Unknown, true),
            Ok(found) if matches!(found.status.completeness, Completeness::Partial { .. }) => {
                return (Resolution::Unknown, true);
            }
            Ok(found) => found.value,
            // The server does not know the file.
            Err(CodeError::Endpoint(EndpointError::Server { .. }) | CodeError::Declined { .. }) => {
                return (Resolution::Locations(Vec::new()), true);
            }
            Err(_) => return (Resolution::Unknown, true),
        };
        let found = Arc::new(found);
        self.intel.definitions.insert(changes, key, &found);
        (Resolution::Locations(found.to_vec()), true)
    }

    /// Whether a definition is one of the symbol's places.
    pub(crate) async fn is_among(&self, definition: &RawLocation, own: &[RawLocation]) -> bool {
        let path = uri::to_path(&definition.location.uri);
        let mut converted = definition.clone();
        for known in own {
            let is_same_file = known.location.uri == definition.location.uri
                || path.is_some() && known.display_path == definition.display_path;
            if !is_same_file {
                continue;
            }
            if known.encoding == definition.encoding {
                if overlaps(definition.location.range, known.location.range) {
                    return true;
                }
                continue;
            }
            let mut known = known.clone();
            self.convert_to_utf16(&mut known).await;
            if converted.encoding != Encoding::Utf16 {
                self.convert_to_utf16(&mut converted).await;
            }
            if overlaps(converted.location.range, known.location.range) {
                return true;
            }
        }
        false
    }
}

struct CheckResult {
    verdict: MentionVerdict,
    /// Whether the server resolves the mention to the symbol.
    is_use: bool,
    /// Whether the server received a request about it; `false` if its answer was known.
    is_new: bool,
}

impl From<MentionVerdict> for CheckResult {
    fn from(verdict: MentionVerdict) -> Self {
        Self { verdict, is_use: false, is_new: false }
    }
}

impl Candidate {
    fn offset(&self, document: &SourceDocument) -> TextSize {
        document.index.from_lsp(self.mention.location.range.start, self.mention.encoding)
    }

    fn text<'a>(&'a self, document: &'a SourceDocument, word: &'a str) -> MentionText<'a> {
        MentionText { path: &self.path, text: &document.text, offset: usize::from(self.offset(document)), word }
    }
}

/// Returns the names of the modules in which a file's symbols may be imported: the file and its directories in `tree`.
pub(super) fn module_names<'a>(path: &'a Utf8Path, tree: Option<&Utf8Path>) -> FxHashSet<&'a str> {
    let directories = path.ancestors().skip(1).take_while(|above| Some(*above) != tree);
    path.file_stem().into_iter().chain(directories.filter_map(Utf8Path::file_name)).collect()
}

/// Rates a mention by the imports that bind it, none of which the server resolves.
fn import_verdict(imports: &[&str], modules: &FxHashSet<&str>) -> MentionVerdict {
    if imports.iter().any(|import| shape::names_module(import, modules)) {
        MentionVerdict::mark_unconfirmed(UNRESOLVED_IMPORT)
    } else {
        MentionVerdict::Unresolved
    }
}

/// Whether a definition's range is about a known place: it begins there, contains it in its first line, or is in it.
fn overlaps(definition: lsp::Range, known: lsp::Range) -> bool {
    let key = |position: lsp::Position| (position.line, position.character);
    let is_in =
        |inner: lsp::Range, outer: lsp::Range| key(outer.start) <= key(inner.start) && key(inner.end) <= key(outer.end);
    definition.start == known.start
        || definition.start.line == known.start.line && is_in(known, definition)
        || is_in(definition, known)
}
