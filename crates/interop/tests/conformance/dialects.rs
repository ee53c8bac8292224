//! Operations on messages and conversations in the forms of others.

use playhouse_engine::message::{Block, CallPairs, Message, ToolUse};
use playhouse_engine::reading::StreamSplitter;
use playhouse_interop::thinking::AnswerText;
use playhouse_interop::{
    Arguments, ArgumentsRepair, Imported, Profile, UnknownProfile, read_value, write_value,
};
use serde_json::{Value, json};

use super::Operation;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("convert", convert),
    ("detect", detect),
    ("warnings", warnings),
    ("inspect", inspect),
    ("pair_calls", pair_calls),
    ("reply_blocks", reply_blocks),
    ("stream_blocks", stream_blocks),
    ("call_arguments", call_arguments),
];

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn profile(name: &str) -> Result<Profile, String> {
    name.parse()
        .map_err(|error: UnknownProfile| error.to_string())
}

fn imported(input: &Value) -> Result<Imported, String> {
    let from = text(input, "from").map(profile).transpose()?;
    read_value(&input["document"], from).map_err(|error| error.to_string())
}

fn messages(input: &Value) -> Result<Vec<Message>, String> {
    let conversations = imported(input)?.conversations.into_iter();
    Ok(conversations
        .flat_map(|conversation| conversation.messages)
        .collect())
}

/// Reads a `document` (as `from`, where it is named) and writes it as `to`.
fn convert(input: &Value) -> Result<Value, String> {
    let to = text(input, "to").ok_or("'to' names the form to write")?;
    Ok(write_value(&imported(input)?.conversations, profile(to)?))
}

/// Which form a `document` has.
fn detect(input: &Value) -> Result<Value, String> {
    Ok(imported(input)?.profile.name().into())
}

/// What was not taken as it came from a `document`.
fn warnings(input: &Value) -> Result<Value, String> {
    let warnings = imported(input)?.warnings;
    Ok(warnings.iter().map(ToString::to_string).collect())
}

/// What the one message of a `document` says: its text (joined by `separator`, where one is given),
/// its calls, and whether it has media or calls.
fn inspect(input: &Value) -> Result<Value, String> {
    let messages = messages(input)?;
    let [message] = messages.as_slice() else {
        return Err(format!("{} messages in place of one", messages.len()));
    };
    let body = &message.body;
    let separator = text(input, "separator").unwrap_or("\n");
    let calls: Vec<_> = body.tool_calls().map(|call| call.id).collect();
    Ok(json!({
        "text": body.joined_text(separator),
        "tool_uses": calls,
        "has_image": body.media().next().is_some(),
        "has_tool_use": !calls.is_empty(),
    }))
}

/// Which calls of a `document` are answered, and with which words.
fn pair_calls(input: &Value) -> Result<Value, String> {
    let messages = messages(input)?;
    let pairs = CallPairs::of(&messages);
    let answered = pairs.pairs.iter().filter_map(|pair| {
        let result = pair.result?;
        Some(json!({"id": result.id, "text": result.text(), "is_error": result.is_error}))
    });
    let unanswered: Vec<_> = pairs
        .unanswered()
        .map(|call: ToolUse<'_>| call.id)
        .collect();
    let orphans: Vec<_> = pairs.orphans.iter().map(|result| result.id).collect();
    Ok(json!({
        "answered": answered.collect::<Vec<_>>(), "unanswered": unanswered, "orphans": orphans,
    }))
}

/// The blocks of an answer, read as a message of a chat and piece by piece; both must agree.
fn reply_blocks(input: &Value) -> Result<Value, String> {
    let mut said = input.clone();
    said["role"] = "assistant".into();
    let message = read_value(&said, Some(Profile::OpenAi)).map_err(|error| error.to_string())?;
    let message = message
        .conversations
        .into_iter()
        .flat_map(|conversation| conversation.messages)
        .next();
    let blocks = message
        .map(|message| message.body.to_blocks())
        .unwrap_or_default();
    let mut answer = AnswerText::default();
    answer.push(input);
    let words: Vec<_> = blocks
        .iter()
        .filter(|block| block.as_tool_call().is_none())
        .collect();
    if answer.split().into_blocks().iter().collect::<Vec<_>>() == words {
        Ok(json!(blocks))
    } else {
        Err(format!(
            "{blocks:?} as a message, but {answer:?} as a reply"
        ))
    }
}

/// The blocks of an answer that came in these pieces. No piece may have given a thought as text.
fn stream_blocks(input: &Value) -> Result<Value, String> {
    let mut splitter = StreamSplitter::default();
    let mut given = String::new();
    for piece in input.as_array().ok_or("the input is a list of texts")? {
        given += &splitter.push(piece.as_str().unwrap_or_default()).text;
    }
    let split = splitter.finish();
    if given.trim() == split.text {
        Ok(json!(split.into_blocks()))
    } else {
        Err(format!(
            "'{given}' was given, but the text is '{}'",
            split.text
        ))
    }
}

/// A call whose `arguments` are a text, as a block, and what had to be done to them.
fn call_arguments(input: &Value) -> Result<Value, String> {
    let arguments = text(input, "arguments").ok_or("'arguments' is a text")?;
    let read = Arguments::from_text(arguments);
    let member = |key: &str| text(input, key).unwrap_or_default();
    let block = Block::tool_use(member("id"), member("name"), read.input);
    let repair = match read.repair {
        ArgumentsRepair::None => "none",
        ArgumentsRepair::Completed => "closed",
        ArgumentsRepair::Discarded(_) => "emptied",
    };
    Ok(json!({"block": block, "mending": repair}))
}
