//! Properties of all changes of all declarations in the samples of the languages.

use std::path::Path;

use super::*;

/// Returns the names and the texts of the samples of the languages.
fn samples() -> Vec<(String, Arc<str>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../zubi-syntax/tests/samples");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        zubi_syntax::SyntaxLanguage::from_file_name(&name)?;
        Some((name, zubi_base::fs::read_text(camino::Utf8Path::from_path(&path).unwrap()).unwrap().into()))
    };
    let mut samples: Vec<_> = std::fs::read_dir(folder).unwrap().filter_map(read).collect();
    samples.sort();
    samples
}

/// Returns the changed text, or the reason why nothing was changed.
async fn change(name: &str, unit: &SymbolUnit<'_>, action: SymbolAction, given: &str) -> Result<String, String> {
    let edit = edit_symbol(&DirectParser, name, unit, action, given, false).await;
    edit.map(|edit| Candidate { replacements: edit.replacements, inserted: 0..0 }.apply(unit.text()))
        .map_err(|error| error.reason)
}

/// Returns a text without white space and separators.
fn code(text: &str) -> String {
    text.chars().filter(|it| !it.is_whitespace() && ![',', ';'].contains(it)).collect()
}

/// Whether a text is another one without a part: the part is at one place, and nothing else differs.
fn lacks(text: &str, whole: &str, part: &str) -> bool {
    let (text, whole, part) = (code(text), code(whole), code(part));
    let is_place = |(at, _): (usize, &str)| {
        let rest = whole.get(at + part.len()..).unwrap_or_default();
        text.len() == at + rest.len() && text.starts_with(whole.get(..at).unwrap_or_default()) && text.ends_with(rest)
    };
    whole.match_indices(&part).any(is_place)
}

#[tokio::test]
async fn samples_stay_whole() {
    let (mut faults, mut counts) = (Vec::new(), [0_usize; 2]);
    for (name, text) in samples() {
        let parsed = ParsedText::parse(&DirectParser, &name, text.clone()).await.unwrap();
        for (index, declaration) in parsed.outline.declarations.iter().enumerate() {
            let unit = SymbolUnit::new(&parsed, vec![index]).unwrap();
            if unit.joint_declaration().is_some() {
                continue;
            }
            let own = text.get(unit.range()).unwrap();
            let bare = text.get(declaration.signature.start..unit.range().end).unwrap();
            for (action, given) in
                [(Replace, own), (Replace, bare), (InsertBefore, own), (InsertAfter, own), (Delete, "")]
            {
                let place = format!("{name} {action:?} {}", declaration.name);
                let changed = match change(&name, &unit, action, given).await {
                    Ok(changed) => changed,
                    Err(reason) => {
                        counts[1] += 1;
                        faults.extend((action == Replace).then(|| format!("{place}: {reason}")));
                        continue;
                    }
                };
                counts[0] += 1;
                let is_whole = match action {
                    Replace => changed == *text,
                    Delete => {
                        lacks(&changed, &text, own)
                            || lacks(&changed.replace("pass", ""), &text.replace("pass", ""), own)
                    }
                    _ => lacks(&text, &changed, own),
                };
                if !is_whole {
                    faults
                        .push(format!("{place}:\n{}", similar::TextDiff::from_lines(&*text, &changed).unified_diff()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults of {counts:?} changes:\n{}", faults.len(), faults.join("\n"));
    assert!(counts[0] > 1_000, "{counts:?}");
}
