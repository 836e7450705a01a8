//! The errors and warnings that a server reports about itself or the project, with the commands that cure them.

use zubi_base::endpoint::Caveats;

use super::ServerEndpoint;
use crate::health::Health;

impl ServerEndpoint {
    /// Adds what the server reports now to the caveats of an answer.
    pub(super) fn add_health(&self, caveats: &mut Caveats) {
        let (message, facts) = match self.health() {
            Some(Health::Error(message)) => (message, &mut caveats.failures),
            Some(Health::Warning(message)) => (message, &mut caveats.health),
            None => return,
        };
        let clause = format!("{}: {message}", self.id);
        if let Some(cure) = self.cure(&message) {
            caveats.cures.insert(clause.clone(), cure.clone());
        }
        facts.push(clause);
    }

    /// Returns the command that cures what the server reports.
    fn cure(&self, message: &str) -> Option<&String> {
        self.shared.launch.cures.iter().find_map(|(part, cure)| message.contains(part.as_str()).then_some(cure))
    }

    /// Returns the error or warning that the server reports about itself or the project, with its cure.
    pub(super) fn health(&self) -> Option<Health> {
        let with_cure = |message: String| match self.cure(&message) {
            Some(cure) => format!("{message} (`{cure}`)"),
            None => message,
        };
        self.running_now()?.health().map(|health| match health {
            Health::Error(message) => Health::Error(with_cure(message)),
            Health::Warning(message) => Health::Warning(with_cure(message)),
        })
    }
}
