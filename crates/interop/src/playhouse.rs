//! Our own format. Documents that look like ours (an entity's name and its messages) may hold
//! messages as LangChain dumps them; those are read as such.

use playhouse_engine::message::{
    Block, FormatError, Message, Role, message_from_json, message_to_json,
};
use serde_json::{Map, Value, json};

use super::neutral::Neutral;
use super::{blocks, langchain};

pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Message>, FormatError> {
    if langchain::is_dumped(map) {
        return langchain::read(map, warnings).map(Neutral::into_messages);
    }
    let message = message_from_json(&Value::Object(map.clone()))?;
    let unknown = |block: &Block| matches!(block, Block::Unknown(_));
    if !message.body.listed_blocks().iter().any(unknown) {
        return Ok(vec![message]);
    }
    let mut neutral = Neutral::of(&message);
    neutral.blocks = blocks::read_content(Some(&json!(neutral.blocks)), warnings)?;
    Ok(neutral.into_messages())
}

/// Writes messages. Our format has one system message, at the start; a later one is written as a
/// human message that says what it was.
pub(super) fn write(messages: &[Message]) -> Vec<Value> {
    let messages = messages.iter().enumerate();
    let written = messages.map(|(index, message)| match (index, message.role) {
        (1.., Role::System) => {
            let mut neutral = Neutral::of(message);
            neutral.role = Some(Role::Human);
            neutral.origin.entry("role").or_insert("system".into());
            let told = neutral.into_messages();
            told.first().map(message_to_json).unwrap_or_default()
        }
        _ => message_to_json(message),
    });
    written.collect()
}

#[cfg(test)]
mod tests {
    use super::super::roles::take_role;
    use super::*;

    #[test]
    fn a_later_system_message_survives_the_way_there_and_back() {
        let messages = [Message::system("rules"), Message::system("more")];
        let written = write(&messages);
        assert_eq!(written[1]["type"], "human");
        assert_eq!(
            written[1]["metadata"],
            json!({"origin": {"role": "system"}})
        );
        let read = read(written[1].as_object().unwrap(), &mut Vec::new()).unwrap();
        let mut neutral = Neutral::of(&read[0]);
        assert_eq!(take_role(&mut neutral.origin).as_deref(), Some("system"));
    }

    #[test]
    fn a_block_with_foreign_members_is_read() {
        let message = json!({"type": "human", "mood": "calm", "content": [
            {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]});
        let read = read(message.as_object().unwrap(), &mut Vec::new()).unwrap();
        assert_eq!(read[0].body.full_text(), "hi");
        assert_eq!(read[0].tags.text("mood"), Some("calm"));
    }
}
