//! Answers of model servers, whole and as streams.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playhouse::dialect::format::Api;
use playhouse::mind::http::{EventFrames, read_answer};

fuzz_target!(|body: &[u8]| {
    for api in Api::ALL {
        let _ = read_answer(api, body);
    }
    let mut frames = EventFrames::default();
    frames.push(body, |_| {});
    frames.finish(|_| {});
});
