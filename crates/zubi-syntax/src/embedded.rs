//! The scripts in components: `<script>` elements of Svelte and Vue, and Astro's front matter.

use std::ops::Range;

/// The maximum number of scripts in a component.
const MAX_SCRIPTS: usize = 64;

/// Returns the byte ranges of the scripts of a component, in their order.
pub(crate) fn scripts(text: &str) -> Vec<Range<usize>> {
    let mut scripts: Vec<Range<usize>> = front_matter(text).into_iter().collect();
    let mut at = scripts.first().map_or(0, |script| script.end);
    while let Some(start) = find(text, at, "<script") {
        let Some(open_end) = tag_end(text, start) else { break };
        let end = find(text, open_end, "</script").unwrap_or(text.len());
        let tag = text.get(start..open_end).unwrap_or_default();
        // `<script src="…" />` has no content, and a script may contain data.
        if tag.ends_with("/>") {
            at = open_end;
            continue;
        }
        if open_end < end && !tag.contains("json") {
            scripts.push(open_end..end);
        }
        if scripts.len() >= MAX_SCRIPTS {
            break;
        }
        at = end;
    }
    scripts
}

/// Returns the range between the `---` lines at the start of a text.
fn front_matter(text: &str) -> Option<Range<usize>> {
    let rest = text.strip_prefix("---")?;
    let rest = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n')?;
    let start = text.len() - rest.len();
    let end = find(text, start, "\n---")?;
    Some(start..end + 1)
}

/// Returns the end of the tag that begins at an offset. A quoted value may contain `>`.
fn tag_end(text: &str, start: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn find(text: &str, from: usize, pattern: &str) -> Option<usize> {
    text.get(from..)?.find(pattern).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_of_components_are_parsed() {
        for (text, expected) in [
            ("<script>a</script>x<script lang='ts'>b</script>", vec!["a", "b"]),
            ("---\nconst a = 1;\n---\n<p/><script>b</script>", vec!["const a = 1;\n", "b"]),
            ("<script src='x' /><script setup generics=\"T extends A<B>\">c</script>", vec!["c"]),
            ("<script type=\"application/ld+json\">{}</script>", vec![]),
            ("<script>unclosed", vec!["unclosed"]),
            ("<script", vec![]),
            ("---\nno end", vec![]),
        ] {
            let found: Vec<&str> = scripts(text).into_iter().filter_map(|range| text.get(range)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
