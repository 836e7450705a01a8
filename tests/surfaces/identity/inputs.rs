//! The queries: every property of the tools' schemas with every value of the model, and with invalid ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value, json};
use zubi_tests::Project;

use super::channels::{Channel, ChannelReply};

/// A query about the model.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tool, Value::from(self.input.clone()))
    }
}

/// A name that no element has, and a word that no enumeration has.
const UNKNOWN_NAME: &str = "Nothing.Such";

/// A text with an error, a warning and something to search for.
const TEXT: &str =
    "Domain Sales { vision: \"v\" }\nbc Orders for Sales { description: \"d\" }\nbc Bills for Nowhere\nTeam A\n";

/// The facts about a model, taken from its own answers.
pub(super) struct ModelFacts {
    /// The rows of each type, by its name.
    rows: BTreeMap<String, Vec<Value>>,
    /// Every word for a type: the name and its short forms.
    words: Vec<String>,
    /// Both names of every pattern.
    patterns: Vec<String>,
    /// The types with the properties that cannot filter them.
    refused: BTreeSet<(String, String)>,
    /// Metadata as `key` and as `key=value`.
    metadata: BTreeSet<String>,
    /// Files with models and manifests, and their folders, relative to the root.
    files: Vec<Utf8PathBuf>,
    folders: BTreeSet<String>,
    root: Utf8PathBuf,
}

impl ModelFacts {
    /// Collects all facts.
    ///
    /// `properties` are those of `domainlang_list`.
    pub(super) async fn collect(channel: &mut Channel<'_>, project: &Project, properties: &Map<String, Value>) -> Self {
        // The error lists the valid values.
        let words = listed_values(&send(channel, json!({ "type": UNKNOWN_NAME })).await.expect_err("no such type"));
        let pattern = json!({ "type": "relationships", "pattern": UNKNOWN_NAME });
        let patterns = listed_values(&send(channel, pattern).await.expect_err("no such pattern"));
        let mut rows = BTreeMap::new();
        for word in &words {
            let list = list(channel, json!({ "type": word })).await;
            rows.insert(list["entityType"].as_str().expect("a type").to_owned(), items(&list["results"]));
        }
        let mut refused = BTreeSet::new();
        for (entity, property) in rows.keys().flat_map(|entity| properties.keys().map(move |name| (entity, name))) {
            let reply = send(channel, json!({ "type": entity, property: UNKNOWN_NAME })).await;
            if reply.is_err_and(|error| error.contains("does not filter")) {
                refused.insert((entity.clone(), property.clone()));
            }
        }
        let contexts = list(channel, json!({ "type": "bcs", "detail": "full" })).await;
        let mut metadata = BTreeSet::new();
        for entry in items(&contexts["results"]).iter().flat_map(|context| items(&context["metadata"])) {
            let (key, value) = (entry["key"].as_str().expect("a key"), entry["value"].as_str().expect("a value"));
            metadata.extend([key.to_owned(), format!("{key}={value}")]);
        }
        let paths = project.everything().into_iter().map(|(path, _)| path);
        let files: Vec<_> = paths.filter(|path| matches!(path.extension(), Some("dlang" | "yaml"))).collect();
        let folders = files.iter().filter(|file| file.extension() == Some("dlang")).filter_map(|file| file.parent());
        Self {
            rows,
            words,
            patterns,
            refused,
            metadata,
            folders: folders.map(|folder| Utf8Path::new(".").join(folder).into_string()).collect(),
            files,
            root: project.root().to_owned(),
        }
    }

    /// The values of a column in the rows of a type.
    fn column(&self, entity: &str, column: &str) -> impl Iterator<Item = String> {
        let rows = self.rows.get(entity).unwrap_or_else(|| panic!("there is no type {entity}"));
        rows.iter().filter_map(move |row| row[column].as_str()).map(str::to_owned)
    }

    /// The names of the elements of a type.
    fn names(&self, entity: &str) -> impl Iterator<Item = String> {
        self.column(entity, "name").chain(self.column(entity, "fqn"))
    }

    /// The names of all elements, and of contexts also with their domain's name.
    fn elements(&self) -> Vec<String> {
        let all = self.rows.keys().filter(|entity| *entity != "relationships").flat_map(|entity| self.names(entity));
        let contexts = self.rows["bcs"]
            .iter()
            .filter_map(|row| Some(format!("{}.{}", row["domain"].as_str()?, row["name"].as_str()?)));
        all.chain(contexts).collect()
    }

    /// Values for a property: values of the model, and invalid ones. `entity` is the listed type, if any.
    fn values(&self, tool: &str, property: &str, schema: &Value, entity: Option<&str>) -> Values {
        if let Some(values) = schema["enum"].as_array() {
            return Values { valid: values.clone(), invalid: vec![json!(UNKNOWN_NAME), json!(7)] };
        }
        let valid: Vec<String> = match (schema["type"].as_str(), property) {
            (Some("boolean"), _) => {
                return Values { valid: vec![json!(true), json!(false)], invalid: vec![json!(UNKNOWN_NAME)] };
            }
            (Some("string"), "type") => self.words.clone(),
            (Some("string"), "detail") => vec!["row".to_owned(), "full".to_owned()],
            (Some("string"), "name") => self.column(entity.unwrap_or("bcs"), "name").collect(),
            (Some("string"), "fqn") => match entity {
                // Elements without names are searched by a context's name, which finds nothing.
                Some(entity) => self.column(entity, "fqn").chain(self.column("bcs", "fqn").take(1)).collect(),
                None => self.elements(),
            },
            (Some("string"), "domain") => self.column("bcs", "domain").chain(self.names("domains")).collect(),
            (Some("string"), "team") => self.column("bcs", "team").chain(self.names("teams")).collect(),
            (Some("string"), "classification") => {
                self.column("bcs", "classification").chain(self.names("classifications")).collect()
            }
            (Some("string"), "context") => self.names("bcs").collect(),
            (Some("string"), "pattern") => self.patterns.clone(),
            (Some("string"), "metadata") => {
                self.metadata.iter().cloned().chain(["=".to_owned(), format!("{UNKNOWN_NAME}=")]).collect()
            }
            (Some("string"), "file") => self.locations(self.files.iter().map(ToString::to_string)),
            (Some("string"), "path") => {
                self.locations(self.folders.iter().cloned().chain(self.files.iter().map(ToString::to_string)))
            }
            (Some("string"), "text") => vec![TEXT.to_owned(), "Domain".to_owned()],
            (kind, _) => panic!("{tool}: this test does not know what to give for `{property}` ({kind:?})"),
        };
        let valid = distinct(valid).into_iter().map(Value::from).collect();
        Values { valid, invalid: vec![json!(UNKNOWN_NAME), json!(""), json!(7)] }
    }

    /// Locations as the answers show them, one also in other forms, and one outside.
    fn locations(&self, displayed: impl Iterator<Item = String>) -> Vec<String> {
        let model = self.files.iter().find(|file| file.extension() == Some("dlang")).expect("a model");
        let absolute = self.root.join(model);
        displayed.chain([format!("file://{absolute}"), absolute.into_string(), "..".to_owned()]).collect()
    }
}

/// The values for a property.
struct Values {
    valid: Vec<Value>,
    invalid: Vec<Value>,
}

/// All queries for a tool, without duplicates.
pub(super) fn questions(tool: &str, schema: &Value, facts: &ModelFacts) -> Vec<Question> {
    let properties = schema["properties"].as_object().expect("properties");
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // Each query extends a base: each type of a list, or the required properties.
    let mut bases: Vec<(Option<&str>, Map<String, Value>)> = Vec::new();
    if properties.contains_key("type") {
        bases.extend(facts.rows.keys().map(|entity| (Some(entity.as_str()), object([("type", json!(entity))]))));
    } else {
        let first = |name: &str| facts.values(tool, name, &properties[name], None).valid[0].clone();
        bases.push((None, object(required.iter().map(|name| (*name, first(name))))));
    }
    let mut all = vec![Map::new()];
    for (entity, base) in bases {
        let values: Vec<(&str, Values)> =
            properties.iter().map(|(name, schema)| (name.as_str(), facts.values(tool, name, schema, entity))).collect();
        let with = |more: &[(&str, &Value)]| {
            let mut input = base.clone();
            input.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone())));
            input
        };
        all.push(base.clone());
        let is_fitting =
            |name: &str| entity.is_none_or(|entity| !facts.refused.contains(&(entity.to_owned(), name.to_owned())));
        for (name, Values { valid, invalid }) in &values {
            // An inapplicable filter is refused for every value, so one value suffices.
            let valid = if is_fitting(name) { &valid[..] } else { &valid[..1] };
            all.extend(valid.iter().chain(invalid).map(|value| with(&[(name, value)])));
        }
        // Combinations of two properties: the first value of each, and the first with the last.
        let fitting: Vec<&(&str, Values)> =
            values.iter().filter(|(name, _)| *name != "type" && is_fitting(name)).collect();
        for (number, (one, first)) in fitting.iter().enumerate() {
            for (other, second) in &fitting[number + 1..] {
                let first = &first.valid[0];
                let second = [second.valid.first(), second.valid.last()];
                all.extend(second.into_iter().flatten().map(|second| with(&[(one, first), (other, second)])));
            }
        }
    }
    let mut seen = BTreeSet::new();
    all.retain(|input| seen.insert(Value::from(input.clone()).to_string()));
    all.into_iter().map(|input| Question { tool: tool.to_owned(), input }).collect()
}

fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Removes duplicates and preserves the order.
fn distinct(values: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    values.into_iter().filter(|value| seen.insert(value.clone())).collect()
}

/// Extracts the values that an error suggests: `a, b (c)` from `… Use one of a, b (c).`
fn listed_values(refusal: &str) -> Vec<String> {
    let (_, words) = refusal.split_once("Use one of ").unwrap_or_else(|| panic!("no values are listed: {refusal}"));
    let words = words.trim_end_matches('.').split([',', ' ', '(', ')']);
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

async fn send(channel: &mut Channel<'_>, input: Value) -> ChannelReply {
    let Value::Object(input) = input else { panic!("no object: {input}") };
    let question = Question { tool: "domainlang_list".to_owned(), input };
    channel.query(&question).await
}

/// Returns the rows of a list.
async fn list(channel: &mut Channel<'_>, input: Value) -> Value {
    let text = send(channel, input).await.expect("a list");
    serde_json::from_str(&text).expect("JSON")
}

fn items(list: &Value) -> Vec<Value> {
    list.as_array().cloned().unwrap_or_default()
}
