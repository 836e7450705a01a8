//! Plans the change of a symbol by its name: its replacement, an insertion beside it, or its removal.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use zubi_base::credentials;
use zubi_base::position::{Encoding, TextIndex, TextRange, TextSize, size};
use zubi_base::text::{list_first, pluralize};
use zubi_base::uri;
use zubi_syntax::{Declaration, DeclarationKind, SyntaxLanguage, SyntaxLayout, SyntaxOutline, TextExtent};

pub use crate::symbol_edit::SymbolAction;

use crate::edit::Plan;
use crate::error::CodeError;
use crate::features::locations::Relation;
use crate::features::mentions::Mentions;
use crate::features::references::SymbolReferences;
use crate::features::symbol_source::{
    DeclarationPosition, declared_in_extent, find_declaration, find_overloads, no_declaration_at,
};
use crate::locate::{PositionIntent, TargetInput, join_segments, last_segment};
use crate::location::SourceLocation;
use crate::outline;
use crate::query::{CodeQuery, SourceDocument};
use crate::status::{AnswerSource, AnswerStatus, Completeness, QualifiedAnswer};
use crate::symbol_edit::{
    ParsedText, RejectedEdit, Replacement, SymbolEdit, SymbolUnit, edit_symbol, edit_unparsed_symbol,
};

/// The name of the source of such plans.
const PRODUCER: &str = "syntax";

/// The maximum number of references that an error lists.
const MAX_LISTED: usize = 20;

/// The maximum number of declarations that an error lists.
const MAX_DECLARATIONS: usize = 10;

/// A change of a symbol.
#[derive(Debug, Clone)]
pub struct SymbolEditRequest {
    pub target: TargetInput,
    pub action: SymbolAction,
    /// The new source; unused for a removal.
    pub text: String,
    /// Whether references may stay without a declaration.
    pub force: bool,
}

/// The plan of a change of a symbol.
#[derive(Debug)]
pub struct PlannedSymbolEdit {
    pub plan: Plan,
    /// The changed symbol with its place: `method Shape/area, src/shape.rs:7-10`.
    pub symbol: String,
}

/// The symbol to change, in its file.
struct EditedSymbol {
    path: Utf8PathBuf,
    display_path: String,
    document: Arc<SourceDocument>,
    parsed: ParsedText,
    /// The indices of the declarations in the outline.
    indices: Vec<usize>,
    /// Whether the outline is that of a grammar, and not of a server.
    is_parsed: bool,
}

impl CodeQuery<'_> {
    /// Plans the change of a symbol. The answer's notes name what the change does beyond the request.
    pub async fn plan_symbol_edit(
        &self,
        request: &SymbolEditRequest,
    ) -> Result<QualifiedAnswer<PlannedSymbolEdit>, CodeError> {
        let (positions, mut status, note) = self.declared_at(&request.target).await?;
        status.notes.extend(note);
        let symbol = self.edited_symbol(&positions, request, &mut status).await?;
        let unit = SymbolUnit::new(&symbol.parsed, symbol.indices.clone());
        let unit = unit.ok_or_else(|| CodeError::input("symbol", "no declaration", "Read the file."))?;
        symbol.check_single(&unit, request.action)?;
        let (parser, name) = (&*self.intel.parser, symbol.path.file_name().unwrap_or_default());
        let edit = if symbol.is_parsed {
            edit_symbol(parser, name, &unit, request.action, &request.text, request.force).await
        } else {
            edit_unparsed_symbol(parser, name, &unit, request.action, &request.text).await
        };
        let SymbolEdit { replacements, notes } = edit.map_err(rejection)?;
        let mut notes = notes;
        if request.action == SymbolAction::Delete {
            notes.extend(self.check_references(&symbol, &unit, request.force, &mut status).await?);
        }
        let names = symbol.name();
        let verb = match request.action {
            SymbolAction::Replace => "replace",
            SymbolAction::InsertBefore => "insert before",
            SymbolAction::InsertAfter => "insert after",
            SymbolAction::Delete => "delete",
        };
        let edits: Vec<Value> = replacements.iter().map(|it| text_edit(&symbol.document, it)).collect();
        let edit = json!({ "changes": { uri::from_path(&symbol.path).0: edits } });
        let mut plan = self.intel.edits.plan(&format!("{verb} {names}"), &edit, Encoding::Utf16, PRODUCER).await?;
        plan.notes.extend(notes);
        let planned = PlannedSymbolEdit { plan, symbol: symbol.describe(&unit) };
        Ok(QualifiedAnswer { value: planned, status })
    }

    /// Returns the declarations to change: one, or for an action that concerns all overloads, those of a name together.
    async fn edited_symbol(
        &self,
        positions: &[DeclarationPosition],
        request: &SymbolEditRequest,
        status: &mut AnswerStatus,
    ) -> Result<EditedSymbol, CodeError> {
        let missing =
            || CodeError::input("symbol", "no declaration", "`lsp_document_symbols` lists the names of a file.");
        let first = positions.first().ok_or_else(missing)?;
        let (path, display_path) = (first.path.clone(), self.workspace().display(&first.path));
        if credentials::is_credential_path(&path) {
            return Err(CodeError::input(
                "symbol",
                format!("it is declared in `{display_path}`, where credentials may be stored"),
                "zubi does not change such files by symbol.",
            ));
        }
        let document = self.document(&path).await?;
        if document.notebook(&path).is_some() {
            return Err(CodeError::input(
                "symbol",
                format!("`{display_path}` is a notebook, whose cells are in JSON"),
                "Change the cell in an editor of notebooks, or with `edit_files`.",
            ));
        }
        let Some(parsed) = self.parse_text(&path, &document.text).await else {
            return self.unparsed_symbol(path, document, first.extent.start(), status).await;
        };
        if status.endpoints.is_empty() {
            status.merge(AnswerStatus::from_source(AnswerSource::Syntax, Vec::new()));
        }
        let mut indices = Vec::new();
        for position in positions {
            let found = find_declaration(&parsed.outline, position, true);
            if let Some(index) = found.filter(|_| !position.is_name) {
                check_declares(&parsed, position, index)?;
            }
            indices.push(found.ok_or_else(|| {
                undeclared_error(request.target.symbol.as_deref(), &document, position, &display_path)
            })?);
        }
        if request.target.at.is_none() {
            indices.extend(find_overloads(&parsed.outline, &indices));
        }
        indices.sort_unstable();
        indices.dedup();
        Ok(EditedSymbol { path, display_path, document, parsed, indices, is_parsed: true })
    }

    /// Parses the text of a file. Returns `None` if no grammar can.
    async fn parse_text(&self, path: &Utf8Path, text: &Arc<str>) -> Option<ParsedText> {
        let outline = self.parse_outline(path, text).await?.ok()?;
        let layout = self.intel.parser.layout(path.file_name()?, TextExtent::File, text).await.ok()?;
        Some(ParsedText { text: Arc::clone(text), outline, layout })
    }

    /// Returns the symbol at an offset by the outline of its servers.
    async fn unparsed_symbol(
        &self,
        path: Utf8PathBuf,
        document: Arc<SourceDocument>,
        offset: TextSize,
        status: &mut AnswerStatus,
    ) -> Result<EditedSymbol, CodeError> {
        let outline = self.declared_in(&path).await?;
        status.merge(outline.status.clone());
        let mut declarations: Vec<Declaration> = Vec::new();
        let mut index = None;
        let mut parents: Vec<usize> = Vec::new();
        outline::walk(&outline.value, |above, symbol| {
            parents.truncate(above.len());
            let range = |range: TextRange| usize::from(range.start())..usize::from(range.end());
            if symbol.range.contains_inclusive(offset) {
                index = Some(declarations.len());
            }
            let parent = parents.last().copied();
            parents.push(declarations.len());
            declarations.push(Declaration {
                name: symbol.name.clone(),
                // The server's kinds are not those of a grammar; no rule depends on it.
                kind: DeclarationKind::Class,
                name_range: range(symbol.selection),
                range: range(symbol.range),
                signature: range(symbol.range),
                doc: None,
                parent,
            });
        });
        let display_path = self.workspace().display(&path);
        let index = index.ok_or_else(|| no_declaration_at(&display_path))?;
        let outline = Arc::new(SyntaxOutline { declarations, ..SyntaxOutline::default() });
        let parsed = ParsedText { text: Arc::clone(&document.text), outline, layout: SyntaxLayout::default() };
        Ok(EditedSymbol { path, display_path, document, parsed, indices: vec![index], is_parsed: false })
    }

    /// Returns the references to all declarations of a symbol, and in C and C++ the definition of a declaration or the
    /// declaration of a definition. The word matches are those of the first one, because all have the same name.
    async fn references_of_all(&self, symbol: &EditedSymbol) -> Result<QualifiedAnswer<SymbolReferences>, CodeError> {
        let mut all: Option<QualifiedAnswer<SymbolReferences>> = None;
        for declaration in symbol.indices.iter().filter_map(|index| symbol.parsed.outline.declarations.get(*index)) {
            let offset = size(declaration.name_range.start);
            let location = self.location_in(&symbol.document, &symbol.path, TextRange::empty(offset));
            let target = TargetInput { at: Some(location.to_at()), ..TargetInput::default() };
            let at = self.resolve(&target, PositionIntent::Identifier).await?;
            let mut found = self.references(&at, false).await?;
            if symbol.has_separate_definition() {
                let counterpart = self.locations(&at, Relation::Definition).await;
                found.value.locations.extend(counterpart.into_iter().flat_map(|answer| answer.value));
            }
            let Some(all) = &mut all else {
                all = Some(found);
                continue;
            };
            for location in found.value.locations {
                if !all.value.locations.contains(&location) {
                    all.value.locations.push(location);
                }
            }
            all.status.merge(found.status);
        }
        all.ok_or_else(|| no_declaration_at(&symbol.display_path))
    }

    /// Checks that nothing uses a symbol that is removed, unless `force` allows it. Returns notes for the plan.
    async fn check_references(
        &self,
        symbol: &EditedSymbol,
        unit: &SymbolUnit<'_>,
        force: bool,
        status: &mut AnswerStatus,
    ) -> Result<Vec<String>, CodeError> {
        let name = symbol.name();
        let QualifiedAnswer { value: references, status: found_status } = match self.references_of_all(symbol).await {
            Ok(found) => found,
            Err(error) if force => return Ok(vec![format!("the references of {name} are unknown: {error}")]),
            Err(error) => {
                return Err(CodeError::StillUsed {
                    reason: format!("zubi cannot find out what uses {name}: {error}"),
                    hint: format!("{} Or pass force: true.", error.hint()),
                });
            }
        };
        let mut outside = Vec::new();
        for reference in &references.locations {
            let location = self.location(&reference.location, reference.encoding, 0).await;
            let is_own =
                location.path.as_deref() == Some(symbol.path.as_path()) && symbol.lines(unit).contains(&location.line);
            if !is_own {
                outside.push(location);
            }
        }
        let is_complete = found_status.completeness == Completeness::Complete;
        let is_by_servers = found_status.source == AnswerSource::Servers;
        status.merge(found_status);
        let unconfirmed = references.mentions.as_ref().map_or(0, Mentions::unconfirmed_count);
        if outside.is_empty() {
            let mut notes = Vec::new();
            if unconfirmed > 0 {
                let words = pluralize(unconfirmed, "word match");
                if !force {
                    return Err(CodeError::StillUsed {
                        reason: format!("{words} of {name} may be uses: no server confirms or excludes them"),
                        hint: "Nothing was changed. `lsp_references` with includeText=true lists them; then pass force: true."
                            .to_owned(),
                    });
                }
                notes.push(format!(
                    "{words} of {name} in code that the server does not confirm: lsp_references with includeText=true"
                ));
            }
            if !is_complete && !force && !is_by_servers {
                return Err(CodeError::StillUsed {
                    reason: format!("no language server confirms that nothing uses {name}"),
                    hint: "Check `lsp_references`, then pass force: true.".to_owned(),
                });
            }
            return Ok(notes);
        }
        let count = pluralize(outside.len(), if is_by_servers { "reference" } else { "word match" });
        if force {
            let named = list_first(outside.iter().map(SourceLocation::to_at), 3);
            return Ok(vec![format!("{count} to {name} left: {named}")]);
        }
        let mut listed: Vec<String> = outside
            .iter()
            .take(MAX_LISTED)
            .map(|it| format!("{}  {}", it.to_at(), it.source.as_deref().unwrap_or_default()))
            .collect();
        if outside.len() > MAX_LISTED {
            listed.push(format!("… {} more", outside.len() - MAX_LISTED));
        }
        Err(CodeError::StillUsed {
            reason: format!("{count} to {name} would be left:\n{}", listed.join("\n")),
            hint: "Nothing was changed. Change the uses first, or pass force: true.".to_owned(),
        })
    }
}

impl EditedSymbol {
    fn declaration(&self) -> Option<&Declaration> {
        self.parsed.outline.declarations.get(*self.indices.first()?)
    }

    /// Whether a declaration and a definition of the symbol may be at two places.
    fn has_separate_definition(&self) -> bool {
        let language = self.path.file_name().and_then(SyntaxLanguage::from_file_name);
        language.is_some_and(|language| matches!(language.id, "c" | "cpp"))
    }

    /// Returns the name with the names around it: `Shape/area`.
    fn name(&self) -> String {
        let Some(index) = self.indices.first() else { return String::new() };
        let name = self.declaration().map_or("", |it| it.name.as_str());
        format!("`{}`", join_segments(&self.parsed.outline.above(*index), name))
    }

    /// Returns the lines of the symbol with its comments, 1-based.
    fn lines(&self, unit: &SymbolUnit<'_>) -> std::ops::RangeInclusive<u32> {
        let line = |offset: usize| self.document.index.line_col(size(offset)).line + 1;
        let range = unit.range();
        line(range.start)..=line(range.end.max(range.start + 1) - 1)
    }

    fn describe(&self, unit: &SymbolUnit<'_>) -> String {
        let kind = self.declaration().filter(|_| self.is_parsed).map_or("", |it| it.kind.lsp_name());
        let lines = self.lines(unit);
        let text =
            format!("{kind} {}, {}:{}-{}", self.name().replace('`', ""), self.display_path, lines.start(), lines.end());
        text.trim_start().to_owned()
    }

    /// Checks that the declarations are one symbol for an action: overloads are one only if they follow each other, and
    /// no text can replace all of them at once.
    fn check_single(&self, unit: &SymbolUnit<'_>, action: SymbolAction) -> Result<(), CodeError> {
        let declarations = &self.parsed.outline.declarations;
        if self.indices.len() > 1 && (action == SymbolAction::Replace || !unit.is_contiguous()) {
            let line = |it: &Declaration| self.document.index.line_col(size(it.name_range.start)).line + 1;
            let places = self.indices.iter().filter_map(|index| declarations.get(*index));
            let places: Vec<String> = places.map(|it| format!("{}:{}", self.display_path, line(it))).collect();
            let count = places.len();
            return Err(CodeError::input(
                "symbol",
                format!("{} has {count} declarations: {}", self.name(), list_first(places, MAX_DECLARATIONS)),
                "Choose one with `at`: the file and the line of the declaration.",
            ));
        }
        if matches!(action, SymbolAction::Replace | SymbolAction::Delete)
            && let Some(other) = unit.joint_declaration()
        {
            return Err(CodeError::input(
                "symbol",
                format!("{} and `{}` share one declaration", self.name(), other.name),
                "Change the lines with `edit_files`.",
            ));
        }
        Ok(())
    }
}

/// Checks that a position names one declaration: it is in the lines before its body, and no other one is declared there.
/// Otherwise the line of a use would delete the function around it.
fn check_declares(parsed: &ParsedText, position: &DeclarationPosition, index: usize) -> Result<(), CodeError> {
    let all = &parsed.outline.declarations;
    let Some(found) = all.get(index) else { return Ok(()) };
    let full_name = |index: usize, it: &Declaration| join_segments(&parsed.outline.above(index), &it.name);
    let declared = declared_in_extent(&parsed.outline, position);
    let mut names: Vec<_> =
        declared.iter().filter_map(|index| all.get(*index).map(|it| full_name(*index, it))).collect();
    names.dedup();
    if names.len() > 1 {
        let names = list_first(names.iter().map(|name| format!("`{name}`")), MAX_DECLARATIONS);
        return Err(CodeError::input(
            "at",
            format!("several symbols are declared there: {names}"),
            "Choose one with its column, or with `symbol`.",
        ));
    }
    let lines = TextIndex::new(&parsed.text);
    let line = |offset: usize| lines.line_col(size(offset)).line;
    let first = found.doc.as_ref().map_or(found.range.start, |doc| doc.start.min(found.range.start));
    let header = line(first)..=line(found.name_range.end);
    if header.contains(&line(position.extent.start().into())) {
        return Ok(());
    }
    let name = full_name(index, found);
    Err(CodeError::input(
        "at",
        format!(
            "no symbol is declared there; it is inside `{name}` ({} {})",
            found.kind.lsp_name(),
            line(found.name_range.start) + 1
        ),
        format!("To change `{name}`, pass symbol: \"{name}\"; to change lines in it, use `edit_files`."),
    ))
}

/// Returns the error for a symbol that a server reports and the syntax does not: its name is in the text, or only in the
/// expansion of a macro.
fn undeclared_error(
    symbol: Option<&str>,
    document: &SourceDocument,
    position: &DeclarationPosition,
    display_path: &str,
) -> CodeError {
    let symbol = symbol.unwrap_or("it");
    let own_name = last_segment(symbol);
    let start = position.extent.start();
    let is_in_text = document.text.get(usize::from(start)..).is_some_and(|rest| rest.starts_with(own_name));
    let line = document.index.line_col(start).line + 1;
    let reason = if is_in_text {
        "a part of a statement, such as a variable of a function, a parameter, a property of an object, or one of several names"
    } else {
        "not in the text: a macro or a tool makes it"
    };
    CodeError::input(
        "symbol",
        format!("the declaration of `{symbol}` ({display_path}:{line}) is {reason}"),
        "Read the lines with `read_symbol`, and change them with `edit_files`.",
    )
}

fn rejection(error: RejectedEdit) -> CodeError {
    CodeError::RejectedEdit { reason: error.reason, hint: error.hint.to_owned() }
}

fn text_edit(document: &SourceDocument, replacement: &Replacement) -> Value {
    let range = TextRange::new(size(replacement.range.start), size(replacement.range.end));
    json!({ "range": document.index.range_to_lsp(range, Encoding::Utf16), "newText": replacement.text })
}
