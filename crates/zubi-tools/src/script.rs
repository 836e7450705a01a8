//! The tool that runs JavaScript over other tools. MCP lists and finds it only if the user enables the toolset.
//!
//! The code runs in a process of its own (`zubi_exec::script`), which can reach nothing but these calls. Each call goes
//! through the registry, so its effects are validated, judged, approved and recorded as those of a direct call.

mod nested;
mod run_script;

use std::sync::Arc;

use zubi_base::process::Spawner;
use zubi_exec::job::Jobs;
use zubi_exec::script::Runner;
use zubi_tool_api::{ToolProvider, static_provider};

use self::run_script::{RunScript, ScriptContext};
use crate::adapter::tool;
use crate::tools::RegistryHandle;

/// The name of the toolset for `--toolsets`.
pub const TOOLSET: &str = "script";

/// Creates the provider. `calls` is the registry that has the tools which scripts call.
pub fn provider(spawner: &Spawner, jobs: &Arc<Jobs>, calls: &RegistryHandle) -> Arc<dyn ToolProvider> {
    let context = Arc::new(ScriptContext {
        runner: spawner.executable().map(|zubi| Runner::new(spawner.clone(), zubi)),
        jobs: Arc::clone(jobs),
        calls: calls.clone(),
    });
    static_provider("script", "Scripts", vec![tool::<RunScript>(&context)])
}
