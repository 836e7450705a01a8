//! Streams from real servers, and streams that no server should send. Among them are the 22 streams that were used to
//! compare client crates.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::{Ids, KEY, Redactor, StreamReader, check, frames, read, render_answer, stream};

#[test]
fn standard_streams() {
    let usage = r#"data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":8}}}"#;
    let text =
        frames(&[r#"{"role":"assistant","content":""}"#, r#"{"content":"Hello"}"#, r#"{"content":", wörld 🦀"}"#]);
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    assert_snapshot!(check(&format!("{text}{end}{usage}\n\ndata: [DONE]\n\n")), @r#"
    text "Hello, wörld 🦀"
    Finished, 12+5 tokens, 8 cached
    "#);
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"read","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\": \"sr"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"c/main.rs\"}"}}]}"#,
    ], "tool_calls")), @r#"
    call read {"path":"src/main.rs"} (call_a)
    Finished, 0+0 tokens, 0 cached
    "#);
    // Two calls in one frame.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"read","arguments":"{}"}}]}"#,
    ], "tool_calls")), @"
    call read {} (a)
    call read {} (b)
    Finished, 0+0 tokens, 0 cached
    ");
    // Comments that only maintain the connection, and CRLF line ends.
    assert_snapshot!(check(&format!(": keep\r\n\r\n{}", stream(&[r#"{"content":"Hi"}"#], "stop").replace('\n', "\r\n"))), @r#"
    text "Hi"
    Finished, 0+0 tokens, 0 cached
    "#);
    // Text and a call in one delta; a call next to the finish reason; a finish reason that does not mention the call.
    assert_snapshot!(check(&stream(&[
        r#"{"content":"Look:","tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}]}"#,
    ], "stop")), @r#"
    text "Look:"
    call read {} (a)
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check("data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"), @"
    call read {} (a)
    Finished, 0+0 tokens, 0 cached
    ");
    assert_snapshot!(check(&stream(&[r#"{"content":"x"}"#], "stop").replace("data: ", "data:")), @r#"
    text "x"
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check(&stream(&[r#"{"reasoning_content":"Hm."}"#, r#"{"content":"Yes."}"#], "stop")), @r#"
    thought "Hm."
    text "Yes."
    Finished, 0+0 tokens, 0 cached
    "#);
}

#[test]
fn interleaved_call_fragments_stay_separate() {
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"call_a","function":{"name":"read","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":1,"id":"call_b","function":{"name":"list","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}},{"index":1,"function":{"arguments":"{\"b\":"}}]}"#,
        r#"{"tool_calls":[{"index":1,"function":{"arguments":"2}"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}"#,
    ], "tool_calls")), @r#"
    call read {"a":1} (call_a)
    call list {"b":2} (call_b)
    Finished, 0+0 tokens, 0 cached
    "#);
}

#[test]
fn nonstandard_streams() {
    // No index.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"id":"a","function":{"name":"read","arguments":"{\"a\":"}}]}"#,
        r#"{"tool_calls":[{"function":{"arguments":"1}"}}]}"#,
        r#"{"tool_calls":[{"id":"b","function":{"name":"read","arguments":"{}"}}]}"#,
    ], "tool_calls")), @r#"
    call read {"a":1} (a)
    call read {} (b)
    Finished, 0+0 tokens, 0 cached
    "#);
    // The index begins at 1.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":1,"id":"a","function":{"name":"read","arguments":"{\"a\":"}}]}"#,
        r#"{"tool_calls":[{"index":1,"function":{"arguments":"1}"}}]}"#,
    ], "tool_calls")), @r#"
    call read {"a":1} (a)
    Finished, 0+0 tokens, 0 cached
    "#);
    // No `[DONE]`.
    assert_snapshot!(check(&stream(&[r#"{"content":"x"}"#], "stop").replace("data: [DONE]\n\n", "")), @r#"
    text "x"
    Finished, 0+0 tokens, 0 cached
    "#);
    // Truncated: never an answer, even if the call is complete.
    assert_snapshot!(check(&frames(&[r#"{"content":"x"}"#])), @"BrokenOff: the answer of it broke off before its end");
    assert_snapshot!(check(&frames(&[r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}]}"#])), @"BrokenOff: the answer of it broke off before its end, in the middle of a call");
    assert_snapshot!(check("data: {\"choices\":[{\"index\":0,\"delta\":{\"cont"), @"BrokenOff: the answer of it broke off before its end");
    // Arguments that are truncated by the limit, empty, or an object.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"write","arguments":"{\"text\": \"lo"}}]}"#,
    ], "length")), @r#"
    call write "{\"text\": \"lo" (a)
    Length, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"list","arguments":""}},{"index":1,"id":"b","function":{"name":"list"}},{"index":2,"id":"c","function":{"name":"list","arguments":null}}]}"#,
    ], "tool_calls")), @"
    call list {} (a)
    call list {} (b)
    call list {} (c)
    Finished, 0+0 tokens, 0 cached
    ");
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":{"path":"x"}}},{"index":1,"id":"b","function":{"name":"read","arguments":["x"]}}]}"#,
    ], "tool_calls")), @r#"
    call read {"path":"x"} (a)
    call read "[\"x\"]" (b)
    Finished, 0+0 tokens, 0 cached
    "#);
    // The name in every delta.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\""}}]}"#,
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":":1}"}}]}"#,
    ], "tool_calls")), @r#"
    call read {"a":1} (a)
    Finished, 0+0 tokens, 0 cached
    "#);
    // An HTML page instead of a stream.
    assert_snapshot!(check("<!doctype html>\n<html><head><title>Sign in</title></head><body>…</body></html>"), @"Malformed: it sent a page of HTML (`Sign in`) instead of an answer");
}

#[test]
fn ambiguous_call_fragments_are_assigned() {
    // Every call has index 0, each its own id.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\":1}"}}]}"#,
        r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"read","arguments":"{\"a\":2}"}}]}"#,
    ], "tool_calls")), @r#"
    call read {"a":1} (a)
    call read {"a":2} (b)
    Finished, 0+0 tokens, 0 cached
    "#);
    // Every fragment has another id.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\":"}}]}"#,
        r#"{"tool_calls":[{"index":0,"id":"b","function":{"arguments":"1}"}}]}"#,
    ], "tool_calls")), @r#"
    call read {"a":1} (a)
    Finished, 0+0 tokens, 0 cached
    "#);
    // Neither index nor id: a name begins a call, unless it equals that of the incomplete call.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"function":{"name":"read","arguments":"{\"a\":"}}]}"#,
        r#"{"tool_calls":[{"function":{"name":"read","arguments":"1}"}}]}"#,
        r#"{"tool_calls":[{"function":{"name":"read","arguments":"{\"a\":2}"}},{"function":{"name":"read","arguments":"{\"a\":3}"}}]}"#,
    ], "tool_calls")), @r#"
    call read {"a":1} (own)
    call read {"a":2} (own)
    call read {"a":3} (own)
    Finished, 0+0 tokens, 0 cached
    "#);
    // The same id twice, in one answer.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"id":"a","function":{"name":"read","arguments":"{}"}},{"id":"a","function":{"name":"list","arguments":"{}"}}]}"#,
    ], "tool_calls")), @"
    call read {} (a)
    call list {} (own)
    Finished, 0+0 tokens, 0 cached
    ");
    // The name in fragments, and each time with all fragments so far.
    assert_snapshot!(check(&stream(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"file_"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"name":"read"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}"#,
        r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"file_"}}]}"#,
        r#"{"tool_calls":[{"index":1,"function":{"name":"file_list"}}]}"#,
    ], "tool_calls")), @"
    call file_read {} (a)
    call file_list {} (b)
    Finished, 0+0 tokens, 0 cached
    ");
    // The older form; one call outside of a list.
    assert_snapshot!(check(&stream(&[
        r#"{"function_call":{"name":"read","arguments":"{\"a\":"}}"#,
        r#"{"function_call":{"arguments":"1}"}}"#,
    ], "function_call")), @r#"
    call read {"a":1} (own)
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check(&stream(&[r#"{"tool_calls":{"id":"a","function":{"name":"read","arguments":"{}"}}}"#], "stop")), @"
    call read {} (a)
    Finished, 0+0 tokens, 0 cached
    ");
    // No name at all; too many calls.
    assert_snapshot!(check(&stream(&[r#"{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}"#], "tool_calls")), @"Malformed: it sent a call without the name of a tool");
    let many: Vec<_> =
        (0..200).map(|at| format!(r#"{{"tool_calls":[{{"index":{at},"function":{{"name":"x"}}}}]}}"#)).collect();
    assert_snapshot!(check(&stream(&many.iter().map(String::as_str).collect::<Vec<_>>(), "tool_calls")), @"Malformed: it sent more than 128 calls in one answer");
}

#[test]
fn repeated_frames_are_ignored() {
    let calls = [
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\": \"b"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"c\"}"}}]}"#,
    ];
    let twice: Vec<_> = calls.iter().flat_map(|call| [*call, *call]).collect();
    assert_snapshot!(check(&stream(&twice, "tool_calls")), @r#"
    call read {"a":"bc"} (a)
    Finished, 0+0 tokens, 0 cached
    "#);
    let complete = r#"{"tool_calls":[{"id":"a","function":{"name":"read","arguments":"{\"a\":1}"}}]}"#;
    assert_snapshot!(check(&stream(&[complete, complete], "tool_calls")), @r#"
    call read {"a":1} (a)
    Finished, 0+0 tokens, 0 cached
    "#);
    let bare = r#"{"tool_calls":[{"function":{"name":"read","arguments":"{\"a\":1}"}}]}"#;
    assert_snapshot!(check(&stream(&[bare, bare], "tool_calls")), @r#"
    call read {"a":1} (own)
    Finished, 0+0 tokens, 0 cached
    "#);
    // Fragments may be equal without being repetitions.
    let equal_fragments = [
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\": 1"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"0"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"0"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}"#,
    ];
    assert_snapshot!(check(&stream(&equal_fragments, "tool_calls")), @r#"
    call read {"a":100} (a)
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check(&stream(&[r#"{"content":"ha"}"#, r#"{"content":"ha"}"#], "stop")), @r#"
    text "haha"
    Finished, 0+0 tokens, 0 cached
    "#);
    // The end twice, and data after it.
    let end = stream(&[r#"{"content":"x"}"#], "stop");
    assert_snapshot!(check(&format!("{end}{end}")), @r#"
    text "x"
    Finished, 0+0 tokens, 0 cached
    "#);
}

#[test]
fn text_forms() {
    assert_snapshot!(check(&stream(&[r#"{"content":"NUL \u0000, half \ud83d, pair \ud83d\ude00, \\ud83d"}"#], "stop")), @r#"
    text "NUL \0, half �, pair 😀, \\ud83d"
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check(&stream(&[r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Yes."}]}"#], "stop")), @r#"
    thought "Hm."
    text "Yes."
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check(&stream(&[r#"{"reasoning":"a","reasoning_content":"a"}"#, r#"{"refusal":"No."}"#], "content_filter")), @r#"
    thought "a"
    text "No."
    Filtered, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check(&stream(&[r#"{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","signature":"s"}]}"#,
        r#"{"tool_calls":[{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"t"}},"function":{"name":"read","arguments":"{}"}}]}"#], "stop")), @r#"
        thought "a"
        call read {} (a)
        native {"reasoning_details":[{"type":"reasoning.text","text":"a","signature":"s"}],"extra_content":[{"google":{"thought_signature":"t"}}]}
        Finished, 0+0 tokens, 0 cached
        "#);
    assert_snapshot!(check(&stream(&[r#"{"content":null,"tool_calls":null,"role":"assistant"}"#, "{}"], "stop")), @"Finished, 0+0 tokens, 0 cached");
}

#[test]
fn line_forms() {
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let text = frames(&[r#"{"content":"x"}"#]);
    // Unknown events, other answers than the first, no blank lines, no line end at the end.
    assert_snapshot!(check(&format!("event: ping\ndata: {{\"type\":\"ping\"}}\n\nid: 3\n\n{text}data: {{\"choices\":[{{\"index\":1,\"delta\":{{\"content\":\"other\"}}}}]}}\n\n{end}data: [DONE]")), @r#"
    text "x"
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check(&format!("{text}{end}").replace("\n\n", "\n")), @r#"
    text "x"
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check(&format!("{text}{}", end.trim_end())), @r#"
    text "x"
    Finished, 0+0 tokens, 0 cached
    "#);
    // `[DONE]` alone ends an answer, too, but not an empty one.
    assert_snapshot!(check(&format!("{text}data: [DONE]\n\n")), @r#"
    text "x"
    Finished, 0+0 tokens, 0 cached
    "#);
    assert_snapshot!(check("data: [DONE]\n\n"), @"Malformed: it sent an empty answer");
    // Responses that are not a stream.
    assert_snapshot!(check("data: nothing\n\n"), @"Malformed: it sent invalid JSON: nothing");
    assert_snapshot!(check(&format!("upstream said: {KEY}\nand more")), @"Malformed: it sent data that is not an answer: upstream said: (redacted)");
    assert_snapshot!(check(": only comments\n\n: and cut\n"), @"BrokenOff: the answer of it broke off before its end");
    assert_snapshot!(check(" \n\n"), @"BrokenOff: the answer of it broke off before its end");
    assert_snapshot!(check(""), @"BrokenOff: the answer of it broke off before its end");
}

#[test]
fn an_error_in_a_stream_is_reported() {
    let text = frames(&[r#"{"content":"x"}"#]);
    assert_snapshot!(check(&format!("{}data: {{\"error\":{{\"message\":\"out of memory with {KEY}\",\"type\":\"server_error\"}}}}\n\n", frames(&[r#"{"content":"x"}"#]))), @"Overloaded: it broke its answer off: out of memory with (redacted)");
    // Errors in other forms.
    assert_snapshot!(check(&format!("{text}event: error\ndata: {{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}\n\n")), @"Overloaded: it broke its answer off: Overloaded");
    assert_snapshot!(check(&format!("{text}error: {{\"code\":400,\"message\":\"the request exceeds the available context size\"}}\n\n")), @"TooLong: it broke its answer off: the request exceeds the available context size");
    assert_snapshot!(check(&format!("{text}{{\"error\":\"gone\"}}\n")), @"Overloaded: it broke its answer off: gone");
    assert_snapshot!(check(&format!("{text}event: error\ndata: it broke\n\n")), @"Overloaded: it broke its answer off: it broke");
    assert_snapshot!(check(&stream(&[], "error")), @r#"Overloaded: it broke its answer off: {"index":0,"delta":{},"finish_reason":"error"}"#);
}

#[test]
fn a_single_body_is_accepted() {
    assert_snapshot!(check(r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#), @r#"
    text "Hi"
    call read {"a":1} (a)
    Finished, 3+2 tokens, 0 cached
    "#);
    assert_snapshot!(check(r#"{"error":{"message":"maximum context length is 3 tokens"}}"#), @"TooLong: it broke its answer off: maximum context length is 3 tokens");
    assert_snapshot!(check(r#"[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]"#), @"Overloaded: it broke its answer off: busy");
    assert_snapshot!(check(r#"{"choices":[{"message":{"content":"H"#), @"BrokenOff: the answer of it broke off before its end");
    assert_snapshot!(check(r#"{"object":"list","data":[]}"#), @r#"Malformed: it sent JSON that is not an answer: {"object":"list","data":[]}"#);
    assert_snapshot!(check(r#"{"choices":[]} and more"#), @r#"Malformed: it sent invalid JSON: {"choices":[]} and more"#);
}

#[test]
fn too_long_answers_are_rejected() {
    let line = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", "x".repeat(2_000_000));
    let (answer, _) = read(format!("{line}data: [DONE]\n\n").as_bytes(), 65_536);
    assert_eq!(answer.unwrap().message.text.len(), 2_000_000, "a long delta is accepted");
    let (answer, _) = read(format!("data: {}", "x".repeat(9_000_000)).as_bytes(), 65_536);
    assert_snapshot!(render_answer(&answer, ""), @"Malformed: it sent an event of more than 8388608 bytes");
    let (answer, _) = read(format!("{{\"a\": \"{}", "x".repeat(9_000_000)).as_bytes(), 65_536);
    assert_snapshot!(render_answer(&answer, ""), @"Malformed: it sent an event of more than 8388608 bytes");
    let (answer, _) = read(line.repeat(9).as_bytes(), 65_536);
    assert_snapshot!(render_answer(&answer, ""), @"Malformed: it sent an answer of more than 8388608 bytes");
    let deep = format!("data: {}", "[".repeat(100_000));
    let (answer, _) = read(deep.as_bytes(), 65_536);
    assert_snapshot!(render_answer(&answer, "").chars().take(80).collect::<String>(), @"BrokenOff: the answer of it broke off before its end");
}

proptest! {
    /// Any input gives an answer or an error, independent of the chunks.
    #[test]
    fn chunks_do_not_change_the_answer(
        deltas in prop::collection::vec(prop::sample::select(vec![
            r#"{"content":"é🦀"}"#,
            r#"{"reasoning":"Hm"}"#,
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\":"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}"#,
            r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"list"}}]}"#,
            r#"{"tool_calls":[{"id":"c","function":{"name":"list","arguments":"{}"}}]}"#,
            r#"{"function_call":{"name":"x","arguments":"{}"}}"#,
            r#"nonsense"#,
        ]), 0..6),
        cut in 0_usize..400,
        crlf in any::<bool>(),
        chunk_size in 1_usize..20,
    ) {
        let mut text = stream(&deltas, "stop");
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let bytes = &text.as_bytes()[..text.len().saturating_sub(cut)];
        let (complete, complete_deltas) = read(bytes, usize::MAX);
        let (chunked, chunked_deltas) = read(bytes, chunk_size);
        prop_assert_eq!(render_answer(&chunked, &text), render_answer(&complete, &text));
        prop_assert_eq!(chunked_deltas, complete_deltas);
        // Without its final frame there is no answer.
        if !String::from_utf8_lossy(bytes).contains("\"finish_reason\":\"stop\"}]}") {
            prop_assert!(complete.is_err());
        }
    }

    #[test]
    fn any_bytes_are_accepted(bytes in prop::collection::vec(any::<u8>(), 0..200), chunk_size in 1_usize..9) {
        let (complete, _) = read(&bytes, usize::MAX);
        let (chunked, _) = read(&bytes, chunk_size);
        prop_assert_eq!(render_answer(&chunked, ""), render_answer(&complete, ""));
    }
}

#[test]
fn endless_answers_are_rejected() {
    let endless = |frame: String| {
        let mut reader = StreamReader::new("it", Redactor::new([]), Ids::default());
        let error = (0..100_000).find_map(|_| reader.push(frame.as_bytes(), &mut |_| {}).err());
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    let long = "x".repeat(100_000);
    let call_fragment =
        format!(r#"{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"f","arguments":"{long}"}}}}]}}"#);
    let details = format!(r#"{{"reasoning_details":[{{"text":"{long}"}}]}}"#);
    assert_snapshot!(endless(frames(&[call_fragment.as_str()])), @"it sent an answer of more than 8388608 bytes");
    assert_snapshot!(endless(frames(&[details.as_str()])), @"it sent an answer of more than 8388608 bytes");
    assert_snapshot!(endless(format!(": {long}\n\n")), @"it sent more than 64 MiB in one answer");
}
