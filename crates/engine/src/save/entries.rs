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
    let message = |(index, entry): (usize, &EntryDto)| {
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
    };
    let messages: Vec<_> = entries
        .iter()
        .enumerate()
        .map(message)
        .collect::<Result<_, _>>()?;
    let sizes = messages.iter().map(|stored| stored.message.body.bytes());
    check_size(sizes.sum()).map_err(|problem| SaveError::wrong(path, problem))?;
    Ok(messages)
}

/// Refuses a list of more text than fits into memory: a long body may be in it many times.
pub(super) fn check_size(bytes: usize) -> Result<(), UiText> {
    if bytes > MAX_LIST_BYTES {
        return Err(text!(save_list_too_large, bytes, max = MAX_LIST_BYTES));
    }
    Ok(())
}
