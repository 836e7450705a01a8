//! The queried names, from the output of `ctags`.

/// A declared name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    /// The file, relative to the tree.
    pub(super) file: String,
}

/// The kinds of queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Query {
    Exact,
    Prefix,
    Humps,
    Typo,
}

impl Query {
    pub(super) const ALL: [Self; 4] = [Self::Exact, Self::Prefix, Self::Humps, Self::Typo];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Exact => "exact name",
            Self::Prefix => "prefix of four letters",
            Self::Humps => "initials of its parts",
            Self::Typo => "two letters exchanged",
        }
    }

    /// The query for a name.
    pub(super) fn text(self, name: &Name) -> String {
        let text = &name.text;
        match self {
            Self::Exact => text.clone(),
            Self::Prefix => text.chars().take(4).collect(),
            Self::Humps => {
                let mut previous = '_';
                text.chars()
                    .filter(|current| {
                        let begins = previous == '_' || (current.is_uppercase() && !previous.is_uppercase());
                        previous = *current;
                        begins && *current != '_'
                    })
                    .collect()
            }
            Self::Typo => {
                let mut letters: Vec<char> = text.chars().collect();
                let middle = letters.len() / 2;
                if middle > 0 {
                    letters.swap(middle - 1, middle);
                }
                letters.into_iter().collect()
            }
        }
    }
}

/// Reads the names of functions, classes and methods from ctags' lines `name TAB file TAB pattern TAB kind`.
pub(super) fn read(tags: &str) -> Vec<Name> {
    let is_declaration = |kind: &str| matches!(kind, "c" | "f" | "m" | "s" | "P" | "i" | "t");
    tags.lines()
        .filter(|line| !line.starts_with("!_TAG"))
        .filter_map(|line| {
            let (name, rest) = line.split_once('\t')?;
            let (file, _) = rest.split_once('\t')?;
            let (_, kind) = line.rsplit_once('\t')?;
            // Shorter names have no parts and no letters to exchange; ctags names functions without a name `anonFunc…`.
            let fits = is_declaration(kind) && name.len() >= 6 && !name.starts_with("__") && !name.starts_with("anon");
            fits.then(|| Name { text: name.to_owned(), file: file.trim_start_matches("./").to_owned() })
        })
        .collect()
}

/// Returns at most `count` names, evenly spread over all.
pub(super) fn spread(names: &[Name], count: usize) -> Vec<Name> {
    let step = (names.len() / count.max(1)).max(1);
    names.iter().step_by(step).take(count).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::{Name, Query, read, spread};

    #[test]
    fn names_are_read_and_queries_made() {
        let names = read(
            "!_TAG_FILE_FORMAT\t2\t//\nHomeAssistant\t./core.py\t/^class HomeAssistant:$/;\"\tc\nx\t./core.py\t/^x$/;\"\tv\n\
             async_start_job\t./core.py\t/^    def async_start_job(self):$/;\"\tm\n",
        );
        let name = |text: &str| Name { text: text.to_owned(), file: "core.py".to_owned() };
        assert_eq!(names, [name("HomeAssistant"), name("async_start_job")]);
        let queries: Vec<_> = names.iter().flat_map(|name| Query::ALL.map(|query| query.text(name))).collect();
        assert_eq!(
            queries,
            ["HomeAssistant", "Home", "HA", "HomeAssistant", "async_start_job", "asyn", "asj", "async_tsart_job"]
        );
        assert_eq!(spread(&names, 1), [name("HomeAssistant")]);
    }
}
