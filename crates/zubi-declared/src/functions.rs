//! Functions that clients of a host register for declared tools of the kind `function`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use zubi_tool_api::ToolCx;

/// Reason why a tool whose function is not registered cannot run, as a clause.
pub(super) const NOT_REGISTERED: &str = "the function it calls is not registered";

/// Hint for a function that is not registered.
pub(super) const REGISTER_HINT: &str =
    "It works once an extension or a program registers that function; use another tool until then.";

/// Reason why a function returned no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// The function itself reported an error.
    #[error("{0}")]
    Failed(String),
    /// The client that registered the function is disconnected.
    #[error("the client that registered it is disconnected: {0}")]
    Disconnected(String),
    #[error("no answer before the time-out")]
    TimedOut,
    #[error("the call was cancelled")]
    Cancelled,
}

/// A function that can be called in another program.
#[async_trait]
pub trait Function: Send + Sync {
    /// Calls the function and waits for its result, until `cx` is cancelled or its deadline passes.
    async fn call(&self, arguments: Value, cx: &ToolCx) -> Result<Value, FunctionError>;
}

/// Registered functions, by name.
#[derive(Default)]
pub struct Functions {
    by_name: Mutex<BTreeMap<String, Arc<dyn Function>>>,
    version: AtomicU64,
}

impl Functions {
    /// Registers a function. Returns false if the name is taken.
    pub fn add(&self, name: &str, function: Arc<dyn Function>) -> bool {
        let mut functions = self.lock();
        if functions.contains_key(name) {
            return false;
        }
        functions.insert(name.to_owned(), function);
        self.version.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Removes a function. Running calls continue.
    pub fn remove(&self, name: &str) {
        if self.lock().remove(name).is_some() {
            self.version.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns whether a function of this name is registered.
    pub fn has(&self, name: &str) -> bool {
        self.lock().contains_key(name)
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<dyn Function>> {
        self.lock().get(name).cloned()
    }

    /// Returns a number that changes with every registration and removal.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<dyn Function>>> {
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the result of a function or of a tool's code as text: strings unchanged, other values as JSON, null as
/// `(no result)`.
pub fn result_text(value: &Value) -> String {
    match value {
        Value::Null => "(no result)".to_owned(),
        Value::String(text) => text.clone(),
        other => format!("{other:#}"),
    }
}
