//! The commands of `IPython` in the cells of a notebook: `%matplotlib inline`, `!pip install …`, `%%bash`.

/// The commands of a cell whose other lines are Python.
const PYTHON_CELLS: &[&str] =
    &["%%capture", "%%memit", "%%mprun", "%%prun", "%%python", "%%python3", "%%time", "%%timeit"];

/// Returns the Python code of a cell with the same length, in which commands are replaced. Returns `None` for a cell in
/// another language: its first line is a command such as `%%bash`.
pub(super) fn blank(code: &str) -> Option<String> {
    let command = code.trim_start();
    if command.starts_with("%%") {
        let name = command.split(|character: char| character.is_whitespace()).next().unwrap_or_default();
        if !PYTHON_CELLS.contains(&name) {
            return None;
        }
    }
    let mut python = String::with_capacity(code.len());
    for line in code.split_inclusive('\n') {
        match command_start(line) {
            None => python.push_str(line),
            Some(start) => {
                let (before, command) = line.split_at(start);
                let end = command.trim_end_matches(['\n', '\r']).len();
                python.push_str(before);
                // A number is valid wherever a command is.
                python.push('0');
                python.extend(std::iter::repeat_n(' ', end.saturating_sub(1)));
                python.push_str(command.get(end..).unwrap_or_default());
            }
        }
    }
    Some(python)
}

/// Returns the offset of a command in a line: at its start, or after `name = `.
fn command_start(line: &str) -> Option<usize> {
    let is_command = |text: &str| {
        let name = text.strip_prefix("%%").or_else(|| text.strip_prefix('%'));
        let has_name = name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()));
        has_name || text.starts_with('?') || text.starts_with('!') && !text.starts_with("!=")
    };
    let trimmed = line.trim_start();
    let indentation = line.len() - trimmed.len();
    if is_command(trimmed) {
        return Some(indentation);
    }
    if let Some((name, value)) = trimmed.split_once('=') {
        let is_name =
            name.trim().bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b',' | b' '));
        let command = value.trim_start();
        if is_name && is_command(command) {
            return Some(line.len() - command.len());
        }
    }
    // `name?` prints help.
    let help = trimmed.trim_end();
    let is_help = help.strip_suffix('?').is_some_and(|name| {
        let name = name.trim_end_matches('?');
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    });
    is_help.then_some(indentation)
}
