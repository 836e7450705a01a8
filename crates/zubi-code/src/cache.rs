//! A cache of values derived from earlier requests; the values are valid until a file changes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The last `N` values, valid only while no file of the workspace changes.
///
/// The number of changes ([`zubi_base::endpoint::EndpointSource::file_changes`]) shows whether a file changed. The
/// caller reads it before it reads any file, so that the cache does not store a value that a change made obsolete.
pub(crate) struct RevisionCache<K, V, const N: usize>(Mutex<CachedValue<K, V>>);

struct CachedValue<K, V> {
    changes: u64,
    /// Oldest first.
    values: VecDeque<(K, Arc<V>)>,
}

impl<K, V, const N: usize> Default for RevisionCache<K, V, N> {
    fn default() -> Self {
        Self(Mutex::new(CachedValue { changes: 0, values: VecDeque::new() }))
    }
}

impl<K: PartialEq, V, const N: usize> RevisionCache<K, V, N> {
    /// Returns the value for a key. `changes` is `None` if no source watches the files; the cache is then unused.
    pub(crate) fn get(&self, changes: Option<u64>, key: &K) -> Option<Arc<V>> {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut values = remembered.values.iter().filter(|_| changes == Some(remembered.changes));
        values.find(|(known, _)| known == key).map(|(_, value)| Arc::clone(value))
    }

    /// Stores a value derived from the files as of `changes`.
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
