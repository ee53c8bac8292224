//! What holds for every format, tried on random conversations and random JSON.

use playhouse_engine::message::{
    Block, Body, MediaSource, Message, ResponseMetadata, Role, Tags, TokenUsage, ToolResult,
    message_to_json,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Conversation, Profile, read_value, write_value};

/// Without tags of thinking; those are tested in `thinking.rs`.
fn words() -> impl Strategy<Value = String> {
    "[a-z城\"\\\\ ]{1,6}"
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        words().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::btree_map("[a-c]{1,2}", inner.clone(), 0..3);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::from),
            members.prop_map(|members| json!(members)),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-c]{1,2}", any_json(), 0..3)
        .prop_map(|members| members.into_iter().collect())
}

fn source(kind: &'static str) -> impl Strategy<Value = MediaSource> {
    prop_oneof![
        Just(MediaSource::base64(format!("{kind}/x"), "QUJD")),
        prop::sample::select(vec![
            "https://example.com/a",
            "http://x/y.png",
            "http://x/y.mp3?z=1"
        ])
        .prop_map(MediaSource::url),
        prop::sample::select(vec!["inn.png", "/home/a.wav", "film"]).prop_map(MediaSource::file),
    ]
}

fn told() -> impl Strategy<Value = Block> {
    prop_oneof![
        4 => words().prop_map(Block::text),
        1 => source("image").prop_map(Block::image),
        1 => source("audio").prop_map(Block::audio),
        1 => source("video").prop_map(Block::video),
        1 => any_json().prop_map(|value| Block::Unknown(json!({"type": "mystery", "x": value}))),
    ]
}

fn signature() -> impl Strategy<Value = Option<Box<str>>> {
    prop::option::of(Just("EqQB".into()))
}

fn thought() -> impl Strategy<Value = Block> {
    (words(), signature()).prop_map(|(thinking, signature)| Block::Thinking {
        thinking: thinking.trim().into(),
        signature,
    })
}

fn call() -> impl Strategy<Value = Block> {
    (0..3u8, object(), signature()).prop_map(|(id, input, signature)| Block::ToolUse {
        id: format!("c{id}"),
        name: format!("f{id}"),
        input: Value::Object(input),
        signature,
    })
}

fn result() -> impl Strategy<Value = Block> {
    let blocks = prop_oneof![6 => told(), 1 => thought(), 1 => call()];
    let blocks = prop::collection::vec(blocks, 1..3);
    let output = prop_oneof![
        words().prop_map(Value::from),
        blocks.prop_map(|blocks| json!(blocks)),
    ];
    (0..3u8, output, any::<bool>()).prop_map(|(id, output, is_error)| Block::ToolResult {
        tool_use_id: format!("c{id}"),
        name: Some(format!("f{id}")),
        output,
        is_error,
    })
}

fn human() -> impl Strategy<Value = Message> {
    let blocks = (
        prop::collection::vec(told(), 1..4),
        prop::option::weighted(0.1, call()),
    );
    blocks.prop_map(|(told, call)| Message::human(told.into_iter().chain(call).collect::<Vec<_>>()))
}

/// As models answer: thoughts, then words, then calls, all of other ids.
fn ai() -> impl Strategy<Value = Message> {
    let blocks = (
        prop::option::of(thought()),
        prop::collection::vec(words().prop_map(Block::text), 0..3),
        prop::option::of(call()),
        prop::option::of((0..9u64, 0..9u64)),
    );
    blocks.prop_map(|(thought, texts, call, usage)| {
        let blocks: Vec<_> = thought.into_iter().chain(texts).chain(call).collect();
        let body = if blocks.is_empty() {
            Body::text("")
        } else {
            Body::blocks(blocks)
        };
        let body = match usage {
            Some((input, output)) => {
                let usage = TokenUsage {
                    input,
                    output,
                    ..TokenUsage::default()
                };
                body.with_response(ResponseMetadata::new("deepseek", "chat", usage))
            }
            None => body,
        };
        Message::ai(body)
    })
}

fn tool() -> impl Strategy<Value = Message> {
    result().prop_map(|result| Message::tool([result]))
}

/// Adds what a message has beside its content: name, metadata, foreign id and time, tags, condensed
/// form.
fn with_members(message: impl Strategy<Value = Message>) -> impl Strategy<Value = Message> {
    let tag = ("[a-c]{1,2}|kickoff|status|mood", any_json());
    let rest = (
        prop::option::of("[A-C]{1,3}"),
        object(),
        prop::option::of("[0-9]{1,3}"),
        prop::option::of(Just("yesterday")),
        prop::collection::vec(tag, 0..3),
        prop::option::of(words()),
    );
    (message, rest).prop_map(
        |(mut message, (name, mut metadata, id, time, tags, short))| {
            let mut origin = Map::new();
            origin.extend(id.map(|id| ("id".to_owned(), id.into())));
            origin.extend(time.map(|time| ("timestamp".to_owned(), time.into())));
            if !origin.is_empty() {
                metadata.insert("origin".into(), Value::Object(origin));
            }
            let mut body = message.body.clone().with_metadata(metadata);
            if let Some(name) = name {
                body = body.from_sender(name);
            }
            // If the condensed form is the longer one, both would be swapped.
            if let Some(short) = short.filter(|short| short.len() <= body.full_text().len()) {
                body = body.with_short(short);
            }
            let add = |tags: Tags, (key, value): (String, Value)| {
                tags.clone().with_user(&key, value).unwrap_or(tags)
            };
            message.tags = tags.into_iter().fold(Tags::new(), add);
            message.body = body;
            message
        },
    )
}

fn conversation(
    message: impl Strategy<Value = Message> + 'static,
) -> impl Strategy<Value = Conversation> {
    let system = words().prop_map(Message::system);
    (
        prop::option::of(system),
        prop::collection::vec(message, 1..6),
    )
        .prop_map(|(system, messages)| Conversation {
            messages: system.into_iter().chain(messages).collect(),
            ..Conversation::default()
        })
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![3 => human().boxed(), 3 => ai().boxed(), 1 => tool().boxed()]
}

fn read_again(conversation: &Conversation, profile: Profile) -> Vec<Message> {
    let written = write_value(std::slice::from_ref(conversation), profile);
    let imported = read_value(&written, Some(profile)).unwrap();
    imported
        .conversations
        .into_iter()
        .flat_map(|conversation| conversation.messages)
        .collect()
}

/// A result's text and its single text block are the same, and not every format has both.
fn comparable(message: &Message) -> Value {
    let mut value = message_to_json(message);
    let blocks = value["content"].as_array_mut().into_iter().flatten();
    for output in blocks.filter_map(|block| block.get_mut("output")) {
        if let Value::String(text) = output {
            *output = json!([Block::text(text.as_str())]);
        }
    }
    value
}

/// What a result says: joined if it is text alone.
fn without_thoughts(result: &ToolResult<'_>) -> Value {
    let mut blocks = result.blocks();
    blocks.retain(|block| !matches!(block, Block::Thinking { .. }));
    let texts: Option<Vec<_>> = blocks.iter().map(Block::as_text).collect();
    texts.map_or_else(|| json!(blocks), |texts| texts.join("\n").into())
}

/// What chat messages have members for.
fn without_extras(message: &Message) -> Value {
    let mut blocks = message.body.to_blocks();
    blocks.retain(|block| !matches!(block, Block::Thinking { .. }) && block.as_text() != Some(""));
    let blocks = blocks.into_iter().map(|block| match block {
        Block::ToolUse {
            id, name, input, ..
        } => json!([id, name, input]),
        Block::ToolResult { .. } => {
            let result = block.as_tool_result();
            json!(result.map(|result| (result.id, result.name, without_thoughts(&result))))
        }
        block => json!(block),
    });
    let name = message
        .body
        .sender()
        .filter(|_| message.role != Role::Tool)
        .map(|name| name.to_string());
    json!({"role": message.role, "name": name, "said": blocks.collect::<Vec<_>>()})
}

/// One of these words.
fn one_of(words: &'static str) -> impl Strategy<Value = &'static str> + Clone {
    prop::sample::select(words.split_whitespace().collect::<Vec<_>>())
}

fn member() -> impl Strategy<Value = (&'static str, Value)> {
    let names = one_of(
        "role type name id timestamp created_at tool_call_id text thinking reasoning_content toolUseId
        tool_use_id state status input arguments refusal _compressed_summary mood kickoff mes is_user
        send_date reasoning",
    );
    let values = one_of(
        "system user assistant tool USER ASSISTANT TOOL human ai chat function developer text thinking
        tool_use tool_call tool_result image image_url data 2024-01-15T10:30:00Z <think>a</think>b
        {\"a\":1 error f data:image/png;base64,QUJD",
    );
    let values = prop_oneof![9 => values, 1 => Just("")];
    (names, values).prop_map(|(key, value)| (key, value.into()))
}

/// Roles in the spellings of all formats.
fn speaker() -> impl Strategy<Value = Option<(&'static str, Value)>> {
    let roles = one_of("system user assistant tool USER ASSISTANT TOOL developer");
    let types = one_of("system human ai tool chat");
    let said = one_of("lamp <think>a</think>b");
    let role = prop_oneof![
        8 => roles.prop_map(|role| ("role", role.into())),
        5 => types.prop_map(|kind| ("type", kind.into())),
        2 => said.prop_map(|words| ("mes", words.into())),
    ];
    prop::option::weighted(0.7, role)
}

/// JSON that is nearly a conversation in some format.
fn nearly() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![any_json(), words().prop_map(Value::from)];
    let lists = one_of(
        "content messages context tool_calls output source metadata data function image_url
        additional_kwargs response_metadata usage origin playhouse tags usage_metadata mes extra swipes",
    );
    leaf.prop_recursive(5, 60, 5, move |inner| {
        let texts = prop::collection::vec(member(), 1..5);
        let deep = (lists.clone(), inner.clone());
        let deep = prop::collection::vec(deep, 0..3);
        let object = (speaker(), texts, deep).prop_map(|(speaker, texts, deep)| {
            let own = |(key, value): (&str, Value)| (key.to_owned(), value);
            let members = texts.into_iter().chain(speaker).chain(deep);
            Value::Object(members.map(own).collect())
        });
        prop_oneof![3 => object, 2 => prop::collection::vec(inner, 0..4).prop_map(Value::from)]
    })
}

const WITH_METADATA: [Profile; 7] = [
    Profile::Playhouse,
    Profile::AgentScope,
    Profile::AgentScopeJava1,
    Profile::AgentScopePython1,
    Profile::AgentScopePython2,
    Profile::LangChain,
    Profile::LangChainFlat,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_is_lost_in_formats_with_metadata(
        conversation in conversation(with_members(message())),
        profile in prop::sample::select(WITH_METADATA.to_vec()),
    ) {
        let before: Vec<_> = conversation.messages.iter().map(comparable).collect();
        let after: Vec<_> = read_again(&conversation, profile).iter().map(comparable).collect();
        prop_assert_eq!(after, before, "{}", profile);
    }

    #[test]
    fn chat_messages_keep_their_content(
        conversation in conversation(with_members(message())),
        profile in prop::sample::select(vec![Profile::OpenAi, Profile::OpenAiLines]),
    ) {
        let before: Vec<_> = conversation.messages.iter().map(without_extras).collect();
        let after: Vec<_> = read_again(&conversation, profile).iter().map(without_extras).collect();
        prop_assert_eq!(after, before);
    }

    #[test]
    fn unknown_members_of_chat_messages_survive_any_way_there_and_back(
        said in prop::collection::vec((one_of("user assistant tool"), "[a-c]{1,6}", object()), 1..5),
        over in prop::sample::select(WITH_METADATA.to_vec()),
    ) {
        let message = |(role, words, mut members): (&str, String, Map<String, Value>)| {
            members.insert("role".into(), role.into());
            members.insert("content".into(), words.into());
            if role == "tool" {
                members.insert("tool_call_id".into(), "c1".into());
            }
            Value::Object(members)
        };
        let written: Value = said.into_iter().map(message).collect();
        let read = read_value(&written, Some(Profile::OpenAi)).unwrap().conversations;
        prop_assert_eq!(write_value(&read, Profile::OpenAi), written.clone());
        let elsewhere = write_value(&read, over);
        let back = read_value(&elsewhere, Some(over)).unwrap().conversations;
        prop_assert_eq!(write_value(&back, Profile::OpenAi), written, "{}", over);
    }

    #[test]
    fn a_format_is_detected_by_what_it_writes(
        conversation in conversation(with_members(message())),
        profile in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let written = write_value(std::slice::from_ref(&conversation), profile);
        let detected = read_value(&written, None).unwrap().profile;
        let family = |profile: Profile| match profile {
            // Some messages lack what distinguishes these; they are read alike.
            Profile::AgentScopeJava1 => Profile::AgentScope,
            Profile::AgentScopePython2 => Profile::AgentScopePython1,
            Profile::OpenAiLines => Profile::OpenAi,
            other => other.written_as(),
        };
        prop_assert_eq!(family(detected), family(profile));
    }

    #[test]
    fn no_json_breaks_the_readers(
        value in prop_oneof![nearly(), any_json()],
        profile in prop::option::of(prop::sample::select(Profile::ALL.to_vec())),
        other in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        if let Ok(imported) = read_value(&value, profile) {
            let written = write_value(&imported.conversations, other);
            let other = other.written_as();
            prop_assert!(read_value(&written, Some(other)).is_ok(), "{written}");
        }
    }

    #[test]
    fn writing_is_stable_after_one_reading(
        value in nearly(), profile in prop::sample::select(Profile::written().collect::<Vec<_>>()),
    ) {
        if let Ok(imported) = read_value(&value, Some(profile)) {
            let once = write_value(&imported.conversations, profile);
            // An alias is read as a name, and gets an alias of its own: nobody takes another's.
            prop_assume!(!once.to_string().contains("--"));
            let again = read_value(&once, Some(profile)).unwrap();
            prop_assert_eq!(write_value(&again.conversations, profile), once);
        }
    }

    #[test]
    fn no_text_breaks_the_reader(text in "(\\PC|[{}\\[\\]\":,\n]){0,60}") {
        let _ = super::read(&text, None);
    }
}
