//! The help of a program with commands: which pages it has, and what holds for each.

/// The longest line of a help text, in characters.
const MAX_COLUMNS: usize = 100;

/// The help of one command.
pub(crate) struct HelpPage {
    /// The words of the command, without the program's name.
    pub(crate) command: Vec<String>,
    pub(crate) text: String,
}

/// Returns the help of the program and of all its commands. `run` runs the program with these words and returns its exit
/// code and output.
pub(crate) fn pages(run: impl Fn(&[&str]) -> String) -> Vec<HelpPage> {
    let mut pages: Vec<HelpPage> = Vec::new();
    let mut pending: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(command) = pending.pop() {
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let text = run(&words);
        let text = text.strip_prefix("exit 0\n--- stdout\n").unwrap_or_else(|| panic!("{words:?}: {text}")).to_owned();
        let rows = text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let names = rows.filter_map(|row| row.split_whitespace().next()).filter(|name| *name != "help");
        pending.extend(names.map(|name| [&command[..], &[name.to_owned()]].concat()));
        pages.push(HelpPage { command, text });
    }
    pages
}

impl HelpPage {
    /// Returns the lines that are too long, and the flags and arguments without a description.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let lines: Vec<&str> = self.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            if line.chars().count() > MAX_COLUMNS && !is_indivisible(line) {
                problems.push(format!("{:?}: more than {MAX_COLUMNS} columns: {line}", self.command));
            }
            let row = line.trim_start();
            let indent = line.len() - row.len();
            if indent > 0 && row.starts_with('-') && !row.contains("  ") {
                let next = lines.get(index + 1).copied().unwrap_or_default();
                let is_described = next.len() - next.trim_start().len() > indent;
                if !is_described {
                    problems.push(format!("{:?}: no help text: {line}", self.command));
                }
            }
        }
        problems
    }
}

/// Whether the line is an example of another language's code or of JSON, which cannot be wrapped.
fn is_indivisible(line: &str) -> bool {
    line.starts_with("  ") && line.contains('{')
}
