//! Operands in languages of their own: statements of databases, and addresses of web pages. The functions err towards
//! `false`, because their lists contain what is harmless.

use super::options::stays_inside;

/// Returns whether a word names a database, and no file elsewhere and no command of the database's shell.
pub(super) fn is_plain_name(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let name = word.strip_prefix("./").unwrap_or(word);
    !name.starts_with(['.', '-']) && word.chars().all(is_plain) && stays_inside(word)
}

/// Returns whether a text is one statement that only queries: no statement that writes, no command of the database's
/// shell, and no function that is not known.
pub(super) fn is_plain_statement(text: &str) -> bool {
    const VERBS: &[&str] = &["select", "with", "explain", "values", "show", "describe", "desc"];
    /// Words that write, load or run something, in the language of some database or its shell.
    const WORDS: &[&str] = &[
        "into", "outfile", "dumpfile", "copy", "attach", "vacuum", "install", "load", "export", "import", "system",
        "source", "shell", "pragma", "insert", "update", "delete", "drop", "alter", "create", "truncate", "grant",
        "call", "do", "set", "execute", "edit", "tee", "pager", "prompt", "program",
    ];
    /// Words before a parenthesis: functions and keywords.
    const FUNCTIONS: &[&str] = &[
        "abs",
        "all",
        "and",
        "any",
        "as",
        "avg",
        "between",
        "by",
        "case",
        "cast",
        "char_length",
        "coalesce",
        "concat",
        "count",
        "date",
        "datetime",
        "distinct",
        "else",
        "except",
        "exists",
        "filter",
        "from",
        "group_concat",
        "having",
        "hex",
        "ifnull",
        "in",
        "instr",
        "intersect",
        "join",
        "json_array_length",
        "json_each",
        "json_extract",
        "json_object",
        "julianday",
        "length",
        "like",
        "limit",
        "lower",
        "ltrim",
        "max",
        "min",
        "not",
        "now",
        "nullif",
        "on",
        "or",
        "over",
        "quote",
        "random",
        "rank",
        "replace",
        "round",
        "row_number",
        "rtrim",
        "select",
        "strftime",
        "string_agg",
        "substr",
        "substring",
        "sum",
        "then",
        "time",
        "total",
        "trim",
        "typeof",
        "union",
        "upper",
        "using",
        "values",
        "when",
        "where",
    ];
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_suffix(';').unwrap_or(&text);
    // Comments, further statements and commands of the shell hide what follows them.
    if text.contains([';', '\\', '#', '`']) || text.contains("--") || text.contains("/*") {
        return false;
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_word) {
        let tail = rest.get(at..).unwrap_or_default();
        let end = tail.find(|c| !is_word(c)).unwrap_or(tail.len());
        let (word, after) = tail.split_at(end);
        let is_called =
            after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ']')).starts_with('(');
        words.push((word, is_called));
        rest = after;
    }
    let begins_plainly = words.first().is_some_and(|(word, _)| VERBS.contains(word) && text.starts_with(word));
    begins_plainly
        && !text.lines().any(|line| line.trim_start().starts_with('.'))
        && !words.iter().any(|(word, is_called)| WORDS.contains(word) || (*is_called && !FUNCTIONS.contains(word)))
}

/// Returns whether a word is the address of a page on the web, so that `curl` and `wget` read no file.
pub(super) fn is_web_address(word: &str) -> bool {
    if word.starts_with("http://") || word.starts_with("https://") {
        return true;
    }
    // Without a scheme, only a host and a path: braces and brackets can hide a scheme.
    let (host, _) = word.split_once('/').unwrap_or((word, ""));
    let (name, port) = host.split_once(':').unwrap_or((host, "80"));
    name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !port.is_empty()
        && port.chars().all(|c| c.is_ascii_digit())
        && !word.contains("://")
}
