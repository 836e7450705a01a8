//! The graph of the files that use each other's names, and the ranks of files and names in it.
//!
//! A file points to another one if it contains words that the other one declares. `PageRank` (Page, Brin, Motwani and
//! Winograd, 1999) on this graph ranks the files, and a name has the rank that flows through it. Everything is a function
//! of the input: sums have a fixed order, and equal ranks are sorted by path and name.

use camino::Utf8Path;
use zubi_syntax::{DeclarationKind, SyntaxLanguage};

use crate::file_role::FileRole;
use crate::symbol_index::{DeclaredNames, NameUses};

/// The maximum number of files that declare a name whose uses are edges. More frequent names say little about one file.
pub(crate) const MAX_DECLARING_FILES: usize = 8;

/// The maximum number of edges. The names that the fewest files declare come first.
const MAX_EDGES: usize = 4_000_000;

/// The number of rounds of `PageRank`. After it, the sum of all changes is below 4 % (0.85²⁰) of the total.
const ROUNDS: usize = 20;

/// The share of a file's rank that its uses pass to other files.
const DAMPING: f64 = 0.85;

/// The share of the first ranks that the focus has.
const FOCUS_SHARE: f64 = 0.9;

/// The share of a file's rank that its own names have, whether they are used or not: entry points have no users.
const OWN_SHARE: f64 = 0.15;

/// A sum of weights that a file adds to those of its uses, so that a few doubtful uses do not pass all of its rank.
const RESERVE: f64 = 0.5;

/// The factor of a name in the focus.
const FOCUS_FACTOR: f64 = 20.0;

/// The factor of uses in another language, where the same word is mostly another name.
const OTHER_LANGUAGE: f64 = 0.1;

/// A declared name in one file with its share of the rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankedName {
    /// The index of the name in [`DeclaredNames::names`].
    pub(crate) name: u32,
    /// The index of the file in [`DeclaredNames::files`].
    pub(crate) file: u32,
    pub(crate) score: f64,
}

/// The files and names that are the subject of a map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GraphFocus {
    /// Indexes of files, sorted.
    pub(crate) files: Vec<u32>,
    /// Indexes of names, sorted.
    pub(crate) names: Vec<u32>,
}

/// The uses of names by files.
pub(crate) struct FileGraph<'a> {
    names: &'a DeclaredNames,
    files: Vec<FileTraits>,
    /// The declared names of files, sorted by name and file.
    targets: Vec<NameTarget>,
    /// Sorted by user and declaring file.
    edges: Vec<UseEdge>,
    /// Whether [`MAX_EDGES`] omitted uses.
    pub(crate) is_cut: bool,
}

/// The properties of a file that follow from its path.
struct FileTraits {
    role: FileRole,
    family: &'static str,
}

/// A name that a file declares.
struct NameTarget {
    name: u32,
    file: u32,
    weight: f64,
    /// Whether the name is not a word of prose.
    is_distinctive: bool,
    /// The number of files that use the name, and of those that know the file by other names as well.
    users: u32,
    familiar_users: u32,
}

/// A use of a name.
struct UseEdge {
    user: u32,
    file: u32,
    /// The index of the target.
    target: u32,
    weight: f32,
}

impl<'a> FileGraph<'a> {
    /// Builds the graph. `in_workspace` returns the path of a file relative to its workspace folder.
    pub(crate) fn new<'p>(names: &'a DeclaredNames, in_workspace: impl Fn(&'a Utf8Path) -> &'p Utf8Path) -> Self {
        let traits = |path: &'a camino::Utf8PathBuf| FileTraits {
            role: FileRole::from_path(in_workspace(path)),
            family: family_of(path),
        };
        let files: Vec<FileTraits> = names.files.iter().map(traits).collect();
        let mut graph = Self { names, files, targets: Vec::new(), edges: Vec::new(), is_cut: false };
        graph.add_targets();
        graph.add_edges();
        graph.weaken_unfamiliar_names();
        graph
    }

    fn add_targets(&mut self) {
        for (uses, name) in self.names.names.iter().zip(0_u32..) {
            let declaring = count_files(uses);
            let weight = name_weight(&uses.name) / (declaring * declaring).max(1.0);
            for group in uses.declarations.chunk_by(|a, b| a.file == b.file) {
                let Some(first) = group.first().filter(|it| (it.file as usize) < self.files.len()) else { continue };
                let kind = group.iter().map(|it| kind_weight(it.kind)).fold(0.0, f64::max);
                if kind > 0.0 {
                    let (file, weight) = (first.file, weight * kind);
                    let is_distinctive = is_distinctive(&uses.name);
                    self.targets.push(NameTarget { name, file, weight, is_distinctive, users: 0, familiar_users: 0 });
                }
            }
        }
    }

    fn add_edges(&mut self) {
        let uses_of = |name: u32| self.names.names.get(name as usize).map_or(&[][..], |uses| &uses.users);
        // The rarest names first, in case there are too many edges.
        let mut groups: Vec<(usize, usize, usize)> = Vec::new();
        let mut start = 0;
        for group in self.targets.chunk_by(|a, b| a.name == b.name) {
            let users = group.first().map_or(0, |target| uses_of(target.name).len());
            groups.push((group.len(), users, start));
            start += group.len();
        }
        groups.sort_unstable();
        let mut edges = Vec::new();
        'names: for (length, _, start) in groups {
            if length > MAX_DECLARING_FILES {
                break;
            }
            for (target, index) in self.targets.iter().skip(start).take(length).zip(start..) {
                for user in uses_of(target.name).iter().filter(|user| **user != target.file) {
                    if edges.len() >= MAX_EDGES {
                        self.is_cut = true;
                        break 'names;
                    }
                    let (Some(from), Some(to)) = (self.files.get(*user as usize), self.files.get(target.file as usize))
                    else {
                        continue;
                    };
                    let language = if from.family == to.family { 1.0 } else { OTHER_LANGUAGE };
                    let target_index = u32::try_from(index).unwrap_or(u32::MAX);
                    let weight = to_f32(target.weight * language);
                    edges.push(UseEdge { user: *user, file: target.file, target: target_index, weight });
                }
            }
        }
        edges.sort_unstable_by_key(|edge| (edge.user, edge.file, edge.target));
        self.edges = edges;
    }

    /// Reduces the weights of names whose users do not know the other names of the file: most likely they mean something
    /// else with the same name, for instance a trait of the standard library, or a word of a licence.
    fn weaken_unfamiliar_names(&mut self) {
        for group in self.edges.chunk_by(|a, b| (a.user, a.file) == (b.user, b.file)) {
            let is_distinctive =
                |edge: &UseEdge| self.targets.get(edge.target as usize).is_some_and(|it| it.is_distinctive);
            let distinctive = group.iter().filter(|edge| is_distinctive(edge)).count();
            for edge in group {
                if let Some(target) = self.targets.get_mut(edge.target as usize) {
                    // A word of prose needs a better witness than another word of prose.
                    let is_familiar = if target.is_distinctive { group.len() > 1 } else { distinctive > 0 };
                    target.users += 1;
                    target.familiar_users += u32::from(is_familiar);
                }
            }
        }
        let mut declared = vec![0_u32; self.files.len()];
        for target in &self.targets {
            if let Some(count) = declared.get_mut(target.file as usize) {
                *count += 1;
            }
        }
        for edge in &mut self.edges {
            let Some(target) = self.targets.get(edge.target as usize) else { continue };
            let is_only_name = declared.get(target.file as usize).is_none_or(|count| *count < 2);
            let share = f64::from(target.familiar_users) / f64::from(target.users.max(1));
            let familiarity = match (target.is_distinctive, is_only_name) {
                // A file with one name shows nothing about its users.
                (true, true) => 0.5,
                (true, false) => share.max(0.02),
                (false, true) => 0.1,
                (false, false) => share * share,
            };
            edge.weight = to_f32(f64::from(edge.weight) * familiarity);
        }
    }

    /// Returns the names of all files, best first.
    pub(crate) fn rank(&self, focus: &GraphFocus) -> Vec<RankedName> {
        let totals = self.total_weights();
        let ranks = self.file_ranks(focus, &totals);
        let rank_of = |file: u32| ranks.get(file as usize).copied().unwrap_or(0.0);
        let mut own_weights = vec![0.0; self.files.len()];
        for target in &self.targets {
            add(&mut own_weights, target.file, target.weight);
        }
        let own = |target: &NameTarget| {
            let total = own_weights.get(target.file as usize).copied().unwrap_or(0.0);
            if total > 0.0 { OWN_SHARE * rank_of(target.file) * target.weight / total } else { 0.0 }
        };
        let mut scores: Vec<f64> = self.targets.iter().map(own).collect();
        for edge in &self.edges {
            let total = totals.get(edge.user as usize).copied().unwrap_or(RESERVE);
            add(&mut scores, edge.target, DAMPING * rank_of(edge.user) * f64::from(edge.weight) / total);
        }
        let is_focus = |file: u32| focus.files.binary_search(&file).is_ok();
        let ranked = |(target, score): (&NameTarget, f64)| {
            let role = self.files.get(target.file as usize).map_or(1.0, |it| role_weight(it.role));
            let role = if is_focus(target.file) { 1.0 } else { role };
            let named = if focus.names.binary_search(&target.name).is_ok() { FOCUS_FACTOR } else { 1.0 };
            RankedName { name: target.name, file: target.file, score: score * role * named }
        };
        let mut ranked: Vec<RankedName> = self.targets.iter().zip(scores).map(ranked).collect();
        // Files and names are sorted, so their indexes are a stable order.
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| (a.file, a.name).cmp(&(b.file, b.name))));
        ranked
    }

    /// Returns the sum of the weights of each file's uses, with the reserve.
    fn total_weights(&self) -> Vec<f64> {
        let mut totals = vec![RESERVE; self.files.len()];
        for edge in &self.edges {
            add(&mut totals, edge.user, f64::from(edge.weight));
        }
        totals
    }

    /// Returns the ranks of the files, whose sum is 1.
    fn file_ranks(&self, focus: &GraphFocus, totals: &[f64]) -> Vec<f64> {
        let first = self.first_ranks(focus);
        let mut ranks = first.clone();
        let mut next = vec![0.0; ranks.len()];
        for _ in 0..ROUNDS {
            next.fill(0.0);
            for edge in &self.edges {
                let user = edge.user as usize;
                let (Some(rank), Some(total)) = (ranks.get(user), totals.get(user)) else { continue };
                add(&mut next, edge.file, DAMPING * rank * f64::from(edge.weight) / total);
            }
            // The rest returns to the first ranks.
            let rest = 1.0 - next.iter().sum::<f64>();
            next.iter_mut().zip(&first).for_each(|(rank, first)| *rank += rest * first);
            std::mem::swap(&mut ranks, &mut next);
        }
        ranks
    }

    /// Returns the ranks of the files without their uses: equal ones, less for tests, and most for the focus.
    fn first_ranks(&self, focus: &GraphFocus) -> Vec<f64> {
        let mut ranks: Vec<f64> = self.files.iter().map(|file| role_weight(file.role)).collect();
        let total: f64 = ranks.iter().sum();
        let is_focused = !focus.files.is_empty();
        let base = if is_focused { 1.0 - FOCUS_SHARE } else { 1.0 };
        for rank in &mut ranks {
            *rank *= base / total.max(f64::MIN_POSITIVE);
        }
        let share = FOCUS_SHARE / count(focus.files.len());
        for file in &focus.files {
            add(&mut ranks, *file, share);
        }
        ranks
    }
}

fn add(sums: &mut [f64], index: u32, value: f64) {
    if let Some(sum) = sums.get_mut(index as usize) {
        *sum += value;
    }
}

/// Returns a number of files, at least 1.
fn count(files: usize) -> f64 {
    f64::from(u32::try_from(files).unwrap_or(u32::MAX).max(1))
}

/// Half of the size: there are millions of edges.
#[expect(clippy::cast_possible_truncation, reason = "weights are between 0 and 1, and their last digits do not matter")]
fn to_f32(weight: f64) -> f32 {
    weight as f32
}

fn count_files(uses: &NameUses) -> f64 {
    count(uses.declarations.chunk_by(|a, b| a.file == b.file).count())
}

/// Whether a name has several words, or is longer than most words of prose.
fn is_distinctive(name: &str) -> bool {
    let is_compound = name.trim_matches('_').contains('_')
        || name.chars().zip(name.chars().skip(1)).any(|(a, b)| !a.is_uppercase() && a != '_' && b.is_uppercase());
    is_compound && name.len() > 4 || name.len() > 12
}

/// Returns the weight of a name by its spelling. Names of one common word often mean something else in another file.
fn name_weight(name: &str) -> f64 {
    if name.starts_with('_') {
        return 0.05;
    }
    match name.chars().count() {
        0..=2 => 0.02,
        3 => 0.1,
        _ if is_distinctive(name) => 1.0,
        _ if name.chars().next().is_some_and(char::is_uppercase) => 0.6,
        _ => 0.2,
    }
}

/// Returns the weight of a kind; 0 for those that a map does not show.
fn kind_weight(kind: DeclarationKind) -> f64 {
    use DeclarationKind as Kind;
    match kind {
        Kind::Class | Kind::Struct | Kind::Interface | Kind::Enum | Kind::TypeAlias => 1.0,
        Kind::Function | Kind::Macro => 0.9,
        Kind::Method | Kind::Event => 0.6,
        Kind::Constant => 0.5,
        _ => 0.0,
    }
}

/// Returns the kinds that a map shows.
pub(crate) fn shown_kinds() -> Vec<DeclarationKind> {
    use DeclarationKind as Kind;
    vec![
        Kind::Class,
        Kind::Struct,
        Kind::Interface,
        Kind::Enum,
        Kind::TypeAlias,
        Kind::Function,
        Kind::Macro,
        Kind::Method,
        Kind::Event,
        Kind::Constant,
    ]
}

fn role_weight(role: FileRole) -> f64 {
    match role {
        FileRole::Source => 1.0,
        FileRole::Test => 0.15,
        FileRole::Generated => 0.05,
    }
}

/// Returns the group of languages whose files use each other's names.
fn family_of(path: &Utf8Path) -> &'static str {
    let language = path.file_name().and_then(SyntaxLanguage::from_file_name).map_or("", |language| language.id);
    match language {
        "typescript" | "typescriptreact" | "javascript" | "javascriptreact" | "vue" | "svelte" | "astro" => {
            "javascript"
        }
        "c" | "cpp" | "objective-c" | "cuda-cpp" => "c",
        "java" | "kotlin" | "scala" | "groovy" => "java",
        other => other,
    }
}

#[cfg(test)]
mod tests;
