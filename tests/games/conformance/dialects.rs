//! Operations on messages, conversations and memories in the forms of others.

use playhouse::dialect::thinking::AnswerText;
use playhouse::dialect::{
    Arguments, ArgumentsRepair, Imported, MarkFilter, MarkedMessages, Profile, UnknownProfile,
    message_id, read_value, write_value,
};
use playhouse::message::{Block, CallPairs, Message, Role, Tags, ToolUse};
use playhouse::reading::StreamSplitter;
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
    ("memory", memory),
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

/// Does `steps` with a memory and gives what each of them gave.
fn memory(input: &Value) -> Result<Value, String> {
    let mut memory = MarkedMessages::default();
    let steps = input["steps"].as_array().ok_or("'steps' is a list")?;
    let done = steps.iter().map(|step| remember(&mut memory, step, input));
    done.collect::<Result<Vec<_>, _>>().map(Value::Array)
}

/// The message that a step names, with the mark that it gives it.
fn named(step: &Value, input: &Value) -> Result<Message, String> {
    let document = &input["messages"][text(step, "message").unwrap_or_default()];
    let read = messages(&json!({"document": document}))?.into_iter().next();
    let message = read.ok_or_else(|| format!("{step} names no message"))?;
    match text(step, "mark").map(|mark| Tags::new().with_user(mark, true)) {
        None => Ok(message),
        Some(Ok(tags)) => Ok(message.tagged(tags)),
        Some(Err(error)) => Err(error.to_string()),
    }
}

fn remember(memory: &mut MarkedMessages, step: &Value, input: &Value) -> Result<Value, String> {
    let mark = text(step, "mark").unwrap_or_default();
    match text(step, "do").unwrap_or_default() {
        "add" => {
            memory.add(named(step, input)?);
        }
        "add_again" => memory.push(named(step, input)?),
        "add_and_change" => {
            let mut message = named(step, input)?;
            memory.add(message.clone());
            message.body = "changed".into();
            message.role = Role::System;
        }
        "set_summary" => memory.set_summary(text(step, "summary").unwrap_or_default()),
        "mark" => {
            let id = text(step, "id").map(str::to_owned);
            let meant = |message: &Message| id.is_none() || message_id(message) == id;
            return Ok(json!({"changed": memory.mark(meant, mark), "size": memory.len()}));
        }
        "forget_marked" => {
            return Ok(json!({"removed": memory.remove_marked(mark), "size": memory.len()}));
        }
        "export_and_import" => {
            let state = memory.to_state();
            let state = state.as_object().ok_or("a state is an object")?;
            let again = MarkedMessages::from_state(state).map_err(|error| error.to_string())?;
            return if again == *memory {
                Ok("equal".into())
            } else {
                Err(format!("{again:?} was {memory:?}"))
            };
        }
        "recall" => {
            let filter = match (text(step, "mark"), text(step, "exclude")) {
                (Some(mark), _) => MarkFilter::With(mark),
                (_, Some(mark)) => MarkFilter::Without(mark),
                _ => MarkFilter::Any,
            };
            let with_summary = step["summary"].as_bool().unwrap_or_default();
            let recalled = memory.messages(filter, with_summary);
            let each = recalled.iter().map(|message| {
                let marks: Vec<_> = message.tags.iter().map(|(key, _)| key.to_owned()).collect();
                json!([message.body.full_text(), marks])
            });
            return Ok(each.collect());
        }
        other => return Err(format!("'{other}' is no step")),
    }
    Ok(json!({"size": memory.len()}))
}
