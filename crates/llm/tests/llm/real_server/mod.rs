//! The engine against a real llama-server, with tiny models and with a small one that people have
//! (see docs/real-server.md).
//!
//! `sh crates/llm/tests/real_server/build.sh` builds both; a plain `cargo test` ignores these
//! checks. Figures of a run are shown with `--nocapture`.
#![expect(
    clippy::disallowed_methods,
    reason = "tests find the server by the environment and look at the clock"
)]

mod answers;
#[expect(
    dead_code,
    reason = "the game of other tests, which look at more of it"
)]
#[path = "../../../../engine/tests/engine/tools/parlour.rs"]
mod parlour;
mod recall;
mod server;
mod small_model;
mod stories;
