//! Renders answers within a byte budget: items that fit are written whole, the rest is counted and can be requested.

use std::fmt::Write as _;

use serde_json::{Value, json};
use zubi_code::features::locations::{DisplayLocation, RawLocation};
use zubi_code::locate::ResolvedTarget;
use zubi_code::location::SourceLocation;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Truncation;

use crate::lsp::arguments::{OutputFormat, PagingArgs};
use crate::lsp::line_tail;

/// Size budget and output format of an answer.
pub(crate) struct OutputBudget {
    bytes: usize,
    format: OutputFormat,
    /// Whether the caller gave the size.
    is_requested: bool,
}

/// Bytes reserved for the lines around a list: header, cut notice, status.
const FRAME_BYTES: usize = 300;

impl OutputBudget {
    pub(crate) fn new(bytes: usize, format: OutputFormat, is_requested: bool) -> Self {
        Self { bytes, format, is_requested }
    }

    /// Returns the budget of a tool whose texts are shorter than those of others, in bytes. A size that the caller gave
    /// applies instead, and JSON is for programs.
    pub(crate) fn with_default(&self, bytes: usize) -> Self {
        let is_fixed = self.is_requested || self.format == OutputFormat::Json;
        Self { bytes: if is_fixed { self.bytes } else { self.bytes.min(bytes) }, ..*self }
    }

    /// Builds the JSON form of an answer, only if the format requires it.
    pub(crate) fn data(&self, build: impl FnOnce() -> Value) -> Value {
        match self.format {
            OutputFormat::Text => Value::Null,
            OutputFormat::Json => build(),
        }
    }

    /// Returns the budget of the answer's body in bytes.
    pub(crate) fn body(&self) -> usize {
        self.bytes.saturating_sub(FRAME_BYTES).max(200)
    }

    /// Returns a budget with a share of this one's body, in percent, for one part of an answer.
    pub(crate) fn part(&self, percent: usize) -> Self {
        Self { bytes: self.body() * percent / 100 + FRAME_BYTES, ..*self }
    }

    /// Returns the budget that remains after a part of an answer with this number of bytes.
    pub(crate) fn subtract_part(&self, bytes: usize) -> Self {
        Self { bytes: self.bytes.saturating_sub(bytes), ..*self }
    }

    /// Writes items until the budget or the limit is reached. `write` appends one item; it receives the previous item
    /// for grouping. At least one item is always written.
    pub(crate) fn list<T>(
        &self,
        items: &[T],
        paging: &PagingArgs,
        write: impl FnMut(&mut String, Option<&T>, &T),
    ) -> Result<RenderedList, CodeError> {
        Ok(self.page(items.len(), paging)?.write_all(items, write).finish())
    }

    /// Whether a text fits into the body of an answer.
    pub(crate) fn admits(&self, text: &str) -> bool {
        text.len() <= self.body()
    }

    /// Whether the answer is a text for a model.
    pub(crate) fn is_text(&self) -> bool {
        self.format == OutputFormat::Text
    }

    /// Like [`Self::list`], without a cursor. `instead` is the hint how to see the rest.
    pub(crate) fn rows<T>(
        &self,
        items: &[T],
        rest_hint: &str,
        write: impl FnMut(&mut String, Option<&T>, &T),
    ) -> Result<RenderedList, CodeError> {
        Ok(self.page(items.len(), &PagingArgs::default())?.write_all(items, write).finish_without_cursor(rest_hint))
    }

    /// Writes the first few locations of a list that another tool shows completely.
    pub(crate) async fn first_locations(
        &self,
        query: &CodeQuery<'_>,
        locations: &[RawLocation],
        context: u32,
        limit: u32,
        rest_hint: &str,
    ) -> Result<(RenderedList, Vec<DisplayLocation>), CodeError> {
        let page = self.page(locations.len(), &PagingArgs::default().with_default_limit(limit))?;
        let (page, hits) = page.write_locations(query, locations, context).await;
        Ok((page.finish_without_cursor(rest_hint), hits))
    }

    /// Writes locations by file, each read only when it is needed. Also returns the written locations. If the first page
    /// cannot show the source lines of all, it ends with the line numbers of the others.
    pub(crate) async fn locations(
        &self,
        query: &CodeQuery<'_>,
        locations: &[RawLocation],
        context: u32,
        paging: &PagingArgs,
    ) -> Result<(RenderedList, Vec<DisplayLocation>), CodeError> {
        let page = self.page(locations.len(), paging)?;
        let (mut page, mut hits) = page.write_locations(query, locations, context).await;
        let is_tail_wanted = self.format == OutputFormat::Text && !paging.is_given() && context == 0;
        if !is_tail_wanted || page.next == page.total {
            return Ok((page.finish(), hits));
        }
        let (shown, tail) = line_tail::fit_tail(locations, &page.item_ends, page.budget);
        page.text.truncate(shown.checked_sub(1).and_then(|last| page.item_ends.get(last)).copied().unwrap_or(0));
        page.text.push_str(&tail);
        hits.truncate(shown);
        let cursor = Some(shown.to_string());
        let truncated = Some(Truncation { shown, total: page.total, cursor });
        Ok((RenderedList { text: page.text, range: 0..shown, truncated }, hits))
    }

    /// Starts a list that is written item by item.
    fn page(&self, total: usize, paging: &PagingArgs) -> Result<ListWriter, CodeError> {
        let start = paging.start()?;
        if start > 0 && start >= total {
            return Err(CodeError::input(
                "cursor",
                format!("past the end; there are {total} items now"),
                "Call again without `cursor`.",
            ));
        }
        let end = start.saturating_add(paging.limit()).min(total);
        Ok(ListWriter {
            text: String::new(),
            item_ends: Vec::new(),
            budget: self.body(),
            start,
            next: start,
            end,
            total,
        })
    }

    /// Returns a text, cut at a line end if it exceeds the budget.
    pub(crate) fn block(&self, text: &str) -> (String, Option<Truncation>) {
        if text.len() <= self.body() {
            return (text.to_owned(), None);
        }
        let mut visible = String::new();
        for line in text.lines() {
            if visible.len() + line.len() >= self.body() && !visible.is_empty() {
                break;
            }
            // A single long line is cut inside the line.
            visible.extend(line.chars().take(self.body()));
            visible.push('\n');
        }
        let _ = writeln!(visible, "… cut: {} of {} bytes; raise maxTokens for the rest", visible.len(), text.len());
        let truncated = Truncation { shown: visible.len(), total: text.len(), cursor: None };
        (visible, Some(truncated))
    }
}

/// Returns the notice about a diff that is left out because a part of it is of no use.
pub(crate) fn omit_diff(diff: &str) -> (String, Option<Truncation>) {
    let truncated = Truncation { shown: 0, total: diff.len(), cursor: None };
    (format!("… diff: {} bytes; raise maxTokens for it\n", diff.len()), Some(truncated))
}

/// A list while it is written.
struct ListWriter {
    text: String,
    /// The length of the text after each item.
    item_ends: Vec<usize>,
    budget: usize,
    start: usize,
    next: usize,
    end: usize,
    total: usize,
}

impl ListWriter {
    /// Returns the index of the next item; `None` if the budget, the limit or the list is exhausted.
    fn next(&self) -> Option<usize> {
        (self.next < self.end).then_some(self.next)
    }

    /// Appends the next item. An item over budget is removed again and ends the list.
    fn write(&mut self, write: impl FnOnce(&mut String)) -> bool {
        let before = self.text.len();
        write(&mut self.text);
        let is_within_budget = self.text.len() <= self.budget || self.next == self.start;
        if is_within_budget {
            self.next += 1;
            self.item_ends.push(self.text.len());
        } else {
            self.text.truncate(before);
            self.end = self.next;
        }
        is_within_budget
    }

    /// Writes items until the list ends.
    fn write_all<T>(mut self, items: &[T], mut write: impl FnMut(&mut String, Option<&T>, &T)) -> Self {
        let mut before = None;
        while let Some(item) = self.next().and_then(|at| items.get(at)) {
            self.write(|text| write(text, before, item));
            before = Some(item);
        }
        self
    }

    async fn write_locations(
        mut self,
        query: &CodeQuery<'_>,
        raw_locations: &[RawLocation],
        context: u32,
    ) -> (Self, Vec<DisplayLocation>) {
        let mut hits: Vec<DisplayLocation> = Vec::new();
        while let Some(raw) = self.next().and_then(|at| raw_locations.get(at)) {
            let location = query.hit(raw, context).await;
            if self.write(|text| write_location(text, hits.last(), &location)) {
                hits.push(location);
            }
        }
        (self, hits)
    }

    fn finish(self) -> RenderedList {
        let cursor = self.next.to_string();
        let more = format!("cursor=\"{cursor}\"");
        self.end_with(&more, Some(cursor))
    }

    fn finish_without_cursor(self, instead: &str) -> RenderedList {
        self.end_with(instead, None)
    }

    fn end_with(mut self, more: &str, cursor: Option<String>) -> RenderedList {
        let shown_count = self.next;
        let truncated = (shown_count < self.total).then(|| Truncation {
            shown: shown_count - self.start,
            total: self.total,
            cursor,
        });
        if truncated.is_some() {
            // Writing to a `String` cannot fail.
            let _ = writeln!(self.text, "… {} more: {more}", self.total - shown_count);
        }
        RenderedList { text: self.text, range: self.start..shown_count, truncated }
    }
}

/// A rendered list.
pub(crate) struct RenderedList {
    pub(crate) text: String,
    /// Indices of the written items.
    pub(crate) range: std::ops::Range<usize>,
    pub(crate) truncated: Option<Truncation>,
}

/// Appends one location: the file's name if it changes, then position and source line.
fn write_location(text: &mut String, before: Option<&DisplayLocation>, location: &DisplayLocation) {
    let place = &location.location;
    if before.is_none_or(|before| before.location.display_path != place.display_path) {
        let _ = writeln!(text, "{}{}", place.display_path, if place.external { " (external)" } else { "" });
    }
    let _ = match place.cell {
        Some(at) => write!(text, "  cell {}:{}:{}", at.cell, at.line, at.column),
        None => write!(text, "  {}:{}", place.line, place.column),
    };
    let mark = match location {
        DisplayLocation { text_only: true, .. } => "  (text)\n",
        DisplayLocation { declaration: true, .. } => "  (declaration)\n",
        _ => "\n",
    };
    if place.context.is_empty() {
        if let Some(source) = &place.source {
            let _ = write!(text, "  {source}");
        } else if let Some(why) = &place.unreadable_reason {
            let _ = write!(text, "  ({why})");
        }
        text.push_str(mark);
        return;
    }
    text.push_str(mark);
    for (number, line) in &place.context {
        let mark = if *number == place.line { '>' } else { ' ' };
        let _ = writeln!(text, "   {mark}{number:>5}  {line}");
    }
}

/// Returns the number of distinct files in a list of locations.
pub(crate) fn file_count(locations: &[RawLocation]) -> usize {
    let mut files: Vec<&str> = locations.iter().map(|found| found.display_path.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    files.len()
}

/// Returns the JSON form of a source location: LSP's 0-based UTF-16 range.
pub(crate) fn location_json(location: &SourceLocation) -> Value {
    let mut item = json!({ "path": location.display_path, "range": location.range, "text": location.source });
    if let Some(at) = location.cell {
        item["cell"] = json!({ "number": at.cell, "line": at.line, "column": at.column });
    }
    item
}

/// Returns the JSON form of a listed location.
pub(crate) fn listed_location_json(location: &DisplayLocation) -> Value {
    let mut item = location_json(&location.location);
    if location.declaration {
        item["declaration"] = json!(true);
    }
    if location.text_only {
        item["textOnly"] = json!(true);
    }
    if location.location.external {
        item["external"] = json!(true);
    }
    if let Some(why) = &location.location.unreadable_reason {
        item["unread"] = json!(why);
    }
    item
}

/// Returns the JSON form of the resolved symbol.
pub(crate) fn resolved_json(at: &ResolvedTarget) -> Value {
    json!({ "at": at.display_position, "name": at.name, "kind": at.kind })
}
