//! JavaScript of tools: code that computes on its arguments, may call other tools, and can access nothing else.
//!
//! This module provides the language, its globals and its limits. Tool calls go to a [`NestedCaller`], which uses the
//! registry, and so the policy, like any other caller.
//!
//! # The code
//!
//! The code is the body of an async function, so `return` and `await` may be used:
//!
//! | name | meaning |
//! |---|---|
//! | `args` | the arguments of the call, as validated |
//! | `tools.call(name, args)` | calls a tool and returns its result; throws an `Error` when it fails or is denied |
//! | `tools.NAME(args)` | the same, for a name that JavaScript can write |
//! | `console.log(…)` | adds a line to the log, which is a part of the answer |
//! | `result` | its value is the answer, unless the code returns one |
//!
//! The language itself (ECMAScript, QuickJS-ng) has `JSON`, `Math`, `Date`, `RegExp`, `Map`, `Promise`, … It has no
//! files, network, processes, timers, `import` or `require`. The answer is the JSON form of the value; `undefined` is
//! `null`.
//!
//! # Two barriers
//!
//! The engine has no function that reaches outside ([`engine`]), and it runs in a process of its own, `zubi __js`
//! ([`child`]), which has an empty environment. Memory, stack, time, calls, output and result have limits.
//!
//! # Messages between the processes
//!
//! One JSON value per line. To the child: a [`ScriptJob`], then a [`CallReply`] for each call. From it:
//! [`ChildMessage`]s, the last of which is [`ChildMessage::Done`].

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub mod child;
pub mod engine;
mod parent;

#[cfg(test)]
mod tests;

pub use parent::{MAX_CALLS, MAX_DEPTH, NestedCaller, NoCalls, Runner, ScriptError};

/// The argument with which zubi starts itself to run code.
pub const CHILD_ARGUMENT: &str = "__js";

/// The maximum size of a result and of the arguments of one nested call, in bytes of JSON.
pub const MAX_RESULT: usize = 1024 * 1024;

/// The maximum size of the log, in bytes.
pub const MAX_LOG: usize = 64 * 1024;

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptLimits {
    /// The maximum size of the engine's heap, in bytes.
    pub memory: usize,
    /// The maximum size of the engine's stack, in bytes; the thread's own is 8 MiB.
    pub stack: usize,
    /// The maximum computing time without nested calls, in milliseconds.
    pub time_ms: u64,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        Self { memory: 64 * 1024 * 1024, stack: 512 * 1024, time_ms: 10_000 }
    }
}

impl ScriptLimits {
    fn time(self) -> Duration {
        Duration::from_millis(self.time_ms)
    }
}

/// The code to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScriptJob {
    pub code: String,
    pub args: Map<String, Value>,
    #[serde(default)]
    pub limits: ScriptLimits,
}

/// A message of the child.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChildMessage {
    /// A call of a tool. The next line to the child is the [`CallReply`].
    Call {
        tool: String,
        args: Value,
    },
    Done(ScriptEnd),
}

/// The outcome of a nested call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallReply {
    Result(Value),
    Error(String),
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScriptEnd {
    pub outcome: Result<Value, ScriptException>,
    /// The log, one line per entry.
    pub log: Vec<String>,
    /// Whether the log exceeded its limit.
    pub log_truncated: bool,
}

/// An exception of the code, or an exceeded limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptException {
    pub message: String,
    /// The 1-based line in the code, if known.
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl std::fmt::Display for ScriptException {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "{line}:{column}: {}", self.message),
            (Some(line), None) => write!(f, "{line}: {}", self.message),
            _ => f.write_str(&self.message),
        }
    }
}
