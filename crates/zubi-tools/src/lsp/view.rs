//! Renders answers within a byte budget: items that fit are written whole, the rest is counted and can be requested.

use std::fmt::Write as _;

use serde_json::{Value, json};
use zubi_code::features::locations::{DisplayLocation, RawLocation};
use zubi_code::locate::ResolvedTarget;
use zubi_code::location::SourceLocation;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Truncation;

use crate::lsp::arguments::{OutputFormat, PagingArgs};

/// Size budget and output format of an answer.
pub(crate) struct OutputBudget {
    bytes: usize,
    format: OutputFormat,
}

/// Bytes reserved for the lines around a list: header, cut notice, status.
const FRAME_BYTES: usize = 300;

impl OutputBudget {
    pub(crate) fn new(bytes: usize, format: OutputFormat) -> Self {
        Self { bytes, format }
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
        Self { bytes: self.body() * percent / 100 + FRAME_BYTES, format: self.format }
    }

    /// Returns the budget that remains after a part of an answer with this number of bytes.
    pub(crate) fn subtract_part(&self, bytes: usize) -> Self {
        Self { bytes: self.bytes.saturating_sub(bytes), format: self.format }
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

    /// Writes locations by file, each read only when it is needed. Also returns the written locations.
    pub(crate) async fn locations(
        &self,
        query: &CodeQuery<'_>,
        locations: &[RawLocation],
        context: u32,
        paging: &PagingArgs,
    ) -> Result<(RenderedList, Vec<DisplayLocation>), CodeError> {
        let (page, hits) = self.page(locations.len(), paging)?.write_locations(query, locations, context).await;
        Ok((page.finish(), hits))
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
        Ok(ListWriter { text: String::new(), budget: self.body(), start, next: start, end, total })
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

/// A list while it is written.
struct ListWriter {
    text: String,
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
