//! Walks the tokens of a script from first to last and finds the simple commands and their effects.

use brush_parser::Token;
use camino::Utf8PathBuf;
use zubi_base::env::is_name;

use super::loops::{self, LoopVariable};
use super::names::{self, AFTER_COMMAND, BEFORE_COMMAND, LOOP_WORDS, REINTERPRETING_BUILTINS};
use super::word::{self, Pattern, ShellWord};
use super::working_dir::{PathProblem, WorkingDir};
use super::{ShellReading, builtin, read_into, shorten, wrapper};

/// The maximum number of tokens of `((…))` that are checked.
const MAX_ARITHMETIC_TOKENS: usize = 64;

/// State of the walk through a script.
pub(super) struct Script<'a> {
    pub(super) reading: &'a mut ShellReading,
    pub(super) tokens: &'a [Token],
    at: usize,
    pub(super) depth: usize,
    pub(super) frames: Vec<ConstructFrame>,
    simple: Simple,
    pub(super) working_dir: WorkingDir,
    pub(super) chain: Chain,
    /// The variables that the script has set for certain, if it has only simple commands.
    pub(super) assigned: Vec<LoopVariable>,
    pub(super) has_only_simple: bool,
    /// Whether commands may run in an order other than the text's.
    pub(super) repeats: bool,
    /// Whether the walk is inside `[[ … ]]`, where Bash does not treat operators such as `||` as the end of a command.
    pub(super) in_test: bool,
}

/// An open construct, which a later token closes.
pub(super) enum ConstructFrame {
    Parenthesis {
        working_dir: WorkingDir,
        chain: Chain,
    },
    Case(Stage),
    /// A loop, with its variable if the values are known.
    Loop(Option<LoopVariable>),
}

/// Parsing stage of a `case`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// A pattern or `esac` must follow.
    Pattern,
    /// `|` or `)` must follow the pattern.
    PatternRead,
    /// The commands that run if a pattern matches.
    Commands,
}

/// The part of a simple command that has been read.
#[derive(Default, Clone)]
pub(super) struct Simple {
    pub(super) words: Vec<ShellWord>,
    /// Whether an assignment or a redirection came first, so that the next word is not a reserved word.
    prefixed: bool,
    /// Names and values of the variables that are set before the command's words.
    pub(super) assignments: Vec<(String, ShellWord)>,
    /// Inputs of the command: the text of a here-document or here-string if it is fixed, `None` for any other input.
    pub(super) input: Vec<Option<String>>,
    /// Whether a redirection names a descriptor other than the default one.
    has_descriptor: bool,
    /// Whether it has `&>`, with which dash ends the command.
    has_dash_end: bool,
}

impl Simple {
    pub(super) fn with_words(&self, words: Vec<ShellWord>) -> Self {
        Self { words, ..self.clone() }
    }
}

/// The properties of the part of an and-or list that has been read.
#[derive(Default, Clone, Copy)]
pub(super) struct Chain {
    /// Whether it has a command already.
    has_begun: bool,
    moved: bool,
    piped: bool,
    /// Whether `!` or `||` occurred: the command after `&&` may then run although a `cd` failed.
    uncertain: bool,
}

impl Chain {
    /// Returns whether no command of the list has been read.
    pub(super) fn is_empty(self) -> bool {
        !(self.has_begun || self.moved || self.piped || self.uncertain)
    }
}

/// Operator at which a simple command ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandTerminator {
    And,
    Or,
    Pipe,
    List,
}

impl<'a> Script<'a> {
    pub(super) fn new(
        reading: &'a mut ShellReading,
        working_dir: WorkingDir,
        depth: usize,
        tokens: &'a [Token],
    ) -> Self {
        let is = |index: usize, text: &str| tokens.get(index).is_some_and(|token: &Token| token.to_str() == text);
        let repeats = tokens.iter().enumerate().any(|(index, token)| match token {
            Token::Word(raw, _) => LOOP_WORDS.contains(&raw.as_str()),
            Token::Operator(..) => is(index, "(") && is(index + 1, ")"),
        });
        let is_input = |text: &str| text.starts_with('<') || matches!(text, "|" | "|&");
        reading.has_input |= tokens.iter().any(|token| matches!(token, Token::Operator(text, _) if is_input(text)));
        let is_compound = |text: &str| {
            [BEFORE_COMMAND, AFTER_COMMAND, LOOP_WORDS].iter().any(|words| words.contains(&text))
                || matches!(text, "(" | ")" | "case" | "&")
        };
        let has_only_simple = !tokens.iter().any(|token| is_compound(token.to_str()));
        Self {
            reading,
            tokens,
            at: 0,
            depth,
            frames: Vec::new(),
            simple: Simple::default(),
            working_dir,
            chain: Chain::default(),
            assigned: Vec::new(),
            has_only_simple,
            repeats,
            in_test: false,
        }
    }

    pub(super) fn walk(mut self) {
        let tokens = self.tokens;
        while let Some(token) = tokens.get(self.at) {
            self.at += 1;
            match token {
                Token::Operator(operator, _) => self.read_operator(operator),
                Token::Word(raw, _) => self.read_word(raw),
            }
        }
        self.finish(CommandTerminator::List);
        // Without an end of the `case`, the following text would be misread.
        if self.frames.iter().any(|frame| matches!(frame, ConstructFrame::Case(_))) {
            self.mark_undecidable("a `case` does not end");
        }
    }

    pub(super) fn mark_undecidable(&mut self, reason: impl Into<String>) {
        self.reading.mark_unresolved(reason);
    }

    fn is_next(&self, operator: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Operator(text, _)) if text == operator)
    }

    fn next_word(&mut self) -> Option<&'a str> {
        let tokens = self.tokens;
        let Some(Token::Word(raw, _)) = tokens.get(self.at) else { return None };
        self.at += 1;
        Some(raw)
    }

    fn skip_newlines(&mut self) {
        while self.is_next("\n") {
            self.at += 1;
        }
    }

    /// Returns the stage of the `case` that contains the next token, if any.
    fn stage(&mut self) -> Option<&mut Stage> {
        match self.frames.last_mut() {
            Some(ConstructFrame::Case(stage)) => Some(stage),
            _ => None,
        }
    }

    fn read_operator(&mut self, operator: &str) {
        if let Some(stage @ (Stage::Pattern | Stage::PatternRead)) = self.stage() {
            match operator {
                "\n" => return,
                "(" | "|" => return *stage = Stage::Pattern,
                ")" => return *stage = Stage::Commands,
                _ => {}
            }
        }
        match operator {
            ";" | "&" | "\n" => self.finish(CommandTerminator::List),
            "&&" => self.finish(CommandTerminator::And),
            "||" => self.finish(CommandTerminator::Or),
            "|" | "|&" => self.finish(CommandTerminator::Pipe),
            ";;" | ";&" | ";;&" => {
                self.finish(CommandTerminator::List);
                match self.stage() {
                    Some(stage) => *stage = Stage::Pattern,
                    None => self.mark_undecidable(format!("`{operator}` is outside `case`")),
                }
            }
            "(" => self.open_parenthesis(),
            ")" => self.close_parenthesis(),
            _ => {
                if operator.starts_with('<') && !operator.starts_with("<<") {
                    self.simple.input.push(None);
                }
                self.redirect(operator);
            }
        }
    }

    fn open_parenthesis(&mut self) {
        let first = self.simple.words.first().map(|word| word.text.clone());
        match first {
            Some(name) if self.simple.words.len() == 1 && self.is_next(")") => {
                self.at += 1;
                self.simple = Simple::default();
                return self.define(&name);
            }
            Some(name) => self.mark_undecidable(format!("a parenthesis follows `{}`", shorten(&name))),
            None if self.simple.prefixed => {
                self.mark_undecidable("a list is assigned, or a redirection contains a command");
            }
            None => {}
        }
        self.check_arithmetic();
        self.finish(CommandTerminator::List);
        let frame = ConstructFrame::Parenthesis { working_dir: self.working_dir.clone(), chain: self.chain };
        self.frames.push(frame);
        self.chain = Chain::default();
    }

    /// Checks `((…))`: Bash reads it as arithmetic and evaluates the subscripts of names, other shells read two nested
    /// subshells. Both readings count, and only expressions without names are resolved.
    fn check_arithmetic(&mut self) {
        let tokens = self.tokens;
        let span =
            |token: Option<&Token>| token.map(|token| (token.location().start.index, token.location().end.index));
        let (Some((_, end)), Some((start, _))) = (span(tokens.get(self.at - 1)), span(tokens.get(self.at))) else {
            return;
        };
        if !self.is_next("(") || start != end {
            return;
        }
        let has_name =
            |token: &Token| token.to_str().contains(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '`'));
        let mut inner = tokens.iter().skip(self.at + 1).take_while(|token| token.to_str() != ")");
        // The search is bounded, because hostile texts nest many long expressions.
        if inner.by_ref().take(MAX_ARITHMETIC_TOKENS).any(has_name) || inner.next().is_some() {
            self.mark_undecidable("`((…))` may be worked out as arithmetic");
        }
    }

    fn close_parenthesis(&mut self) {
        self.finish(CommandTerminator::List);
        match self.frames.pop() {
            Some(ConstructFrame::Parenthesis { working_dir, chain }) => {
                self.working_dir = working_dir;
                self.chain = chain;
            }
            _ => self.mark_undecidable("the parentheses do not match"),
        }
    }

    /// Reads a function definition. The commands of the body count at the definition.
    fn define(&mut self, name: &str) {
        // `cat` is part of a text in [`super::normal`].
        if matches!(name, "cd" | "cat")
            || name.contains('/')
            || REINTERPRETING_BUILTINS.contains(&name)
            || wrapper::runs_nested_commands(name)
        {
            self.mark_undecidable(format!("`{}` is made to mean something else", shorten(name)));
        }
    }

    fn read_word(&mut self, raw: &'a str) {
        if let Some(stage @ (Stage::Pattern | Stage::PatternRead)) = self.stage() {
            if raw == "esac" {
                self.frames.pop();
                return;
            }
            if std::mem::replace(stage, Stage::PatternRead) == Stage::PatternRead {
                self.mark_undecidable("a `case` whose patterns cannot be read");
            }
            return self.read_scripts_in(&word::read(raw));
        }
        let is_variable_descriptor = raw.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).is_some_and(is_name);
        if (is_variable_descriptor || raw.bytes().all(|byte| byte.is_ascii_digit())) && self.is_descriptor() {
            if is_variable_descriptor {
                self.mark_undecidable(format!("`{raw}` stores a descriptor in a variable"));
            }
            self.simple.has_descriptor |= raw != "0";
            return;
        }
        if self.simple.words.is_empty() && !self.simple.prefixed && self.read_reserved(raw) {
            return;
        }
        let word = word::read(raw);
        if self.simple.has_dash_end {
            self.mark_undecidable("dash reads a new command after `&>`");
        }
        if self.simple.words.is_empty()
            && let Some(name) = names::assigned_name(raw)
        {
            self.simple.prefixed = true;
            return self.assign(name, &word);
        }
        self.simple.words.push(word);
    }

    /// Returns whether the number that was just read is the descriptor of the redirection that follows without a space.
    fn is_descriptor(&self) -> bool {
        let (Some(number), Some(next)) = (self.tokens.get(self.at - 1), self.tokens.get(self.at)) else { return false };
        let redirects = matches!(next, Token::Operator(text, _) if text.starts_with(['<', '>']));
        redirects && number.location().end.index == next.location().start.index
    }

    /// Records an assignment. Only the end of the simple command shows whether a program receives the variable.
    fn assign(&mut self, name: &str, word: &ShellWord) {
        if word.raw.split_once('=').is_some_and(|(target, _)| target.contains('[')) {
            self.mark_undecidable(format!("the subscript of `{}` is worked out", shorten(&word.raw)));
        }
        if word.raw.contains("$'") || word.raw.contains("$\"") {
            self.mark_undecidable(format!("shells disagree about the value of `{}`", shorten(name)));
        }
        self.read_scripts_in(word);
        self.simple.assignments.push((name.to_owned(), word.clone()));
    }

    /// Reads a reserved word where the grammar allows one. Returns whether the word was one.
    fn read_reserved(&mut self, raw: &str) -> bool {
        match raw {
            "case" => {
                let subject = self.next_word().map(word::read);
                self.skip_newlines();
                if let Some(subject) = &subject {
                    self.read_scripts_in(subject);
                }
                if subject.is_none() || self.next_word() != Some("in") {
                    self.mark_undecidable("a `case` that cannot be read");
                }
                self.frames.push(ConstructFrame::Case(Stage::Pattern));
            }
            "for" | "select" => {
                let variable = self.read_for_loop();
                self.frames.push(ConstructFrame::Loop(variable));
            }
            "while" | "until" => self.frames.push(ConstructFrame::Loop(None)),
            "done" => self.end_loop(),
            "function" => {
                let name = self.next_word().unwrap_or_default();
                if self.is_next("(") {
                    self.at += 1;
                    self.at += usize::from(self.is_next(")"));
                }
                self.define(name);
            }
            "esac" => match self.frames.pop() {
                Some(ConstructFrame::Case(_)) => {}
                Some(frame) => self.frames.push(frame),
                None => {}
            },
            "time" => return !matches!(self.tokens.get(self.at), Some(Token::Word(next, _)) if next.starts_with('-')),
            "coproc" => self.mark_undecidable("`coproc` runs beside the script"),
            "!" => self.chain.uncertain = true,
            raw => return BEFORE_COMMAND.contains(&raw) || AFTER_COMMAND.contains(&raw),
        }
        true
    }

    /// Reads `for name in words`. The words are not commands; each use of `$name` is checked where it occurs.
    fn read_for_loop(&mut self) -> Option<LoopVariable> {
        let Some(name) = self.next_word() else {
            self.mark_undecidable("a loop that counts");
            return None;
        };
        if let Some(reason) = builtin::assignment_problem(name, None) {
            self.mark_undecidable(reason);
        }
        self.skip_newlines();
        if !matches!(self.tokens.get(self.at), Some(Token::Word(text, _)) if text == "in") {
            return None;
        }
        self.at += 1;
        let mut values = Vec::new();
        while let Some(raw) = self.next_word() {
            let value = word::read(raw);
            self.read_scripts_in(&value);
            values.push(value);
        }
        if self.in_test { None } else { LoopVariable::new(name, values, self.tokens) }
    }

    /// Adds the commands of the scripts inside a word.
    pub(super) fn read_scripts_in(&mut self, word: &ShellWord) {
        for script in &word.scripts {
            self.mark_undecidable(format!("`{}` is worked out only when it runs", shorten(&word.raw)));
            read_into(self.reading, script, &self.working_dir, self.depth + 1);
        }
    }

    fn redirect(&mut self, operator: &str) {
        self.simple.prefixed = true;
        if operator.starts_with("<<") {
            return self.read_here_document(operator);
        }
        self.simple.has_dash_end |= operator.starts_with('&');
        if !operator.contains(['<', '>']) {
            return self.mark_undecidable(format!("`{}` is not understood", shorten(operator)));
        }
        // A process substitution instead of a file: read its commands like a separate script.
        let Some(raw) = self.next_word() else { return };
        let target = word::read(raw);
        let is_descriptor = target.text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        if operator.ends_with('&') && is_descriptor {
            return;
        }
        self.read_scripts_in(&target);
        if target.is_dynamic || target.pattern != Pattern::Literal || target.tilde {
            return self.mark_undecidable(format!("which file `{}` is, is known only when it runs", shorten(raw)));
        }
        if ["/dev/tcp/", "/dev/udp/"].iter().any(|device| target.text.starts_with(device)) {
            return self.mark_undecidable(format!("`{}` opens a connection", shorten(raw)));
        }
        let Some(path) = self.path(&target.text) else { return };
        if is_harmless(&path) {
            return;
        }
        if matches!(operator, "<" | "<&" | "<>") {
            self.reading.reads.push(path.clone());
        }
        if operator != "<" && operator != "<&" {
            self.reading.writes.push(path);
        }
    }

    /// Records an input of the simple command, unless it has a descriptor other than standard input.
    fn add_input(&mut self, text: Option<String>) {
        let text = text.filter(|_| !self.simple.has_descriptor);
        self.simple.input.push(text);
    }

    /// Reads a here-document or here-string, which is plain data unless the shell expands something in it.
    fn read_here_document(&mut self, operator: &str) {
        let Some(tag) = self.next_word() else { return self.mark_undecidable("a here-document without its end") };
        let text = if operator == "<<<" {
            word::read(tag)
        } else {
            // Only scripts that are undecidable still have here-documents (`super::normal`).
            let (body, _end) = (self.next_word(), self.next_word());
            if tag.contains(['\'', '"', '\\']) {
                return self.add_input(body.map(str::to_owned));
            }
            word::read_document(body.unwrap_or_default())
        };
        self.read_scripts_in(&text);
        self.add_input(Some(text.text.clone()).filter(|_| !text.is_dynamic && !text.tilde));
        if text.is_dynamic && text.scripts.is_empty() {
            self.mark_undecidable("a here-document has text that is worked out only when it runs");
        }
    }

    pub(super) fn path(&mut self, text: &str) -> Option<Utf8PathBuf> {
        let problem = match self.working_dir.path(text) {
            Ok(path) => return Some(path),
            Err(PathProblem::DirectoryLost) => "depends on where a `cd` before it led",
            Err(PathProblem::ParentOfLink) => "leads up again through what may be a link",
        };
        self.mark_undecidable(format!("`{}` {problem}", shorten(text)));
        None
    }

    /// Ends the current simple command.
    fn finish(&mut self, end: CommandTerminator) {
        let simple = std::mem::take(&mut self.simple);
        for (name, word) in &simple.assignments {
            let value = word.text.split_once('=').map_or("", |(_, value)| value);
            let problem = match () {
                // No program reads a variable with one letter from its environment.
                () if simple.words.is_empty() && name.len() == 1 && !names::may_be_evaluated(&word.raw) => None,
                () if simple.words.is_empty() => {
                    builtin::assignment_problem(name, Some(if word.is_dynamic { "" } else { value }))
                }
                () if word.is_dynamic => builtin::export_problem(name, Some("$")),
                () => builtin::export_problem(name, Some(value)),
            };
            if let Some(reason) = problem {
                self.mark_undecidable(reason);
            }
        }
        self.store_assignments(&simple, end);
        let mut entered = None;
        if !simple.words.is_empty() {
            for simple in loops::expand(simple, &self.frames, &self.assigned) {
                entered = self.simple_command(&simple).or(entered);
            }
        }
        let is_certain = !self.chain.piped && !self.chain.uncertain;
        match (entered, end) {
            (Some(new_dir), CommandTerminator::And) if is_certain => {
                self.working_dir = new_dir;
                self.chain.moved = true;
            }
            (Some(_), _) => self.working_dir = WorkingDir::Unknown,
            (None, CommandTerminator::Or | CommandTerminator::List) if self.chain.moved => {
                self.working_dir = WorkingDir::Unknown;
            }
            (None, _) => {}
        }
        self.chain.has_begun = true;
        match end {
            CommandTerminator::And => self.chain.piped = false,
            CommandTerminator::Or => self.chain = Chain { uncertain: true, has_begun: true, ..Chain::default() },
            CommandTerminator::Pipe => self.chain.piped = true,
            CommandTerminator::List => self.chain = Chain::default(),
        }
    }
}

/// Returns whether a path is a device that stores nothing.
fn is_harmless(path: &Utf8PathBuf) -> bool {
    ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"].contains(&path.as_str())
        || path.as_str().starts_with("/dev/fd/")
}
