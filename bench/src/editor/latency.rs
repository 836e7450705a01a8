//! The table of response times.

use std::fmt::Write as _;

use crate::stats::Samples;

/// The times of one request.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) samples: Samples,
    /// The times of the same request without a preceding edit.
    pub(crate) floor: Option<Samples>,
    /// The aim for p95, in milliseconds.
    pub(crate) aim: Option<f64>,
}

/// All rows, in the order of the table.
#[derive(Debug, Default)]
pub(crate) struct Latencies(Vec<Row>);

impl Latencies {
    pub(crate) fn push(&mut self, row: Row) {
        self.0.push(row);
    }

    /// Renders the table as Markdown, in milliseconds; the ratio is that of the medians.
    pub(crate) fn render(&self) -> String {
        let mut text = "| what (ms) | p50 | p95 | p99 | without an edit, p50 | p95 | ratio | aim, p95 | |\n\
                        |---|--:|--:|--:|--:|--:|--:|--:|---|\n"
            .to_owned();
        for Row { label, samples, floor, aim } in &self.0 {
            let number = |value: f64| format!("{value:.2}");
            let floor = |percent| floor.as_ref().map(|floor| floor.percentile(percent));
            let optional = |value: Option<f64>| value.map(number).unwrap_or_default();
            let [p50, p95, p99] = [50, 95, 99].map(|percent| samples.percentile(percent));
            let ratio = floor(50).filter(|floor| *floor > 0.0).map(|floor| p50 / floor);
            let verdict = aim.map_or("", |aim| if p95 <= aim { "reached" } else { "MISSED" });
            // Writing to a string cannot fail.
            writeln!(
                text,
                "| {label} | {} | {} | {} | {} | {} | {} | {} | {verdict} |",
                number(p50),
                number(p95),
                number(p99),
                optional(floor(50)),
                optional(floor(95)),
                optional(ratio),
                aim.map(|aim| format!("≤ {}", number(aim))).unwrap_or_default()
            )
            .ok();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Latencies, Row, Samples};

    #[test]
    fn a_row_has_percentiles_a_ratio_and_a_verdict() {
        let samples = |times: &[u64]| {
            let mut samples = Samples::default();
            samples.extend(times.iter().copied().map(Duration::from_millis));
            samples
        };
        let mut latencies = Latencies::default();
        let mut row = |label: &str, times: &[u64], floor: Option<&[u64]>, aim| {
            latencies.push(Row { label: label.to_owned(), samples: samples(times), floor: floor.map(samples), aim });
        };
        row("quick", &[3, 1, 2], Some(&[1, 1, 1]), Some(5.0));
        row("slow", &[3, 1, 6], Some(&[4, 4, 5]), Some(5.0));
        row("plain", &[1], None, None);
        assert_eq!(
            latencies.render(),
            "| what (ms) | p50 | p95 | p99 | without an edit, p50 | p95 | ratio | aim, p95 | |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|---|\n\
             | quick | 2.00 | 3.00 | 3.00 | 1.00 | 1.00 | 2.00 | ≤ 5.00 | reached |\n\
             | slow | 3.00 | 6.00 | 6.00 | 4.00 | 5.00 | 0.75 | ≤ 5.00 | MISSED |\n\
             | plain | 1.00 | 1.00 | 1.00 |  |  |  |  |  |\n"
        );
    }
}
