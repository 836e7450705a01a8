//! The printed table: a row for each figure, a column for each size.

use std::fmt::Write as _;

use large_example::Size;

use crate::questions;

/// One row: a figure with its label and unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) unit: &'static str,
    pub(crate) figure: f64,
    /// The floor, from the same rounds.
    pub(crate) floor: Option<f64>,
}

impl Row {
    /// Creates a row in milliseconds without a floor.
    pub(crate) fn new(label: &str, figure: f64) -> Self {
        Self { label: label.to_owned(), unit: "ms", figure, floor: None }
    }
}

/// The aim for the smaller size, and the figure of DomainLang's original tools. A missed aim is not a failure, because
/// figures depend on the machine.
struct Baseline {
    label: &'static str,
    unit: &'static str,
    aim: Option<f64>,
    existing: &'static str,
}

const fn baseline(label: &'static str, unit: &'static str, aim: Option<f64>, existing: &'static str) -> Baseline {
    Baseline { label, unit, aim, existing }
}

const BASELINES: &[Baseline] = &[
    baseline("cold validate", "ms", Some(60.0), "5370"),
    baseline("cold validate", "ms of CPU", None, "4160"),
    baseline("cold validate", "MB at most", Some(40.0), "314"),
    baseline(questions::EDIT, "ms", Some(2.0), "1800, for one file"),
    baseline(questions::LIST, "ms", Some(1.0), "395"),
    baseline(questions::RELATIONSHIPS, "ms", None, "198"),
    baseline(questions::GET, "ms", Some(1.0), "126"),
    baseline(questions::SUMMARY, "ms", None, "339"),
    baseline(questions::EXPLAIN, "ms", None, "107"),
];

/// All figures, in the order of their first measurement.
#[derive(Debug, Default)]
pub(crate) struct Table {
    sizes: Vec<Size>,
    rows: Vec<(Size, Row)>,
}

impl Table {
    pub(crate) fn push(&mut self, size: Size, row: Row) {
        println!("   {} ({}): {}", row.label, row.unit, number(row.figure));
        if !self.sizes.contains(&size) {
            self.sizes.push(size);
        }
        self.rows.push((size, row));
    }

    /// Renders the table as Markdown.
    pub(crate) fn render(&self) -> String {
        let mut text = "| what |".to_owned();
        for Size { areas, contexts } in &self.sizes {
            // Writing to a string cannot fail.
            write!(text, " {} contexts | ÷ floor |", areas * contexts).ok();
        }
        text.push_str(" growth | aim | existing program, elsewhere |\n|---|");
        text.push_str(&"--:|".repeat(self.sizes.len() * 2 + 3));
        text.push('\n');
        let mut done: Vec<(&str, &str)> = Vec::new();
        for (_, first) in &self.rows {
            let key = (first.label.as_str(), first.unit);
            if done.contains(&key) {
                continue;
            }
            done.push(key);
            self.line(&mut text, first);
        }
        text
    }

    fn line(&self, text: &mut String, first: &Row) {
        write!(text, "| {} ({}) |", first.label, first.unit).ok();
        let mut figures = Vec::new();
        for size in &self.sizes {
            let is_cell =
                |(row_size, row): &&(Size, Row)| row_size == size && row.label == first.label && row.unit == first.unit;
            let row = self.rows.iter().find(is_cell).map(|(_, row)| row);
            let ratio = row.and_then(|row| Some(row.figure / row.floor.filter(|floor| *floor > 0.0)?));
            figures.extend(row.map(|row| row.figure));
            write!(text, " {} | {} |", optional(row.map(|row| row.figure)), optional(ratio)).ok();
        }
        let growth = match figures.as_slice() {
            [small, .., large] if *small > 0.0 => Some(large / small),
            _ => None,
        };
        let baseline = BASELINES.iter().find(|baseline| baseline.label == first.label && baseline.unit == first.unit);
        let aim = baseline.and_then(|baseline| baseline.aim).map_or_else(String::new, |aim| {
            let verdict = if figures.first().is_some_and(|figure| *figure <= aim) { "reached" } else { "MISSED" };
            format!("≤ {} {verdict}", number(aim))
        });
        writeln!(text, " {} | {aim} | {} |", optional(growth), baseline.map_or("", |baseline| baseline.existing)).ok();
    }
}

fn optional(value: Option<f64>) -> String {
    value.map(number).unwrap_or_default()
}

fn number(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::{Row, Table};
    use crate::questions;
    use large_example::Size;

    #[test]
    fn the_table_has_a_row_per_figure_and_a_column_per_size() {
        let mut table = Table::default();
        for (areas, times) in [(200, 1.0), (2000, 10.0)] {
            let size = Size { areas, contexts: 10 };
            table.push(size, Row { floor: Some(40.0 * times), ..Row::new("cold validate", 50.0 * times) });
            table.push(size, Row::new(questions::EDIT, 2.5 * times));
        }
        table.push(Size { areas: 200, contexts: 10 }, Row { unit: "pages", ..Row::new("more", 120.4) });
        assert_eq!(
            table.render(),
            "| what | 2000 contexts | ÷ floor | 20000 contexts | ÷ floor | growth | aim | existing program, elsewhere |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|\n\
             | cold validate (ms) | 50.00 | 1.25 | 500 | 1.25 | 10.00 | ≤ 60.00 reached | 5370 |\n\
             | a character in a body → all diagnostics (ms) | 2.50 |  | 25.00 |  | 10.00 | ≤ 2.00 MISSED | 1800, for one file |\n\
             | more (pages) | 120 |  |  |  |  |  |  |\n"
        );
    }
}
