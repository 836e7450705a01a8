//! The verdict on an answer: who gave it, how ready they were, and whether anything can be missing.

use zubi_base::endpoint::{EndpointId, MissingServer, Readiness};

/// Whether anything can be missing from an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Completeness {
    /// Every queried endpoint had read the project.
    #[default]
    Complete,
    /// Something is known to be missing, or an endpoint was still reading.
    Partial { reason: String },
    /// The endpoint has no signal from which completeness could be derived.
    Unknown { reason: String },
}

/// One endpoint that took part in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweringEndpoint {
    pub id: EndpointId,
    /// As it was when the question was sent; a server that got ready meanwhile may still have answered from less.
    pub readiness: Readiness,
}

/// The source of an answer and how far it can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerStatus {
    pub endpoints: Vec<AnsweringEndpoint>,
    /// Why others did not answer.
    pub absent: Vec<MissingServer>,
    pub completeness: Completeness,
    /// Further clauses: what was analysed, which endpoint failed, what could not be assured.
    pub notes: Vec<String>,
    /// Something that reports problems has not spoken about the present text: a checker that still runs.
    pub is_partial: bool,
    /// The answer, or a part of it, is from texts alone: names, not what they mean.
    pub text_search: bool,
    /// Caveats about knowledge of libraries; reported only where they matter, see [`Self::add_library_caveats`].
    pub beyond: Vec<String>,
}

impl AnswerStatus {
    /// `rust-analyzer`, `pyright + ruff`, `no server`. Each name once: a server runs for each project.
    pub fn endpoint_line(&self) -> String {
        if self.text_search {
            let ids = self.names().into_iter();
            return ids.chain(["text search: names only"]).collect::<Vec<_>>().join(" + ");
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

    /// `ready`, or what the least ready endpoint is doing.
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
                // The answer is whole all the same: it needed one file only, or was checked by other means. Naming the
                // state of the rest of the project would cry wolf.
                (Readiness::Unknown { .. } | Readiness::Loading { .. }, Completeness::Complete) => "ready".to_owned(),
                (readiness, _) => readiness.to_string(),
            })
            .unwrap_or_default()
    }

    /// Everything after the readiness, as one clause list; `None` when there is nothing to say.
    pub fn note(&self) -> Option<String> {
        let mut parts = Vec::new();
        match &self.completeness {
            Completeness::Complete => {}
            Completeness::Partial { reason } => parts.push(format!("may be incomplete: {reason}")),
            // Said already, as the first thing.
            Completeness::Unknown { .. } if self.text_search => {}
            Completeness::Unknown { reason } => parts.push(format!("completeness unknown: {reason}")),
        }
        parts.extend(self.notes.iter().cloned());
        // With an answer at hand, an absent companion is worth a clause; without one, its `reason` is the first field
        // already and only the way out is missing.
        for absent in self.absent.iter().take(MAX_ABSENT) {
            parts.push(if self.endpoints.is_empty() && !self.text_search {
                absent.hint.clone()
            } else {
                format!("{}: {}", absent.reason, absent.hint)
            });
        }
        parts.extend(more_absent(self.absent.len()));
        (!parts.is_empty()).then(|| parts.join(" · "))
    }

    pub fn complete(&self) -> Option<bool> {
        match self.completeness {
            Completeness::Complete => Some(!self.endpoints.is_empty()),
            Completeness::Partial { .. } => Some(false),
            Completeness::Unknown { .. } => None,
        }
    }

    /// Says what limits knowledge of libraries, where an answer may be due to that: nothing was found, or problems were.
    pub fn add_library_caveats(&mut self, is_relevant: bool) {
        let beyond = std::mem::take(&mut self.beyond);
        if is_relevant {
            self.notes.extend(beyond);
        }
    }

    /// Marks the answer as possibly incomplete, unless it is marked already.
    pub(crate) fn mark_incomplete(&mut self, reason: String) {
        self.merge(Self { completeness: Completeness::Partial { reason }, ..Self::default() });
    }

    /// Adds what another part of the same answer reported.
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
        self.text_search |= other.text_search;
        add_missing(&mut self.notes, other.notes);
        add_missing(&mut self.beyond, other.beyond);
        if matches!(self.completeness, Completeness::Complete)
            || matches!(
                (&self.completeness, &other.completeness),
                (Completeness::Unknown { .. }, Completeness::Partial { .. })
            )
        {
            self.completeness = other.completeness;
        }
    }
}

/// The most who could have answered that are named; `zubi doctor` names all.
pub(crate) const MAX_ABSENT: usize = 2;

/// That there are others than those named.
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

/// An answer with its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QualifiedAnswer<T> {
    pub value: T,
    pub status: AnswerStatus,
}
