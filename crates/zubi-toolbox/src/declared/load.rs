//! Finds the tool files of a workspace and reads them: what is in them, what is wrong with them, and whether the user has
//! trusted them as they are now.
//!
//! A file is `.vscode/agent-tools.json` or lies in `.vscode/agent-tools/`. Whatever is wrong with one, the others count; and
//! of one tool that is broken the neighbours do.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use zubi_base::position::TextIndex;
use zubi_base::private;
use zubi_base::text::{BOM, ContentHash};
use zubi_base::trust::Trust;
use zubi_base::workspace::{Folder, Workspace};
use zubi_tools::spec;

use super::built_in;
use super::definition::{Definition, NAMESPACE, full_id};
use super::format;
use super::lint;
use super::plan::{Execution, Plan, Scope};
use super::problem::{Problem, Severity, LocatedProblem, line_and_column};
use super::shape::{SchemaValidator, is_id};
use super::testing;
use super::testing::lint::OF_TESTS;
use super::tree::{self, Node};

/// The main file, below a workspace folder.
pub const MAIN_FILE: &str = ".vscode/agent-tools.json";
/// The directory of further files, below a workspace folder.
pub const DIRECTORY: &str = ".vscode/agent-tools";

/// The largest file, in bytes. Two hundred tools with long scripts take half of it.
pub const MAX_FILE_BYTES: u64 = 512 * 1024;
/// The most files of one folder.
const MAX_FILES: usize = 64;
/// The most tools of one file.
const MAX_TOOLS: usize = 200;
/// The most variables of one file.
const MAX_VARIABLES: usize = 500;
/// The most problems of one file that are told: a file of nonsense has as many as it has words.
const MAX_PROBLEMS: usize = 200;

/// The published schema, made once.
static SCHEMA: LazyLock<Value> = LazyLock::new(format::schema);

/// Whether a file's tools may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustState {
    /// The user has trusted this very content.
    Trusted,
    /// The user has never seen it.
    New,
    /// The user has trusted another content; that one, where it was kept.
    Changed { before: Option<String> },
    /// The user does not trust the folder in the editor that has it open, whatever was trusted before.
    Withheld,
}

impl TrustState {
    /// For programs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::New => "new",
            Self::Changed { .. } => "changed",
            Self::Withheld => "withheld",
        }
    }

    /// Why the tools are left out, as a clause about the file; `None` when they are not.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Trusted => None,
            Self::New => Some("is not trusted"),
            Self::Changed { .. } => Some("has changed since it was trusted"),
            Self::Withheld => Some("is in a folder that is not trusted in the editor"),
        }
    }
}

/// One tool that can be used, but for trust.
#[derive(Debug, Clone)]
pub struct LoadedTool {
    pub definition: Definition,
    pub plan: Arc<Plan>,
}

/// One tool file.
#[derive(Debug, Clone)]
pub struct LoadedFile {
    pub path: Utf8PathBuf,
    /// As a person calls it: relative to the workspace.
    pub shown: String,
    /// The workspace folder it belongs to.
    pub folder: Utf8PathBuf,
    pub hash: ContentHash,
    pub standing: TrustState,
    pub text: Arc<str>,
    pub variables: Vec<(String, String)>,
    pub tools: Vec<LoadedTool>,
    /// Ids, in full, of those that have errors and therefore are not among `tools`.
    pub broken: Vec<String>,
    /// In the order of the file; of very many the first.
    pub problems: Vec<LocatedProblem>,
    /// All that is in it, where all of it is understood: a JSON text of this format's version.
    pub(super) root: Option<Node>,
}

/// Everything that the workspace declares.
#[derive(Debug, Clone, Default)]
pub struct DeclaredTools {
    pub files: Vec<LoadedFile>,
}

impl DeclaredTools {
    /// All problems of all files.
    pub fn problems(&self) -> impl Iterator<Item = &LocatedProblem> {
        self.files.iter().flat_map(|file| &file.problems)
    }

    /// A tool by its id, in full, without the namespace, or as its name on the wire, with its file.
    pub fn find(&self, id: &str) -> Option<(&LoadedFile, &LoadedTool)> {
        let find = |file: &'_ LoadedFile| file.tools.iter().position(|tool| is_called(&tool.definition.id, id));
        self.files.iter().find_map(|file| Some((file, file.tools.get(find(file)?)?)))
    }

    /// The file that has a tool of this id (in full, without the namespace, or as its name on the wire) which has errors.
    pub fn find_broken(&self, id: &str) -> Option<&LoadedFile> {
        self.files.iter().find(|file| file.broken.iter().any(|broken| is_called(broken, id)))
    }

    /// Files whose tools are left out because nobody trusted them.
    pub fn untrusted(&self) -> impl Iterator<Item = &LoadedFile> {
        self.files.iter().filter(|file| file.standing != TrustState::Trusted && !file.tools.is_empty())
    }
}

/// Whether somebody who says `name` means the tool of this id.
pub(super) fn is_called(id: &str, name: &str) -> bool {
    let own = id.strip_prefix(NAMESPACE).and_then(|rest| rest.strip_prefix('.'));
    own == Some(name) || spec::is_called(id, name)
}

/// The tool files of a folder that are used, the main one first, whether they can be read or not.
pub fn files_of(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut files = all_files_of(folder);
    files.truncate(MAX_FILES);
    files
}

fn all_files_of(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut files = Vec::new();
    let main = folder.join(MAIN_FILE);
    // A link that leads nowhere is there as well; reading it says what is wrong.
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
pub fn load(workspace: &Workspace, trust: &Trust, secrets: &[String]) -> DeclaredTools {
    let mut loaded = DeclaredTools::default();
    for folder in workspace.folders() {
        let files = all_files_of(&folder.path);
        let used = files.iter().take(MAX_FILES);
        loaded.files.extend(used.map(|path| read(workspace, folder, path, trust, secrets)));
        // The others are not even opened, and told as one.
        if let Some(path) = files.get(MAX_FILES) {
            let mut file = LoadedFile::unread(workspace, folder, path);
            let what =
                format!("{} tool files; the {} from this one on are not used", files.len(), files.len() - MAX_FILES);
            file.add_problems([Problem::error("too-many-files", 0..0, what, "Put several tools into one file.")]);
            loaded.files.push(file);
        }
    }
    together(loaded)
}

/// Reads these files, wherever they lie; absolute. One outside the workspace counts as the first folder's.
pub fn load_files(workspace: &Workspace, paths: &[Utf8PathBuf], trust: &Trust, secrets: &[String]) -> DeclaredTools {
    let folder_of = |path: &Utf8PathBuf| workspace.folder_of(path).or_else(|| workspace.folders().first());
    let read = |path: &Utf8PathBuf| Some(read(workspace, folder_of(path)?, path, trust, secrets));
    together(DeclaredTools { files: paths.iter().filter_map(read).collect() })
}

/// What is seen only over all files.
fn together(mut loaded: DeclaredTools) -> DeclaredTools {
    duplicates(&mut loaded);
    lint::overlaps(&mut loaded);
    loaded
}

/// Reads one file of a folder, wherever it lies.
pub fn read(workspace: &Workspace, folder: &Folder, path: &Utf8Path, trust: &Trust, secrets: &[String]) -> LoadedFile {
    let mut file = LoadedFile::unread(workspace, folder, path);
    let bytes = match bytes_of(folder, path) {
        Ok(bytes) => bytes,
        Err(problem) => {
            file.add_problems([problem]);
            return file;
        }
    };
    file.hash = ContentHash::from_bytes(&bytes);
    file.standing = if trust.is_of_nothing() {
        TrustState::Withheld
    } else if trust.file(&folder.path, path, &file.hash) {
        TrustState::Trusted
    } else {
        match trust.known(&folder.path, path) {
            Some(known) => TrustState::Changed { before: trust.text_of(&known) },
            None => TrustState::New,
        }
    };
    let Ok(text) = String::from_utf8(bytes) else {
        file.add_problems([Problem::error("not-text", 0..0, "the file is not UTF-8 text", "Save it as UTF-8.")]);
        return file;
    };
    file.text = text.into();
    let Content { variables, tools, broken, problems, root } = Content::parse(&file.text, secrets);
    (file.variables, file.tools, file.broken, file.root) = (variables, tools, broken, root);
    file.add_problems(problems);
    file
}

impl LoadedFile {
    /// A file of which nothing is known but where it is.
    fn unread(workspace: &Workspace, folder: &Folder, path: &Utf8Path) -> Self {
        Self {
            path: path.to_owned(),
            shown: workspace.display(path),
            folder: folder.path.clone(),
            hash: ContentHash::from_bytes(b""),
            standing: TrustState::New,
            text: "".into(),
            variables: Vec::new(),
            tools: Vec::new(),
            broken: Vec::new(),
            problems: Vec::new(),
            root: None,
        }
    }

    /// Adds problems at their places, in the file's order.
    fn add_problems(&mut self, problems: impl IntoIterator<Item = Problem>) {
        let mut problems: Vec<Problem> = problems.into_iter().collect();
        problems.sort_by_key(|problem| problem.range.start);
        if problems.len() > MAX_PROBLEMS {
            // What is too many is told in any case, for it says why there are so many; errors before warnings.
            let is_count = |problem: &Problem| problem.code.starts_with("too-many");
            problems.sort_by_key(|problem| (!is_count(problem), problem.severity, problem.range.start));
            let more = problems.len() - MAX_PROBLEMS;
            problems.truncate(MAX_PROBLEMS);
            let place = problems.iter().map(|problem| &problem.range).max_by_key(|range| range.start);
            let place = place.cloned().unwrap_or(0..0);
            let what = format!("{more} further problems of this file are not told");
            problems.push(Problem::error("too-many-problems", place, what, "Mend those above first."));
        }
        let index = TextIndex::new(&self.text);
        let told = problems.into_iter().map(|it| LocatedProblem::new(&self.shown, &self.path, &self.text, &index, it));
        self.problems.extend(told);
        self.problems.sort_by_key(|told| told.problem.range.start);
        self.problems.dedup();
    }

    /// Where a tool's id stands: `file:line:column`.
    pub fn location_of(&self, tool: &LoadedTool) -> String {
        self.place(&tool.definition.id_range)
    }

    /// The tool that stands at a line, which counts from 1.
    pub fn tool_at(&self, line: usize) -> Option<&LoadedTool> {
        self.tools.iter().find(|tool| {
            let range = &tool.definition.node.range;
            let (first, last) = (self.line_and_column(range.start).0, self.line_and_column(range.end).0);
            (first..=last).contains(&line)
        })
    }

    fn place(&self, range: &Range<usize>) -> String {
        let (line, column) = self.line_and_column(range.start);
        format!("{}:{line}:{column}", self.shown)
    }

    /// Line and column of a byte, from 1.
    pub(super) fn line_and_column(&self, offset: usize) -> (usize, usize) {
        line_and_column(&self.text, &TextIndex::new(&self.text), offset)
    }

    /// The bytes that can be trusted: those that were read, of a file that can be shown whole ([`super::disclosure`]). What
    /// is not shown is not trusted.
    pub fn trust_content(&self) -> Option<&[u8]> {
        self.root.is_some().then_some(self.text.as_bytes())
    }

    /// What has changed since the user trusted it, as a unified diff; `None` where nothing has or nothing was kept.
    pub fn diff(&self, workspace: &Workspace) -> Option<String> {
        match &self.standing {
            TrustState::Changed { before: Some(before) } => {
                // Whoever decides by it must see all of it.
                Some(zubi_code::edit::diff::of_whole_text(&self.path, Some(before), &self.text, workspace))
            }
            _ => None,
        }
    }

    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|told| told.problem.severity == Severity::Error)
    }
}

/// The bytes of a tool file: plain, not too large, and not somewhere else by way of a link.
fn bytes_of(folder: &Folder, path: &Utf8Path) -> Result<Vec<u8>, Problem> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    let parent = path.parent().and_then(|parent| zubi_base::fs::canonical(parent).ok());
    if is_link || parent.is_none_or(|parent| path.starts_with(&folder.path) && !parent.starts_with(&folder.path)) {
        let hint = "Put the file itself there: what a link leads to can change without anybody seeing it.";
        return Err(Problem::error("link", 0..0, "the file, or its directory, is a link", hint));
    }
    read_bytes(path).map_err(|error| {
        let is_large = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > MAX_FILE_BYTES);
        if is_large {
            let what = format!("the file has more than {MAX_FILE_BYTES} bytes");
            Problem::error("too-large", 0..0, what, "Split it: every `.json` in `.vscode/agent-tools` is read.")
        } else {
            Problem::error("unreadable", 0..0, format!("the file cannot be read: {error}"), "Check its permissions.")
        }
    })
}

/// The bytes of a file as they are now, where it is a plain file and not too large.
pub(super) fn read_bytes(path: &Utf8Path) -> std::io::Result<Vec<u8>> {
    private::read(path, MAX_FILE_BYTES)
}

/// What a text has in it.
#[derive(Debug, Default)]
pub struct Content {
    pub variables: Vec<(String, String)>,
    /// Those that can be used.
    pub tools: Vec<LoadedTool>,
    /// Ids of those that cannot.
    pub broken: Vec<String>,
    pub problems: Vec<Problem>,
    root: Option<Node>,
}

impl Content {
    /// The tools of a text, and everything that is wrong with it. Never panics and never fails: a file is what is left of it.
    /// `secrets` are the names that the user's table `env` has.
    pub fn parse(text: &str, secrets: &[String]) -> Self {
        let mut content = Self::default();
        // The mark is no part of the JSON; places are those of the file.
        let marked = text.strip_prefix(BOM).map(|rest| format!("   {rest}"));
        content.read(marked.as_deref().unwrap_or(text), secrets);
        content
    }

    fn read(&mut self, text: &str, secrets: &[String]) {
        let problems = &mut self.problems;
        let Some(root) = tree::parse(text, problems) else { return };
        nul(&root, text, problems);
        SchemaValidator::new(&SCHEMA, problems).check(&root, None);
        if root.get("version").and_then(Node::as_str) != Some("1.0") {
            // What the fields of another version mean is not known.
            return;
        }
        let members = root.get("variables").map(Node::members).unwrap_or_default();
        if let Some(member) = members.get(MAX_VARIABLES) {
            let what = format!("more than {MAX_VARIABLES} variables; those from here on do not exist");
            let hint = "Write them where they are used, or split the file.";
            problems.push(Problem::error("too-many-variables", member.name_range.clone(), what, hint));
        }
        let variables: Vec<(String, String)> = members
            .iter()
            .take(MAX_VARIABLES)
            .filter_map(|member| Some((member.name.clone(), member.value.as_str()?.to_owned())))
            .collect();
        let scope = Scope { text, variables: &variables, secrets };
        let nodes = root.get("tools").map(Node::items).unwrap_or_default();
        if let Some(node) = nodes.get(MAX_TOOLS) {
            let what = format!("more than {MAX_TOOLS} tools; those from here on are not used");
            let hint = "Put them into a file of their own below `.vscode/agent-tools`.";
            problems.push(Problem::error("too-many-tools", node.range.clone(), what, hint));
        }
        let mut used = FxHashSet::default();
        for node in nodes.iter().take(MAX_TOOLS) {
            lint::check_invisible(node, text, problems);
            match tool_of(node, &scope, problems) {
                Ok(tool) => {
                    used.extend(tool.plan.variables.iter().cloned());
                    self.tools.push(tool);
                }
                Err(()) => {
                    // Whatever a broken tool might use counts as used: one slip shall not be told twice.
                    used.extend(variables.iter().map(|(name, _)| name.clone()));
                    self.broken.extend(node.get("id").and_then(Node::as_str).filter(|id| is_id(id)).map(full_id));
                }
            }
        }
        lint::variables(&root, &used, problems);
        self.variables = variables;
        self.root = Some(root);
    }
}

/// One tool, where it can be used.
fn tool_of(node: &Node, scope: &Scope<'_>, problems: &mut Vec<Problem>) -> Result<LoadedTool, ()> {
    let is_sound = |problems: &[Problem]| {
        let inside = |problem: &&Problem| node.range.contains(&problem.range.start);
        // Of a test that is wrong the tool is not.
        let of_tool = |problem: &&Problem| !problem.code.starts_with(OF_TESTS);
        !problems.iter().filter(inside).filter(of_tool).any(|problem| problem.severity == Severity::Error)
    };
    if !is_sound(problems) {
        return Err(());
    }
    let definition = Definition::read(node, problems).ok_or(())?;
    let plan = Plan::new(&definition, scope, problems);
    if matches!(plan.execution, Execution::Broken) {
        return Err(());
    }
    lint::tool(&definition, &plan, problems);
    testing::lint::tests(&definition, &plan, problems);
    if is_sound(problems) { Ok(LoadedTool { definition, plan: Arc::new(plan) }) } else { Err(()) }
}

/// A character that no script, URL or header can hold.
fn nul(node: &Node, text: &str, problems: &mut Vec<Problem>) {
    if let Some(at) = node.as_str().and_then(|text| text.find('\0')) {
        let place = node.place_in(text, at..at + 1);
        problems.push(Problem::error("nul", place, "a NUL character", "Take it out: nothing that runs can take it."));
    }
    node.items().iter().for_each(|item| nul(item, text, problems));
    node.members().iter().for_each(|member| nul(&member.value, text, problems));
}

/// Ids that stand twice: the first keeps it, and both places are told.
fn duplicates(loaded: &mut DeclaredTools) {
    let mut places: FxHashMap<String, String> = FxHashMap::default();
    for file in &mut loaded.files {
        let index = TextIndex::new(&file.text);
        let mut problems = Vec::new();
        let mut kept = Vec::new();
        for tool in std::mem::take(&mut file.tools) {
            // `a.b` and `a_b` are one name on the wire.
            let wire = spec::wire_name(&tool.definition.id);
            match places.get(&wire) {
                Some(first) => {
                    let what = format!("the id `{}` is taken by the tool at {first}", tool.definition.id);
                    let range = tool.definition.id_range.clone();
                    problems.push(Problem::error("duplicate-id", range, what, "Give one of the two another id."));
                }
                None => {
                    if built_in::has(&wire) {
                        let what = format!("the id `{}` is that of a built-in tool", tool.definition.id);
                        let hint = "Give it another id; the built-in tool would run in its place.";
                        problems.push(Problem::error("duplicate-id", tool.definition.id_range.clone(), what, hint));
                        file.broken.push(tool.definition.id);
                        continue;
                    }
                    let (line, column) = line_and_column(&file.text, &index, tool.definition.id_range.start);
                    places.insert(wire, format!("{}:{line}:{column}", file.shown));
                    kept.push(tool);
                }
            }
        }
        file.tools = kept;
        file.add_problems(problems);
    }
}

/// Adds problems that are seen only over all files.
pub(super) fn add_problems(file: &mut LoadedFile, problems: Vec<Problem>) {
    file.add_problems(problems);
}
