//! Finds and reads the tool files of a workspace: their tools, their problems, and whether the user has trusted their
//! present content.
//!
//! A tool file is `.vscode/agent-tools.json` or a `.json` file in `.vscode/agent-tools/`. An invalid file does not
//! affect the others, and an invalid tool does not affect its neighbours.

use std::sync::{Arc, LazyLock};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use zubi_base::owner_only;
use zubi_base::position::TextIndex;
use zubi_base::text::{BOM, ContentHash};
use zubi_base::trust::Trust;
use zubi_base::workspace::{Folder, WorkspaceFolders};
use zubi_tool_api::spec;

use super::built_in;
use super::definition::{ResolvedDefinition, full_id};
use super::format;
use super::json_tree::{self, JsonNode};
use super::lint;
use super::loaded::{DeclaredTools, LoadedFile, LoadedTool, TrustState};
use super::plan::{Execution, TemplateScope, ToolPlan};
use super::problem::{ProblemSeverity, ToolFileProblem, line_and_column};
use super::testing::lint::{TEST_CODE_PREFIX, lint_tests};
use super::validate::{SchemaValidator, is_id};

/// Main file, relative to a workspace folder.
pub const MAIN_FILE: &str = ".vscode/agent-tools.json";
/// Directory of further files, relative to a workspace folder.
pub const DIRECTORY: &str = ".vscode/agent-tools";

/// Maximum file size in bytes. Two hundred tools with long scripts take half of it.
pub const MAX_FILE_BYTES: u64 = 512 * 1024;
/// Maximum files of one folder.
const MAX_FILES: usize = 64;
/// Maximum tools of one file.
const MAX_TOOLS: usize = 200;
/// Maximum variables of one file.
const MAX_VARIABLES: usize = 500;

/// The published schema, built once.
static SCHEMA: LazyLock<Value> = LazyLock::new(format::schema);

/// Returns the tool files of a folder, the main file first, whether or not they are readable.
pub(crate) fn tool_files(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut files = Vec::new();
    let main = folder.join(MAIN_FILE);
    // Includes a dangling link; reading it reports the problem.
    if std::fs::symlink_metadata(&main).is_ok() {
        files.push(main);
    }
    let entries = folder.join(DIRECTORY).read_dir_utf8().into_iter().flatten().filter_map(Result::ok);
    let mut others: Vec<Utf8PathBuf> =
        entries.map(camino::Utf8DirEntry::into_path).filter(|path| path.extension() == Some("json")).collect();
    others.sort();
    files.extend(others);
    files
}

/// Reads all tool files of a workspace.
pub fn load(workspace: &WorkspaceFolders, trust: &Trust, secrets: &[String]) -> DeclaredTools {
    let mut loaded = DeclaredTools::default();
    for folder in workspace.folders() {
        let files = tool_files(&folder.path);
        let used = files.iter().take(MAX_FILES);
        loaded.files.extend(used.map(|path| read_file(workspace, folder, path, trust, secrets)));
        // The remaining files are not opened; one problem covers them all.
        if let Some(path) = files.get(MAX_FILES) {
            let mut file = LoadedFile::without_content(workspace, folder, path);
            let message =
                format!("{} tool files; the {} from this one on are not used", files.len(), files.len() - MAX_FILES);
            file.add_problems([ToolFileProblem::error(
                "too-many-files",
                0..0,
                message,
                "Put several tools into one file.",
            )]);
            loaded.files.push(file);
        }
    }
    check_across_files(loaded)
}

/// Reads the given files (absolute paths) from any directory. A file outside the workspace belongs to the first folder.
pub fn load_files(
    workspace: &WorkspaceFolders,
    paths: &[Utf8PathBuf],
    trust: &Trust,
    secrets: &[String],
) -> DeclaredTools {
    let folder_of = |path: &Utf8PathBuf| workspace.folder_of(path).or_else(|| workspace.folders().first());
    let read = |path: &Utf8PathBuf| Some(read_file(workspace, folder_of(path)?, path, trust, secrets));
    check_across_files(DeclaredTools { files: paths.iter().filter_map(read).collect() })
}

/// Runs the checks that need all files.
fn check_across_files(mut loaded: DeclaredTools) -> DeclaredTools {
    check_duplicates(&mut loaded);
    lint::lint_overlaps(&mut loaded);
    loaded
}

/// Reads one file from any directory, as part of a folder.
pub fn read_file(
    workspace: &WorkspaceFolders,
    folder: &Folder,
    path: &Utf8Path,
    trust: &Trust,
    secrets: &[String],
) -> LoadedFile {
    let mut file = LoadedFile::without_content(workspace, folder, path);
    let bytes = match read_tool_file(folder, path) {
        Ok(bytes) => bytes,
        Err(problem) => {
            file.add_problems([problem]);
            return file;
        }
    };
    file.hash = ContentHash::from_bytes(&bytes);
    file.trust = if trust.is_of_nothing() {
        TrustState::Withheld
    } else if trust.file(&folder.path, path, &file.hash) {
        TrustState::Trusted
    } else {
        match trust.trusted_hash(&folder.path, path) {
            Some(hash) => TrustState::Changed { before: trust.text_of(&hash) },
            None => TrustState::New,
        }
    };
    let Ok(text) = String::from_utf8(bytes) else {
        file.add_problems([ToolFileProblem::error(
            "not-text",
            0..0,
            "the file is not UTF-8 text",
            "Save it as UTF-8.",
        )]);
        return file;
    };
    file.text = text.into();
    let FileContent { variables, tools, broken, problems, root } = FileContent::parse(&file.text, secrets);
    (file.variables, file.tools, file.broken, file.root) = (variables, tools, broken, root);
    file.add_problems(problems);
    file
}

/// Reads a tool file: a regular file of limited size, not reached through a symlink.
fn read_tool_file(folder: &Folder, path: &Utf8Path) -> Result<Vec<u8>, ToolFileProblem> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    let parent = path.parent().and_then(|parent| zubi_base::fs::canonical(parent).ok());
    if is_link || parent.is_none_or(|parent| path.starts_with(&folder.path) && !parent.starts_with(&folder.path)) {
        let hint = "Replace it with the file itself: the target of a link can change unnoticed.";
        return Err(ToolFileProblem::error("link", 0..0, "the file, or its directory, is a link", hint));
    }
    read_bytes(path).map_err(|error| {
        let is_large = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > MAX_FILE_BYTES);
        if is_large {
            let message = format!("the file has more than {MAX_FILE_BYTES} bytes");
            ToolFileProblem::error(
                "too-large",
                0..0,
                message,
                "Split it: every `.json` in `.vscode/agent-tools` is read.",
            )
        } else {
            ToolFileProblem::error(
                "unreadable",
                0..0,
                format!("the file cannot be read: {error}"),
                "Check its permissions.",
            )
        }
    })
}

/// Reads the current bytes of a regular file of limited size.
pub(super) fn read_bytes(path: &Utf8Path) -> std::io::Result<Vec<u8>> {
    owner_only::read(path, MAX_FILE_BYTES)
}

/// Content of a tool file.
#[derive(Debug, Default)]
pub struct FileContent {
    pub variables: Vec<(String, String)>,
    /// Usable tools.
    pub tools: Vec<LoadedTool>,
    /// Ids of unusable tools.
    pub broken: Vec<String>,
    pub problems: Vec<ToolFileProblem>,
    root: Option<JsonNode>,
}

impl FileContent {
    /// Parses the tools of a text and collects all problems. Never panics or fails: it skips invalid parts. `secrets`
    /// are the names in the user's table `env`.
    pub fn parse(text: &str, secrets: &[String]) -> Self {
        let mut content = Self::default();
        // A byte order mark is not JSON; replacing it with spaces preserves byte offsets.
        let marked = text.strip_prefix(BOM).map(|rest| format!("   {rest}"));
        content.read(marked.as_deref().unwrap_or(text), secrets);
        content
    }

    fn read(&mut self, text: &str, secrets: &[String]) {
        let problems = &mut self.problems;
        let Some(root) = json_tree::parse(text, problems) else { return };
        check_nul(&root, text, problems);
        SchemaValidator::new(&SCHEMA, problems).check(&root, None);
        if root.get("version").and_then(JsonNode::as_str) != Some("1.0") {
            // The fields of other versions are unknown.
            return;
        }
        let members = root.get("variables").map(JsonNode::members).unwrap_or_default();
        if let Some(member) = members.get(MAX_VARIABLES) {
            let message = format!("more than {MAX_VARIABLES} variables; those from here on do not exist");
            let hint = "Write the values where they are used, or split the file.";
            problems.push(ToolFileProblem::error("too-many-variables", member.name_range.clone(), message, hint));
        }
        let variables: Vec<(String, String)> = members
            .iter()
            .take(MAX_VARIABLES)
            .filter_map(|member| Some((member.name.clone(), member.value.as_str()?.to_owned())))
            .collect();
        let scope = TemplateScope { text, variables: &variables, secrets };
        let nodes = root.get("tools").map(JsonNode::items).unwrap_or_default();
        if let Some(node) = nodes.get(MAX_TOOLS) {
            let message = format!("more than {MAX_TOOLS} tools; those from here on are not used");
            let hint = "Move them to another file in `.vscode/agent-tools`.";
            problems.push(ToolFileProblem::error("too-many-tools", node.range.clone(), message, hint));
        }
        let mut used = FxHashSet::default();
        for node in nodes.iter().take(MAX_TOOLS) {
            lint::check_invisible(node, text, problems);
            match load_tool(node, &scope, problems) {
                Ok(tool) => {
                    used.extend(tool.plan.variables.iter().cloned());
                    self.tools.push(tool);
                }
                Err(()) => {
                    // Variables that an invalid tool might use count as used: one mistake causes one problem.
                    used.extend(variables.iter().map(|(name, _)| name.clone()));
                    self.broken.extend(node.get("id").and_then(JsonNode::as_str).filter(|id| is_id(id)).map(full_id));
                }
            }
        }
        lint::lint_variables(&root, &used, problems);
        self.variables = variables;
        self.root = Some(root);
    }
}

/// Loads one tool. Fails if it has errors.
fn load_tool(
    node: &JsonNode,
    scope: &TemplateScope<'_>,
    problems: &mut Vec<ToolFileProblem>,
) -> Result<LoadedTool, ()> {
    let is_sound = |problems: &[ToolFileProblem]| {
        let is_inside = |problem: &&ToolFileProblem| node.range.contains(&problem.range.start);
        // A problem in a test does not make the tool unusable.
        let is_relevant = |problem: &&ToolFileProblem| !problem.code.starts_with(TEST_CODE_PREFIX);
        !problems.iter().filter(is_inside).filter(is_relevant).any(|problem| problem.severity == ProblemSeverity::Error)
    };
    if !is_sound(problems) {
        return Err(());
    }
    let definition = ResolvedDefinition::read(node, problems).ok_or(())?;
    let plan = ToolPlan::new(&definition, scope, problems);
    if matches!(plan.execution, Execution::Broken) {
        return Err(());
    }
    lint::lint_tool(&definition, &plan, problems);
    lint_tests(&definition, &plan, problems);
    if is_sound(problems) { Ok(LoadedTool { definition, plan: Arc::new(plan) }) } else { Err(()) }
}

/// Reports NUL characters, which scripts, URLs and headers cannot contain.
fn check_nul(node: &JsonNode, text: &str, problems: &mut Vec<ToolFileProblem>) {
    if let Some(at) = node.as_str().and_then(|text| text.find('\0')) {
        let range = node.range_in_file(text, at..at + 1);
        problems.push(ToolFileProblem::error(
            "nul",
            range,
            "a NUL character",
            "Remove it: nothing that runs accepts it.",
        ));
    }
    node.items().iter().for_each(|item| check_nul(item, text, problems));
    node.members().iter().for_each(|member| check_nul(&member.value, text, problems));
}

/// Reports duplicate ids, with both locations. The first tool with an id remains.
fn check_duplicates(loaded: &mut DeclaredTools) {
    let mut locations: FxHashMap<String, String> = FxHashMap::default();
    for file in &mut loaded.files {
        let index = TextIndex::new(&file.text);
        let mut problems = Vec::new();
        let mut remaining = Vec::new();
        for tool in std::mem::take(&mut file.tools) {
            // `a.b` and `a_b` have the same wire name.
            let wire = spec::wire_name(&tool.definition.id);
            match locations.get(&wire) {
                Some(first) => {
                    let message = format!("the id `{}` is already used by the tool at {first}", tool.definition.id);
                    let range = tool.definition.id_range.clone();
                    problems.push(ToolFileProblem::error("duplicate-id", range, message, "Change one of the two ids."));
                }
                None => {
                    if built_in::is_built_in(&wire) {
                        let message = format!("the id `{}` is that of a built-in tool", tool.definition.id);
                        let hint = "Choose another id; the built-in tool would run instead.";
                        problems.push(ToolFileProblem::error(
                            "duplicate-id",
                            tool.definition.id_range.clone(),
                            message,
                            hint,
                        ));
                        file.broken.push(tool.definition.id);
                        continue;
                    }
                    let (line, column) = line_and_column(&file.text, &index, tool.definition.id_range.start);
                    locations.insert(wire, format!("{}:{line}:{column}", file.display_path));
                    remaining.push(tool);
                }
            }
        }
        file.tools = remaining;
        file.add_problems(problems);
    }
}
