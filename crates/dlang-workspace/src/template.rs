//! The files that `dlang init` creates. They equal those of DomainLang's original tools except for the wording of
//! comments, and for the name, which is always a valid text.

/// Returns the files of a new model in creation order, each with its path below the folder and its text.
pub fn files(name: &str) -> [(&'static str, String); 4] {
    // A JSON string is also a YAML string, and in quotes it is never a number or a date.
    let name = serde_json::Value::from(name).to_string();
    [
        ("model.yaml", MANIFEST.replace("NAME", &name)),
        ("index.dlang", INDEX.to_owned()),
        (".gitignore", ".dlang/\n*.log\n.DS_Store\n".to_owned()),
        ("domains/.gitkeep", String::new()),
    ]
}

const MANIFEST: &str = r#"model:
  name: NAME
  version: 0.1.0
  entry: index.dlang

paths:
  "@": "."
  "@domains": "./domains"

dependencies: {}
"#;

const INDEX: &str = r#"// The entry of the model: what other files declare is imported here.
//
// import "@domains/sales.dlang"
//
// Domain Sales {
//     vision: "Make buying easy"
// }
//
// BoundedContext Orders for Sales {
//     description: "From the order to the invoice"
// }
"#;

#[cfg(test)]
mod tests {
    use crate::manifest::{Purpose, read};

    use super::files;

    #[test]
    fn templates_are_valid_for_any_folder_name() {
        for name in ["shop", "2026-01-01", "yes", "a: b # c", "\"\\\u{1b}\u{85}é", "NAME"] {
            let [(_, manifest), ..] = files(name);
            let parsed = read(&manifest, Purpose::Publish);
            assert_eq!(parsed.manifest.name.as_deref(), Some(name), "{manifest}");
            assert_eq!(parsed.diagnostics, [], "{manifest}");
        }
    }
}
