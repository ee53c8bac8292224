//! Every law of the design has a test here that would fail if it broke.
#![expect(clippy::unwrap_used, reason = "tests")]

mod audience;
mod bounds;
mod determinism;
mod failures;
mod game;
mod isolation;
mod prefix;
mod warming;
