//! Throttling of progress: a language server reports hundreds of steps a second while it indexes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::cx::ProgressSink;

/// The minimum time between two reports of one call.
pub const INTERVAL: Duration = Duration::from_millis(200);

/// Passes on at most one report per [`INTERVAL`] and never a smaller fraction than before. Other reports are dropped,
/// not buffered, because the next report makes them obsolete.
pub struct ThrottledProgress {
    inner: Arc<dyn ProgressSink>,
    state: Mutex<ThrottleState>,
}

#[derive(Default)]
struct ThrottleState {
    last: Option<Instant>,
    fraction: Option<f64>,
    message: String,
}

impl ThrottledProgress {
    pub fn new(inner: Arc<dyn ProgressSink>) -> Self {
        Self { inner, state: Mutex::default() }
    }
}

impl ProgressSink for ThrottledProgress {
    fn report(&self, fraction: Option<f64>, message: &str) {
        let fraction = fraction.filter(|fraction| fraction.is_finite()).map(|fraction| fraction.clamp(0.0, 1.0));
        let now = Instant::now();
        let fraction = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.last.is_some_and(|last| now.duration_since(last) < INTERVAL) {
                return;
            }
            let fraction = match (state.fraction, fraction) {
                (Some(before), Some(now)) => Some(before.max(now)),
                (before, now) => now.or(before),
            };
            if state.fraction == fraction && state.message == message {
                return;
            }
            *state = ThrottleState { last: Some(now), fraction, message: message.to_owned() };
            fraction
        };
        self.inner.report(fraction, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct RecordedProgress(Mutex<Vec<(Option<f64>, String)>>);

    impl ProgressSink for RecordedProgress {
        fn report(&self, fraction: Option<f64>, message: &str) {
            self.0.lock().unwrap().push((fraction, message.to_owned()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn reports_are_throttled_and_monotonic() {
        let recorded = Arc::new(RecordedProgress::default());
        let throttled = ThrottledProgress::new(Arc::clone(&recorded) as Arc<dyn ProgressSink>);
        throttled.report(Some(0.1), "a");
        throttled.report(Some(0.2), "too soon");
        tokio::time::advance(INTERVAL).await;
        throttled.report(Some(0.05), "b");
        tokio::time::advance(INTERVAL).await;
        throttled.report(Some(0.1), "b");
        throttled.report(Some(f64::NAN), "c");
        tokio::time::advance(INTERVAL).await;
        throttled.report(Some(7.0), "d");
        let expected = [(Some(0.1), "a"), (Some(0.1), "b"), (Some(0.1), "c"), (Some(1.0), "d")];
        let expected: Vec<_> = expected.map(|(fraction, message)| (fraction, message.to_owned())).into();
        assert_eq!(*recorded.0.lock().unwrap(), expected);
    }
}
