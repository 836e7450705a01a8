//! Parallel work on many files, on one thread per processor.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The minimum number of items per thread; with fewer, a thread costs more than it saves.
const MIN_ITEMS_PER_THREAD: usize = 16;

/// The maximum number of threads; more would wait for each other at the one model.
const MAX_THREADS: usize = 8;

/// Applies `work` to each item and returns the results in order. Each thread has its own state from `state`.
pub(super) fn map<T: Sync, S: Send, R: Send>(
    items: &[T],
    state: impl Fn() -> S,
    work: impl Fn(&S, &T) -> R + Sync,
) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(MAX_THREADS).min(items.len() / MIN_ITEMS_PER_THREAD);
    if threads < 2 {
        let state = state();
        return items.iter().map(|item| work(&state, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let share = |state: S| {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return done };
            done.push((number, work(&state, item)));
        }
    };
    let mut results = thread::scope(|scope| {
        let handles: Vec<_> = (1..threads)
            .map(|_| {
                let state = state();
                scope.spawn(|| share(state))
            })
            .collect();
        let mut results = share(state());
        for handle in handles {
            match handle.join() {
                Ok(done) => results.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_preserve_input_order() {
        for count in [0, 1, 5, 1000_u32] {
            let items: Vec<u32> = (0..count).collect();
            assert_eq!(map(&items, || 1, |one, item| item + one), (1..=count).collect::<Vec<_>>());
        }
    }
}
