//! See `zubi_fuzz::workspace_edit`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::workspace_edit(bytes));
