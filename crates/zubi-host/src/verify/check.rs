//! The objects that a check examines, and its result.

use serde_json::Value;

use crate::local::{HostConfig, LocalHost};

/// The outcome of a check: facts, or an error and its hint.
pub(super) type CheckOutcome = Result<CheckFinding, CheckProblem>;

pub(super) enum CheckFinding {
    Facts(Value),
    /// The check does not apply here, for this reason.
    Nothing(&'static str),
}

pub(super) struct CheckProblem {
    pub(super) error: String,
    pub(super) hint: String,
}

impl CheckProblem {
    pub(super) fn new(error: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { error: error.into(), hint: hint.into() }
    }
}

pub(super) fn fail(error: impl Into<String>, hint: impl Into<String>) -> CheckOutcome {
    Err(CheckProblem::new(error, hint))
}

/// The objects that the checks examine.
pub(super) struct VerifyContext {
    pub(super) config: HostConfig,
    pub(super) host: LocalHost,
}
