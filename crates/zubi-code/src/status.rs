//! The status of an answer: its servers, their readiness, and whether anything may be missing.

use zubi_base::endpoint::{EndpointId, MissingServer, Readiness};
use zubi_base::text::pluralize;

/// Whether an answer may be incomplete.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Completeness {
    /// Every queried endpoint had read the project.
    #[default]
    Complete,
    /// Something is missing, or an endpoint was still loading.
    Partial { reason: String },
    /// The endpoint has no signal that shows completeness.
    Unknown { reason: String },
}

/// One endpoint that contributed to an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweringEndpoint {
    pub id: EndpointId,
    /// The state when the request was sent; a server that became ready meanwhile may have used less data.
    pub readiness: Readiness,
}

/// The source of an answer, or of its least certain part. A later source knows less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum AnswerSource {
    /// The endpoints.
    #[default]
    Servers,
    /// Imported exact data, compared with the present files ([`crate::exact_index`]).
    Exact,
    /// The declarations of files by their syntax: names without their meaning.
    Syntax,
    /// The index of declarations, by syntax, compared with the present files.
    Index,
    /// A search for words: also in comments and strings.
    Text,
}

impl AnswerSource {
    /// Returns the name in JSON answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Servers => "server",
            Self::Exact => "scip",
            Self::Syntax => "syntax",
            Self::Index => "index",
            Self::Text => "text",
        }
    }

    /// The clause in the status line.
    fn label(self) -> Option<&'static str> {
        match self {
            Self::Servers => None,
            Self::Exact => Some("scip"),
            Self::Syntax => Some("syntax only: names not resolved"),
            Self::Index => Some("index · syntax only, names not resolved"),
            Self::Text => Some("text search: names only"),
        }
    }
}

/// The imported data in an answer; see [`crate::exact_index`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExactCoverage {
    /// The origins: the short id of the commit, or the name of the program that made the data.
    pub origins: Vec<String>,
    /// The number of files whose locations are exact.
    pub exact: usize,
    /// The number of files that have changed since the import, so that only the name was searched in them.
    pub changed: usize,
}

impl ExactCoverage {
    /// Returns `scip 3f2a91c`.
    fn label(&self) -> String {
        format!("{} {}", AnswerSource::Exact.name(), self.origins.join(", "))
    }

    /// Returns `12 files exact, 2 changed since: name only`.
    fn describe(&self) -> String {
        let exact = format!("{} exact", pluralize(self.exact, "file"));
        match self.changed {
            0 => exact,
            changed => format!("{exact}, {changed} changed since: name only"),
        }
    }

    fn merge(&mut self, other: Self) {
        add_missing(&mut self.origins, other.origins);
        // The parts of an answer are about the same files.
        self.exact = self.exact.max(other.exact);
        self.changed = self.changed.max(other.changed);
    }
}

/// The source of an answer and how far it can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerStatus {
    pub endpoints: Vec<AnsweringEndpoint>,
    /// Servers that could not contribute, with reasons.
    pub absent: Vec<MissingServer>,
    pub completeness: Completeness,
    /// Further clauses: what was analysed, which endpoint failed, what is uncertain.
    pub notes: Vec<String>,
    /// Whether a source of diagnostics has not reported for the current text, such as a running checker.
    pub is_partial: bool,
    pub source: AnswerSource,
    /// The imported data in the answer.
    pub exact: Option<ExactCoverage>,
    /// Parts of the project that an endpoint has not read, with reasons and cures. They mark the answer as possibly
    /// incomplete unless it excuses them; see [`Self::excuse_gaps`].
    pub gaps: Vec<String>,
    /// Caveats about libraries, shown only if relevant; see [`Self::add_library_caveats`].
    pub beyond: Vec<String>,
    /// The caveats among `beyond` that belong to the environment, so that they are the same in every answer.
    pub(crate) environment: Vec<String>,
    /// Notes about the environment that may explain diagnostics. A session needs each only once.
    pub remarks: Vec<String>,
    /// The environments whose packages are known, shown like `beyond`, but with diagnostics only if an import is
    /// unresolved.
    pub packages: Vec<String>,
}

impl AnswerStatus {
    /// Returns `rust-analyzer`, `pyright + ruff` or `no server`. Names a server of several projects once.
    pub fn endpoint_line(&self) -> String {
        if let Some(label) = self.source.label() {
            let exact = self.exact.as_ref().filter(|_| self.source == AnswerSource::Exact).map(ExactCoverage::label);
            let ids = self.names().into_iter();
            return ids.chain([exact.as_deref().unwrap_or(label)]).collect::<Vec<_>>().join(" + ");
        }
        if self.endpoints.is_empty() {
            return self.absent.first().map_or_else(|| "no server".to_owned(), |absent| absent.reason.clone());
        }
        self.names().join(" + ")
    }

    fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for state in &self.endpoints {
            if !names.contains(&state.id.0.as_ref()) {
                names.push(state.id.0.as_ref());
            }
        }
        names
    }

    /// Returns `ready`, or the state of the least ready endpoint.
    pub fn readiness_line(&self) -> String {
        self.endpoints
            .iter()
            .map(|state| &state.readiness)
            .max_by_key(|readiness| match readiness {
                Readiness::Ready => 0,
                Readiness::Unknown { .. } => 1,
                Readiness::Loading { .. } => 2,
                Readiness::Starting => 3,
                Readiness::Failed { .. } => 4,
            })
            .map(|readiness| match (readiness, &self.completeness) {
                // The answer is complete: it needed one file only, or was checked in another way. The state of the rest
                // of the project would be a false alarm.
                (Readiness::Unknown { .. } | Readiness::Loading { .. }, Completeness::Complete) => "ready".to_owned(),
                (readiness, _) => readiness.to_string(),
            })
            .unwrap_or_default()
    }

    /// Returns everything after the readiness as a list of clauses; `None` if there is nothing to report.
    pub fn note(&self) -> Option<String> {
        let mut parts = Vec::new();
        match &self.completeness {
            Completeness::Complete if self.gaps.is_empty() => {}
            Completeness::Complete => parts.push(format!("may be incomplete: {}", self.gaps.join("; "))),
            Completeness::Partial { reason } => parts.push(format!("may be incomplete: {reason}")),
            // The first field already says this.
            Completeness::Unknown { .. } if self.source != AnswerSource::Servers => {}
            Completeness::Unknown { reason } => parts.push(format!("completeness unknown: {reason}")),
        }
        if let Some(exact) = &self.exact {
            parts.push(match self.source {
                AnswerSource::Exact => exact.describe(),
                _ => format!("{}: {}", exact.label(), exact.describe()),
            });
        }
        if self.completeness != Completeness::Complete {
            parts.extend(self.gaps.iter().cloned());
        }
        parts.extend(self.notes.iter().filter(|note| !self.gaps.contains(note)).cloned());
        parts.extend(self.remarks.iter().cloned());
        // With an answer, an absent server is worth a clause. Without one, the first field already has the `reason`,
        // and only the hint is missing.
        for absent in self.absent.iter().take(MAX_ABSENT) {
            let has_reason = self.endpoints.is_empty() && self.source == AnswerSource::Servers;
            let reason = Some(&absent.reason).filter(|_| !has_reason);
            // Empty if the session has seen it.
            let hint = Some(&absent.hint).filter(|hint| !hint.is_empty());
            let clauses: Vec<&str> = reason.into_iter().chain(hint).map(String::as_str).collect();
            if !clauses.is_empty() {
                parts.push(clauses.join(": "));
            }
        }
        parts.extend(more_absent(self.absent.len()));
        (!parts.is_empty()).then(|| parts.join(" · "))
    }

    pub fn complete(&self) -> Option<bool> {
        match self.completeness {
            Completeness::Complete => Some(!self.endpoints.is_empty() && self.gaps.is_empty()),
            Completeness::Partial { .. } => Some(false),
            Completeness::Unknown { .. } => None,
        }
    }

    /// Adds the caveats about libraries if they may affect the answer: nothing was found, or diagnostics were.
    pub fn add_library_caveats(&mut self, is_relevant: bool) {
        let caveats = [std::mem::take(&mut self.beyond), std::mem::take(&mut self.packages)].concat();
        if is_relevant {
            self.notes.extend(caveats);
        }
    }

    /// Adds the caveats about libraries that may explain diagnostics: the environment only explains an unresolved
    /// import.
    pub(crate) fn add_library_caveats_to(&mut self, has_diagnostics: bool, has_unresolved_import: bool) {
        if !has_unresolved_import {
            self.packages.clear();
        }
        if has_diagnostics {
            let environment = std::mem::take(&mut self.environment);
            let (remarks, beyond) =
                std::mem::take(&mut self.beyond).into_iter().partition(|clause| environment.contains(clause));
            self.beyond = beyond;
            add_missing(&mut self.remarks, std::mem::take(&mut self.packages));
            add_missing(&mut self.remarks, remarks);
        }
        self.add_library_caveats(has_diagnostics);
    }

    /// Removes the mark of unread parts of the project, because they cannot affect this answer.
    pub(crate) fn excuse_gaps(&mut self) {
        self.gaps.clear();
    }

    /// Removes the marks of what the endpoints may not have read, because they found the one place or text that was
    /// requested. The reasons become remarks, so that a session sees each once.
    pub fn excuse_found(&mut self) {
        if matches!(self.completeness, Completeness::Unknown { .. }) && self.source == AnswerSource::Servers {
            self.completeness = Completeness::Complete;
        }
        add_missing(&mut self.remarks, std::mem::take(&mut self.gaps));
        add_missing(&mut self.remarks, std::mem::take(&mut self.notes));
    }

    /// Marks the answer as possibly incomplete, or adds a reason to the mark.
    pub fn mark_incomplete(&mut self, reason: String) {
        self.merge(Self { completeness: Completeness::Partial { reason }, ..Self::default() });
    }

    /// Adds the status of the search for the target. It does not make exact locations less exact: they belong to the
    /// position that the answer names.
    pub fn merge_target(&mut self, target: Self) {
        let source = self.source;
        self.merge(target);
        if source == AnswerSource::Exact {
            self.source = source;
        }
    }

    /// Adds the status of another part of the same answer.
    pub fn merge(&mut self, other: Self) {
        for state in other.endpoints {
            if self.endpoints.iter().all(|existing| existing.id != state.id) {
                self.endpoints.push(state);
            }
        }
        for absent in other.absent {
            if !self.absent.contains(&absent) {
                self.absent.push(absent);
            }
        }
        self.is_partial |= other.is_partial;
        self.source = self.source.max(other.source);
        match (&mut self.exact, other.exact) {
            (Some(exact), Some(other)) => exact.merge(other),
            (None, Some(other)) => self.exact = Some(other),
            (_, None) => {}
        }
        add_missing(&mut self.notes, other.notes);
        add_missing(&mut self.gaps, other.gaps);
        add_missing(&mut self.beyond, other.beyond);
        add_missing(&mut self.packages, other.packages);
        add_missing(&mut self.environment, other.environment);
        add_missing(&mut self.remarks, other.remarks);
        match (&mut self.completeness, other.completeness) {
            (Completeness::Complete, completeness) => self.completeness = completeness,
            (Completeness::Unknown { .. }, partial @ Completeness::Partial { .. }) => self.completeness = partial,
            (Completeness::Partial { reason }, Completeness::Partial { reason: further })
                if !reason.contains(&further) =>
            {
                *reason = format!("{reason}; {further}");
            }
            _ => {}
        }
    }
}

/// The maximum number of absent servers that an answer names; `zubi doctor` lists all.
pub(crate) const MAX_ABSENT: usize = 2;

/// Returns a note about the absent servers that are not named, if there are any.
pub(crate) fn more_absent(all: usize) -> Option<String> {
    let more = all.checked_sub(MAX_ABSENT).filter(|more| *more > 0)?;
    Some(format!("{more} other servers could answer: `zubi doctor` lists them"))
}

fn add_missing(notes: &mut Vec<String>, others: Vec<String>) {
    for note in others {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// An answer with its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QualifiedAnswer<T> {
    pub value: T,
    pub status: AnswerStatus,
}
