//! What earlier questions worked out and what stays true until a file changes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Remembers the last `N` values, and all of them only while the workspace's files are as they were. "As they were" is
/// told by the number of changes seen ([`zubi_base::endpoint::EndpointSource::file_changes`]): whoever looks a value up
/// or puts one in says at which number he began, so that nothing read before a change is kept after it.
pub(crate) struct RevisionCache<K, V, const N: usize>(Mutex<CachedValue<K, V>>);

struct CachedValue<K, V> {
    changes: u64,
    /// The newest last.
    values: VecDeque<(K, Arc<V>)>,
}

impl<K, V, const N: usize> Default for RevisionCache<K, V, N> {
    fn default() -> Self {
        Self(Mutex::new(CachedValue { changes: 0, values: VecDeque::new() }))
    }
}

impl<K: PartialEq, V, const N: usize> RevisionCache<K, V, N> {
    /// The value for a key. `changes` is `None` where nobody follows the files; then nothing is remembered.
    pub(crate) fn get(&self, changes: Option<u64>, key: &K) -> Option<Arc<V>> {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut values = remembered.values.iter().filter(|_| changes == Some(remembered.changes));
        values.find(|(known, _)| known == key).map(|(_, value)| Arc::clone(value))
    }

    /// Keeps a value that was worked out from the files as they were at `changes`.
    pub(crate) fn insert(&self, changes: Option<u64>, key: K, value: &Arc<V>) {
        let Some(changes) = changes else { return };
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.changes < changes {
            *remembered = CachedValue { changes, values: VecDeque::new() };
        }
        if remembered.changes == changes {
            remembered.values.retain(|(known, _)| *known != key);
            remembered.values.push_back((key, Arc::clone(value)));
            let beyond = remembered.values.len().saturating_sub(N);
            drop(remembered.values.drain(..beyond));
        }
    }
}
