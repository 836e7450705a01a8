//! Go's groups of declarations, as in `type ( … )`, whose members have no keyword of their own.

use camino::Utf8Path;

use super::unit::SymbolUnit;

/// The keywords of groups (the section "Declarations and scope" of go.dev/ref/spec), with the space after them.
const KEYWORDS: [&str; 3] = ["type ", "const ", "var "];

/// Returns a given text without its keyword if it is meant for a group: the text then parses only without it. Comments
/// before the keyword stay. Returns `None` outside a group, or if the text does not begin with the keyword of the group.
pub(super) fn without_keyword(file_name: &str, unit: &SymbolUnit<'_>, given: &str) -> Option<String> {
    let (before, own) = unit.text().split_at_checked(unit.first()?.range.start)?;
    let is_go = Utf8Path::new(file_name).extension() == Some("go");
    if !is_go || KEYWORDS.iter().any(|keyword| own.starts_with(keyword)) {
        return None;
    }
    // `gofmt` writes the beginning of a group as a line of its own.
    let begins_group =
        |line: &str, keyword: &str| line.strip_prefix(keyword).is_some_and(|rest| rest.trim_start().starts_with('('));
    let keyword = before.lines().rev().find_map(|line| KEYWORDS.iter().find(|it| begins_group(line.trim(), it)))?;
    let mut start = 0;
    for line in given.split_inclusive('\n') {
        let code = line.trim_start();
        if !code.is_empty() && !code.starts_with("//") {
            let code = code.strip_prefix(keyword)?;
            let at = start + line.len() - code.len();
            return Some([given.get(..at - keyword.len())?, given.get(at..)?].concat());
        }
        start += line.len();
    }
    None
}
