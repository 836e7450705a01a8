//! The page about the syntax: a template whose gaps are filled from the grammar and the keyword table.
//!
//! A gap is a line `{{rules: A B}}` (rules of the grammar), `{{words: role …}}` (words by their role) or `{{signs}}`.
//! Every rule and every role must be in exactly one gap, so that the page covers the whole language.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use ungrammar::{Grammar, Rule};

use super::keywords::Words;

/// The maximum length of a choice on one line, in characters.
const WIDTH: usize = 100;

/// Fills the gaps of the template.
pub(super) fn page(template: &str, grammar: &str, words: &Words) -> Result<String> {
    let grammar: Grammar = grammar.parse().map_err(|error| anyhow::anyhow!("dlang.ungram: {error}"))?;
    let mut rules: Vec<&str> = grammar.iter().map(|node| grammar[node].name.as_str()).collect();
    let mut roles: Vec<&str> = words.keywords.iter().map(|keyword| keyword.role.as_str()).collect();
    roles.sort_unstable();
    roles.dedup();
    let mut page = String::new();
    for line in template.lines() {
        let Some(gap) = line.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) else {
            _ = writeln!(page, "{line}");
            continue;
        };
        let (kind, names) = gap.split_once(": ").unwrap_or((gap, ""));
        let names: Vec<&str> = names.split_whitespace().collect();
        match kind {
            "rules" => {
                remove_names(&mut rules, &names)?;
                page.push_str(&ebnf(&grammar, &names, words)?);
            }
            "words" => {
                remove_names(&mut roles, &names)?;
                page.push_str(&word_table(words, &names));
            }
            "signs" => page.push_str(&sign_table(words)),
            _ => bail!("reference.md: there is nothing to fill `{line}` with"),
        }
    }
    match [rules, roles].concat().as_slice() {
        [] => Ok(page),
        missing => bail!("reference.md says nothing about {}", missing.join(", ")),
    }
}

/// Removes names from those that have no gap yet.
fn remove_names(missing: &mut Vec<&str>, names: &[&str]) -> Result<()> {
    for name in names {
        let at = missing.iter().position(|one| one == name);
        let at = at.with_context(|| format!("reference.md: `{name}` is listed twice or is unknown"))?;
        missing.remove(at);
    }
    Ok(())
}

fn ebnf(grammar: &Grammar, names: &[&str], words: &Words) -> Result<String> {
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let mut text = "```ebnf\n".to_owned();
    for name in names {
        let node = grammar.iter().find(|node| grammar[*node].name == *name);
        let rule = &grammar[node.with_context(|| format!("dlang.ungram: no rule `{name}`"))?].rule;
        let line = render_rule(grammar, rule, words, false);
        let parts = if width + line.len() > WIDTH { choices(grammar, rule, words) } else { vec![line] };
        for (index, part) in parts.iter().enumerate() {
            let head = if index == 0 { format!("{name:width$} =") } else { format!("{:width$} |", "") };
            _ = writeln!(text, "{head} {part}");
        }
    }
    text.push_str("```\n");
    Ok(text)
}

/// The alternatives of a rule that is a choice; otherwise the rule itself.
fn choices(grammar: &Grammar, rule: &Rule, words: &Words) -> Vec<String> {
    match rule {
        Rule::Labeled { rule, .. } => choices(grammar, rule, words),
        Rule::Alt(rules) => rules.iter().map(|rule| render_rule(grammar, rule, words, false)).collect(),
        rule => vec![render_rule(grammar, rule, words, false)],
    }
}

/// Renders a rule; a choice inside another rule gets parentheses.
fn render_rule(grammar: &Grammar, rule: &Rule, words: &Words, is_part: bool) -> String {
    let joined = |rules: &[Rule], between: &str, part: bool| {
        rules.iter().map(|rule| render_rule(grammar, rule, words, part)).collect::<Vec<_>>().join(between)
    };
    let choice = |text: String| if is_part { format!("({text})") } else { text };
    match rule {
        Rule::Labeled { rule, .. } => render_rule(grammar, rule, words, is_part),
        Rule::Node(node) => grammar[*node].name.clone(),
        Rule::Token(token) => match grammar[*token].name.as_str() {
            "#ident" => "ID".to_owned(),
            "#string" => "STRING".to_owned(),
            text => {
                let keyword = words.keywords.iter().find(|keyword| keyword.spellings.iter().any(|word| word == text));
                let spellings = keyword.map_or_else(|| vec![text.to_owned()], |keyword| keyword.spellings.clone());
                let quoted: Vec<_> = spellings.iter().map(|word| format!("{word:?}")).collect();
                if quoted.len() > 1 { choice(quoted.join(" | ")) } else { quoted.concat() }
            }
        },
        Rule::Seq(rules) => joined(rules, " ", true),
        Rule::Alt(rules) => choice(joined(rules, " | ", false)),
        Rule::Opt(rule) => format!("[{}]", render_rule(grammar, rule, words, false)),
        Rule::Rep(rule) => format!("{{{}}}", render_rule(grammar, rule, words, false)),
    }
}

fn word_table(words: &Words, roles: &[&str]) -> String {
    let keywords = roles.iter().flat_map(|role| words.keywords.iter().filter(move |keyword| keyword.role == *role));
    let rows = keywords.map(|keyword| {
        let spellings: Vec<_> = keyword.spellings.iter().map(|word| format!("`{word}`")).collect();
        let side = keyword.side.as_ref().map(|side| format!(" ({side})")).unwrap_or_default();
        format!("| {}{side} | {} |\n", spellings.join(", "), keyword.doc)
    });
    format!("| word | |\n|---|---|\n{}", rows.collect::<String>())
}

fn sign_table(words: &Words) -> String {
    let documented = words.signs.iter().filter_map(|sign| Some((sign, sign.doc.as_ref()?)));
    let rows = documented.map(|(sign, doc)| format!("| `{}` | {doc} |\n", sign.text));
    format!("| sign | |\n|---|---|\n{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::keywords;
    use super::page;

    const WORDS: &str = r#"
        [[keyword]]
        kind = "TEAM_KW"
        spellings = ["Team", "team"]
        role = "declaration"
        doc = "Declares a team."
        page = "guide/teams"
        [[keyword]]
        kind = "BY_KW"
        spellings = ["by"]
        role = "clause"
        doc = "Says who."
        page = "guide/teams"
        [[sign]]
        kind = "DOT"
        text = "."
        [[sign]]
        kind = "COLON"
        text = ":"
        doc = "Separates."
        page = "reference/language"
    "#;
    const GRAMMAR: &str =
        "Model = (teams:Team | Other)*\nTeam = 'Team' name:'#ident' ('by' | ':')?\nOther = '.' '#string'";

    fn fill(template: &str) -> String {
        let words = keywords::read(WORDS).unwrap();
        page(template, GRAMMAR, &words).unwrap_or_else(|error| format!("error: {error}\n"))
    }

    #[test]
    fn gaps_are_filled() {
        insta::assert_snapshot!(fill("# Page\n{{rules: Model Team}}\n{{words: clause declaration}}\n{{rules: Other}}\n{{signs}}\nEnd.\n"), @r#"
        # Page
        ```ebnf
        Model = {Team | Other}
        Team  = ("Team" | "team") ID ["by" | ":"]
        ```
        | word | |
        |---|---|
        | `by` | Says who. |
        | `Team`, `team` | Declares a team. |
        ```ebnf
        Other = "." STRING
        ```
        | sign | |
        |---|---|
        | `:` | Separates. |
        End.
        "#);
    }

    #[test]
    fn missing_and_unknown_names_are_rejected() {
        insta::assert_snapshot!(fill("{{rules: Model Team}}\n{{words: clause}}"), @"error: reference.md says nothing about Other, declaration");
        insta::assert_snapshot!(fill("{{rules: Model Model}}"), @"error: reference.md: `Model` is listed twice or is unknown");
        insta::assert_snapshot!(fill("{{words: verb}}"), @"error: reference.md: `verb` is listed twice or is unknown");
        insta::assert_snapshot!(fill("{{poem}}"), @"error: reference.md: there is nothing to fill `{{poem}}` with");
    }
}
