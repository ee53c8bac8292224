//! The source itself: layers of modules, circles of files, and what the pages say of it.
#![expect(clippy::unwrap_used, reason = "tests")]

mod comments;
mod founding;
mod layers;
