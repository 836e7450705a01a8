//! Agents of other vendors, which the test `agent_clients` runs with a scripted model. Together they take 1.6 GB, so only
//! `setup --full` and `test --full` install them.

use super::{Component, PLAIN, Source};

/// The components, in the order of installation.
pub(super) const AGENTS: &[Component] = &[
    Component {
        name: "opencode",
        version: "1.18.33",
        source: Source::Npm(&["opencode-ai@1.18.33"]),
        programs: &[("opencode", "node_modules/.bin/opencode")],
        why: "an agent that speaks OpenAI's chat completions",
        ..AGENT
    },
    Component {
        name: "codex",
        version: "0.171.0",
        source: Source::Npm(&["@openai/codex@0.171.0"]),
        programs: &[("codex", "node_modules/.bin/codex")],
        why: "an agent that speaks OpenAI's responses and runs calls in a sandbox",
        ..AGENT
    },
    Component {
        name: "gemini-cli",
        version: "0.61.0",
        source: Source::Npm(&["@google/gemini-cli@0.61.0"]),
        programs: &[("gemini", "node_modules/.bin/gemini")],
        why: "an agent that speaks Gemini's API",
        ..AGENT
    },
    Component {
        name: "claude-code",
        version: "2.1.332",
        source: Source::Npm(&["@anthropic-ai/claude-code@2.1.332"]),
        programs: &[("claude", "node_modules/.bin/claude")],
        why: "an agent that speaks Anthropic's messages and searches for tools by itself",
        ..AGENT
    },
    Component {
        name: "copilot-cli",
        version: "1.0.102",
        source: Source::Npm(&["@github/copilot@1.0.102"]),
        programs: &[("copilot", "node_modules/.bin/copilot")],
        why: "an agent that does not pass on a server's instructions",
        ..AGENT
    },
    Component {
        name: "qwen-code",
        version: "0.24.4",
        source: Source::Npm(&["@qwen-code/qwen-code@0.24.4"]),
        programs: &[("qwen", "node_modules/.bin/qwen")],
        why: "an agent that calls tools through a tool of its own",
        ..AGENT
    },
];

const AGENT: Component = Component { on_demand: true, ..PLAIN };
