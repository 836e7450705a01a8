//! Statistics of durations.

use std::time::Duration;

use anyhow::Result;

/// Durations of one kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn push(&mut self, duration: Duration) {
        self.0.push(duration);
    }

    /// The given percentile in milliseconds, by nearest rank; 0 without samples.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1) - 1;
        sorted.get(rank).map_or(0.0, |duration| milliseconds(*duration))
    }
}

impl Extend<Duration> for Samples {
    fn extend<T: IntoIterator<Item = Duration>>(&mut self, durations: T) {
        self.0.extend(durations);
    }
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// A size in MiB.
pub(crate) fn mebibytes(bytes: u64) -> Result<f64> {
    Ok(f64::from(u32::try_from(bytes / 1024)?) / 1024.0)
}

/// The machine's load average over the last minute.
pub(crate) fn load_average() -> String {
    std::fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|text| text.split_whitespace().next().map(str::to_owned))
        .unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Duration, Samples};

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let mut samples = Samples::default();
        samples.extend((1..=20).rev().map(Duration::from_millis));
        assert!((samples.percentile(50) - 10.0).abs() < 1e-9);
        assert!((samples.percentile(95) - 19.0).abs() < 1e-9);
        assert!((samples.percentile(100) - 20.0).abs() < 1e-9);
        assert!((Samples::default().percentile(50) - 0.0).abs() < 1e-9);
    }
}
