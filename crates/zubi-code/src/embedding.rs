//! Code inside files of other languages: components (`.vue`), templates, notebooks.
//!
//! A server of TypeScript does not read the script of a `.vue` file, and one of Python no notebook, so they report no
//! uses there. These functions find such uses by text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use camino::Utf8Path;
use serde::Deserialize;

use crate::lexical::NonCode;
use crate::text_search::occurrences;

/// Extensions of source files, each with those of files that may contain code of the same language.
const EMBEDDINGS: &[(&[&str], &[&str])] = &[
    (
        &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"],
        &["vue", "svelte", "astro", "mdx", "html", "htm", "ejs", "hbs", "pug", "cshtml", "razor"],
    ),
    (&["vue", "svelte", "astro"], &["ts", "tsx", "mts", "js", "jsx", "mjs", "vue", "svelte", "astro", "mdx"]),
    (&["py", "pyi"], &["ipynb", "pyx", "pxd", "html", "j2", "jinja", "jinja2", "mako"]),
    (&["go"], &["tmpl", "gotmpl", "gohtml", "templ", "html"]),
    (&["rs"], &["html", "j2", "askama"]),
    (&["java"], &["kt", "kts", "scala", "groovy", "gradle", "jsp", "ftl"]),
    (&["kt", "kts"], &["java", "groovy"]),
    (&["scala", "sc"], &["java"]),
    (&["cs"], &["cshtml", "razor", "xaml", "axaml", "vb", "fs"]),
    (&["fs"], &["cs"]),
    (&["rb"], &["erb", "haml", "slim", "rake", "jbuilder"]),
    (&["php"], &["twig", "phtml", "latte"]),
    (&["ex", "exs"], &["heex", "eex", "leex"]),
    (
        &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"],
        &["y", "l", "yy", "ll", "ipp", "tpp", "inc", "pyx", "pxd", "swift", "cu"],
    ),
    (&["css", "scss", "less"], &["html", "htm", "vue", "svelte", "astro"]),
    (&["swift"], &["m", "mm"]),
    (&["m", "mm"], &["swift"]),
    (&["r", "R", "jl"], &["ipynb", "Rmd", "qmd"]),
];

/// Whether a file may contain code of the language that a source file's extension names.
pub(crate) fn may_embed(path: &Utf8Path, extension: &str) -> bool {
    let Some(own) = path.extension() else { return false };
    let mut rows = EMBEDDINGS.iter().filter(|(sources, _)| sources.contains(&extension));
    rows.any(|(_, embeddings)| embeddings.contains(&own))
}

/// Extensions of files that consist of code although another language is around it: components and notebooks.
const COMPONENTS: &[&str] = &["vue", "svelte", "astro", "ipynb"];

/// Whether a file has code of a language that servers check. `extensions` are those of the checked files: a component or
/// a notebook may embed their code, and checked components have scripts in the language of a script file.
pub(crate) fn is_source_with_code(path: &Utf8Path, extensions: &BTreeSet<&str>) -> bool {
    let is_component = |extension: &str| COMPONENTS.contains(&extension);
    match path.extension() {
        Some(own) if is_component(own) => extensions.iter().any(|extension| may_embed(path, extension)),
        Some(own @ ("ts" | "mts" | "js" | "mjs")) => extensions.iter().any(|extension| {
            is_component(extension) && may_embed(&Utf8Path::new("component").with_extension(extension), own)
        }),
        _ => false,
    }
}

/// Whether a file mixes markup with scripts.
pub(crate) fn is_mixed(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("vue" | "svelte" | "astro" | "mdx" | "html" | "htm"))
}

/// Whether a word at a byte offset of a file that mixes languages is in code: in a script, in a tag, or in braces. Prose
/// between tags is not.
pub(crate) fn is_code(text: &str, offset: usize) -> bool {
    let before = text.get(..offset).unwrap_or_default();
    let last = |marks: &[&str]| marks.iter().filter_map(|mark| before.rfind(mark)).max();
    if let Some(comment) = before.rfind("<!--")
        && before.rfind("-->").is_none_or(|end| end < comment)
    {
        return false;
    }
    // The parts with a script, whose own comments and strings do not count.
    let script = before.rfind("<script").and_then(|tag| Some(tag + before.get(tag..)?.find('>')? + 1));
    let script = script.filter(|begin| before.get(*begin..).is_some_and(|inside| !inside.contains("</script")));
    let front_matter = before.strip_prefix("---\n").filter(|head| !head.contains("\n---")).map(|_| 4);
    if let Some(begin) = script.or(front_matter) {
        let inside = text.get(begin..).unwrap_or_default();
        return !NonCode::scan(inside, "ts").contains(offset - begin);
    }
    let has_markup = text.contains("</") || text.contains("/>") || text.contains("{{") || text.contains("{%");
    match (last(&["<", "{"]), last(&[">", "}"])) {
        (Some(open), close) => close.is_none_or(|close| close < open) || !has_markup,
        (None, _) => !has_markup,
    }
}

/// A Jupyter notebook, format 4 (`nbformat`).
#[derive(Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    source: Source,
}

/// A cell's text: one string, or its lines with their ends.
#[derive(Deserialize)]
#[serde(untagged)]
enum Source {
    Text(String),
    Lines(Vec<String>),
}

/// Returns the text of a file for a search for words, with the same length: in the JSON of a notebook, spaces replace the
/// escapes of control characters, because the letter of an escape would belong to the word after it (`\narea`).
pub(crate) fn searchable_text<'a>(path: &Utf8Path, text: &'a str) -> Cow<'a, str> {
    if !path.file_name().is_some_and(zubi_syntax::Notebook::is_notebook) {
        return Cow::Borrowed(text);
    }
    let mut searchable = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            searchable.push(character);
            continue;
        }
        match characters.next() {
            Some('n' | 'r' | 't' | 'f' | 'b') => searchable.push_str("  "),
            escaped => searchable.extend(std::iter::once(character).chain(escaped)),
        }
    }
    Cow::Owned(searchable)
}

/// The maximum number of places that are named in one notebook.
const MAX_PLACES: usize = 100;

/// Returns where a word occurs in the code of a notebook: `cell 3:2:5` is the third cell, line 2, column 5 in
/// characters, all 1-based.
pub(crate) fn notebook_places(text: &str, word: &str) -> Vec<String> {
    let Ok(notebook) = serde_json::from_str::<Notebook>(text) else { return Vec::new() };
    let mut places = Vec::new();
    for (number, cell) in (1..).zip(&notebook.cells).filter(|(_, cell)| cell.cell_type == "code") {
        let source = match &cell.source {
            Source::Text(text) => text.clone(),
            Source::Lines(lines) => lines.concat(),
        };
        let non_code = NonCode::scan(&source, "py");
        for at in occurrences(&source, word).filter(|at| !non_code.contains(*at)) {
            let before = source.get(..at).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            places.push(format!("cell {number}:{line}:{column}"));
        }
    }
    places.truncate(MAX_PLACES);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_separated_from_code() {
        for (text, expected) in [
            (
                "<script setup lang=\"ts\">\nimport { word } from \"./word\"; // word\n</script>",
                [true, false, false].as_slice(),
            ),
            ("<template><b>word {{ word }} word</b><word/></template>", &[false, true, false, true]),
            ("---\nimport { word } from \"./a\";\n---\n<b>word{word}</b>", &[true, false, true]),
            ("<!-- word --><b :on=\"word\">word</b>", &[false, true, false]),
            ("val a = word(1)", &[true]),
            ("{% for a in word %}word{% endfor %}", &[true, false]),
        ] {
            let found: Vec<_> = occurrences(text, "word").map(|at| is_code(text, at)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn an_escape_does_not_belong_to_a_word() {
        let text = r#"["a\nword\tword\fword", "\\nword \u00e9word\"word\\"]\"#;
        let search = |name: &str| {
            let found = searchable_text(Utf8Path::new(name), text);
            assert_eq!(found.len(), text.len());
            occurrences(&found, "word").collect::<Vec<_>>()
        };
        assert_eq!(search("a.json").len(), 1);
        let found = search("a.ipynb");
        assert_eq!(found.len(), 4);
        assert!(found.into_iter().all(|at| text.get(at..).unwrap().starts_with("word")));
    }

    #[test]
    fn places_in_a_notebook() {
        let text = r##"{"cells":[
            {"cell_type":"markdown","source":["# word"]},
            {"cell_type":"code","source":["from a import word\n","word(1) # word"]},
            {"cell_type":"code","source":"x = 1\nword"}],"nbformat":4}"##;
        assert_eq!(notebook_places(text, "word"), ["cell 2:1:15", "cell 2:2:1", "cell 3:2:1"]);
        assert!(notebook_places("{", "word").is_empty());
    }
}
