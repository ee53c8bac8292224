//! Tools: loops between an ask and its answer, and what they may never do.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests cut journals off, and the server looks at the clock"
)]

mod formats;
mod laws;
mod limits;
mod parlour;
mod rounds;
#[path = "../../support/openai.rs"]
mod server;
