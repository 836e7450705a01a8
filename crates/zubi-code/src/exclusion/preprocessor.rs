//! C, C++ and C#: conditional compilation (`#if` … `#endif`).

/// A conditional that is open at an offset.
struct Region {
    /// The directive as an answer shows it: `#ifdef WINDOWS`.
    condition: String,
    /// Whether its present branch is compiled in any configuration.
    is_certain: bool,
}

pub(super) fn reason(text: &str, offset: usize) -> Option<String> {
    let mut open: Vec<Region> = Vec::new();
    let before = text.get(..offset)?;
    let mut lines = before.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
        let (name, condition) =
            directive.split_at(directive.find(|c: char| !c.is_alphabetic()).unwrap_or(directive.len()));
        let condition = condition.trim();
        match name {
            "if" | "ifdef" | "ifndef" => {
                // An include guard defines the name that it tests.
                let is_guard = name != "if"
                    && lines.peek().and_then(|next| next.trim_start().strip_prefix('#')).is_some_and(|next| {
                        next.trim_start()
                            .strip_prefix("define")
                            .is_some_and(|defined| defined.trim().starts_with(condition))
                    });
                let is_certain = is_guard || condition == "1" || condition == "__cplusplus";
                open.push(Region { condition: format!("#{name} {condition}"), is_certain });
            }
            "else" | "elif" => {
                if let Some(region) = open.last_mut() {
                    region.is_certain = false;
                }
            }
            "endif" => drop(open.pop()),
            _ => {}
        }
    }
    open.into_iter().rev().find(|region| !region.is_certain).map(|region| format!("conditional `{}`", region.condition))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(reason(text, offset).as_deref(), expected, "{text}");
        }
    }
}
