//! The engine and the child's side, in this process. The crate of zubi's program tests the process itself.

use std::io::Cursor;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;

use super::*;

fn job(code: &str) -> ScriptJob {
    let args = json!({"text": "it's", "list": [1, 2, 3]}).as_object().unwrap().clone();
    let limits = ScriptLimits { memory: 16 * 1024 * 1024, stack: 256 * 1024, time_ms: 5000 };
    ScriptJob { code: code.to_owned(), args, limits }
}

fn run(code: &str) -> ScriptEnd {
    engine::run(
        &job(code),
        Box::new(|tool, args| match tool.as_str() {
            "echo" => CallReply::Result(json!({"tool": tool, "args": args})),
            _ => CallReply::Error(format!("`{tool}` is denied")),
        }),
    )
}

/// Runs each code and renders it with its outcome.
fn check(codes: &[&str]) -> String {
    let lines = codes.iter().map(|code| {
        let ScriptEnd { outcome, log, log_truncated } = run(code);
        let outcome = match outcome {
            Ok(value) => value.to_string(),
            Err(exception) => format!("! {exception}"),
        };
        let log: String = log.iter().flat_map(|line| ["\n  | ", line]).collect();
        format!("{}\n  {outcome}{log}{}", code.replace('\n', "⏎"), if log_truncated { " …" } else { "" })
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn values() {
    insta::assert_snapshot!(check(&[
        "return args.text + args.list.length",
        "result = args.list.map(x => x * 2)",
        "let result = 5",
        "result = 1; return 2",
        "",
        "return undefined",
        "return () => 1",
        "return await Promise.resolve({a: [1, null, 'é👍']})",
        "const x = await new Promise(done => done(7)); return x",
        "console.log('a', 1, {b: 2}, undefined, null); console.error([3]); return Symbol.iterator in args.list",
        "return new Date(0)",
        "return tools.call('echo', {a: 1})",
        "return tools.call('echo')",
        "return tools.echo({a: 1})",
        "return await tools['echo']()",
        "await tools; return [typeof tools.then, typeof tools[Symbol.iterator], JSON.stringify(tools)]",
        "try { tools.call('rm', {}) } catch (error) { return `${error instanceof Error} ${error.message}` }",
        "// a comment at the end",
        "return [NaN, 1e400, -0, 12345678901234567890]",
    ]), @r##"
        return args.text + args.list.length
          "it's3"
        result = args.list.map(x => x * 2)
          [2,4,6]
        let result = 5
          5
        result = 1; return 2
          2

          null
        return undefined
          null
        return () => 1
          null
        return await Promise.resolve({a: [1, null, 'é👍']})
          {"a":[1,null,"é👍"]}
        const x = await new Promise(done => done(7)); return x
          7
        console.log('a', 1, {b: 2}, undefined, null); console.error([3]); return Symbol.iterator in args.list
          true
          | a 1 {"b":2} undefined null
          | [3]
        return new Date(0)
          "1970-01-01T00:00:00.000Z"
        return tools.call('echo', {a: 1})
          {"tool":"echo","args":{"a":1}}
        return tools.call('echo')
          {"tool":"echo","args":{}}
        return tools.echo({a: 1})
          {"tool":"echo","args":{"a":1}}
        return await tools['echo']()
          {"tool":"echo","args":{}}
        await tools; return [typeof tools.then, typeof tools[Symbol.iterator], JSON.stringify(tools)]
          ["undefined","undefined","{}"]
        try { tools.call('rm', {}) } catch (error) { return `${error instanceof Error} ${error.message}` }
          "true `rm` is denied"
        // a comment at the end
          null
        return [NaN, 1e400, -0, 12345678901234567890]
          [null,null,0,12345678901234567000]
        "##);
}

#[test]
fn script_errors_have_positions() {
    insta::assert_snapshot!(check(&[
        "throw new Error('no')",
        "\n  throw new TypeError('no')",
        "throw 'text'",
        "throw null",
        "throw {a: 1}",
        "const x = ;",
        "let a = 1\nlet a = 2",
        "return missing.x",
        "} evil() {",
        "return 10n",
        "const a = {}; a.a = a; return a",
        "return {toJSON() { throw new Error('in toJSON') }}",
        "return {get a() { throw new Error('in a getter') }}",
        "await new Promise(() => {})",
        "await Promise.reject(new RangeError('late'))",
        "import fs from 'fs'",
        "return await import('fs')",
        "return tools.call('rm', {path: '/'})",
        "tools.call = () => 1; return typeof tools.call",
        "tools.echo = () => 1; return tools.echo().tool",
        "\nreturn tools.rm({})",
        "return tools.call('echo', (() => { const a = {}; a.a = a; return a })())",
    ]), @r#"
    throw new Error('no')
      ! 1:11: no
    ⏎  throw new TypeError('no')
      ! 2:13: TypeError: no
    throw 'text'
      ! text
    throw null
      ! the code threw `null`, or is out of memory
    throw {a: 1}
      ! the code threw an object
    const x = ;
      ! 1:11: SyntaxError: unexpected token in expression: ';'
    let a = 1⏎let a = 2
      ! 2:7: SyntaxError: invalid redefinition of lexical identifier
    return missing.x
      ! 1:8: ReferenceError: missing is not defined
    } evil() {
      ! 1:3: SyntaxError: Unexpected identifier 'evil'
    return 10n
      ! TypeError: BigInt are forbidden in JSON.stringify
    const a = {}; a.a = a; return a
      ! TypeError: circular reference
    return {toJSON() { throw new Error('in toJSON') }}
      ! 1:30: in toJSON
    return {get a() { throw new Error('in a getter') }}
      ! 1:29: in a getter
    await new Promise(() => {})
      ! the code waits for a promise that nothing will fulfil
    await Promise.reject(new RangeError('late'))
      ! 1:26: RangeError: late
    import fs from 'fs'
      ! 1:8: SyntaxError: Unexpected identifier 'fs'
    return await import('fs')
      ! ReferenceError: could not load module 'fs'
    return tools.call('rm', {path: '/'})
      ! 1:14: `rm` is denied
    tools.call = () => 1; return typeof tools.call
      "function"
    tools.echo = () => 1; return tools.echo().tool
      "echo"
    ⏎return tools.rm({})
      ! 2:14: `rm` is denied
    return tools.call('echo', (() => { const a = {}; a.a = a; return a })())
      ! 1:68: TypeError: circular reference
    "#);
}

/// X24: there is nothing outside to reach, whatever way is taken.
#[test]
fn scripts_cannot_access_the_host() {
    let names = "process require module exports fetch XMLHttpRequest WebSocket setTimeout setInterval setImmediate Deno Bun std os scriptArgs \
                 print load loadFile Worker navigator window self global __dirname Buffer WebAssembly";
    for name in names.split_whitespace() {
        for way in [
            format!("return typeof {name}"),
            format!("return typeof globalThis.{name}"),
            format!("return args.constructor.constructor('return typeof {name}')()"),
            format!("return (async () => {{}}).constructor('return typeof {name}')()"),
            format!("return (0, eval)('typeof {name}')"),
            format!("return tools.call.constructor('return typeof {name}')()"),
            format!("return tools.echo.constructor('return typeof {name}')()"),
        ] {
            assert_eq!(run(&way).outcome, Ok(json!("undefined")), "{way}");
        }
    }
}

#[test]
fn limits_hold() {
    let started = Instant::now();
    for (code, expected) in [
        ("for (;;);", "longer than 300 ms"),
        ("try { for (;;); } catch { return 1 } finally { for (;;); }", "longer than 300 ms"),
        ("return /^(a+)+$/.test('a'.repeat(40) + 'b')", "longer than 300 ms"),
        ("for (;;) await null", "longer than 300 ms"),
        ("return {toJSON() { for (;;); }}", "longer than 300 ms"),
        ("const a = []; for (;;) a.push('x'.repeat(100000) + a.length)", "out of memory"),
        ("return 'x'.repeat(2 ** 29)", "out of memory"),
        ("return new Uint8Array(2 ** 30).length", "out of memory"),
        ("const f = n => f(n + 1) + 1; return f(0)", "stack"),
        ("let a = []; for (let i = 0; i < 100000; i++) a = [a]; return a", "stack"),
        ("return 'x'.repeat(2 ** 20)", "more than 1048576 bytes"),
        ("tools.call('echo', 'x'.repeat(2 ** 20))", "too long"),
    ] {
        // Only code that must time out gets little time, because the machine may be busy.
        let mut job = job(code);
        job.limits.time_ms = if expected.starts_with("longer") { 300 } else { 20_000 };
        let echo = Box::new(|_, args| CallReply::Result(args));
        let message = engine::run(&job, echo).outcome.unwrap_err().message;
        assert!(message.contains(expected), "{code}: {message}");
    }
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

#[test]
fn the_log_is_limited() {
    for code in [
        "for (let i = 0; i < 2e3; i++) console.log('é'.repeat(50))",
        "for (let i = 0; i < 7e4; i++) console.log()",
        "console.log('é'.repeat(2e5))",
    ] {
        let mut job = job(code);
        job.limits.time_ms = 20_000;
        let finished = engine::run(&job, Box::new(|_, _| CallReply::Result(Value::Null)));
        assert_eq!(finished.outcome, Ok(Value::Null), "{code}");
        assert!(finished.log_truncated && finished.log.iter().map(String::len).sum::<usize>() <= MAX_LOG, "{code}");
        assert!(finished.log.len() <= MAX_LOG + 1);
    }
}

/// The output of the child.
#[derive(Clone, Default)]
struct SharedOutput(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_child_protocol() {
    let code =
        "const a = tools.call('t', {x: 1}); try { tools.call('u') } catch (e) { console.log(e.message) } return a + 1";
    let input =
        [json!(job(code)), json!({"result": 41}), json!({"error": "no"})].map(|line| format!("{line}\n")).concat();
    let written = SharedOutput::default();
    child::run_in_child(None, Cursor::new(input.into_bytes()), written.clone()).unwrap();
    let written = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    insta::assert_snapshot!(written, @r##"
        {"call":{"tool":"t","args":{"x":1}}}
        {"call":{"tool":"u","args":{}}}
        {"done":{"outcome":{"Ok":42},"log":["no"],"log_truncated":false}}
        "##);
}

#[test]
fn a_child_without_a_caller_fails() {
    let line = format!("{}\n", json!(job("return tools.call('t')")));
    let written = SharedOutput::default();
    child::run_in_child(None, Cursor::new(line.into_bytes()), written.clone()).unwrap();
    let written = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    assert!(written.contains("the call was lost"), "{written}");
    for line in ["", "{}\n", "nothing\n", "{\"code\": \"\"}"] {
        assert!(
            child::run_in_child(None, Cursor::new(line.as_bytes().to_vec()), SharedOutput::default()).is_err(),
            "{line}"
        );
    }
}
