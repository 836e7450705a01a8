//! The index of declarations and words: a second source of answers beside the servers, made by syntax alone.
//!
//! An index may be older than the files. Every hit and outline has the hash of the text that the index read; the caller
//! compares it with the present text ([`SymbolHit::matches_text`]) before it shows a line. An index never proves that
//! a name has no uses: its answers are never the basis of an edit.

use std::fmt;
use std::ops::Range;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;
use zubi_base::text::pluralize;
use zubi_syntax::{DeclarationKind, SyntaxOutline};

use crate::features::symbol_filter::FileCondition;
use crate::markup::clean_line;

mod declared_names;

pub use declared_names::{DeclaredNames, NameDeclaration, NameSelection, NameUses, is_trait_implementation};

/// An index of the declarations and words of a workspace folder. Every call works while the index is built or updated,
/// and says whether its answer is complete.
#[async_trait]
pub trait SymbolIndex: Send + Sync {
    /// Returns the declarations whose name matches a query, best first, at most `limit`.
    async fn search(&self, query: &SymbolQuery, limit: usize) -> Result<SymbolHits, SymbolIndexError>;

    /// Returns the declarations with exactly this name or name path (`Type/method`), at most `limit`.
    async fn declarations(&self, name: &str, limit: usize) -> Result<SymbolHits, SymbolIndexError>;

    /// Returns the outline of a file, given by its absolute path. Returns `None` if the index has not parsed the file.
    async fn outline(&self, path: &Utf8Path) -> Result<Option<IndexedOutline>, SymbolIndexError>;

    /// Returns the files that can contain a word, as [`zubi_syntax::words`] defines it.
    async fn files_with(&self, word: &str) -> Result<WordFiles, SymbolIndexError>;

    /// Returns all declared names of some kinds, with the files that declare and use them.
    async fn declared_names(&self, selection: &NameSelection) -> Result<DeclaredNames, SymbolIndexError>;

    /// Parses some files and the files below some folders first, given by their absolute paths, if a build runs: a question
    /// is about them.
    fn prefer(&self, _paths: &[&Utf8Path]) {}

    /// Returns the state.
    fn state(&self) -> IndexState;

    /// Returns a receiver of the state. It changes with every step of a build and with every change of the content.
    fn changes(&self) -> watch::Receiver<IndexState>;
}

/// The reason why an index cannot answer, for the log and the status. A call that works without an index ignores it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the index cannot answer: {0}")]
pub struct SymbolIndexError(pub String);

/// The hash of a text: the first 16 bytes of its SHA-256, without a byte-order mark.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextHash(pub [u8; 16]);

impl TextHash {
    /// Computes the hash of a text.
    pub fn from_text(text: &str) -> Self {
        let text = text.strip_prefix(zubi_base::text::BOM).unwrap_or(text);
        let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        let mut hash = [0; 16];
        hash.iter_mut().zip(digest).for_each(|(byte, other)| *byte = other);
        Self(hash)
    }
}

impl fmt::Debug for TextHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// A search for declarations.
#[derive(Debug, Clone, Default)]
pub struct SymbolQuery {
    /// The name, its beginning, a part of it, its humps (`ReqPar` for `RequestParams`), or a name path whose last segment is
    /// one of these (`Type/met`).
    pub text: String,
    /// The kinds in LSP's spelling ([`DeclarationKind::lsp_name`]); empty for all.
    pub kinds: Vec<String>,
    /// The identifier of the language ([`zubi_syntax::SyntaxLanguage::id`]).
    pub language: Option<String>,
    /// The absolute path of a file or a folder.
    pub path: Option<Utf8PathBuf>,
    /// A condition for the files, in addition to the language and the path.
    pub files: FileCondition,
}

/// The declarations that a query found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolHits {
    /// The declarations, best first: by the exactness of the name, then by kind (types, functions, other declarations,
    /// constants, variables and keys), then by the length of the path.
    pub hits: Vec<SymbolHit>,
    /// Whether the limit of the query, or of the index's own work, omitted declarations.
    pub has_more: bool,
    /// Whether the index has read and parsed all files that it can parse.
    pub is_complete: bool,
}

/// A declaration in the index. All ranges are in bytes of the file's UTF-8 text without its byte-order mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolHit {
    /// The absolute path of the file.
    pub path: Utf8PathBuf,
    /// The name as the text spells it, with its qualifiers: `Rate::price`.
    pub name: String,
    /// The kind.
    pub kind: DeclarationKind,
    /// The names of the enclosing declarations, outermost first.
    pub containers: Vec<String>,
    /// The range of the name, or of its last part.
    pub name_range: Range<usize>,
    /// The range of the declaration.
    pub range: Range<usize>,
    /// The 0-based line of the name.
    pub line: u32,
    /// How the name matches the query.
    pub name_match: NameMatch,
    /// The hash of the text that the index read.
    pub hash: TextHash,
}

impl SymbolHit {
    /// Whether the index has read this text, which may have a byte-order mark, so that the positions are valid in it. The
    /// size and the time of a file do not show every change, so a caller checks this before it shows a part of the text.
    pub fn matches_text(&self, text: &str) -> bool {
        self.hash == TextHash::from_text(text)
    }
}

/// How a name matches a query, best first. Only [`Self::Exact`] compares upper and lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameMatch {
    /// The name is the query.
    Exact,
    /// The name is the query in other letter case.
    OtherCase,
    /// The name begins with the query.
    Prefix,
    /// Parts of the query are the beginnings of words of the name, the first one included: `ReqPar` in `RequestParams`.
    Humps,
    /// The name contains the query.
    Substring,
    /// One character is missing, additional or different, or two neighbours are swapped.
    Typo,
}

/// The outline of a file in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedOutline {
    /// The declarations, in bytes of the text without its byte-order mark.
    pub outline: SyntaxOutline,
    /// The hash of the text that the index read.
    pub hash: TextHash,
}

/// The files that can contain a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordFiles {
    /// Every other source file ([`zubi_base::walk`]) of the folder is UTF-8 text that did not contain the word when the index
    /// read it, or a file with credentials ([`zubi_base::credentials`]), which it never reads. The absolute paths are sorted.
    Files {
        /// UTF-8 texts that contain the word.
        texts: Vec<Utf8PathBuf>,
        /// UTF-8 texts that may contain the word: they are too large for the index, or notebooks, whose escapes hide words.
        unread: Vec<Utf8PathBuf>,
        /// Files that are not UTF-8 text, or that zubi could not read, whether they contain the word or not.
        others: Vec<Utf8PathBuf>,
    },
    /// The index has not read all files yet, or cannot read or store them all.
    Unknown,
}

/// The state of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexState {
    /// The progress of the build.
    pub phase: IndexPhase,
    /// The number of files whose words are stored.
    pub files: usize,
    /// The number of stored files whose declarations are not parsed yet.
    pub undeclared: usize,
    /// The number of changed files and directories that the index has not read again yet.
    pub unread: usize,
    /// The number of files of each kind without declarations.
    pub omitted: OmittedFiles,
    /// The number of changes of the content in this process.
    pub revision: u64,
    /// The reason why the index does not follow the files, or does not exist.
    pub problem: Option<String>,
}

impl IndexState {
    /// Whether the index has the words of all files, apart from those that are too large or not text.
    pub fn has_all_words(&self) -> bool {
        self.problem.is_none()
            && self.unread == 0
            && matches!(self.phase, IndexPhase::Declarations | IndexPhase::Ready)
            && self.omitted.beyond_limit == 0
    }

    /// Whether the index has the declarations of all files, apart from [`Self::omitted`].
    pub fn has_all_declarations(&self) -> bool {
        self.has_all_words() && self.phase == IndexPhase::Ready && self.undeclared == 0
    }
}

impl fmt::Display for IndexState {
    /// Writes `ready`, the progress, or the reason why the index does not follow the files, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(problem) = &self.problem {
            return f.write_str(&clean_line(problem));
        }
        let files = self.files;
        match self.phase {
            IndexPhase::Unchecked if files > 0 => f.write_str("not compared with the files yet"),
            IndexPhase::Unchecked => f.write_str("not built"),
            IndexPhase::Words { done } => write!(f, "building, {} read so far", pluralize(done, "file")),
            _ if self.undeclared > 0 => {
                write!(f, "building, {} of {}", files.saturating_sub(self.undeclared), pluralize(files, "file"))
            }
            IndexPhase::Declarations => f.write_str("building"),
            _ if self.unread > 0 => write!(f, "reading {}", pluralize(self.unread, "changed file")),
            _ if self.omitted.beyond_limit > 0 => {
                write!(f, "without {} beyond its limit", pluralize(self.omitted.beyond_limit, "file"))
            }
            IndexPhase::Ready => f.write_str("ready"),
        }
    }
}

/// The progress of a build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IndexPhase {
    /// Not started. The content is that of an earlier build.
    #[default]
    Unchecked,
    /// The first pass compares the files with the store and reads the words of the changed ones. The number of files so far;
    /// the whole number is not known.
    Words {
        /// The number of files so far.
        done: usize,
    },
    /// The second pass parses the files. Their number is [`IndexState::undeclared`].
    Declarations,
    /// The content is that of the files.
    Ready,
}

/// The numbers of files whose declarations are not in the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OmittedFiles {
    /// Files whose language is unknown: only their words are in the index.
    pub no_language: usize,
    /// Files above the size limit of the parser, or with a very long line: only their words are in the index.
    pub words_only: usize,
    /// Files that the parser rejected: only their words are in the index.
    pub failed: usize,
    /// Files that are too large for their words.
    pub too_large: usize,
    /// Files that are not UTF-8 text, or that zubi cannot read.
    pub not_text: usize,
    /// Files beyond the maximum number of files or the maximum size of the index.
    pub beyond_limit: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_ignores_a_byte_order_mark() {
        assert_eq!(format!("{:?}", TextHash::from_text("abc")), "ba7816bf8f01cfea414140de5dae2223");
        assert_eq!(TextHash::from_text("\u{feff}abc"), TextHash::from_text("abc"));
    }
}
