#![no_main]

#[path = "../../tests/support/fuzz/words.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|text: &str| target::run(text));
