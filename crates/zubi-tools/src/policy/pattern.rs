//! The language of patterns in rules: for words of commands, paths, hosts and names of secrets.
//!
//! A word: `*` stands for any characters, `a|b` for either, `\` takes the meaning from the next character. A command is a
//! list of words; `*` alone stands for one word, as the last one for any number. A program without a slash is searched for
//! or lies where systems keep theirs; one with a slash is that file, relative to the workspace.
//!
//! An allowing command is exact: as many words, each where it stands. A denying or asking one reaches further, so that no
//! spelling slips by: more arguments change nothing, options (and a value after each) may stand between its words, and the
//! program counts in whatever directory it lies.

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A word's pattern: the alternatives, each in pieces between stars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    alternatives: Vec<Vec<String>>,
}

impl Word {
    pub(super) fn new(text: &str) -> Self {
        let mut alternatives = vec![vec![String::new()]];
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let last = alternatives.last_mut().and_then(|pieces| pieces.last_mut());
            match (c, last) {
                ('|', _) => alternatives.push(vec![String::new()]),
                ('*', _) => alternatives.last_mut().into_iter().for_each(|pieces| pieces.push(String::new())),
                ('\\', Some(last)) => last.extend(chars.next()),
                (c, Some(last)) => last.push(c),
                (_, None) => {}
            }
        }
        Self { alternatives }
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.alternatives.iter().any(|pieces| pieces_match(pieces, text))
    }

    /// Whether it is `*` and nothing else.
    fn is_any(&self) -> bool {
        matches!(self.alternatives.as_slice(), [pieces] if pieces.len() == 2 && pieces.iter().all(String::is_empty))
    }
}

fn pieces_match(pieces: &[String], text: &str) -> bool {
    let Some((first, rest)) = pieces.split_first() else { return false };
    let Some(mut text) = text.strip_prefix(first.as_str()) else { return false };
    let Some((last, middle)) = rest.split_last() else { return text.is_empty() };
    for piece in middle {
        // The leftmost place is as good as any: what follows may only lie further right.
        let Some((_, after)) = text.split_once(piece.as_str()) else { return false };
        text = after;
    }
    text.ends_with(last.as_str())
}

/// A command's pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    program: Word,
    /// The program is a file, relative to the workspace.
    is_path: bool,
    words: Vec<Word>,
    /// Any number of words may follow.
    open: bool,
}

impl Command {
    /// An error says what is wrong with the pattern.
    pub(super) fn new(words: &[String]) -> Result<Self, String> {
        let Some((program, rest)) = words.split_first() else { return Err("`command` has no words".to_owned()) };
        if let Some(text) = words.iter().find(|text| text.is_empty()) {
            return Err(format!("`command` has an empty word: {words:?}; write \"*\" for any {text}"));
        }
        let mut rest: Vec<Word> = rest.iter().map(|text| Word::new(text)).collect();
        let open = rest.last().is_some_and(Word::is_any);
        if open {
            rest.pop();
        }
        Ok(Self { is_path: program.contains('/'), program: Word::new(program), words: rest, open })
    }

    /// Whether an allowing rule means this very command.
    pub(super) fn is_exactly(&self, argv: &[String], directory: Option<&Utf8Path>, root: Option<&Utf8Path>) -> bool {
        let Some((program, arguments)) = argv.split_first() else { return false };
        let program = if self.is_path {
            self.is_file(program, directory, root)
        } else {
            crate::shell::system_name(program).is_some_and(|name| self.program.matches(name))
        };
        program
            && (arguments.len() == self.words.len() || (self.open && arguments.len() > self.words.len()))
            && self.words.iter().zip(arguments).all(|(word, argument)| word.matches(argument))
    }

    /// Whether an asking or denying rule means this command, however it is spelt.
    pub(super) fn reaches(&self, argv: &[String], directory: Option<&Utf8Path>, root: Option<&Utf8Path>) -> bool {
        let Some((program, arguments)) = argv.split_first() else { return false };
        let program = if self.is_path {
            self.is_file(program, directory, root)
        } else {
            self.program.matches(Utf8Path::new(program).file_name().unwrap_or(program))
        };
        program && in_order(&self.words, arguments)
    }

    fn is_file(&self, program: &str, directory: Option<&Utf8Path>, root: Option<&Utf8Path>) -> bool {
        if !program.contains('/') {
            return false;
        }
        let path = absolute(program, directory.or(root));
        if self.program.matches(path.as_str()) {
            return true;
        }
        // What stands in the pattern is relative to the workspace.
        let below = root.and_then(|root| path.strip_prefix(root).ok());
        below.is_some_and(|below| self.program.matches(&format!("./{below}")) || self.program.matches(below.as_str()))
    }
}

/// Whether words stand among arguments in this order, with nothing but options and a value after each between them.
/// Keeps the set of places that are possible, so that it is linear in both.
fn in_order(words: &[Word], arguments: &[String]) -> bool {
    let mut places: Vec<usize> = vec![0];
    for word in words {
        let mut reachable = vec![false; arguments.len() + 2];
        for place in places {
            if let Some(reached) = reachable.get_mut(place) {
                *reached = true;
            }
        }
        let mut next = Vec::new();
        for at in 0..arguments.len() {
            let (Some(true), Some(argument)) = (reachable.get(at).copied(), arguments.get(at)) else { continue };
            if word.matches(argument) {
                next.push(at + 1);
            }
            if argument.starts_with('-') {
                reachable.iter_mut().skip(at + 1).take(2).for_each(|reached| *reached = true);
            }
        }
        if next.is_empty() {
            return false;
        }
        places = next;
    }
    true
}

/// A path without `.` and `..`, as it is written: links are followed by whoever can look.
pub(super) fn absolute(text: &str, directory: Option<&Utf8Path>) -> Utf8PathBuf {
    let joined = directory.map_or_else(|| Utf8PathBuf::from(text), |directory| directory.join(text));
    let mut path = Utf8PathBuf::new();
    for component in joined.components() {
        match component {
            camino::Utf8Component::ParentDir => {
                path.pop();
            }
            camino::Utf8Component::CurDir => {}
            component => path.push(component),
        }
    }
    path
}

/// Globs over paths: `**` stands for any folders, `*` for any characters of one name. Relative ones lie in the workspace,
/// `~/` is the home directory. A pattern means what lies below it as well.
#[derive(Debug, Clone)]
pub struct Paths(GlobSet);

impl Paths {
    pub(super) fn new(patterns: &[String], roots: &[Utf8PathBuf], home: Option<&Utf8Path>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let pattern = pattern.trim_end_matches('/');
            let bases: Vec<String> = match pattern.strip_prefix("~/") {
                Some(rest) => home.iter().map(|home| format!("{}/{rest}", globset::escape(home.as_str()))).collect(),
                None if pattern.starts_with('/') => vec![pattern.to_owned()],
                None => roots.iter().map(|root| format!("{}/{pattern}", globset::escape(root.as_str()))).collect(),
            };
            for base in bases {
                for text in [base.clone(), format!("{base}/**")] {
                    let glob = GlobBuilder::new(&text).literal_separator(true).backslash_escape(true).build();
                    set.add(glob.map_err(|error| format!("`{pattern}` is no pattern: {}", error.kind()))?);
                }
            }
        }
        set.build().map(Self).map_err(|error| error.to_string())
    }

    pub(super) fn matches(&self, path: &Utf8Path) -> bool {
        self.0.is_match(path.as_std_path())
    }
}

/// `host:port`; a pattern without a port means every port.
pub(super) fn host_matches(pattern: &str, host: &str) -> bool {
    let (pattern, host) = (pattern.to_ascii_lowercase(), host.to_ascii_lowercase());
    let port = |text: &str| {
        text.rsplit_once(':')
            .filter(|(_, port)| !port.is_empty() && !port.contains(']'))
            .map(|(name, _)| name.to_owned())
    };
    Word::new(&pattern).matches(&host)
        || (port(&pattern).is_none() && port(&host).is_some_and(|name| Word::new(&pattern).matches(&name)))
}
