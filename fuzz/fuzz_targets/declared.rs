//! See `zubi_fuzz::declared`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::parse_tool_file(bytes));
