//! The file that `zubi tools init` writes: small, commented, working, and free of problems.

/// The text of the sample. A test holds that it has neither errors nor warnings.
pub const SAMPLE: &str = r#"{
  // Tools of this workspace, for agents. `zubi tools check` says what is wrong with this file, `zubi trust` lets its tools in.
  // For an editor that knows nothing of it: `zubi tools schema` prints the JSON Schema, and "$schema" says where that lies.
  "version": "1.0",
  // Values that every tool of this file can use as ${NAME}. Secrets do not belong here: they are ${env:NAME}.
  "variables": {
    "GREETING": "Hello"
  },
  "tools": [
    {
      // Without a dot the id becomes workspace.greet.
      "id": "greet",
      "name": "Greet somebody",
      "description": "Prints a greeting for a name. A sample: replace it by what your project needs.",
      "parameters": {
        "type": "object",
        "properties": {
          "name": { "type": "string", "description": "Whom to greet, for instance `Ada`" }
        },
        "required": ["name"]
      },
      "execution": {
        "type": "shell",
        // $name is the argument: one word, whatever it contains. $HOME and the like are the shell's.
        "script": "printf '%s, %s\\n' \"${GREETING}\" \"$name\""
      },
      // A person is asked before each call unless this is false.
      "requiresApproval": true,
      "tests": [
        { "name": "greets by name", "args": { "name": "Ada" }, "expect": { "exit": 0, "text": "Hello, Ada" } },
        { "name": "a name cannot run anything", "args": { "name": "$(id)" }, "expect": { "contains": "$(id)" } }
      ]
    }
  ]
}
"#;
