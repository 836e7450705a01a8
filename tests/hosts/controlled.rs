//! A project whose language server the test controls: it ignores some methods and records received messages.

use camino::Utf8PathBuf;
use zubi_tests::hosts::{HostsProject, STEP_TIMEOUT, eventually};
use zubi_tests::processes::Process;
use zubi_tests::{Project, hosts};

/// The text of a hover when the server does not delay it.
pub(crate) const ANSWER: &str = "a word";

/// The directory outside the workspace that the server may write.
fn records(project: &Project) -> Utf8PathBuf {
    project.root().parent().expect("a directory of the test's own").join("records")
}

/// A Python project with one file in the language of the controlled server.
pub(crate) struct ControlledProject(pub(crate) HostsProject);

impl ControlledProject {
    pub(crate) fn new() -> Self {
        let project = Project::empty();
        project.write("a.hostile", "alpha beta\n");
        let config = project.home().join("config/zubi");
        std::fs::create_dir_all(&config).expect("directories");
        let program = env!("CARGO_BIN_EXE_hostile");
        let records = records(&project);
        std::fs::create_dir(&records).expect("a new directory");
        let row = format!(
            "[[server]]\n\
             id = \"steered\"\n\
             title = \"steered\"\n\
             command = \"{program}\"\n\
             args = [\"steered\"]\n\
             version_args = []\n\
             languages = [{{ id = \"hostile\", extensions = [\"hostile\"] }}]\n\
             untrusted = \"run\"\n\
             access = {{ writes = [\"{records}\"] }}\n\
             readiness = \"initialized\"\n\
             timeouts = {{ initialize_ms = 10000, request_ms = 50000, shutdown_ms = 300 }}\n"
        );
        std::fs::write(config.join("servers.toml"), row).expect("a new file");
        Self(HostsProject::new(project, &[]))
    }

    fn record(&self, name: &str) -> Utf8PathBuf {
        records(&self.0.project).join(name)
    }

    /// Makes the server answer all methods except these.
    pub(crate) fn withhold_answers(&self, methods: &[&str]) {
        std::fs::write(self.record("held"), methods.join("\n")).expect("a file");
    }

    /// Returns the number of received notifications with this method.
    pub(crate) fn notification_count(&self, method: &str) -> usize {
        let log = std::fs::read_to_string(self.record("heard")).unwrap_or_default();
        log.lines().filter(|line| *line == method).count()
    }

    /// Waits until the server has received this number of them.
    pub(crate) fn wait_until_received(&self, method: &str, times: usize) {
        let what = format!("the server hears {method} {times} times");
        eventually(&what, STEP_TIMEOUT, || (self.notification_count(method) >= times).then_some(()));
    }

    /// The running servers.
    pub(crate) fn servers() -> Vec<Process> {
        hosts::running_programs("hostile steered")
    }
}
