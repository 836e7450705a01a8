//! C, C++ and C#: conditional compilation (`#if` … `#endif`).

use super::{ExcludedPart, MACRO_BODY};

/// A conditional whose end is not reached yet.
struct OpenRegion {
    /// The directive as an answer shows it: `#ifdef WINDOWS`.
    condition: String,
    /// The offset where its present branch begins.
    begin: usize,
    /// Whether its present branch is compiled in any configuration.
    is_certain: bool,
}

/// Returns the conditional parts of a text, the inner ones first.
pub(super) fn excluded_parts(text: &str) -> Vec<ExcludedPart> {
    let mut open: Vec<OpenRegion> = Vec::new();
    let mut parts = Vec::new();
    let close = |parts: &mut Vec<ExcludedPart>, region: &OpenRegion, end: usize| {
        if !region.is_certain {
            let reason = format!("conditional `{}`", region.condition);
            parts.push(ExcludedPart { range: region.begin..end, reason, hides_file: false });
        }
    };
    let mut offset = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let begin = offset;
        offset += line.len();
        let Some((name, condition)) = directive(line) else { continue };
        match name {
            "if" | "ifdef" | "ifndef" => {
                // An include guard defines the name that it tests.
                let is_guard = name != "if"
                    && lines
                        .peek()
                        .and_then(|next| directive(next))
                        .is_some_and(|(next, defined)| next == "define" && defined.starts_with(condition));
                let is_certain = is_guard || condition == "1" || condition == "__cplusplus";
                open.push(OpenRegion { condition: format!("#{name} {condition}"), begin: offset, is_certain });
            }
            "else" | "elif" => {
                if let Some(region) = open.last_mut() {
                    close(&mut parts, region, begin);
                    (region.begin, region.is_certain) = (offset, false);
                }
            }
            "define" => {
                // A backslash continues the line.
                let mut last = line;
                while last.trim_end().ends_with('\\')
                    && let Some(next) = lines.next()
                {
                    offset += next.len();
                    last = next;
                }
                let reason = format!("{MACRO_BODY} a macro");
                parts.push(ExcludedPart { range: begin..offset, reason, hides_file: false });
            }
            "endif" => {
                if let Some(region) = open.pop() {
                    close(&mut parts, &region, begin);
                }
            }
            _ => {}
        }
    }
    while let Some(region) = open.pop() {
        close(&mut parts, &region, text.len());
    }
    parts
}

/// Returns the name and the rest of a preprocessor line.
fn directive(line: &str) -> Option<(&str, &str)> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let (name, rest) = directive.split_at(directive.find(|c: char| !c.is_alphabetic()).unwrap_or(directive.len()));
    Some((name, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exclusion::ExcludedParts;

    #[test]
    fn conditionals_around_an_offset() {
        for (text, expected) in [
            ("int a;\n$", None),
            ("#ifdef WIN\n$\n#endif", Some("conditional `#ifdef WIN`")),
            ("#ifdef WIN\n#else\n$\n#endif", Some("conditional `#ifdef WIN`")),
            ("#ifdef WIN\n#endif\n$", None),
            ("#ifndef A_H\n#define A_H\n$\n#endif", None),
            (
                "#ifndef A_H\n#define A_H\n# if defined(X) && 1\n$\n# endif\n#endif",
                Some("conditional `#if defined(X) && 1`"),
            ),
            ("#endif\n#else\n$", None),
        ] {
            let offset = text.find('$').unwrap();
            let parts = ExcludedParts { parts: excluded_parts(text) };
            assert_eq!(parts.reason_at(offset), expected, "{text}");
        }
    }
}
