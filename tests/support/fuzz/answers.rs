//! Answers of model servers, whole and as streams.

use playhouse::interop::format::Api;
use playhouse::mind::http::{EventFrames, read_answer, read_vectors};

/// One input.
pub(crate) fn run(body: &[u8]) {
    for api in Api::ALL {
        let _ = read_answer(api, body);
    }
    let _ = read_vectors(body, 2);
    let mut frames = EventFrames::default();
    frames.push(body, |_| {});
    frames.finish(|_| {});
}
