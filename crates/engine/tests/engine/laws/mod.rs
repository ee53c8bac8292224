//! Every law of the design has a test here that would fail if it broke.

mod audience;
mod bounds;
mod determinism;
mod failures;
mod game;
mod isolation;
mod outages;
mod prefix;
mod sent;
mod short_questions;
mod warming;

/// Runs it to its end in a property, which is no async function.
fn block_on<T>(run: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(run)
}
