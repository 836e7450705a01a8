//! The table that the benchmark prints.

use std::fmt::Write as _;

/// One figure.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) zubi: f64,
    /// The floor: the figure of the same request sent directly to the server.
    pub(crate) floor: Option<f64>,
    pub(crate) unit: &'static str,
    /// The aim.
    pub(crate) aim: Option<Aim>,
    pub(crate) note: String,
}

/// The maximum of a figure, absolute or relative to its floor.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Aim {
    /// The maximum of the figure itself.
    AtMost(f64),
    /// The maximum difference to the floor.
    Adds(f64),
    /// The maximum ratio to the floor.
    Times(f64),
}

impl Row {
    fn difference(&self) -> Option<f64> {
        self.floor.map(|floor| self.zubi - floor)
    }

    /// The ratio of the figure to its floor.
    fn ratio(&self) -> Option<f64> {
        self.floor.filter(|floor| *floor > 0.0).map(|floor| self.zubi / floor)
    }

    fn meets_aim(&self) -> Option<bool> {
        match self.aim? {
            Aim::AtMost(limit) => Some(self.zubi <= limit),
            Aim::Adds(limit) => self.difference().map(|difference| difference <= limit),
            Aim::Times(limit) => self.ratio().map(|ratio| ratio <= limit),
        }
    }
}

/// All figures, in the order of measurement.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<Row>);

impl Table {
    pub(crate) fn push(&mut self, row: Row) {
        self.0.push(row);
    }

    /// Renders the table as Markdown.
    pub(crate) fn render(&self) -> String {
        let mut text =
            "| what | zubi | floor | difference | ratio | aim | |\n|---|--:|--:|--:|--:|--:|---|\n".to_owned();
        for row in &self.0 {
            let number = |value: f64| if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") };
            let optional = |value: Option<f64>| value.map(number).unwrap_or_default();
            let aim = match row.aim {
                Some(Aim::AtMost(limit)) => format!("≤ {}", number(limit)),
                Some(Aim::Adds(limit)) => format!("+ {}", number(limit)),
                Some(Aim::Times(limit)) => format!("× {}", number(limit)),
                None => String::new(),
            };
            let verdict = match row.meets_aim() {
                Some(true) => "reached",
                Some(false) => "MISSED",
                None => "",
            };
            let notes: Vec<_> = [verdict, &row.note].into_iter().filter(|note| !note.is_empty()).collect();
            // Writing to a string cannot fail.
            writeln!(
                text,
                "| {} ({}) | {} | {} | {} | {} | {aim} | {} |",
                row.label,
                row.unit,
                number(row.zubi),
                optional(row.floor),
                optional(row.difference()),
                optional(row.ratio()),
                notes.join(" · ")
            )
            .ok();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Aim, Row, Table};

    #[test]
    fn a_row_shows_whether_its_aim_is_reached() {
        let mut table = Table::default();
        let row = |label: &str, zubi, floor, aim| Row {
            label: label.to_owned(),
            zubi,
            floor,
            unit: "ms",
            aim,
            note: String::new(),
        };
        table.push(row("quick", 1.0, Some(0.75), Some(Aim::Adds(0.5))));
        table.push(row("late", 3.0, Some(2.0), Some(Aim::Times(1.3))));
        table.push(row("slow", 12.0, None, Some(Aim::AtMost(10.0))));
        table.push(row("plain", 120.4, None, None));
        assert_eq!(
            table.render(),
            "| what | zubi | floor | difference | ratio | aim | |\n|---|--:|--:|--:|--:|--:|---|\n\
             | quick (ms) | 1.00 | 0.75 | 0.25 | 1.33 | + 0.50 | reached |\n\
             | late (ms) | 3.00 | 2.00 | 1.00 | 1.50 | × 1.30 | MISSED |\n\
             | slow (ms) | 12.00 |  |  |  | ≤ 10.00 | MISSED |\n\
             | plain (ms) | 120 |  |  |  |  |  |\n"
        );
    }
}
