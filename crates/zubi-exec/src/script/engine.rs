//! The engine: runs code in this thread, within limits, with only the globals that [`super`] describes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Exception, Function, Object, Promise, Runtime, Value as Js};
use serde_json::Value;

use super::{CallReply, MAX_LOG, MAX_RESULT, ScriptEnd, ScriptException, ScriptJob};

/// Calls a tool: the name and the arguments.
pub type ToolCallback = Box<dyn FnMut(String, Value) -> CallReply>;

/// Defines the globals of the code with two of our functions, and converts the code to a function. It reads the
/// built-ins before the code can change them.
const PRELUDE: &str = r"(call, log, args, code) => {
    const { parse, stringify } = JSON;
    const { freeze, getPrototypeOf } = Object;
    const text = value => {
        if (typeof value === 'string') return value;
        try { return stringify(value) ?? String(value); } catch { return String(value); }
    };
    const line = (...values) => log(values.map(text).join(' '));
    globalThis.args = parse(args);
    globalThis.result = undefined;
    const callTool = (name, values) => parse(call(String(name), stringify(values ?? {}) ?? '{}'));
    const isTool = name => typeof name === 'string' && name !== 'then' && name !== 'toJSON';
    const get = (own, name) => name === 'call' ? own.call : isTool(name) ? values => callTool(name, values) : undefined;
    globalThis.tools = new Proxy(freeze({ call: callTool }), freeze({ get }));
    globalThis.console = freeze({ log: line, info: line, warn: line, error: line, debug: line });
    const AsyncFunction = getPrototypeOf(async () => {}).constructor;
    return AsyncFunction(code + '\n;return result');
}";

/// The number of lines that the engine's wrapper function has before the code.
const LINES_BEFORE: u32 = 2;

struct EngineState {
    caller: RefCell<ToolCallback>,
    log: RefCell<Vec<String>>,
    log_bytes: Cell<usize>,
    log_truncated: Cell<bool>,
    deadline: Cell<Instant>,
    interrupted: Cell<bool>,
}

/// Runs a job within its limits, which do not include the time of nested calls.
pub fn run(job: &ScriptJob, caller: ToolCallback) -> ScriptEnd {
    let state = Rc::new(EngineState {
        caller: RefCell::new(caller),
        log: RefCell::default(),
        log_bytes: Cell::new(0),
        log_truncated: Cell::new(false),
        deadline: Cell::new(Instant::now() + job.limits.time()),
        interrupted: Cell::new(false),
    });
    let outcome = evaluate(job, &state);
    ScriptEnd { outcome, log: state.log.take(), log_truncated: state.log_truncated.get() }
}

/// Makes the C library read the time zone, which it does once, on first use. Afterwards the process may have no access
/// to the file.
pub(super) fn warm_up() {
    // An engine that cannot start reports the error when it is needed.
    if let Ok(runtime) = Runtime::new()
        && let Ok(context) = Context::full(&runtime)
    {
        drop(context.with(|ctx| ctx.eval::<f64, _>("new Date(0).getTimezoneOffset()")));
    }
}

fn evaluate(job: &ScriptJob, state: &Rc<EngineState>) -> Result<Value, ScriptException> {
    let failed = |error: &rquickjs::Error| exception(format!("the engine cannot start: {error}"));
    let runtime = Runtime::new().map_err(|error| failed(&error))?;
    runtime.set_memory_limit(job.limits.memory);
    runtime.set_max_stack_size(job.limits.stack);
    let timer_state = Rc::clone(state);
    runtime.set_interrupt_handler(Some(Box::new(move || {
        let is_expired = Instant::now() >= timer_state.deadline.get();
        timer_state.interrupted.set(timer_state.interrupted.get() || is_expired);
        is_expired
    })));
    let context = Context::full(&runtime).map_err(|error| failed(&error))?;
    context.with(|ctx| {
        let text = answer(&ctx, job, state).map_err(|error| explain(&ctx, &error, job, state))?;
        if text.len() > MAX_RESULT {
            return Err(exception(format!("the result has more than {MAX_RESULT} bytes of JSON; give less")));
        }
        serde_json::from_str(&text).map_err(|error| exception(format!("the result is not valid JSON: {error}")))
    })
}

fn exception(message: String) -> ScriptException {
    ScriptException { message, ..ScriptException::default() }
}

/// Returns the result as JSON text.
fn answer<'js>(ctx: &Ctx<'js>, job: &ScriptJob, state: &Rc<EngineState>) -> rquickjs::Result<String> {
    let prelude: Function<'js> = ctx.eval(PRELUDE)?;
    let call_state = Rc::clone(state);
    let call = Function::new(ctx.clone(), move |ctx: Ctx<'js>, name: String, args: String| {
        call(&ctx, &call_state, name, &args)
    })?;
    let log_state = Rc::clone(state);
    let log = Function::new(ctx.clone(), move |line: String| log_state.log(line))?;
    let args = Value::Object(job.args.clone()).to_string();
    let function: Function<'js> = prelude.call((call, log, args, job.code.as_str()))?;
    let promise: Promise<'js> = function.call(())?;
    // The deadline also ends an endless chain of jobs, each of which is short.
    while promise.state() == PromiseState::Pending && ctx.execute_pending_job() {
        if Instant::now() >= state.deadline.get() {
            state.interrupted.set(true);
            return Err(Exception::throw_message(ctx, "interrupted"));
        }
    }
    let Some(value) = promise.result::<Js<'js>>() else {
        return Err(Exception::throw_message(ctx, "the code waits for a promise that nothing will fulfil"));
    };
    let text = ctx.json_stringify(value?)?;
    // `undefined`, functions and symbols have no JSON form.
    text.map_or_else(|| Ok("null".to_owned()), |text| text.to_string())
}

fn call(ctx: &Ctx<'_>, state: &EngineState, name: String, args: &str) -> rquickjs::Result<String> {
    if args.len() > MAX_RESULT {
        return Err(Exception::throw_message(ctx, "the arguments are too long"));
    }
    let Ok(args) = serde_json::from_str(args) else {
        return Err(Exception::throw_message(ctx, "the arguments are not valid JSON"));
    };
    let started = Instant::now();
    let reply = match state.caller.try_borrow_mut() {
        Ok(mut caller) => caller(name, args),
        Err(_) => CallReply::Error("another call is in progress".to_owned()),
    };
    state.deadline.set(state.deadline.get() + started.elapsed());
    match reply {
        CallReply::Result(value) => Ok(value.to_string()),
        CallReply::Error(message) => Err(Exception::throw_message(ctx, &message)),
    }
}

impl EngineState {
    fn log(&self, line: String) {
        let remaining = MAX_LOG.saturating_sub(self.log_bytes.get());
        if line.len() > remaining || remaining == 0 {
            self.log_truncated.set(true);
        }
        if remaining == 0 {
            return;
        }
        let end = line.floor_char_boundary(remaining);
        // Each line costs at least one byte, so that empty lines also reach the limit.
        self.log_bytes.set(self.log_bytes.get() + end + 1);
        let line = if end == line.len() { line } else { line.get(..end).unwrap_or_default().to_owned() };
        if let Ok(mut log) = self.log.try_borrow_mut() {
            log.push(line);
        }
    }
}

/// Describes an error and its location.
fn explain(ctx: &Ctx<'_>, error: &rquickjs::Error, job: &ScriptJob, state: &EngineState) -> ScriptException {
    let value = if error.is_exception() { Some(ctx.catch()) } else { None };
    if state.interrupted.get() {
        return exception(format!("the code ran longer than {} ms", job.limits.time_ms));
    }
    // Code that describes an error has the same limits as the failing code.
    let Some(value) = value else { return exception(error.to_string()) };
    let Some(object) = value.as_object() else {
        // Without free memory there is no error object.
        let text = value.as_string().and_then(|text| text.to_string().ok());
        return exception(text.unwrap_or_else(|| {
            if value.is_null() {
                "the code threw `null`, or is out of memory".to_owned()
            } else {
                "the code threw".to_owned()
            }
        }));
    };
    let name = property(object, "name");
    let message = property(object, "message");
    let message = match (name, message) {
        (Some(name), Some(message)) if name != "Error" => format!("{name}: {message}"),
        (_, Some(message)) => message,
        (Some(name), None) => name,
        (None, None) => "the code threw an object".to_owned(),
    };
    let (line, column) = property(object, "stack").as_deref().and_then(code_position).unzip();
    ScriptException { message, line, column }
}

/// Returns a string property, cut to 2000 characters.
fn property(object: &Object<'_>, name: &str) -> Option<String> {
    let text = object.get::<_, Js<'_>>(name).ok()?.as_string()?.to_string().ok()?;
    Some(text.chars().take(2000).collect())
}

/// Returns the first position of a stack that is in the code: `… (<input>:3:5)`.
fn code_position(stack: &str) -> Option<(u32, u32)> {
    stack.lines().find_map(|frame| {
        let (_, position) = frame.rsplit_once("<input>:")?;
        let (line, column) = position.trim_end_matches(')').split_once(':')?;
        let line = line.parse::<u32>().ok()?.checked_sub(LINES_BEFORE).filter(|line| *line > 0)?;
        Some((line, column.parse().ok()?))
    })
}
