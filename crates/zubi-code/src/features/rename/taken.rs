//! Names that a rename must not give because another symbol of the same scope has them.

use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use zubi_base::position::{TextRange, TextSize, size};
use zubi_base::text::list_first;
use zubi_base::uri;

use super::parameters::parameters_of;
use super::projects::CompletedRename;
use super::scopes::{NameScope, parameter_properties, scopes};
use crate::error::CodeError;
use crate::features::locations::RawLocation;
use crate::features::mentions::import_around;
use crate::lexical::NonCode;
use crate::locate::{declared_segments, impl_target};
use crate::markup::clean_line;
use crate::outline::{self, OutlineSymbol};
use crate::query::{CodeQuery, SourceDocument};
use crate::text_search;

/// The maximum number of files whose outlines come from a server; the syntax shows the declarations of the others.
const MAX_SERVER_OUTLINES: usize = 8;

/// The maximum number of places with a hidden name that a note names.
const MAX_NAMED: usize = 3;

/// The language ids in which all symbols of a scope share one set of names.
const SINGLE_NAMESPACE: [&str; 6] = ["python", "go", "javascript", "javascriptreact", "lua", "c"];

/// The language ids in which functions of one scope may share a name, with other parameters.
const WITH_OVERLOADS: [&str; 8] = ["cpp", "cuda-cpp", "objective-cpp", "java", "csharp", "kotlin", "scala", "swift"];

/// The language ids in which a function may have the name of a class, but not of a template.
const CPP: [&str; 3] = ["cpp", "cuda-cpp", "objective-cpp"];

/// The language ids of scripts without types.
const JAVASCRIPT: [&str; 2] = ["javascript", "javascriptreact"];

/// The language ids in which a declared name is a value, a type, or both.
pub(super) const TYPESCRIPT: [&str; 4] = ["typescript", "typescriptreact", "vue", "svelte"];

/// The language ids whose import statements bind names like declarations.
const WITH_IMPORTED_NAMES: [&str; 7] =
    ["python", "javascript", "javascriptreact", "typescript", "typescriptreact", "vue", "svelte"];

/// Another symbol with the new name.
struct TakenName {
    path: Utf8PathBuf,
    range: TextRange,
    /// The name of its scope; empty for a file.
    scope: String,
    is_refused: bool,
}

/// A file that a rename edits.
pub(super) struct EditedFile<'a> {
    pub(super) document: &'a SourceDocument,
    /// The offsets of the edits.
    pub(super) offsets: Vec<TextSize>,
    pub(super) language: &'a str,
    pub(super) new_name: &'a str,
}

impl CodeQuery<'_> {
    /// Refuses a name that another symbol has in the scope of the renamed one, or in a file that imports it. Adds a note
    /// where the language may allow both.
    pub(super) async fn check_taken(
        &self,
        language: &str,
        new_name: &str,
        rename: &mut CompletedRename,
    ) -> Result<(), CodeError> {
        let mut files: Vec<(Utf8PathBuf, Vec<RawLocation>)> = Vec::new();
        let mut known: FxHashMap<Utf8PathBuf, usize> = FxHashMap::default();
        for edited in &rename.edited {
            let Some(path) = uri::to_path(&edited.location.uri) else { continue };
            let index = *known.entry(path.clone()).or_insert_with(|| {
                files.push((path, Vec::new()));
                files.len() - 1
            });
            if let Some((_, edits)) = files.get_mut(index) {
                edits.push(edited.clone());
            }
        }
        let mut requested = 0;
        let mut hidden_places = Vec::new();
        for (path, edits) in files {
            if Instant::now() >= self.cx.deadline {
                break;
            }
            let Ok(document) = self.document(&path).await else { continue };
            if document.notebook(&path).is_some() || text_search::count(&document.text, new_name) == 0 {
                continue;
            }
            let offsets = edits.iter().map(|one| document.index.from_lsp(one.location.range.start, one.encoding));
            let file = EditedFile { document: &document, offsets: offsets.collect(), language, new_name };
            requested += 1;
            let symbols = self.declared_symbols(&path, requested <= MAX_SERVER_OUTLINES).await;
            let Some(taken) = file.find_taken(&path, &symbols) else {
                if let Some(hidden) = file.find_hidden(path.extension().unwrap_or_default(), &symbols) {
                    let place = self.describe_name(&document, &path, hidden.range);
                    hidden_places.push(format!("{place}{}", describe_scope(&hidden.function)));
                }
                continue;
            };
            let place = self.describe_name(&document, &taken.path, taken.range);
            let message =
                format!("`{}` is already taken{}: {place}", clean_line(new_name), describe_scope(&taken.scope));
            if taken.is_refused {
                return Err(CodeError::input("newName", message, "Choose another name, or rename that symbol first."));
            }
            rename.notes.push(message);
        }
        if !hidden_places.is_empty() {
            rename.notes.push(format!(
                "`{}` has a meaning where the renamed symbol is used, and one may hide the other: {}",
                clean_line(new_name),
                list_first(hidden_places, MAX_NAMED)
            ));
        }
        Ok(())
    }

    /// Returns the position of a name and its line.
    fn describe_name(&self, document: &SourceDocument, path: &Utf8Path, range: TextRange) -> String {
        let at = self.location_in(document, path, range).to_at();
        let line = document.index.line_col(range.start()).line;
        let source = crate::location::line_text(&document.text, &document.index, line).unwrap_or_default();
        format!("{at}  {}", crate::markup::source_line(source.trim()))
    }

    /// Returns the declarations of a file, by its server or its syntax.
    async fn declared_symbols(&self, path: &Utf8PathBuf, from_server: bool) -> Vec<OutlineSymbol> {
        if from_server && let Ok(outline) = self.declared_in(path).await {
            return outline.value.clone();
        }
        let Ok(document) = self.document(path).await else { return Vec::new() };
        let parsed = self.parse_outline(path, &document.text).await.and_then(Result::ok);
        parsed.map(|outline| crate::syntax::to_symbols(&outline, &document.text, None)).unwrap_or_default()
    }
}

impl EditedFile<'_> {
    fn find_taken(&self, path: &Utf8PathBuf, symbols: &[OutlineSymbol]) -> Option<TakenName> {
        let taken =
            |range: TextRange, scope: String, is_refused| TakenName { path: path.clone(), range, scope, is_refused };
        let mut found: Option<TakenName> = None;
        let mut is_global = false;
        let mut compare = |scope: &NameScope<'_>| {
            for renamed in scope.symbols.iter().filter(|symbol| self.is_edited(symbol)) {
                is_global |= scope.name.is_empty() && declared_segments(&renamed.name).len() == 1;
                let others = scope.symbols.iter().filter(|it| !self.is_edited(it) && !self.is_export_alias(it));
                for other in others.filter(|other| self.is_namesake(renamed, other)) {
                    let is_refused = self.is_refused_beside(renamed, other);
                    if found.as_ref().is_none_or(|found| is_refused && !found.is_refused) {
                        found = Some(taken(other.selection, scope.name.to_owned(), is_refused));
                    }
                }
            }
        };
        let text = &*self.document.text;
        let code = NonCode::scan(text, path.extension().unwrap_or_default()).blank(text);
        let properties = parameter_properties(&code, self.language, symbols);
        scopes(symbols, self.language, &properties).iter().for_each(&mut compare);
        outline::walk(symbols, |_, symbol| {
            let parameters = parameters_of(&code, self.language, symbol);
            let parameters: Vec<_> = parameters.iter().map(|it| it.to_symbol("variable")).collect();
            if parameters.iter().any(|it| self.is_edited(it)) {
                compare(&NameScope { name: &symbol.name, symbols: parameters.iter().collect() });
            }
        });
        if found.is_none() && self.language == "rust" {
            found = self
                .find_in_other_impl(symbols)
                .map(|(implementation, range, is_refused)| taken(range, implementation.to_owned(), is_refused));
        }
        if found.as_ref().is_some_and(|found| found.is_refused) || !WITH_IMPORTED_NAMES.contains(&self.language) {
            return found;
        }
        let imports_renamed = self.offsets.iter().any(|offset| self.is_bound_by_import(usize::from(*offset), None));
        if !imports_renamed && !is_global {
            return found;
        }
        let named = |symbol: &&OutlineSymbol| symbol.name == self.new_name && !self.is_edited(symbol);
        let declared = symbols.iter().find(named).filter(|_| imports_renamed);
        declared
            .map(|symbol| taken(symbol.selection, String::new(), true))
            .or_else(|| self.find_import(&taken))
            .or(found)
    }

    /// Returns the symbol with the new name in another Rust `impl` of the type whose method is renamed. Two inherent ones are
    /// an error; an inherent method hides a trait's with the same name, and those of two traits may be ambiguous.
    fn find_in_other_impl<'s>(&self, symbols: &'s [OutlineSymbol]) -> Option<(&'s str, TextRange, bool)> {
        let mut all = Vec::new();
        outline::walk(symbols, |_, symbol| {
            all.extend(RustImpl::parse(&symbol.name).map(|header| (header, symbol)));
        });
        let is_renamed = |symbol: &OutlineSymbol| symbol.children.iter().any(|child| self.is_edited(child));
        let renamed: Vec<_> = all.iter().filter(|(_, symbol)| is_renamed(symbol)).collect();
        let namesakes = all.iter().filter_map(|(header, symbol)| {
            let child = symbol.children.iter().find(|child| child.name == self.new_name && !self.is_edited(child))?;
            let beside = renamed.iter().find(|(one, _)| one.type_name() == header.type_name())?;
            let is_refused = beside.0.target == header.target && !beside.0.has_trait && !header.has_trait;
            Some((symbol.name.as_str(), child.selection, is_refused))
        });
        namesakes.max_by_key(|(_, _, is_refused)| *is_refused)
    }

    /// Returns an import of another symbol with the new name.
    fn find_import(&self, taken: &impl Fn(TextRange, String, bool) -> TakenName) -> Option<TakenName> {
        let text = &*self.document.text;
        let code = NonCode::scan(text, if self.language == "python" { "py" } else { "ts" });
        text_search::occurrences(text, self.new_name).filter(|at| !code.contains(*at)).find_map(|at| {
            if !self.is_bound_by_import(at, Some(self.new_name)) {
                return None;
            }
            let statement = import_around(text, at)?;
            // An import in a function binds the name there only.
            let is_global = text.get(statement).is_some_and(|statement| !statement.starts_with([' ', '\t']));
            Some(taken(TextRange::at(size(at), size(self.new_name.len())), String::new(), is_global))
        })
    }

    /// Whether an import statement binds the name at an offset, without another name for it.
    fn is_bound_by_import(&self, offset: usize, name: Option<&str>) -> bool {
        let text = &*self.document.text;
        let Some(statement) = import_around(text, offset) else { return false };
        let before = text.get(statement.start..offset).unwrap_or_default();
        let length = name.map_or_else(
            || {
                text.get(offset..).map_or(0, |rest| {
                    rest.chars().take_while(|it| text_search::continues_identifier(*it)).map(char::len_utf8).sum()
                })
            },
            str::len,
        );
        let after = text.get(offset + length..statement.end).unwrap_or_default().trim_start();
        let previous = before.split_whitespace().next_back().unwrap_or_default();
        let begins = before.contains("import");
        begins
            && previous != "from"
            && !before.trim_end().ends_with(['.', '"', '\'', '/'])
            && !after.starts_with("as ")
            && !after.starts_with('.')
    }

    fn is_edited(&self, symbol: &OutlineSymbol) -> bool {
        let start = symbol.selection.start();
        self.offsets.iter().any(|offset| *offset == start || symbol.selection.contains(*offset))
    }

    /// Whether a symbol is the name after `as` in `export { a as b }`: other files use it, and this one does not.
    fn is_export_alias(&self, symbol: &OutlineSymbol) -> bool {
        let before = self.document.text.get(..usize::from(symbol.selection.start())).unwrap_or_default();
        let Some(list) = before.trim_end().strip_suffix(" as") else { return false };
        list.rsplit_once('{').is_some_and(|(head, _)| head.trim_end().trim_end_matches(" type").ends_with("export"))
    }

    /// Whether a symbol has the new name with the same qualifiers as the renamed one.
    fn is_namesake(&self, renamed: &OutlineSymbol, other: &OutlineSymbol) -> bool {
        let (own, others) = (declared_segments(&renamed.name), declared_segments(&other.name));
        let is_same_scope = own.split_last().map(|(_, scope)| scope) == others.split_last().map(|(_, scope)| scope);
        // A private name of JavaScript, `#name`, is another name.
        let is_private = |symbol: &OutlineSymbol| symbol.name.starts_with('#');
        let new = self.new_name.trim_start_matches('#');
        let is_new = others.last().is_some_and(|name| name.trim_start_matches('#') == new);
        is_new && is_same_scope && is_private(renamed) == is_private(other)
    }

    /// Whether two symbols cannot have the same name in one scope.
    fn is_refused_beside(&self, renamed: &OutlineSymbol, other: &OutlineSymbol) -> bool {
        let is_typescript = TYPESCRIPT.contains(&self.language);
        if (is_typescript || JAVASCRIPT.contains(&self.language)) && is_member(renamed.kind) && is_member(other.kind) {
            return self.is_static(renamed) == self.is_static(other);
        }
        if is_typescript
            && let (Some(one), Some(two)) =
                (ScriptMeaning::from_kind(renamed.kind), ScriptMeaning::from_kind(other.kind))
        {
            return one.excludes(two);
        }
        let (one, two) = (NameGroup::from_kind(renamed.kind), NameGroup::from_kind(other.kind));
        let is_overload =
            one == NameGroup::Function && two == NameGroup::Function && WITH_OVERLOADS.contains(&self.language);
        if self.language == "rust" && self.is_macro(renamed) != self.is_macro(other) {
            return false;
        }
        // A function may hide a class, but not a variable; a template may hide neither (eel.is/c++draft/temp.pre#7).
        let is_template = || CPP.contains(&self.language) && (self.is_template(renamed) || self.is_template(other));
        let is_function_and_value =
            one != two && [one, two].iter().all(|it| [NameGroup::Function, NameGroup::Value].contains(it));
        SINGLE_NAMESPACE.contains(&self.language)
            || is_function_and_value && (CPP.contains(&self.language) || self.language == "csharp")
            || one == two && one != NameGroup::Other && !is_overload
            || one != two && is_template()
    }

    /// Returns the text of a declaration before its name, from the end of the declaration before it.
    fn head_of(&self, symbol: &OutlineSymbol) -> &str {
        let before = self.document.text.get(..usize::from(symbol.selection.start())).unwrap_or_default();
        before.rsplit(['{', '}', ';']).next().unwrap_or_default()
    }

    /// Whether a member of a class in a script is static.
    fn is_static(&self, symbol: &OutlineSymbol) -> bool {
        // A member may end without a semicolon.
        let line = self.head_of(symbol).lines().next_back().unwrap_or_default();
        line.split_whitespace().any(|word| word == "static")
    }

    /// Whether a declaration in Rust is a macro.
    fn is_macro(&self, symbol: &OutlineSymbol) -> bool {
        self.head_of(symbol).trim_end().ends_with("macro_rules!")
    }

    /// Whether a declaration in C++ is a template.
    fn is_template(&self, symbol: &OutlineSymbol) -> bool {
        self.head_of(symbol).split(|it: char| !it.is_alphanumeric() && it != '_').any(|word| word == "template")
    }
}

/// The header of a Rust `impl`: `impl<T> Display for Rate<T>`.
struct RustImpl<'a> {
    /// The type with its arguments: `Rate<T>`.
    target: &'a str,
    has_trait: bool,
}

impl<'a> RustImpl<'a> {
    fn parse(header: &'a str) -> Option<Self> {
        let (target, has_trait) = impl_target(header)?;
        let target = if has_trait { target } else { after_generics(target) };
        Some(Self { target: target.trim(), has_trait })
    }

    fn type_name(&self) -> &str {
        self.target.split('<').next().unwrap_or_default()
    }
}

/// Returns a text without the generic parameters at its start.
fn after_generics(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(at + character.len_utf8()..).unwrap_or_default();
        }
    }
    text
}

/// Whether a kind is that of a member of a class, an interface or an object in a script.
fn is_member(kind: &str) -> bool {
    matches!(kind, "method" | "property" | "field")
}

/// The meanings of a declared name in TypeScript: one name can be a value and a type at once
/// (typescriptlang.org/docs/handbook/declaration-merging.html).
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptMeaning {
    Value,
    Interface,
    TypeAlias,
    /// A class or an enumeration is both.
    ValueAndType,
}

impl ScriptMeaning {
    /// Returns `None` for members and for namespaces, which merge with the others.
    fn from_kind(kind: &str) -> Option<Self> {
        match kind {
            "function" | "variable" | "constant" => Some(Self::Value),
            "interface" => Some(Self::Interface),
            "type alias" | "type parameter" => Some(Self::TypeAlias),
            "class" | "enum" => Some(Self::ValueAndType),
            _ => None,
        }
    }

    /// Whether two declarations of one scope are an error. Interfaces merge with each other and with a class.
    fn excludes(self, other: Self) -> bool {
        let merges = matches!(
            (self, other),
            (Self::Interface, Self::Interface | Self::ValueAndType | Self::Value)
                | (Self::ValueAndType | Self::Value, Self::Interface)
                | (Self::TypeAlias, Self::Value)
                | (Self::Value, Self::TypeAlias)
        );
        !merges
    }
}

/// The kinds of symbols that share a set of names in most languages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameGroup {
    Type,
    Function,
    Value,
    Other,
}

impl NameGroup {
    fn from_kind(kind: &str) -> Self {
        match kind {
            "class" | "interface" | "struct" | "enum" | "type alias" | "type parameter" => Self::Type,
            "function" | "method" | "constructor" => Self::Function,
            "variable" | "constant" | "field" | "property" | "enum member" => Self::Value,
            _ => Self::Other,
        }
    }
}

/// Returns the words for the scope of a name; none for a file.
fn describe_scope(scope: &str) -> String {
    if scope.is_empty() { String::new() } else { format!(" in `{}`", clean_line(scope)) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Calls `check` with a file in which every `old` is renamed to `new`, and its declarations by its syntax.
    pub(in super::super) fn with_file<T>(
        language: &str,
        file: &str,
        text: &str,
        check: impl FnOnce(&EditedFile<'_>, &[OutlineSymbol]) -> T,
    ) -> T {
        let offsets = text_search::occurrences(text, "old").map(size).collect();
        let outline = zubi_syntax::outline_of_file(file, text, &|| false).unwrap().unwrap();
        let symbols = crate::syntax::to_symbols(&outline, text, None);
        let document = SourceDocument::new(text.into(), false);
        check(&EditedFile { document: &document, offsets, language, new_name: "new" }, &symbols)
    }

    /// Renames every `old` to `new`; returns the line of the taken name.
    fn check(language: &str, file: &str, text: &str) -> String {
        with_file(language, file, text, |edited, symbols| {
            edited.find_taken(&Utf8PathBuf::from(file), symbols).map_or_else(
                || "free".to_owned(),
                |taken| {
                    let line = edited.document.index.line_col(taken.range.start()).line + 1;
                    let verb = if taken.is_refused { "refused" } else { "noted" };
                    format!("{verb}: {line} {}", taken.scope).trim_end().to_owned()
                },
            )
        })
    }

    #[test]
    fn python() {
        let check = |fixture| check("python", "a.py", fixture);
        assert_eq!(check("class A:\n  def old(self): pass\n  def new(self): pass\n"), "refused: 3 A");
        assert_eq!(check("class A:\n  def old(self): pass\nclass B:\n  def new(self): pass\n"), "free");
        assert_eq!(check("from .a import new\nclass old: pass\n"), "refused: 1");
        assert_eq!(check("from .a import new as other\nclass old: pass\n"), "free");
        assert_eq!(check("from .new import other\nclass old: pass\n"), "free");
        assert_eq!(check("class old: pass\ndef f():\n  from .a import new\n"), "noted: 3");
        assert_eq!(check("from .a import old\nclass new: pass\n"), "refused: 2");
        assert_eq!(check("from .a import old as other\nclass new: pass\n"), "free");
        assert_eq!(check("from .a import old, new\n"), "refused: 1");
        assert_eq!(check("import a\na.old()\nclass new: pass\n"), "free");
        assert_eq!(check("from .a import new\nclass A:\n  def old(self): pass\n"), "free");
    }

    #[test]
    fn an_exported_name_is_not_taken() {
        // A server lists the names of such lists like declarations.
        let check = |text: &str| {
            with_file("typescript", "a.ts", text, |edited, symbols| {
                let at = text.find("new").unwrap();
                let selection = TextRange::at(size(at), size("new".len()));
                let listed = OutlineSymbol { name: "new".to_owned(), selection, ..symbols.last().unwrap().clone() };
                let symbols = [symbols, &[listed]].concat();
                edited.find_taken(&"a.ts".into(), &symbols).is_some()
            })
        };
        assert!(!check("export { old as new };\nclass old {}\n"));
        assert!(!check("export type { other, old as new };\nclass old {}\n"));
        assert!(check("import { other as new } from './b';\nclass old {}\n"));
    }

    #[test]
    fn other_languages() {
        assert_eq!(check("typescript", "a.ts", "import { new } from './b';\nexport class old {}\n"), "refused: 1");
        assert_eq!(check("typescript", "a.ts", "class A { old() {}\n private new = 1 }\n"), "refused: 2 A");
        assert_eq!(check("typescript", "a.ts", "class A { old() {}\n get new() { return 1 } }\n"), "refused: 2 A");
        assert_eq!(check("typescript", "a.ts", "class A { static old() {}\n new = 1 }\n"), "noted: 2 A");
        assert_eq!(check("typescript", "a.ts", "class A { static x = 1\n old() {}\n new = 1 }\n"), "refused: 3 A");
        assert_eq!(check("typescript", "a.ts", "interface A { old(): void\n new: string }\n"), "refused: 2 A");
        let script = |text| check("typescript", "a.ts", text);
        assert_eq!(script("export const new = 1;\nexport function old() {}\n"), "refused: 1");
        assert_eq!(script("export class new {}\nexport function old() {}\n"), "refused: 1");
        assert_eq!(script("export type new = 1;\nexport function old() {}\n"), "noted: 1");
        assert_eq!(script("export interface new {}\nexport class old {}\n"), "noted: 1");
        assert_eq!(script("class A { #new = 1\n old = 2 }\n"), "free");
        assert_eq!(script("class A { #new = 1\n #old = 2 }\n"), "refused: 1 A");
        assert_eq!(script("interface A { new: number }\ninterface A { old: string }\n"), "refused: 1 A");
        assert_eq!(script("interface A { new: number }\nclass A { old = 1 }\n"), "refused: 1 A");
        assert_eq!(script("interface A { new: number }\ninterface B { old: string }\n"), "free");
        assert_eq!(
            script("namespace A { export const new = 1 }\nnamespace A { export const old = 2 }\n"),
            "refused: 1 A"
        );
        assert_eq!(script("function f(old: number, { new }: T) { return old; }\n"), "refused: 1 f");
        assert_eq!(script("function f(old: new) { return old; }\n"), "free");
        assert_eq!(script("class A { constructor(private old: number, new: number) {} }\n"), "refused: 1 constructor");
        assert_eq!(script("class A { constructor(private old: number) {}\n new = 1 }\n"), "refused: 2 A");
        assert_eq!(script("class A { constructor(readonly new: number) {}\n old = 1 }\n"), "refused: 1 A");
        assert_eq!(script("class A { constructor(new: number) {}\n old = 1 }\n"), "free");
        assert_eq!(check("python", "a.py", "def f(old, *, new=1): return old\n"), "refused: 1 f");
        assert_eq!(check("rust", "a.rs", "fn f(old: u8, mut new: u8) {}\n"), "refused: 1 f");
        assert_eq!(check("java", "A.java", "class A { void f(int old, T new) {} }\n"), "refused: 1 f");
        assert_eq!(check("java", "A.java", "class A { void old() {}\n void new(int a) {} }\n"), "noted: 2 A");
        assert_eq!(check("rust", "a.rs", "struct old;\nfn new() {}\n"), "noted: 2");
        assert_eq!(check("rust", "a.rs", "fn old() {}\nfn new() {}\n"), "refused: 2");
        assert_eq!(check("rust", "a.rs", "fn old() {}\nmacro_rules! new { () => {} }\n"), "noted: 2");
        let implementations = |second: &str| {
            let text =
                format!("impl<T: Into<u8>> A<T> {{ fn old(&self) {{}} }}\nimpl{second} {{ fn new(&self) {{}} }}\n");
            check("rust", "a.rs", &text)
        };
        assert_eq!(implementations("<T: Into<u8>> A<T>"), "refused: 2 impl<T: Into<u8>> A<T>");
        assert_eq!(implementations("<T> Shape for A<T>"), "noted: 2 impl<T> Shape for A<T>");
        assert_eq!(implementations(" A<u8>"), "noted: 2 impl A<u8>");
        assert_eq!(implementations(" Shape for B"), "free");
        let cpp = |text| check("cpp", "a.cpp", text);
        assert_eq!(cpp("enum new { A };\nvoid old() {}\n"), "noted: 1");
        assert_eq!(cpp("struct A { int new; void old(); };\n"), "refused: 1 A");
        assert_eq!(cpp("namespace n { int new; }\nnamespace n { void old() {} }\n"), "refused: 1 n");
        assert_eq!(check("java", "A.java", "class A { int new; void old() {} }\n"), "noted: 1 A");
        assert_eq!(cpp("enum new { A };\ntemplate <typename T>\nvoid old(T t) {}\n"), "refused: 1");
        assert_eq!(cpp("template <class T> struct new {};\nvoid old() {}\n"), "refused: 1");
        assert_eq!(check("go", "a.go", "package a\nfunc (s *S) old() {}\nfunc new() {}\n"), "free");
        assert_eq!(check("go", "a.go", "package a\ntype old struct{}\nfunc new() {}\n"), "refused: 3");
    }
}
