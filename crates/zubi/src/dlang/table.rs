//! Tables for people: each column is as wide as its content, within the width of the terminal.
//!
//! On a terminal no line is longer than the terminal is wide, if every column has room for its longest word; longer
//! cells continue on the next line. Words are broken only if that room is missing. Without a terminal every row is one
//! line.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The text of an empty cell.
const ABSENT: &str = "-";

/// The number of spaces between two columns.
const GAP: usize = 2;

/// The minimum width of a column.
const NARROWEST: usize = 4;

/// Renders the table as lines without trailing spaces. `width` is the terminal's, in cells. A row may be shorter than
/// `heads`.
pub(crate) fn render(heads: &[&str], rows: &[Vec<Option<String>>], width: Option<usize>) -> String {
    let heads: Vec<String> = heads.iter().map(|&head| head.to_owned()).collect();
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| (0..heads.len()).map(|at| clean(row.get(at).and_then(Option::as_deref))).collect())
        .collect();
    let columns: Vec<Column> = (0..heads.len())
        .map(|at| {
            let cells = rows.iter().chain([&heads]).filter_map(|row| row.get(at));
            cells.fold(Column::default(), |column, cell| column.with_cell(cell))
        })
        .collect();
    let widths = widths(&columns, width);
    let mut text = String::new();
    write_row(&mut text, &heads, &widths);
    let line = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    text.push_str(&"─".repeat(line));
    text.push('\n');
    for row in &rows {
        write_row(&mut text, row, &widths);
    }
    text
}

/// Returns a cell's text on one line, without control characters.
fn clean(cell: Option<&str>) -> String {
    let words: Vec<String> = cell
        .unwrap_or_default()
        .split_whitespace()
        .map(|word| word.chars().filter(|c| !c.is_control()).collect())
        .filter(|word: &String| !word.is_empty())
        .collect();
    if words.is_empty() { ABSENT.to_owned() } else { words.join(" ") }
}

/// The natural width of a column, and the width of its widest word.
#[derive(Debug, Clone, Copy, Default)]
struct Column {
    natural: usize,
    word: usize,
}

impl Column {
    fn with_cell(self, cell: &str) -> Self {
        let word = cell.split(' ').map(str::width).max().unwrap_or_default();
        Self { natural: self.natural.max(cell.width()), word: self.word.max(word) }
    }
}

fn widths(columns: &[Column], terminal: Option<usize>) -> Vec<usize> {
    let natural: Vec<usize> = columns.iter().map(|column| column.natural).collect();
    let Some(total) = terminal.map(|width| width.saturating_sub(GAP * columns.len().saturating_sub(1))) else {
        return natural;
    };
    // The widest columns shrink first: all columns share one upper bound, the largest that fits. If there is not even
    // room for every word, words are bounded in the same way.
    let words = |bound: usize| columns.iter().map(|it| it.natural.min(it.word.max(bound))).collect::<Vec<_>>();
    let parts = |bound: usize| columns.iter().map(|it| it.natural.min(bound.max(NARROWEST))).collect::<Vec<_>>();
    let widest = natural.iter().copied().max().unwrap_or_default();
    let largest = |widths: &dyn Fn(usize) -> Vec<usize>| {
        let (mut low, mut high) = (0, widest + 1);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if widths(middle).iter().sum::<usize>() <= total { low = middle } else { high = middle }
        }
        widths(low)
    };
    if words(0).iter().sum::<usize>() <= total { largest(&words) } else { largest(&parts) }
}

fn write_row(text: &mut String, cells: &[String], widths: &[usize]) {
    let mut columns: Vec<_> = cells.iter().zip(widths).map(|(cell, width)| wrap(cell, *width).into_iter()).collect();
    loop {
        let parts: Vec<Option<String>> = columns.iter_mut().map(Iterator::next).collect();
        if parts.iter().all(Option::is_none) {
            return;
        }
        let mut line = String::new();
        for (part, width) in parts.iter().zip(widths) {
            let part = part.as_deref().unwrap_or_default();
            line.push_str(part);
            line.extend(std::iter::repeat_n(' ', width.saturating_sub(part.width()) + GAP));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// Wraps a cell into lines of at most this width.
fn wrap(cell: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for word in cell.split(' ') {
        let needed = word.width();
        if used > 0 && used + 1 + needed <= width {
            line.push(' ');
            line.push_str(word);
            used += 1 + needed;
            continue;
        }
        if used > 0 {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if needed <= width {
            line.push_str(word);
            used = needed;
            continue;
        }
        for c in word.chars() {
            let needed = c.width().unwrap_or_default();
            if used > 0 && used + needed > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += needed;
        }
    }
    if used > 0 || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr as _;

    use super::render;

    const HEADS: [&str; 4] = ["Name", "FQN", "Vision", "Type"];

    /// Renders a table; `|` separates the cells of a row, and an empty cell is absent.
    fn check(rows: &str, width: Option<usize>) -> String {
        let cell = |cell: &str| (!cell.is_empty()).then(|| cell.to_owned());
        let rows: Vec<_> = rows.lines().map(|row| row.split('|').map(cell).collect()).collect();
        render(&HEADS, &rows, width)
    }

    const SHOP: &str = "\
Commerce|Commerce|Sell things to people who want them, and to nobody else|Core
Fulfilment|Shop.Inner.Deep.Fulfilment|Ship \"fast\"|";

    #[test]
    fn without_a_terminal_a_row_is_a_line() {
        insta::assert_snapshot!(check(SHOP, None), @r#"
        Name        FQN                         Vision                                                   Type
        ─────────────────────────────────────────────────────────────────────────────────────────────────────
        Commerce    Commerce                    Sell things to people who want them, and to nobody else  Core
        Fulfilment  Shop.Inner.Deep.Fulfilment  Ship "fast"                                              -
        "#);
    }

    #[test]
    fn a_terminal_wraps_between_words() {
        insta::assert_snapshot!(check(SHOP, Some(72)), @r#"
        Name        FQN                         Vision                      Type
        ────────────────────────────────────────────────────────────────────────
        Commerce    Commerce                    Sell things to people who   Core
                                                want them, and to nobody
                                                else
        Fulfilment  Shop.Inner.Deep.Fulfilment  Ship "fast"                 -
        "#);
    }

    #[test]
    fn words_break_where_they_do_not_fit() {
        insta::assert_snapshot!(check(SHOP, Some(40)), @r#"
        Name        FQN         Vision      Type
        ────────────────────────────────────────
        Commerce    Commerce    Sell        Core
                                things to
                                people who
                                want them,
                                and to
                                nobody
                                else
        Fulfilment  Shop.Inner  Ship        -
                    .Deep.Fulf  "fast"
                    ilment
        "#);
    }

    #[test]
    fn wide_characters_count_twice_and_controls_are_dropped() {
        insta::assert_snapshot!(check("注文|a\u{1b}[31mb|x\t y\u{7}\u{9b}|\u{1}\nO|O|é|👥", None), @"
        Name  FQN     Vision  Type
        ──────────────────────────
        注文  a[31mb  x y     -
        O     O       é       👥
        ");
    }

    #[test]
    fn empty_table() {
        insta::assert_snapshot!(check("", Some(10)), @"
        Name  FQN  Visi  Type
                   on
        ─────────────────────
        ");
        assert_eq!(render(&[], &[vec![]], Some(0)), "\n");
    }

    proptest! {
        /// Every character of every cell is rendered, in order; no line is wider than the terminal if that is possible.
        #[test]
        fn all_cells_are_rendered(rows in prop::collection::vec(prop::collection::vec(
            prop::option::of("[a-z .注é\n]{0,40}"), 0..4), 0..6), width in 0_usize..120)
        {
            let table = render(&HEADS, &rows, Some(width));
            let least = super::NARROWEST * 4 + super::GAP * 3;
            for line in table.lines() {
                prop_assert!(line.width() <= width.max(least), "{line}");
            }
            let count = |text: &str, c: char| text.matches(c).count();
            let cells: String = rows.iter().flatten().flatten().cloned().collect();
            for c in ['q', 'z', '注', '.'] {
                prop_assert_eq!(count(&table, c), count(&cells, c));
            }
        }
    }
}
