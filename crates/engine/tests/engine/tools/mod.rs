//! Tools: loops between an ask and its answer, and what they may never do.
#![expect(clippy::disallowed_methods, reason = "tests cut journals off")]

mod laws;
mod limits;
mod parlour;
mod rounds;
