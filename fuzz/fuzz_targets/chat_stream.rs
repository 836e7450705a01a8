//! See `zubi_fuzz::chat_stream`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::chat_stream(bytes));
