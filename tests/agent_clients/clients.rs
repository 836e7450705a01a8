//! The configuration of each agent: a model on loopback, and zubi as its only MCP server.
//!
//! Each agent gets the configuration that its user would write for zubi, in the user's own files, and the flags that its
//! vendor documents for a run without a terminal.

use serde_json::{Value, json};
use zubi_tests::models::MODEL;
use zubi_tests::tools;

/// The user's message. The scripted model does not read it.
const PROMPT: &str = "Rename the method, check the project, and revert the rename.";

/// A key that no server accepts. The agents require one.
const KEY: &str = "no-key";

/// A program, and how a test starts it.
pub(crate) struct AgentClient {
    pub(crate) component: &'static str,
    pub(crate) program: &'static str,
    pub(crate) arguments: Vec<&'static str>,
    /// Environment variables.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// Files below the home directory, with their texts.
    pub(crate) files: Vec<(&'static str, String)>,
}

/// Variables that let every request beyond this machine fail at once: port 9 of loopback has no proxy.
pub(crate) fn without_network() -> Vec<(&'static str, String)> {
    let proxy = |name| (name, "http://127.0.0.1:9".to_owned());
    let direct = |name| (name, "127.0.0.1,localhost".to_owned());
    vec![
        proxy("HTTP_PROXY"),
        proxy("HTTPS_PROXY"),
        proxy("http_proxy"),
        proxy("https_proxy"),
        direct("NO_PROXY"),
        direct("no_proxy"),
    ]
}

/// The entry of zubi in a file with `mcpServers`, and what a client adds to it.
fn mcp_servers(more: Value) -> Value {
    let mut entry = json!({ "command": tools::zubi(), "args": ["mcp"] });
    if let (Some(entry), Value::Object(more)) = (entry.as_object_mut(), more) {
        entry.extend(more);
    }
    json!({ "zubi": entry })
}

pub(crate) fn opencode(url: &str) -> AgentClient {
    let provider = json!({ "npm": "@ai-sdk/openai-compatible", "options": { "baseURL": format!("{url}/v1"), "apiKey": KEY },
                           "models": { MODEL: { "name": MODEL } } });
    let config = json!({
        "provider": { "loopback": provider },
        "model": format!("loopback/{MODEL}"),
        "autoupdate": false,
        "share": "disabled",
        "mcp": { "zubi": { "type": "local", "command": [tools::zubi(), "mcp"], "enabled": true } },
    });
    AgentClient {
        component: "opencode",
        program: "opencode",
        arguments: vec!["run", PROMPT],
        variables: Vec::new(),
        files: vec![("config/opencode/opencode.json", config.to_string())],
    }
}

/// Codex runs calls without approval only if no tool says that it destroys something. It passes on few variables unless
/// the configuration names them.
pub(crate) fn codex(url: &str) -> AgentClient {
    let config = format!(
        "model = \"{MODEL}\"
model_provider = \"loopback\"
[model_providers.loopback]
name = \"loopback\"
base_url = \"{url}/v1\"
wire_api = \"responses\"
[mcp_servers.zubi]
command = \"{}\"
args = [\"mcp\"]
required = true
env_vars = [\"XDG_RUNTIME_DIR\", \"XDG_STATE_HOME\", \"XDG_CONFIG_HOME\", \"VIRTUAL_ENV\"]
",
        tools::zubi()
    );
    AgentClient {
        component: "codex",
        program: "codex",
        arguments: vec!["exec", "--skip-git-repo-check", "--sandbox", "workspace-write", PROMPT],
        variables: Vec::new(),
        files: vec![(".codex/config.toml", config)],
    }
}

pub(crate) fn gemini_cli(url: &str) -> AgentClient {
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "privacy": { "usageStatisticsEnabled": false },
        "general": { "enableAutoUpdate": false },
        "mcpServers": mcp_servers(json!({ "trust": true })),
    });
    AgentClient {
        component: "gemini-cli",
        program: "gemini",
        // With an own name for the model, it would first query a model for the choice of a model.
        arguments: vec!["--model", "gemini-2.5-flash", "--prompt", PROMPT],
        variables: vec![
            ("GEMINI_API_KEY", KEY.to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ],
        files: vec![(".gemini/settings.json", settings.to_string())],
    }
}

pub(crate) fn claude_code(url: &str) -> AgentClient {
    let config = json!({ "mcpServers": mcp_servers(json!({ "type": "stdio" })) });
    AgentClient {
        component: "claude-code",
        program: "claude",
        arguments: vec!["--print", PROMPT, "--allowedTools", "mcp__zubi"],
        variables: vec![
            ("ANTHROPIC_BASE_URL", url.to_owned()),
            ("ANTHROPIC_API_KEY", KEY.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ],
        files: vec![(".claude.json", config.to_string())],
    }
}

pub(crate) fn copilot_cli(url: &str) -> AgentClient {
    let config = json!({ "mcpServers": mcp_servers(json!({ "type": "local", "tools": ["*"] })) });
    AgentClient {
        component: "copilot-cli",
        program: "copilot",
        arguments: vec!["--prompt", PROMPT, "--allow-all-tools", "--no-color"],
        variables: vec![
            ("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1")),
            ("COPILOT_PROVIDER_API_KEY", KEY.to_owned()),
            ("COPILOT_MODEL", MODEL.to_owned()),
            ("COPILOT_OFFLINE", "true".to_owned()),
        ],
        files: vec![(".copilot/mcp-config.json", config.to_string())],
    }
}

pub(crate) fn qwen_code(url: &str) -> AgentClient {
    let settings = json!({
        "security": { "auth": { "selectedType": "openai" } },
        "privacy": { "usageStatisticsEnabled": false },
        "general": { "enableAutoUpdate": false },
        "mcpServers": mcp_servers(json!({ "trust": true })),
    });
    AgentClient {
        component: "qwen-code",
        program: "qwen",
        arguments: vec!["--prompt", PROMPT],
        variables: vec![
            ("OPENAI_API_KEY", KEY.to_owned()),
            ("OPENAI_BASE_URL", format!("{url}/v1")),
            ("OPENAI_MODEL", MODEL.to_owned()),
        ],
        files: vec![(".qwen/settings.json", settings.to_string())],
    }
}
