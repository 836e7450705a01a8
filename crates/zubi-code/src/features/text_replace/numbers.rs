//! Numbers of occurrences as a caller writes them: `1-3,7`.

use std::ops::RangeInclusive;

/// The maximum number of ranges.
const MAX_RANGES: usize = 10_000;

/// A choice of occurrences by their numbers, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OccurrenceNumbers(Vec<RangeInclusive<usize>>);

impl OccurrenceNumbers {
    /// Parses numbers and ranges, separated by commas or as separate texts. The error is a clause.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut ranges = Vec::new();
        let parts = texts.into_iter().flat_map(|text| text.split(','));
        for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
            let (first, last) = part.split_once(['-', '–']).unwrap_or((part, part));
            let number = |text: &str| text.trim().parse::<usize>().ok().filter(|number| *number > 0);
            match (number(first), number(last)) {
                (Some(first), Some(last)) if first <= last => ranges.push(first..=last),
                _ => {
                    let part: String = part.chars().take(40).collect();
                    return Err(format!("invalid number `{part}`; write 1-3,7"));
                }
            }
            if ranges.len() > MAX_RANGES {
                return Err(format!("more than {MAX_RANGES} numbers"));
            }
        }
        if ranges.is_empty() {
            return Err("there is no number; write 1-3,7".to_owned());
        }
        // Merged, so that a look-up is fast.
        ranges.sort_unstable_by_key(|range| *range.start());
        let mut merged: Vec<RangeInclusive<usize>> = Vec::new();
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start() <= last.end() => *last = *last.start()..=*last.end().max(range.end()),
                _ => merged.push(range),
            }
        }
        Ok(Self(merged))
    }

    pub fn contains(&self, number: usize) -> bool {
        let after = self.0.partition_point(|range| *range.start() <= number);
        after.checked_sub(1).and_then(|index| self.0.get(index)).is_some_and(|range| range.contains(&number))
    }

    /// Returns the first of the numbers that is larger than all occurrences.
    pub fn beyond(&self, total: usize) -> Option<usize> {
        let last = self.0.last()?;
        (*last.end() > total).then(|| (*last.start()).max(total.saturating_add(1)))
    }
}
