//! The parameters of a server, from its row of the catalogue.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use zubi_base::endpoint::Caveats;
use zubi_base::process::CommandSpec;
use zubi_base::workspace::Folder;

use super::conditions::LaunchConditions;
use super::{NeededServer, PoolState};
use crate::capabilities::ServerCapabilities;
use crate::catalogue::ServerRole;
use crate::endpoint::{LaunchSpec, RetentionPolicy};
use crate::session::SessionSpec;

impl PoolState {
    pub(super) fn launch(
        &self,
        needed: &NeededServer,
        program: &Utf8Path,
        conditions: &LaunchConditions,
        caveats: Caveats,
    ) -> LaunchSpec {
        let LaunchConditions { trusted, python, cargo } = conditions;
        let python = python.as_ref();
        let NeededServer { row, folder, .. } = needed;
        let root = needed.root();
        let name = if *root == folder.path { folder.name.clone() } else { root.file_name().unwrap_or("/").to_owned() };
        let withheld = ServerCapabilities::methods().filter(|method| !row.answers(method)).map(str::to_owned);
        let spec = SessionSpec {
            name: row.id.as_str().into(),
            folder: Folder { name, path: root.clone() },
            signal: row.readiness.clone(),
            settings: row.settings(*trusted, python),
            initialization_options: cargo.extend(row.initialization_options(*trusted, python)),
            push_settings: row.push_settings,
            withheld: row.withheld.iter().cloned().chain(withheld).collect(),
            checker: row.checker.clone(),
            document_status: row.document_status.clone(),
            diagnostic_rounds: row.diagnostic_rounds.clone(),
            health_signs: row.health_signs.clone(),
            status_reason: row.status_reason.clone(),
            barrier_method: row.barrier_method.clone(),
            encoding: row.encoding,
            names_versions: row.names_versions,
            publishes_in_parts: row.publishes_in_parts,
            diagnoses_text_only: row.diagnoses_text_only,
            also_reads: row.also_reads.clone(),
            tsserver_takes_paths: row.tsserver_takes_paths,
            tsserver_command: row.tsserver_command.clone(),
            freshness: row.freshness,
            language_table: Arc::clone(&self.languages),
            languages: row.languages.iter().map(|language| language.id.clone()).collect(),
            extensions: row.extensions().map(str::to_owned).collect(),
            root_markers: row.root_markers.iter().flatten().cloned().collect(),
            configure_on: row.configure_on.clone(),
            reload: row.reload.clone(),
            own_watcher: row.own_watcher_ms.map(Duration::from_millis),
            needs_document: row.needs_document,
            start_timeout: row.timeouts.initialize(),
            shutdown_timeout: row.timeouts.shutdown(),
            diagnoses: row.roles.contains(&ServerRole::Diagnostics),
        };
        let mut command = CommandSpec::new(program, root.clone()).args(row.args.iter().cloned());
        for (variable, value) in row.variables(python) {
            command.environment = command.environment.with_variable(variable, value);
        }
        LaunchSpec {
            spec,
            command,
            access: cargo.extend_access(row.access.clone()),
            workspace: Arc::clone(&self.workspace),
            allowed_commands: row.commands.clone(),
            per_project: row.per_project.clone(),
            request_timeout: row.timeouts.request(),
            virtual_documents: row.virtual_documents.clone(),
            retention: RetentionPolicy { idle: Duration::from_millis(row.idle_ms), memory_mb: row.max_memory_mb },
            caveats,
            cures: row.cures.clone(),
        }
    }
}
