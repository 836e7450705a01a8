//! The table of all settings of a configuration file, for help, documentation and "did you mean". A test compares it
//! with the type that zubi deserializes.

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingKey {
    /// The full name. `*` matches any single component.
    pub name: &'static str,
    /// The type and the effect of the setting, for the user.
    pub help: &'static str,
    /// The values that a workspace file may set before it is trusted, as a clause; `None` if no value is allowed.
    pub narrowing: Option<&'static str>,
}

/// Every setting, in the order in which help shows them.
pub const KEYS: &[SettingKey] = &[
    SettingKey {
        name: "read-only",
        help: "boolean; true: no tool that writes exists (default false)",
        narrowing: Some("true"),
    },
    SettingKey {
        name: "toolsets",
        help: "list of filters; only tools of matching toolsets exist (default: all)",
        narrowing: Some("in addition to the other layers' filter"),
    },
    SettingKey {
        name: "tools",
        help: "list of filters, `a` or `a.*` includes, `!a` excludes; only matching tools exist (default: all)",
        narrowing: Some("in addition to the other layers' filter"),
    },
    SettingKey {
        name: "allow",
        help: "list of filters; matching tools run without approval (default: none)",
        narrowing: None,
    },
    SettingKey {
        name: "show-secrets",
        help: "list of kinds of secrets (`aws-key`) and of texts that only look like one, which answers show (default: none)",
        narrowing: None,
    },
    SettingKey {
        name: "policy",
        help: "list of rules (`[[policy]]`) that allow calls without approval or deny them; `zubi policy --help`",
        narrowing: Some("rules with the action `ask` or `deny`"),
    },
    SettingKey {
        name: "env",
        help: "table of secrets for tools, `NAME = \"value\"` or `NAME = { file = \"…\" }`; a file must be yours alone (0600). In \
               your own zubi.toml only",
        narrowing: None,
    },
    SettingKey {
        name: "servers",
        help: "table of language servers by their catalogue id",
        narrowing: Some("what is narrowing inside"),
    },
    SettingKey {
        name: "servers.sandbox",
        help: "`on` or `off`; off: language servers run without a sandbox (default `on`). In your own zubi.toml only",
        narrowing: None,
    },
    SettingKey {
        name: "servers.*.disabled",
        help: "boolean; true: the server is never started (default false)",
        narrowing: Some("true"),
    },
    SettingKey {
        name: "servers.*.sandbox",
        help: "`on` or `off`; off: this server runs without a sandbox (default: as `servers.sandbox`). In your own zubi.toml only",
        narrowing: None,
    },
    SettingKey {
        name: "servers.*.network",
        help: "boolean; true: this server may use the network for the purpose that the list of servers names (default false). In your \
               own zubi.toml only",
        narrowing: None,
    },
    SettingKey { name: "mcp", help: "table of what concerns MCP", narrowing: Some("what is narrowing inside") },
    SettingKey {
        name: "mcp.ask",
        help: "`client` or `deny`: whether the prompt that an MCP client without elicitation shows its own user counts as approval, for tools of trusted files (default `client`)",
        narrowing: Some("`deny`"),
    },
    SettingKey {
        name: "sandbox",
        help: "table of what concerns the sandbox of commands. In your own zubi.toml only",
        narrowing: None,
    },
    SettingKey {
        name: "sandbox.at-least",
        help: "`none`, `seccomp`, `landlock`, `landlock+seccomp` or `bubblewrap`: nothing runs at a lower level, or while the level is \
               not known (default: all that this machine has)",
        narrowing: None,
    },
    SettingKey {
        name: "index",
        help: "boolean; false: zubi makes no index of the workspace's declarations and words in its cache directory (default true)",
        narrowing: Some("false"),
    },
    SettingKey {
        name: "team-index",
        help: "connection string of a PostgreSQL server that has the team's exact data, `\"host=… user=… dbname=…\"` or \
               `{ file = \"…\" }`; a file must be yours alone (0600). In your own zubi.toml only",
        narrowing: None,
    },
    SettingKey {
        name: "model",
        help: "`provider/model`; the model that zubi's own agent uses if a request does not name one",
        narrowing: None,
    },
    SettingKey {
        name: "models",
        help: "table of providers of models by a name of yours, or that of one which is built in (`openai`, `anthropic`, `gemini`, \
               `openrouter`, `github`, `ollama`) to change it. In your own zubi.toml only",
        narrowing: None,
    },
    SettingKey {
        name: "models.*.api",
        help: "`openai-chat`, `openai-responses`, `anthropic`, `gemini` or `ollama`: how it is spoken to (default `openai-chat`)",
        narrowing: None,
    },
    SettingKey { name: "models.*.url", help: "the API's address, as `http://localhost:8000/v1`", narrowing: None },
    SettingKey {
        name: "models.*.key",
        help: "name of the environment variable or of the entry of `env` that has the key (default: no key)",
        narrowing: None,
    },
    SettingKey {
        name: "models.*.key-header",
        help: "the header that the key is sent in as it is (default: as the API wants it)",
        narrowing: None,
    },
    SettingKey { name: "models.*.headers", help: "table of further headers", narrowing: None },
    SettingKey {
        name: "models.*.query",
        help: "table of parameters that are appended to each address",
        narrowing: None,
    },
    SettingKey {
        name: "models.*.context",
        help: "number; tokens that prompt and answer may have together (default: not known)",
        narrowing: None,
    },
    SettingKey {
        name: "models.*.models",
        help: "list of its models (default: queried from the provider)",
        narrowing: None,
    },
    SettingKey {
        name: "models.*.timeout",
        help: "number; seconds without a byte of the answer until the request is cancelled (default 120)",
        narrowing: None,
    },
    SettingKey {
        name: "models.*.allow-http",
        help: "boolean; true: plain HTTP also to other networks, where others can read the key (default false)",
        narrowing: None,
    },
];

/// Returns the last component of every name: the keys that can be on the left of an `=` in a file.
pub fn leaf_names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().filter_map(|key| key.name.rsplit('.').next())
}
