//! The names of files as people read them.

use crate::locale::{UiText, text};

/// How names of the built-in defaults begin, for messages.
pub(super) const BUILT_IN: &str = "built-in:";

/// A name of a file, such as [`DataFolder::name_of`](super::DataFolder::name_of) gives, in the
/// language of the interface.
pub fn file_text(name: &str) -> UiText {
    match name.strip_prefix(BUILT_IN) {
        Some(path) => text!(world_data_built_in, path),
        None => UiText::verbatim(name),
    }
}
