//! The file that `zubi tools init` writes: small, commented, working, and without problems.

/// Text of the sample file. A test checks that it has neither errors nor warnings.
pub const SAMPLE: &str = r#"{
  // Tools of this workspace, for agents. `zubi tools check` validates this file; `zubi trust` enables its tools.
  // For other editors: `zubi tools schema` prints the JSON Schema, and "$schema" can point to a copy of it.
  "version": "1.0",
  // Values for ${NAME} in every tool of this file. Secrets do not belong here: use ${env:NAME}.
  "variables": {
    "GREETING": "Hello"
  },
  "tools": [
    {
      // Without a dot the id becomes workspace.greet.
      "id": "greet",
      "name": "Greet someone",
      "description": "Prints a greeting for a name. A sample: replace it with the tools your project needs.",
      "parameters": {
        "type": "object",
        "properties": {
          "name": { "type": "string", "description": "Name of the person to greet, for instance `Ada`" }
        },
        "required": ["name"]
      },
      "execution": {
        "type": "shell",
        // $name is the argument: one word, whatever it contains. $HOME and other variables are the shell's.
        "script": "printf '%s, %s\\n' \"${GREETING}\" \"$name\""
      },
      // Each call requires the user's approval unless this is false.
      "requiresApproval": true,
      "tests": [
        { "name": "greets by name", "args": { "name": "Ada" }, "expect": { "exit": 0, "text": "Hello, Ada" } },
        { "name": "a name cannot run anything", "args": { "name": "$(id)" }, "expect": { "contains": "$(id)" } }
      ]
    }
  ]
}
"#;
