//! Functions that clients of a host register, for declared tools of the kind `function`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use zubi_tools::ToolCx;

/// Why a tool cannot run whose function nobody has registered, as a clause.
pub(super) const NOBODY: &str = "nobody has registered the function that it calls";

/// What to do then.
pub(super) const REGISTER: &str =
    "It works where an extension or a program registers that function; use another tool here.";

/// Why a function gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// It says so itself.
    #[error("{0}")]
    Failed(String),
    /// Whoever registered it is gone.
    #[error("who has registered it is gone: {0}")]
    Gone(String),
    #[error("there was no answer in time")]
    TimedOut,
    #[error("the call was cancelled")]
    Cancelled,
}

/// Something that can be called in another program.
#[async_trait]
pub trait Function: Send + Sync {
    /// Calls it and waits for what it gives; until `cx` says that nobody waits any more.
    async fn call(&self, arguments: Value, cx: &ToolCx) -> Result<Value, FunctionError>;
}

/// All that are registered, by name.
#[derive(Default)]
pub struct Functions {
    by_name: Mutex<BTreeMap<String, Arc<dyn Function>>>,
    version: AtomicU64,
}

impl Functions {
    /// Registers a function. Whether the name was free.
    pub fn add(&self, name: &str, function: Arc<dyn Function>) -> bool {
        let mut functions = self.functions();
        if functions.contains_key(name) {
            return false;
        }
        functions.insert(name.to_owned(), function);
        self.version.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Takes one away. Calls that run go on.
    pub fn remove(&self, name: &str) {
        if self.functions().remove(name).is_some() {
            self.version.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether somebody has registered it.
    pub fn has(&self, name: &str) -> bool {
        self.functions().contains_key(name)
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<dyn Function>> {
        self.functions().get(name).cloned()
    }

    /// Another number whenever they are others.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    fn functions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<dyn Function>>> {
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a function or a tool's code gives, as text: a text as it is, anything else as JSON, nothing as that.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "(no result)".to_owned(),
        Value::String(text) => text.clone(),
        other => format!("{other:#}"),
    }
}
