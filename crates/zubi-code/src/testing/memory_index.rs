//! An index in memory that reads all files once, for tests of its users.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::watch;
use zubi_base::fs;
use zubi_base::walk::{self, WalkOptions};
use zubi_syntax::{Declaration, SyntaxOutline, words};

use crate::locate::declared_segments;
use crate::symbol_index::{
    DeclaredNames, IndexPhase, IndexState, IndexedOutline, NameDeclaration, NameMatch, NameSelection, NameUses,
    SymbolHit, SymbolHits, SymbolIndex, SymbolIndexError, SymbolQuery, TextHash, WordFiles, is_trait_implementation,
};

/// An index that has read the files of a folder when it was created, and does not follow them.
pub struct MemoryIndex {
    files: BTreeMap<Utf8PathBuf, (Arc<str>, Option<SyntaxOutline>)>,
    state: watch::Sender<IndexState>,
    /// Whether queries fail, as those of a store that does not exist.
    pub is_absent: bool,
}

impl MemoryIndex {
    /// Reads all files of a folder.
    pub fn new(root: &Utf8Path) -> Self {
        let mut files = BTreeMap::new();
        for path in walk::files(root, WalkOptions::default()) {
            let Ok(text) = fs::read_text(&path) else { continue };
            let outline = zubi_syntax::outline_of_file(path.file_name().unwrap_or_default(), &text, &|| false);
            files.insert(path, (Arc::from(text), outline.and_then(Result::ok)));
        }
        let state = IndexState { phase: IndexPhase::Ready, files: files.len(), ..IndexState::default() };
        Self { files, state: watch::Sender::new(state), is_absent: false }
    }

    /// Changes the state that the index reports.
    pub fn set_state(&self, state: IndexState) {
        self.state.send_replace(state);
    }

    fn check(&self) -> Result<bool, SymbolIndexError> {
        let is_complete = self.state.borrow().has_all_declarations();
        if self.is_absent { Err(SymbolIndexError("the store does not exist yet".to_owned())) } else { Ok(is_complete) }
    }

    fn outlines(&self) -> impl Iterator<Item = (&Utf8PathBuf, &Arc<str>, &SyntaxOutline)> {
        self.files.iter().filter_map(|(path, (text, outline))| Some((path, text, outline.as_ref()?)))
    }
}

#[async_trait]
impl SymbolIndex for MemoryIndex {
    async fn search(&self, query: &SymbolQuery, limit: usize) -> Result<SymbolHits, SymbolIndexError> {
        let mut found = self.declarations(&query.text, limit).await?;
        found.hits.retain(|hit| query.files.admits(&hit.path));
        Ok(found)
    }

    async fn declarations(&self, name: &str, limit: usize) -> Result<SymbolHits, SymbolIndexError> {
        let is_complete = self.check()?;
        let mut hits = Vec::new();
        for (path, text, outline) in self.outlines() {
            for (index, declaration) in outline.declarations.iter().enumerate() {
                let containers = outline.above(index);
                if [&containers[..], &[declaration.name.as_str()]].concat().join("/") == name
                    || declaration.name == name
                {
                    let before = text.get(..declaration.name_range.start).unwrap_or_default();
                    hits.push(SymbolHit {
                        path: path.clone(),
                        name: declaration.name.clone(),
                        kind: declaration.kind,
                        containers: containers.into_iter().map(str::to_owned).collect(),
                        name_range: declaration.name_range.clone(),
                        range: declaration.range.clone(),
                        line: u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX),
                        name_match: NameMatch::Exact,
                        hash: TextHash::from_text(text),
                    });
                }
            }
        }
        let has_more = hits.len() > limit;
        hits.truncate(limit);
        Ok(SymbolHits { hits, has_more, is_complete })
    }

    async fn outline(&self, path: &Utf8Path) -> Result<Option<IndexedOutline>, SymbolIndexError> {
        self.check()?;
        let found = self.outlines().find(|(known, ..)| *known == path);
        Ok(found.map(|(_, text, outline)| IndexedOutline { outline: outline.clone(), hash: TextHash::from_text(text) }))
    }

    async fn files_with(&self, word: &str) -> Result<WordFiles, SymbolIndexError> {
        if !self.check()? {
            return Ok(WordFiles::Unknown);
        }
        let has_word = |text: &str| words(text).any(|found| found.text == word);
        let texts = self.files.iter().filter(|(_, (text, _))| has_word(text)).map(|(path, _)| path.clone()).collect();
        Ok(WordFiles::Files { texts, unread: Vec::new(), others: Vec::new() })
    }

    async fn declared_names(&self, selection: &NameSelection) -> Result<DeclaredNames, SymbolIndexError> {
        let is_complete = self.check()?;
        let mut declared: BTreeMap<String, Vec<NameDeclaration>> = BTreeMap::new();
        for ((_, _, outline), file) in self.outlines().zip(0..) {
            let is_of_trait = |declaration: &&Declaration| {
                let parent = declaration.parent.and_then(|parent| outline.declarations.get(parent));
                parent.is_some_and(|parent| is_trait_implementation(parent.kind, &parent.name))
            };
            let declarations = outline.declarations.iter().filter(|it| selection.kinds.contains(&it.kind));
            for declaration in declarations.filter(|it| !is_of_trait(it)) {
                let name = declared_segments(&declaration.name).pop().unwrap_or_default();
                let declarations = declared.entry(name).or_default();
                let declaration = NameDeclaration { file, kind: declaration.kind };
                if !declarations.contains(&declaration) {
                    declarations.push(declaration);
                }
            }
        }
        let users = |name: &str| {
            let has_word = |text: &str| words(text).any(|word| word.text == name);
            self.outlines().zip(0..).filter(|((_, text, _), _)| has_word(text)).map(|(_, file)| file).collect()
        };
        let to_uses = |(name, declarations): (String, Vec<NameDeclaration>)| {
            let is_rare = declarations.chunk_by(|a, b| a.file == b.file).count() <= selection.max_declaring_files;
            NameUses { users: if is_rare { users(&name) } else { Vec::new() }, name, declarations }
        };
        Ok(DeclaredNames {
            files: self.outlines().map(|(path, ..)| path.clone()).collect(),
            names: declared.into_iter().map(to_uses).collect(),
            has_more: false,
            is_complete,
        })
    }

    fn state(&self) -> IndexState {
        self.state.borrow().clone()
    }

    fn changes(&self) -> watch::Receiver<IndexState> {
        self.state.subscribe()
    }
}
