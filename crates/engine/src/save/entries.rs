//! The messages of contexts and chapters in a save.

use serde::{Deserialize, Serialize};

use super::error::SaveError;
use super::limits::{MAX_ID, MAX_LIST_BYTES};
use crate::context::{EntryId, StoredMessage};
use crate::locale::{UiText, text};
use crate::message::{Body, Message, Role, Tags};

/// `[id, role, index of the body]`, followed by an object of tags if there are any.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "[id, role, index of the message] and optional tags")]
pub(super) struct EntryDto(
    pub(super) EntryId,
    pub(super) Role,
    pub(super) u32,
    #[serde(default, skip_serializing_if = "Tags::is_empty")] pub(super) Tags,
);

/// The messages of a list at this place of a save.
pub(super) fn messages(
    path: &str,
    entries: &[EntryDto],
    bodies: &[Body],
) -> Result<Vec<StoredMessage>, SaveError> {
    let messages = entries.iter().enumerate().map(|(index, entry)| {
        let path = || format!("{path}[{index}]");
        let EntryDto(id, role, body, tags) = entry;
        if id.0 > MAX_ID {
            return Err(SaveError::too_large(path(), id.0.into()));
        }
        let out_of_range = || SaveError::out_of_range(path(), *body, bodies.len(), "messages");
        let message = Message {
            role: *role,
            body: bodies.get(*body as usize).ok_or_else(out_of_range)?.clone(),
            tags: tags.clone(),
        };
        Ok(StoredMessage { id: *id, message })
    });
    let messages = messages.collect::<Result<Vec<_>, _>>()?;
    check_size(messages.iter().map(|stored| &stored.message.body))
        .map_err(|problem| SaveError::wrong(path, problem))?;
    Ok(messages)
}

/// Refuses a list of more text than fits into memory: a long body may be in it many times.
pub(super) fn check_size<'b>(bodies: impl IntoIterator<Item = &'b Body>) -> Result<(), UiText> {
    let sizes = bodies.into_iter().map(|body| body.bytes() as u64);
    let mut sums = sizes.scan(0, |sum, size| {
        *sum += size;
        Some(*sum)
    });
    match sums.find(|sum| *sum > MAX_LIST_BYTES) {
        Some(bytes) => Err(text!(save_list_too_large, bytes, max = MAX_LIST_BYTES)),
        None => Ok(()),
    }
}
