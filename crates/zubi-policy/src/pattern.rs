//! The pattern language of rules: for words of commands, paths, hosts and names of secrets.
//!
//! In a word, `*` matches any characters, `a|b` matches either alternative, and `\` removes the special meaning of the
//! next character. A command is a list of words; `*` alone matches one word, or any number as the last word. An alternative
//! for the program without a slash matches in the search path and the system directories. One with a slash is that file,
//! relative to the workspace.
//!
//! An `allow` rule matches exactly: the same number of words, each at its position. An `ask` or `deny` rule matches
//! more loosely, so that no spelling evades it: further arguments change nothing, options (and a value after each) may
//! occur between its words, and the program matches in any directory.

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use zubi_base::credentials;

/// A pattern for one word: its alternatives, each split at its stars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPattern {
    alternatives: Vec<Vec<String>>,
}

impl WordPattern {
    pub(super) fn new(text: &str) -> Self {
        let mut alternatives = vec![vec![String::new()]];
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let last = alternatives.last_mut().and_then(|segments| segments.last_mut());
            match (c, last) {
                ('|', _) => alternatives.push(vec![String::new()]),
                ('*', _) => alternatives.last_mut().into_iter().for_each(|segments| segments.push(String::new())),
                ('\\', Some(last)) => last.extend(chars.next()),
                (c, Some(last)) => last.push(c),
                (_, None) => {}
            }
        }
        Self { alternatives }
    }

    /// Splits the pattern into its alternatives with a slash and the others.
    fn split_paths(self) -> (Self, Self) {
        let has_slash = |segments: &Vec<String>| segments.iter().any(|segment| segment.contains('/'));
        let (files, names) = self.alternatives.into_iter().partition(has_slash);
        (Self { alternatives: files }, Self { alternatives: names })
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.alternatives.iter().any(|segments| segments_match(segments, text))
    }

    /// Returns whether an alternative is exactly this text.
    fn is_text(&self, text: &str) -> bool {
        self.alternatives.iter().any(|segments| matches!(segments.as_slice(), [literal] if literal == text))
    }

    fn is_literal(&self) -> bool {
        self.alternatives.iter().all(|segments| segments.len() == 1)
    }

    /// Returns whether the pattern has the text literally, or its option: `--output=*` for `--output=x`.
    fn spells_out(&self, text: &str) -> bool {
        self.alternatives.iter().filter(|segments| segments_match(segments, text)).any(|segments| {
            let literal = segments.first().map_or("", String::as_str);
            segments.len() == 1 || (literal.starts_with('-') && literal.ends_with('='))
        })
    }

    /// Returns whether the pattern is exactly `*`.
    fn is_any(&self) -> bool {
        matches!(self.alternatives.as_slice(), [pieces] if pieces.len() == 2 && pieces.iter().all(String::is_empty))
    }
}

fn segments_match(segments: &[String], text: &str) -> bool {
    let Some((first, rest)) = segments.split_first() else { return false };
    let Some(mut text) = text.strip_prefix(first.as_str()) else { return false };
    let Some((last, middle)) = rest.split_last() else { return text.is_empty() };
    for segment in middle {
        // The leftmost match is sufficient: it leaves the most text for the following segments.
        let Some((_, after)) = text.split_once(segment.as_str()) else { return false };
        text = after;
    }
    text.ends_with(last.as_str())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    /// The names of the program.
    names: WordPattern,
    /// The program as a file, relative to the workspace.
    files: WordPattern,
    words: Vec<WordPattern>,
    /// Whether any number of words may follow.
    open: bool,
}

impl CommandPattern {
    /// Parses a pattern. The error describes the invalid part.
    pub(super) fn new(words: &[String]) -> Result<Self, String> {
        let Some((program, rest)) = words.split_first() else { return Err("`command` has no words".to_owned()) };
        if let Some(text) = words.iter().find(|text| text.is_empty()) {
            return Err(format!("`command` has an empty word: {words:?}; write \"*\" for any {text}"));
        }
        let mut rest: Vec<WordPattern> = rest.iter().map(|text| WordPattern::new(text)).collect();
        let open = rest.last().is_some_and(WordPattern::is_any);
        if open {
            rest.pop();
        }
        let (files, names) = WordPattern::new(program).split_paths();
        Ok(Self { names, files, words: rest, open })
    }

    /// Returns whether an `allow` rule matches exactly this command: its words match, and its stars cover the options.
    pub(super) fn matches_exactly(
        &self,
        argv: &[String],
        directory: Option<&Utf8Path>,
        root: Option<&Utf8Path>,
    ) -> bool {
        self.has_words(argv, directory, root) && self.find_uncovered(argv).is_none()
    }

    /// Returns the index of the first word that runs, loads or writes something and that the pattern does not spell out.
    /// The index after the last word means the command as a whole.
    pub(super) fn find_uncovered(&self, argv: &[String]) -> Option<usize> {
        let spells_out =
            |index: usize| match index.checked_sub(1).and_then(|at| self.words.get(at).zip(argv.get(index))) {
                Some((pattern, word)) => pattern.spells_out(word),
                None => !self.open && index >= argv.len() && self.words.iter().all(WordPattern::is_literal),
            };
        crate::programs::refused_words(argv).into_iter().find(|index| !spells_out(*index))
    }

    /// Returns whether the pattern has the whole word at this index of a command literally.
    pub(super) fn has_literal(&self, argv: &[String], index: usize) -> bool {
        let pattern = index.checked_sub(1).and_then(|at| self.words.get(at));
        pattern.zip(argv.get(index)).is_some_and(|(pattern, word)| pattern.is_text(word))
    }

    /// Returns whether the pattern has exactly the words of this command.
    pub(super) fn has_words(&self, argv: &[String], directory: Option<&Utf8Path>, root: Option<&Utf8Path>) -> bool {
        let Some((program, arguments)) = argv.split_first() else { return false };
        let program = self.is_file(program, directory, root)
            || crate::shell::system_name(program).is_some_and(|name| self.names.matches(name));
        program
            && (arguments.len() == self.words.len() || (self.open && arguments.len() > self.words.len()))
            && self.words.iter().zip(arguments).all(|(word, argument)| word.matches(argument))
    }

    /// Returns whether an `ask` or `deny` rule matches this command, however it is spelled.
    pub(super) fn matches_loosely(
        &self,
        argv: &[String],
        directory: Option<&Utf8Path>,
        root: Option<&Utf8Path>,
    ) -> bool {
        let Some((program, arguments)) = argv.split_first() else { return false };
        let program = self.is_file(program, directory, root)
            || self.names.matches(Utf8Path::new(program).file_name().unwrap_or(program));
        program && occur_in_order(&self.words, arguments)
    }

    fn is_file(&self, program: &str, directory: Option<&Utf8Path>, root: Option<&Utf8Path>) -> bool {
        if !program.contains('/') {
            return false;
        }
        let path = absolute(program, directory.or(root));
        if self.files.matches(path.as_str()) {
            return true;
        }
        // The pattern is relative to the workspace.
        let relative = root.and_then(|root| path.strip_prefix(root).ok());
        relative.is_some_and(|relative| {
            self.files.matches(&format!("./{relative}")) || self.files.matches(relative.as_str())
        })
    }
}

/// Returns a command of cargo without the name of its toolchain: `cargo +nightly test` is `cargo test`, for which the user
/// has installed several compilers. A path is another program.
pub(super) fn without_toolchain(argv: &[String]) -> Cow<'_, [String]> {
    let is_name = |word: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        word.strip_prefix('+')
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain))
    };
    match argv {
        [program, toolchain, rest @ ..]
            if crate::shell::system_name(program) == Some("cargo") && is_name(toolchain) =>
        {
            Cow::Owned(std::iter::once(program).chain(rest).cloned().collect())
        }
        argv => Cow::Borrowed(argv),
    }
}

/// Returns whether the words occur among the arguments in this order, with only options and a value after each between
/// them. The function tracks the set of possible positions, so its time is proportional to words × arguments.
fn occur_in_order(words: &[WordPattern], arguments: &[String]) -> bool {
    let mut positions: Vec<usize> = vec![0];
    for word in words {
        let mut reachable = vec![false; arguments.len() + 2];
        for position in positions {
            if let Some(is_reachable) = reachable.get_mut(position) {
                *is_reachable = true;
            }
        }
        let mut next = Vec::new();
        for at in 0..arguments.len() {
            let (Some(true), Some(argument)) = (reachable.get(at).copied(), arguments.get(at)) else { continue };
            if word.matches(argument) {
                next.push(at + 1);
            }
            if argument.starts_with('-') {
                reachable.iter_mut().skip(at + 1).take(2).for_each(|is_reachable| *is_reachable = true);
            }
        }
        if next.is_empty() {
            return false;
        }
        positions = next;
    }
    true
}

/// Returns an absolute path without `.` and `..`, without following symlinks. Callers with file access resolve them.
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

/// Returns whether a name in a path is a glob pattern.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// Returns whether a shell pattern may expand to a name. Errs towards `true`: it treats `?` as `*`, and also everything
/// from the first bracket to the last.
pub(super) fn may_become(glob: &str, name: &str) -> bool {
    let opening = glob.find('[').unwrap_or(glob.len());
    let closing = glob.rfind(']').unwrap_or(glob.len());
    let mut segments = vec![String::new()];
    for (at, c) in glob.char_indices() {
        if matches!(c, '*' | '?') || (opening..=closing).contains(&at) {
            segments.push(String::new());
        } else if let Some(last) = segments.last_mut() {
            last.push(c);
        }
    }
    segments_match(&segments, name)
}

/// Returns whether a path pattern (`names`) matches some path to which the words of another path may expand. Tracks the
/// set of possible positions in the pattern, so its time is proportional to words × names.
fn may_overlap(words: &[&str], names: &[String], include_parents: bool) -> bool {
    let is_match = |word: &str, name: &str| match (is_glob(word), is_glob(name) || name.contains(['{', '\\'])) {
        (false, false) => word == name,
        (true, false) => may_become(word, name),
        (false, true) => name.contains(['{', '\\']) || may_become(name, word),
        (true, true) => true,
    };
    let expand_stars = |positions: &mut Vec<usize>| {
        let mut at = 0;
        while let Some(position) = positions.get(at).copied() {
            at += 1;
            if names.get(position).is_some_and(|name| name == "**") && !positions.contains(&(position + 1)) {
                positions.push(position + 1);
            }
        }
    };
    let mut positions = vec![0];
    for word in words {
        expand_stars(&mut positions);
        let mut next = Vec::new();
        for position in positions {
            let Some(name) = names.get(position) else { return true };
            if name == "**" {
                next.push(position);
            } else if is_match(word, name) {
                next.push(position + 1);
            }
        }
        next.sort_unstable();
        next.dedup();
        positions = next;
    }
    expand_stars(&mut positions);
    // A pattern for a directory matches its contents too. A directory that contains a match counts only if the caller
    // requests it and the pattern names that directory: `**/*.lock` may match anywhere.
    let first_star = names.iter().position(|name| name == "**").unwrap_or(names.len());
    let is_complete = |position: usize| names.get(position..).is_none_or(|rest| rest.iter().all(|name| name == "**"));
    positions.iter().any(|position| (include_parents && *position < first_star) || is_complete(*position))
}

/// Path globs: `**` matches any folders, `*` any characters of one name. Relative patterns are relative to the
/// workspace, `~/` is the home directory. A pattern also matches everything below the paths that it matches.
#[derive(Debug, Clone)]
pub struct Paths {
    globs: GlobSet,
    /// The names of each pattern, to compare them with paths that contain glob patterns.
    names: Vec<Vec<String>>,
}

impl Paths {
    pub(super) fn new(patterns: &[String], roots: &[Utf8PathBuf], home: Option<&Utf8Path>) -> Result<Self, String> {
        let (mut set, mut names) = (GlobSetBuilder::new(), Vec::new());
        for pattern in patterns {
            let pattern = pattern.trim_end_matches('/');
            let bases: Vec<String> = match pattern.strip_prefix("~/") {
                Some(rest) => home.iter().map(|home| format!("{}/{rest}", globset::escape(home.as_str()))).collect(),
                None if pattern.starts_with('/') => vec![pattern.to_owned()],
                None => roots.iter().map(|root| format!("{}/{pattern}", globset::escape(root.as_str()))).collect(),
            };
            for base in bases {
                names.push(base.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect());
                for text in [base.clone(), format!("{base}/**")] {
                    let glob = GlobBuilder::new(&text).literal_separator(true).backslash_escape(true).build();
                    set.add(glob.map_err(|error| format!("invalid pattern `{pattern}`: {}", error.kind()))?);
                }
            }
        }
        set.build().map(|globs| Self { globs, names }).map_err(|error| error.to_string())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(super) fn matches(&self, path: &Utf8Path) -> bool {
        self.globs.is_match(path.as_std_path())
    }

    /// Returns whether a pattern may match files below a directory whose names do not say that they contain credentials.
    pub(super) fn may_match_below(&self, directory: &Utf8Path) -> bool {
        let directory: Vec<&str> =
            directory.components().map(|name| name.as_str()).filter(|name| *name != "/").collect();
        self.names.iter().any(|names| {
            let is_credentials = names.last().is_some_and(|name| credentials::is_credential_path(Utf8Path::new(name)));
            let is_near = names.iter().zip(&directory).all(|(name, other)| is_glob(name) || name == other);
            is_near && !is_credentials
        })
    }

    /// Returns whether a pattern may match a path that a command names: the path, its contents, or a path to which its
    /// own glob (`src/*.rs`) expands. With `include_parents`, also a directory that contains a match.
    pub(super) fn may_match(&self, path: &Utf8Path, include_parents: bool) -> bool {
        self.matches(path) || self.matches(&path.join("x")) || {
            let words: Vec<&str> = path.components().map(|name| name.as_str()).filter(|name| *name != "/").collect();
            let is_glob = words.iter().any(|word| is_glob(word));
            (is_glob || include_parents) && self.names.iter().any(|names| may_overlap(&words, names, include_parents))
        }
    }
}

/// Returns whether a pattern matches `host:port`. A pattern without a port matches every port. A trailing dot of the
/// name and the brackets of an IPv6 address have no effect.
pub(super) fn host_matches(pattern: &str, host: &str) -> bool {
    let (name, port) = name_and_port(host);
    pattern.split('|').any(|pattern| {
        let (pattern, pattern_port) = name_and_port(pattern);
        WordPattern::new(&pattern).matches(&name)
            && pattern_port
                .is_none_or(|pattern| port.as_ref().is_some_and(|port| WordPattern::new(&pattern).matches(port)))
    })
}

/// Returns whether a pattern may match a host that a call names: the host, or a host that matches the call's own
/// pattern (`*`, `*.example.com`). If in doubt, returns `true`.
pub(super) fn host_may_match(pattern: &str, host: &str) -> bool {
    let (name, port) = name_and_port(host);
    if !is_glob(&name) {
        return host_matches(pattern, host);
    }
    pattern.split('|').any(|pattern| {
        let (pattern, pattern_port) = name_and_port(pattern);
        let ports = [&pattern_port, &port].map(|port| port.as_deref().filter(|port| !is_glob(port)));
        (is_glob(&pattern) || may_become(&name, &pattern)) && (ports.contains(&None) || ports[0] == ports[1])
    })
}

fn name_and_port(text: &str) -> (String, Option<String>) {
    let text = text.to_ascii_lowercase();
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (name, port) = match (bracketed, text.rsplit_once(':')) {
        (Some((address, port)), _) => (address, port.strip_prefix(':')),
        // Several colons without brackets are an IPv6 address.
        (None, Some((name, port))) if !name.contains(':') => (name, Some(port)),
        (None, _) => (text.as_str(), None),
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    (name.to_owned(), port.filter(|port| !port.is_empty()).map(str::to_owned))
}
