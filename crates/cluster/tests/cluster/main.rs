//! Worlds in stores, and workers that die.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests; servers and processes are waited for, and are told what to do"
)]

mod link;
mod memory;
mod mill;
mod nats;
mod seats;
mod simulation;
mod stores;
mod workers;
