//! Saves on disk: what is written, what is read back, what is refused, and going on from any
//! moment.
#![expect(
    clippy::disallowed_methods,
    reason = "tests lay out the files of runs that ended badly"
)]

mod damage;
mod refusals;
mod round_trip;
mod sessions;
mod slots;
mod town;
mod unsaved;
mod versions;
