//! Ids of conversations: they sort by creation time, and cannot be guessed.

use std::io;
use std::time::Duration;

use zubi_base::clock::milliseconds;
use zubi_base::random;

/// The number of hexadecimal digits for the time in milliseconds: enough until the year 10889.
const TIME: usize = 12;
/// The number of random hexadecimal digits.
const RANDOM: usize = 16;

/// Returns a new id. Fails if the operating system provides no random numbers.
pub(crate) fn new(now: Duration) -> io::Result<String> {
    let random = random::hex::<{ RANDOM / 2 }>()?;
    let now = milliseconds(now) & ((1 << (4 * TIME)) - 1);
    Ok(format!("{now:0TIME$x}-{random}"))
}

/// Whether a text has the form of an id; then it is also safe as a file name.
pub(crate) fn is_valid(id: &str) -> bool {
    let is_hex =
        |text: &str, length| text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    id.split_once('-').is_some_and(|(time, random)| is_hex(time, TIME) && is_hex(random, RANDOM))
}

/// Returns the creation time from the id, in milliseconds since the Unix epoch.
pub(crate) fn created_at(id: &str) -> u64 {
    id.get(..TIME).and_then(|time| u64::from_str_radix(time, 16).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_are_valid_file_names() {
        let id_at = |millis| new(Duration::from_millis(millis)).unwrap();
        let (first, second) = (id_at(1_700_000_000_000), id_at(1_700_000_000_001));
        assert!(first < second, "{first} {second}");
        assert_ne!(id_at(5), id_at(5));
        assert_eq!(created_at(&first), 1_700_000_000_000);
        assert!(is_valid(&first) && is_valid(&id_at(0)) && is_valid(&new(Duration::MAX).unwrap()));
        for invalid in
            ["", "..", "../../etc/passwd", "018bcfe56800-0123456789abcde", "018BCFE56800-0123456789abcdef", "-"]
        {
            assert!(!is_valid(invalid), "{invalid}");
        }
    }
}
