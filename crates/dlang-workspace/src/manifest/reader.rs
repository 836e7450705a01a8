//! Conversion of the tree of a `model.yaml` to data and diagnostics.

use dlang_model::{ModelCode, ModelDiagnostic};
use text_size::TextRange;

use super::{Alias, Dependency, Fault, Governance, Manifest, Override, ParsedManifest, Purpose, Source, rules};
use crate::diagnostic::DiagnosticCollector;
use crate::yaml::{self, MappingEntry, YamlNode, YamlValue, quote_excerpt};

/// The top-level keys. Other programs may add keys that begin with `x-`.
const SECTIONS: &[&str] = &["model", "paths", "dependencies", "overrides", "governance"];
/// The keys of a dependency in its long form.
const DEPENDENCY: &[&str] = &["source", "ref", "path", "integrity", "description"];

pub(super) fn read(text: &str, purpose: Purpose) -> ParsedManifest {
    let tree = yaml::parse(text);
    let mut reader = Reader::default();
    for problem in &tree.problems {
        let code = if problem.duplicate { ModelCode::ManifestDuplicateKey } else { ModelCode::ManifestYamlError };
        let message = format!("YAML parse error: {}.", problem.text);
        let hint = problem.hint.map(Into::into);
        reader.report(ModelDiagnostic { hint, ..ModelDiagnostic::new(problem.range, code, message) });
    }
    let mut manifest = Manifest { complete: tree.complete, ..Manifest::default() };
    if let Some(root) = &tree.root {
        reader.sections(root, &mut manifest);
    }
    if purpose == Purpose::Publish && tree.complete {
        if manifest.name.is_none() {
            reader.report(rules::missing_name());
        }
        if manifest.version.is_none() {
            reader.report(rules::missing_version());
        }
    }
    ParsedManifest { manifest, diagnostics: reader.sink.finish() }
}

#[derive(Default)]
struct Reader {
    sink: DiagnosticCollector,
}

impl Reader {
    fn report(&mut self, diagnostic: ModelDiagnostic) {
        self.sink.push(diagnostic);
    }

    /// Reports a diagnostic and returns the fault that the broken part stores.
    fn fault(&mut self, diagnostic: ModelDiagnostic) -> Fault {
        self.report(diagnostic.clone());
        Box::new(diagnostic)
    }

    fn sections(&mut self, root: &YamlNode, manifest: &mut Manifest) {
        let Some(sections) = self.mapping(root, root.range, "model.yaml") else { return };
        for section in sections {
            let rows = |this: &mut Self| this.mapping(&section.value, section.key_range, &section.key);
            match section.key.as_str() {
                "model" => {
                    for row in rows(self).unwrap_or_default() {
                        self.model(row, manifest);
                    }
                }
                "paths" => {
                    let rows = rows(self).unwrap_or_default();
                    manifest.aliases = rows.iter().filter_map(|row| self.alias(row)).collect();
                }
                "dependencies" => {
                    let rows = rows(self).unwrap_or_default();
                    manifest.dependencies = rows.iter().map(|row| self.dependency(row)).collect();
                }
                "overrides" => {
                    for row in rows(self).unwrap_or_default() {
                        let Some(reference) = self.text(row) else { continue };
                        manifest.overrides.push(Override { repository: row.key.clone(), reference });
                    }
                }
                "governance" => {
                    for row in rows(self).unwrap_or_default() {
                        self.governance(row, &mut manifest.governance);
                    }
                }
                key if key.starts_with("x-") || key == "$schema" => {}
                key => self.report(rules::unknown_key(section.key_range, key, SECTIONS)),
            }
        }
    }

    fn model(&mut self, row: &MappingEntry, manifest: &mut Manifest) {
        // Other keys of this section describe the model to people; they are not checked.
        match row.key.as_str() {
            "name" => manifest.name = self.text(row),
            "version" => {
                manifest.version = self.text(row);
                if let Some(version) = manifest.version.as_deref().filter(|version| !rules::is_version(version)) {
                    self.report(rules::invalid_version(row.key_range, version));
                }
            }
            "entry" => {
                manifest.entry_range = Some(row.key_range);
                manifest.entry = self.text(row).map(|entry| match rules::entry(row.key_range, &entry) {
                    Some(problem) => Err(self.fault(problem)),
                    None => Ok(entry),
                });
            }
            _ => {}
        }
    }

    fn alias(&mut self, row: &MappingEntry) -> Option<Alias> {
        let (key, key_range) = (row.key.clone(), row.key_range);
        if !key.starts_with('@') {
            self.report(rules::alias_without_at(key_range, &key));
        }
        if matches!(row.value.value, YamlValue::Null) && !row.value.cut {
            self.report(rules::unexpected_key(key_range, &format!("Path alias '{key}'"), "a relative path"));
        }
        let target = self.text(row)?;
        let target = match rules::alias_target(key_range, &key, &target) {
            Some(problem) => Err(self.fault(problem)),
            None => Ok(target),
        };
        Some(Alias { key, key_range, target })
    }

    fn dependency(&mut self, row: &MappingEntry) -> Dependency {
        let (key, key_range) = (row.key.clone(), row.key_range);
        let mut dependency = Dependency {
            source: Err(Box::new(ModelDiagnostic::new(key_range, ModelCode::ManifestYamlError, ""))),
            key,
            key_range,
            integrity: None,
            description: None,
        };
        let rows = match &row.value.value {
            YamlValue::Mapping { entries, .. } => entries.as_slice(),
            YamlValue::Null => &[],
            YamlValue::Scalar(reference) => {
                dependency.source = self.git(row, None, Some((reference.clone(), key_range)));
                return dependency;
            }
            YamlValue::Sequence(_) | YamlValue::Refused => {
                let problem =
                    rules::unexpected_key(key_range, &format!("Dependency '{}'", row.key), "a ref or a mapping");
                // The YAML reader has already reported a refused alias.
                if !matches!(row.value.value, YamlValue::Refused) {
                    self.report(problem.clone());
                }
                dependency.source = Err(Box::new(problem));
                return dependency;
            }
        };
        let (mut source, mut path, mut reference) = (None, None, None);
        for part in rows {
            let text = if DEPENDENCY.contains(&part.key.as_str()) { self.text(part) } else { None };
            match part.key.as_str() {
                "source" => source = text.map(|text| (text, part.key_range)),
                "path" => path = text.map(|text| (text, part.key_range)),
                "ref" => reference = text.map(|text| (text, part.key_range)),
                "integrity" => dependency.integrity = text,
                "description" => dependency.description = text,
                key if key.starts_with("x-") => {}
                key => self.report(rules::unknown_key(part.key_range, key, DEPENDENCY)),
            }
        }
        dependency.source = match (source, path) {
            (Some(_), Some(_)) => Err(self.fault(rules::conflict(key_range, &row.key))),
            (None, Some((path, range))) => match rules::dependency_path(range, &row.key, &path) {
                Some(problem) => Err(self.fault(problem)),
                None => Ok(Source::Path(path)),
            },
            (None, None) if reference.is_none() && !row.value.cut && !rules::is_owner_and_repo(&row.key) => {
                Err(self.fault(rules::no_source_nor_path(key_range, &row.key)))
            }
            (source, None) => self.git(row, source, reference),
        };
        dependency
    }

    /// Reads a dependency on a repository: its source (by default its key) and its ref, each with the key that names
    /// it.
    fn git(
        &mut self,
        row: &MappingEntry,
        source: Option<(String, TextRange)>,
        reference: Option<(String, TextRange)>,
    ) -> Result<Source, Fault> {
        let key = &row.key;
        let (repository, range) = source.unwrap_or_else(|| (key.clone(), row.key_range));
        let mut fault = None;
        if !rules::is_owner_and_repo(&repository) {
            fault = Some(self.fault(rules::invalid_source(range, key, &repository)));
        }
        let Some((reference, reference_range)) = reference.filter(|(text, _)| !text.is_empty()) else {
            // If the text ends inside this dependency, its ref may be in the missing part.
            if row.value.cut {
                let message = format!("Dependency '{}' is cut off by a YAML error.", quote_excerpt(key));
                let cut = ModelDiagnostic::new(row.key_range, ModelCode::ManifestYamlError, message);
                return Err(fault.unwrap_or_else(|| Box::new(cut.hint("Put the YAML error of model.yaml right."))));
            }
            return Err(self.fault(rules::missing_reference(row.key_range, key)));
        };
        if !rules::is_reference(&reference) {
            self.report(rules::invalid_reference(reference_range, key, &reference));
        }
        fault.map_or(Ok(Source::Git { repository, reference, reference_range }), Err)
    }

    fn governance(&mut self, row: &MappingEntry, governance: &mut Governance) {
        let list = match row.key.as_str() {
            "allowedSources" => &mut governance.allowed_sources,
            "blockedPackages" => &mut governance.blocked_packages,
            "allowedLicenses" => &mut governance.allowed_licenses,
            "requireStableVersions" => return self.truth(row, &mut governance.require_stable_versions),
            "requireTeamOwnership" => return self.truth(row, &mut governance.require_team_ownership),
            _ => return,
        };
        match &row.value.value {
            YamlValue::Sequence(items) => {
                for item in items {
                    match &item.value {
                        YamlValue::Scalar(text) => list.push(text.clone()),
                        YamlValue::Null | YamlValue::Mapping { .. } | YamlValue::Sequence(_) | YamlValue::Refused => {
                            self.report(rules::unexpected_key(
                                row.key_range,
                                &format!("Each of '{}'", row.key),
                                "text",
                            ));
                        }
                    }
                }
            }
            YamlValue::Null | YamlValue::Refused => {}
            YamlValue::Scalar(_) | YamlValue::Mapping { .. } => {
                self.report(rules::unexpected_key(row.key_range, &format!("'{}'", row.key), "a list"));
            }
        }
    }

    fn truth(&mut self, row: &MappingEntry, value: &mut bool) {
        match &row.value.value {
            YamlValue::Scalar(text) if text == "true" => *value = true,
            YamlValue::Scalar(text) if text == "false" => *value = false,
            YamlValue::Null | YamlValue::Refused => {}
            YamlValue::Scalar(_) | YamlValue::Mapping { .. } | YamlValue::Sequence(_) => {
                self.report(rules::unexpected_key(row.key_range, &format!("'{}'", row.key), "true or false"));
            }
        }
    }

    /// Returns the rows of a mapping. A missing value is an empty mapping; any other value is reported.
    fn mapping<'n>(&mut self, node: &'n YamlNode, key_range: TextRange, key: &str) -> Option<&'n [MappingEntry]> {
        match &node.value {
            YamlValue::Mapping { entries, .. } => Some(entries),
            YamlValue::Null | YamlValue::Refused => None,
            YamlValue::Scalar(_) | YamlValue::Sequence(_) => {
                self.report(rules::unexpected_key(key_range, &format!("'{key}'"), "a mapping of keys to values"));
                None
            }
        }
    }

    /// Reads a value that must be text. Numbers and truth values count as text: a branch may be called `2.0`.
    fn text(&mut self, row: &MappingEntry) -> Option<String> {
        match &row.value.value {
            YamlValue::Scalar(text) => Some(text.clone()),
            YamlValue::Null | YamlValue::Refused => None,
            YamlValue::Mapping { .. } | YamlValue::Sequence(_) => {
                self.report(rules::unexpected_key(row.key_range, &format!("'{}'", row.key), "text"));
                None
            }
        }
    }
}
