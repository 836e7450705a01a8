//! The help of a program with commands: its pages, and the rules for each.

/// The maximum length of a help line and of a description (flag, argument or command), in characters.
const MAX_COLUMNS: usize = 100;

/// The help of one command.
pub(crate) struct HelpPage {
    /// The words of the command, without the program's name.
    pub(crate) command: Vec<String>,
    pub(crate) text: String,
}

/// Returns the help of the program and of all its commands. `run` runs the program with these arguments and returns its
/// exit code and output.
pub(crate) fn pages(run: impl Fn(&[&str]) -> String) -> Vec<HelpPage> {
    let mut pages: Vec<HelpPage> = Vec::new();
    let mut pending: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(command) = pending.pop() {
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let text = run(&words);
        let text = text.strip_prefix("exit 0\n--- stdout\n").unwrap_or_else(|| panic!("{words:?}: {text}")).to_owned();
        let page = HelpPage { command, text };
        let names = page.rows().filter(|(section, name, _)| *section == "Commands:" && *name != "help");
        pending.extend(names.map(|(_, name, _)| [&page.command[..], &[name.to_owned()]].concat()));
        pages.push(page);
    }
    pages
}

impl HelpPage {
    /// Returns the lines and descriptions that are too long, and the items without a description.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (section, name, description) in self.rows() {
            // The parser appends the list of values.
            let description = description.split("[possible values: ").next().unwrap_or_default();
            if description.is_empty() {
                problems.push(format!("{:?}: `{name}` has no help text", self.command));
            } else if !section.is_empty() || !is_indivisible(description) {
                let length = description.trim_end().chars().count();
                if length > MAX_COLUMNS {
                    problems.push(format!("{:?}: {length} columns: {description}", self.command));
                }
            }
        }
        problems
    }

    /// The rows of the page, each with its table's heading, its first column and its description. A line outside of the
    /// tables has neither heading nor first column.
    fn rows(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let mut section = "";
        let mut lines = self.text.lines().peekable();
        std::iter::from_fn(move || {
            loop {
                let line = lines.next()?;
                let row = line.trim_start();
                match line {
                    "Commands:" | "Options:" | "Arguments:" => section = line,
                    _ if line.starts_with("Filters ") => section = line,
                    "" => section = "",
                    _ if section.is_empty() => return Some(("", "", line)),
                    _ => {
                        let indent = line.len() - row.len();
                        if let Some((name, description)) = row.split_once("  ") {
                            return Some((section, name, description.trim_start()));
                        }
                        // The description is on the next line.
                        let next = lines.next_if(|next| next.len() - next.trim_start().len() > indent);
                        return Some((section, row, next.map(str::trim_start).unwrap_or_default()));
                    }
                }
            }
        })
    }
}

/// Whether the line cannot be wrapped: an example in another language, or JSON.
fn is_indivisible(line: &str) -> bool {
    line.starts_with("  ") && line.contains('{')
}
