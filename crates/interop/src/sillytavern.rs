//! Chats of SillyTavern: a line that says whose chat it is, then one for each message. Its
//! personas, and what else it keeps in files.

use std::sync::Arc;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::message::{Block, FormatError, Message, Role, shown};
use serde_json::{Map, Value, json};

use super::blocks;
use super::neutral::{JOINED, Neutral};

/// Who speaks for nobody: what happens, and what the model is told.
const NARRATOR: &str = "narrator";

/// The member that keeps what else a line of a chat says.
const LINE: &str = "sillytavern";

/// Whether a line begins a chat.
pub(super) fn is_head(value: &Value) -> bool {
    value.get("mes").is_none()
        && (value.get("chat_metadata").is_some()
            || (value.get("user_name").is_some() && value.get("character_name").is_some()))
}

/// What a file of SillyTavern is that is no chat, by the members that tell it; `None` if that is
/// not known.
pub(crate) fn other_file(value: &Value) -> Option<UiText> {
    let is = |members: &str| members.split(' ').all(|member| value.get(member).is_some());
    let first = value.as_array().and_then(|list| list.first());
    if first.unwrap_or(value).get("findRegex").is_some() {
        return Some(text!(dialect_tavern_script));
    }
    let any = |each: &[&str]| each.iter().any(|members| is(members));
    Some(match () {
        () if any(&["prompts prompt_order", "temperature top_p", "temp top_k"]) => {
            text!(dialect_tavern_preset)
        }
        () if any(&["input_sequence", "story_string", "content post_history"])
            || is("prefix suffix separator") =>
        {
            text!(dialect_tavern_template)
        }
        () if any(&["qrList", "quickReplySlots"]) => text!(dialect_tavern_replies),
        () if any(&["display_name js", "manifest_version"]) => text!(dialect_tavern_extension),
        () if is("main_text_color") => text!(dialect_tavern_theme),
        () if is("entries") => text!(dialect_tavern_book),
        () if any(&["spec data", "first_mes mes_example"]) => text!(dialect_tavern_card),
        () => return None,
    })
}

/// A persona: somebody whom the user plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Persona {
    pub name: String,
    pub description: String,
    /// Whether it is the usual one.
    pub is_default: bool,
}

/// The personas in a backup of them, or in the settings of SillyTavern; `None` if it has none.
pub fn personas(value: &Value) -> Option<Vec<Persona>> {
    let value = value.get("power_user").unwrap_or(value);
    let names = value.get("personas")?.as_object()?;
    let usual = value.get("default_persona").and_then(Value::as_str);
    let descriptions = value.get("persona_descriptions");
    let personas = names.iter().filter_map(|(avatar, name)| {
        let described = descriptions.and_then(|all| all.get(avatar));
        let description = described.and_then(|own| own.get("description").unwrap_or(own).as_str());
        Some(Persona {
            name: name.as_str()?.trim().to_owned(),
            description: description.unwrap_or_default().to_owned(),
            is_default: usual == Some(avatar),
        })
    });
    Some(personas.collect())
}

/// Whose chat it is; `None` for that of a group.
pub(super) fn owner(head: &Value) -> Option<Arc<str>> {
    let name = head.get("character_name")?.as_str()?;
    (!matches!(name, "" | "unused")).then(|| name.into())
}

pub(super) fn is_message(map: &Map<String, Value>) -> bool {
    map.contains_key("mes") && (map.contains_key("is_user") || map.contains_key("name"))
}

/// Reads a line. What was hidden from the model, such as a comment, is left out with a warning.
pub(super) fn read(
    map: &Map<String, Value>,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Message>, FormatError> {
    let is = |member: &str| map.get(member) == Some(&Value::Bool(true));
    let extra = |member: &str| map.get("extra")?.get(member)?.as_str();
    let is_narrator = extra("type") == Some(NARRATOR);
    let Some(words) = map.get("mes") else {
        return Err(FormatError::new("mes", text!(dialect_expected_text)));
    };
    if is("is_system") && !is_narrator {
        warnings.push(FormatError::new("is_system", text!(dialect_hidden_message)));
        return Ok(Vec::new());
    }
    let thought = extra("reasoning").filter(|thought| !thought.is_empty());
    let words = blocks::read_content(Some(words), warnings)?;
    let name = map.get("name").and_then(Value::as_str);
    let mut neutral = Neutral {
        role: Some(match (is_narrator, is("is_user")) {
            (true, _) => Role::System,
            (false, true) => Role::Human,
            (false, false) => Role::Ai,
        }),
        blocks: thought
            .map(Block::thinking)
            .into_iter()
            .chain(words)
            .collect(),
        name: name
            .filter(|name| !name.is_empty() && !is_narrator)
            .map(Into::into),
        ..Neutral::default()
    };
    neutral.keep("timestamp", map.get("send_date"));
    let read = ["name", "is_system", "mes", "send_date"];
    let others = map.iter().filter(|(key, _)| !read.contains(&key.as_str()));
    let others: Map<_, _> = others
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    neutral.keep(LINE, Some(&Value::Object(others)));
    Ok(neutral.into_messages())
}

/// Lets those in the chat of a character be others who are not it: they are people to its model.
pub(super) fn settle(messages: &mut [Message], owner: &str) {
    for message in messages {
        let is_others = |name: &Arc<str>| &**name != owner;
        if message.role == Role::Ai && message.body.sender().is_some_and(is_others) {
            message.role = Role::Human;
        }
    }
}

/// Writes a chat. Calls and their results are in words.
pub(super) fn write(messages: &[Message], owner: &str) -> Vec<Value> {
    let head = json!({"user_name": "User", "character_name": owner, "chat_metadata": {}});
    let lines = messages.iter().map(|message| write_line(message, owner));
    std::iter::once(head).chain(lines).collect()
}

fn write_line(message: &Message, owner: &str) -> Value {
    let mut neutral = Neutral::of(message);
    let role = neutral.role();
    let (thoughts, words): (Vec<_>, Vec<_>) = std::mem::take(&mut neutral.blocks)
        .into_iter()
        .partition(|block| matches!(block, Block::Thinking { .. }));
    let (usual, is_user) = match role {
        // Others of the story are no user.
        Role::Human => ("User", neutral.name.is_none()),
        Role::Ai => (owner, false),
        Role::System | Role::Tool => ("System", false),
    };
    let mut line = match neutral.origin.remove(LINE) {
        Some(Value::Object(line)) => line,
        _ => Map::new(),
    };
    line.insert(
        "name".into(),
        neutral.name.as_deref().unwrap_or(usual).into(),
    );
    line.entry("is_user").or_insert(is_user.into());
    line.insert("is_system".into(), false.into());
    line.insert("mes".into(), shown(&words).into());
    if let Some(time) = neutral.origin.remove("timestamp") {
        line.insert("send_date".into(), time);
    }
    neutral.origin.remove(JOINED);
    let mut extra = match line.remove("extra") {
        Some(Value::Object(extra)) => extra,
        _ => Map::new(),
    };
    if matches!(role, Role::System | Role::Tool) {
        extra.insert("type".into(), NARRATOR.into());
    }
    if !thoughts.is_empty() {
        let thoughts = thoughts.iter().filter_map(|block| match block {
            Block::Thinking { thinking, .. } => Some(&**thinking),
            _ => None,
        });
        let thoughts: Vec<_> = thoughts.collect();
        extra.insert("reasoning".into(), thoughts.join("\n").into());
    }
    line.insert("extra".into(), Value::Object(extra));
    Value::Object(line)
}
