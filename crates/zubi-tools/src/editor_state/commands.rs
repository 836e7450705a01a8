//! `executeCommand`: the few permitted commands.
//!
//! zubi implements its own commands here, so that they have the same meaning with and without an editor; the others run
//! in the editor. Only listed commands run, and those that the user has added in machine-wide settings.

use serde_json::Value;
use zubi_ipc::wire::codes;
use zubi_ipc::wire::editor::{ExecuteCommandParams, ExecutedCommand, commands};

use super::{EditorCallContext, EditorService, EditorServiceError, ViewError, to_value};

/// Maximum number of arguments of a user-added command, and their total size in bytes.
const MAX_ARGS: usize = 16;
const MAX_ARGS_BYTES: usize = 64 * 1024;

impl EditorService {
    /// Handles `executeCommand`.
    pub async fn execute_command(
        &self,
        params: ExecuteCommandParams,
        cx: &EditorCallContext,
    ) -> Result<ExecutedCommand, EditorServiceError> {
        let ExecuteCommandParams { command, args } = params;
        let result = match command.as_str() {
            commands::VALIDATE_FILE => {
                let path = only_path(&args)?;
                let validated = self.validate_file(path, cx).await.map_err(as_argument_error)?;
                to_value(&validated)?
            }
            other if commands::ALLOWED.contains(&other) && !args.is_empty() => {
                return Err(EditorServiceError::invalid("args", format!("`{command}` has no arguments")));
            }
            commands::VALIDATE_WORKSPACE => to_value(&self.workspace_errors(cx).await?)?,
            commands::RESTART if cx.read_only => {
                let message = format!("`{command}` ends language servers; read-only clients, as over TCP, may not");
                return Err(EditorServiceError::new(codes::COMMAND_NOT_ALLOWED, message));
            }
            // Without an editor there are no views.
            commands::REFRESH_VIEWS if self.client.is_none() => Value::Bool(true),
            commands::RESTART if self.client.is_none() => {
                let count = self.intel.restart_servers().await;
                serde_json::json!({ "restarted": count })
            }
            other if commands::ALLOWED.contains(&other) => self.run_in_editor(&command, args, cx).await?,
            _ if self.is_user_allowed(&command, cx) => {
                check_size(&args)?;
                self.run_in_editor(&command, args, cx).await?
            }
            _ => return Err(command_not_allowed(&command)),
        };
        Ok(ExecutedCommand { executed: true, command, result })
    }

    /// Returns whether the user has added a command to those that are always allowed.
    fn is_user_allowed(&self, command: &str, cx: &EditorCallContext) -> bool {
        !cx.read_only && self.config.commands.iter().any(|user_command| user_command == command)
    }

    async fn run_in_editor(
        &self,
        command: &str,
        args: Vec<Value>,
        cx: &EditorCallContext,
    ) -> Result<Value, EditorServiceError> {
        let needs_editor = |message: &str| {
            EditorServiceError::new(codes::COMMAND_NOT_ALLOWED, format!("`{command}` needs an editor, and {message}"))
        };
        let Some(view) = &self.client else {
            return Err(needs_editor("none is connected: open the folder in an editor with zubi's extension"));
        };
        view.execute(command, args, &cx.request()).await.map_err(|error| match error {
            ViewError::Unsupported => needs_editor("the connected one does not run commands"),
            error => error.into(),
        })
    }
}

/// Returns the single argument of `zubi.validateFile`.
fn only_path(args: &[Value]) -> Result<&str, EditorServiceError> {
    match args {
        [Value::String(path)] => Ok(path),
        _ => Err(EditorServiceError::invalid("args", "must be one path, as a string")),
    }
}

/// Reports an invalid path as an invalid argument.
fn as_argument_error(error: EditorServiceError) -> EditorServiceError {
    let message = error.message.replacen("Invalid params: path:", "Invalid params: args:", 1);
    EditorServiceError { field: error.field.map(|_| "args".to_owned()), message, ..error }
}

fn check_size(args: &[Value]) -> Result<(), EditorServiceError> {
    let size: usize = args.iter().map(|argument| argument.to_string().len()).sum();
    if args.len() > MAX_ARGS || size > MAX_ARGS_BYTES {
        let message = format!("at most {MAX_ARGS} arguments with {MAX_ARGS_BYTES} bytes in total are allowed");
        return Err(EditorServiceError::invalid("args", message));
    }
    Ok(())
}

fn command_not_allowed(command: &str) -> EditorServiceError {
    let printable: String = command.chars().filter(|character| !character.is_control()).take(80).collect();
    EditorServiceError {
        field: Some("command".to_owned()),
        ..EditorServiceError::new(
            codes::COMMAND_NOT_ALLOWED,
            format!("`{printable}` is not allowed here; allowed: {}", commands::ALLOWED.join(", ")),
        )
    }
}
