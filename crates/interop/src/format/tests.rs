//! What holds for every conversation, and a few exact results.

use std::sync::Arc;

use playhouse_engine::message::{Block, Body, MediaSource, Message, Role};
use playhouse_engine::testing::each_row;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn words() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "It rains.",
        "\"Run!\"\nB: run",
        "</history>\n[A]: 雨停了。",
        "",
        " ",
    ])
}

fn block() -> impl Strategy<Value = Block> {
    let id = prop::sample::select(vec!["1", "2", "call 3", ""]);
    let kind = prop::sample::select(vec!["image", "audio", "video"]);
    let source = prop::sample::select(vec![
        MediaSource::url("http://x/a.png"),
        MediaSource::base64("audio/\"wav", "AA=="),
    ]);
    prop_oneof![
        4 => words().prop_map(Block::text),
        1 => (kind, source).prop_map(|(kind, source)| match kind {
            "image" => Block::image(source),
            "audio" => Block::audio(source),
            _ => Block::video(source),
        }),
        2 => words().prop_map(Block::thinking),
        1 => words().prop_map(|words| Block::Thinking { thinking: words.into(), signature: Some("s".into()) }),
        2 => id.clone().prop_map(|id| Block::tool_use(id, "dice", json!({"sides": 6}))),
        2 => id.prop_map(|id| Block::tool_result(id, json!([{"type": "text", "text": "4"}]))),
        1 => Just(Block::Unknown(json!({"type": "mystery"}))),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop::sample::select(vec![
        Role::System,
        Role::Human,
        Role::Human,
        Role::Ai,
        Role::Ai,
        Role::Tool,
    ]);
    let sender = prop::sample::select(vec![None, Some("Mira"), Some("B"), Some("苏绣 [x]: ")]);
    let body = prop_oneof![
        words().prop_map(Body::from),
        prop::collection::vec(block(), 0..5).prop_map(Body::from),
    ];
    let shared_prefix = prop::option::weighted(0.1, Just(Arc::new("Rules.\n".into())));
    (role, sender, body, shared_prefix).prop_map(|(role, sender, body, shared_prefix)| {
        let body = match role {
            Role::System => Body::text(body.full_text()),
            _ => body,
        };
        let body = match sender {
            Some(sender) => body.from_sender(sender),
            None => body,
        };
        let body = match shared_prefix {
            Some(shared_prefix) => body.after(shared_prefix),
            None => body,
        };
        Message::new(role, body)
    })
}

fn format() -> impl Strategy<Value = Format> {
    let api = prop::sample::select(Api::ALL.to_vec());
    let style = prop::sample::select(Style::ALL.to_vec());
    (api, style, any::<[bool; 4]>()).prop_map(
        |(api, style, [cautious, merge, breakpoints, parts])| {
            let mut options = if cautious {
                FormatOptions::cautious(api)
            } else {
                FormatOptions::observed(api)
            };
            options.history_header = "HIST\n".into();
            options.merge_roles = merge;
            options.parts |= parts;
            options.cache_breakpoints = breakpoints && api == Api::Anthropic;
            Format::new(api, style, options)
        },
    )
}

pub(super) fn turns(messages: &[Message]) -> Vec<Turn<'_>> {
    let turns = messages.iter();
    turns
        .map(|message| Turn::full(message.role, &message.body))
        .collect()
}

/// All objects within a value.
fn objects<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| objects(value, found)),
        Value::Object(map) => {
            found.push(value);
            map.values().for_each(|value| objects(value, found));
        }
        _ => {}
    }
}

/// The ids of calls and of results, in their order.
fn calls_and_results(api: Api, messages: &Value) -> (Vec<Value>, Vec<Value>) {
    let mut found = Vec::new();
    objects(messages, &mut found);
    let ids = |of: fn(&Value) -> Option<&Value>| {
        found
            .iter()
            .filter_map(|value| of(value))
            .cloned()
            .collect()
    };
    match api {
        Api::Anthropic => (
            ids(|part| part.get("id").filter(|_| part["type"] == "tool_use")),
            ids(|part| part.get("tool_use_id")),
        ),
        Api::Gemini => (
            ids(|part| part.get("function_call")?.get("id")),
            ids(|part| part.get("function_response")?.get("id")),
        ),
        _ => (
            ids(|entry| entry.get("id").filter(|_| entry["type"] == "function")),
            ids(|message| message.get("tool_call_id")),
        ),
    }
}

/// Turns in which somebody speaks.
fn said() -> impl Strategy<Value = Message> {
    let role = prop::sample::select(vec![Role::Human, Role::Ai]);
    let sender = prop::sample::select(vec!["Mira", "B"]);
    (role, sender, words()).prop_map(|(role, sender, words)| {
        let body = Body::text(words).from_sender(sender);
        Message::new(role, body)
    })
}

/// What Mira is sent: turns of the history, and of the question.
pub(super) fn written(
    format: &Format,
    history: &[Turn<'_>],
    asked: &[Turn<'_>],
) -> Result<Sent, MediaError> {
    let mut writer = MessageWriter::new(format, Some("Mira"), b"{".into());
    writer.write_history(history.iter().copied())?;
    writer.write_question(asked.iter().copied())?;
    let Written {
        json,
        end,
        omissions,
    } = writer.finish();
    let mut json = String::from_utf8(end.close(format, json, "And in JSON.")).unwrap();
    json.push('}');
    assert!(serde_json::from_str::<Value>(&json).unwrap().is_object());
    Ok(Sent { json, omissions })
}

pub(super) struct Sent {
    pub(super) json: String,
    pub(super) omissions: Vec<Omission>,
}

fn question() -> Vec<Turn<'static>> {
    static QUESTION: std::sync::LazyLock<[Message; 3]> = std::sync::LazyLock::new(|| {
        let call = Block::tool_use("1", "dice", json!({}));
        [
            Message::new(Role::Human, "What now?"),
            Message::new(Role::Ai, vec![Block::thinking("hm"), call]),
            Message::new(Role::Tool, vec![Block::tool_result("1", "4")]),
        ]
    });
    turns(&*QUESTION)
}

proptest! {
    #[test]
    fn calls_and_results_are_always_paired(
        messages in prop::collection::vec(message(), 0..14), format in format(),
    ) {
        let rendered = format.render(Some("Mira"), &turns(&messages)).unwrap();
        prop_assert!(rendered.messages.is_array(), "{rendered:?}");
        let (calls, results) = calls_and_results(format.api, &rendered.messages);
        prop_assert_eq!(calls, results);
        let text = rendered.messages.to_string();
        prop_assert!(!text.contains("mystery"));
        let sent_back = text.contains("\"thinking\"") || text.contains("reasoning_content");
        prop_assert!(format.options.thinking == ThinkingPolicy::Always || !sent_back);
        if format.api.requires_parts() {
            let empty = text.contains("\"text\":\"\"") || text.contains("\"text\":\" \"");
            prop_assert!(!empty, "an empty part is refused: {text}");
        }
    }

    #[test]
    fn a_request_begins_with_the_bytes_of_the_one_before_it(
        messages in prop::collection::vec(message(), 0..40), format in format(),
        more in prop::collection::vec(said(), 0..40),
    ) {
        const BREAKPOINT: &str = ",\"cache_control\":{\"type\":\"ephemeral\"}";
        let last = [Message::new(Role::Human, "The last word.")];
        let before = [turns(&messages), turns(&last)].concat();
        let after = [before.clone(), turns(&more)].concat();
        let [before, after] = [before, after].map(|history| {
            let Sent { json, .. } = written(&format, &history, &question()).unwrap();
            assert!(json.matches(BREAKPOINT).count() <= 4, "{json}");
            json.replace(BREAKPOINT, "")
        });
        let (history, _) = before.split_once("The last word.").unwrap();
        prop_assert_eq!(after.get(..history.len()), Some(history));
    }

}

fn render(api: Api, style: Style, options: FormatOptions, messages: &[Message]) -> Rendered {
    Format::new(api, style, options)
        .render(Some("Mira"), &turns(messages))
        .unwrap()
}

#[test]
fn calls_of_another_and_unanswered_calls_are_not_sent() {
    let call = |id: &str, by: &str| {
        let blocks = vec![Block::text("look"), Block::tool_use(id, "dice", json!({}))];
        Message::new(Role::Ai, Body::blocks(blocks).from_sender(by))
    };
    let result = |id: &str| Message::new(Role::Tool, vec![Block::tool_result(id, "4")]);
    let messages = [
        call("1", "Odile"),
        result("1"),
        call("2", "Mira"),
        call("3", "Mira"),
        Message::new(Role::Human, "Meanwhile."),
        result("3"),
        result("9"),
    ];
    let options = FormatOptions::cautious(Api::OpenAi);
    let rendered = render(Api::OpenAi, Style::Perspective, options, &messages);
    let function = json!({"name": "dice", "arguments": "{}"});
    let expected = json!([
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": "look"},
        {"role": "assistant", "content": "look", "tool_calls": [{"id": "3", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "3", "content": "4"},
        {"role": "user", "content": "Meanwhile."},
    ]);
    assert_eq!(rendered.messages, expected);
    let expected = [
        Omission::CallOfAnother { id: "1".into() },
        Omission::UnansweredCall {
            id: "2".into(),
            tool: "dice".into(),
        },
        Omission::OrphanResult { id: "9".into() },
    ];
    assert_eq!(rendered.omissions, expected);
}

#[test]
fn thoughts_go_back_signed_and_only_while_the_question_is_open() {
    let signed = Block::Thinking {
        thinking: "hm".into(),
        signature: Some("s1".into()),
    };
    let redacted = json!({"type": "redacted_thinking", "data": "x"});
    let round = [
        Message::new(
            Role::Ai,
            vec![
                Block::thinking("unsigned"),
                signed,
                Block::Unknown(redacted.clone()),
                Block::tool_use("1", "dice", json!({})),
            ],
        ),
        Message::new(Role::Tool, vec![Block::tool_result("1", "4")]),
    ];
    let format = Format::new(
        Api::Anthropic,
        Style::Perspective,
        FormatOptions::cautious(Api::Anthropic),
    );
    let before = format.render(None, &turns(&round)).unwrap();
    assert!(!before.messages.to_string().contains("hm"));
    let Sent { json, omissions } = written(&format, &[], &turns(&round)).unwrap();
    let value: Value = serde_json::from_str(&json).unwrap();
    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "s1"});
    assert_eq!(value["messages"][0]["content"][0], thought);
    assert_eq!(value["messages"][0]["content"][1], redacted);
    assert_eq!(value["messages"][0]["content"][2]["type"], "tool_use");
    assert_eq!(omissions, [Omission::Thought], "the unsigned one");
}

#[test]
fn an_image_is_sent_as_each_provider_expects_it() {
    let sent = |api: Api, source: MediaSource| {
        let look = vec![Block::text("look"), Block::image(source)];
        let messages = [Message::new(Role::Human, look)];
        let options = FormatOptions::cautious(api);
        let message = render(api, Style::Perspective, options, &messages).messages[0].take();
        let parts = ["content", "parts"].map(|member| message[member].get(1).cloned());
        parts.into_iter().flatten().next().unwrap_or(message)
    };
    each_row(
        r#"
            openai => {"type": "image_url", "image_url": {"url": "http://x/a.png"}} => {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
            anthropic => {"type": "image", "source": {"type": "url", "url": "http://x/a.png"}} => {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
            gemini => {"file_data": {"file_uri": "http://x/a.png", "mime_type": "image/png"}} => {"inline_data": {"mime_type": "image/png", "data": "QUJD"}}
            dashscope => {"image": "http://x/a.png"} => {"image": "data:image/png;base64,QUJD"}
            // It fetches nothing.
            ollama => {"role": "user", "content": "look\n[image: http://x/a.png]"} => {"role": "user", "content": "look", "images": ["QUJD"]}
        "#,
        |[name, of_url, of_data]| {
            let api = Api::ALL.into_iter().find(|api| api.name() == name).unwrap();
            let read = |json| serde_json::from_str::<Value>(json).unwrap();
            assert_eq!(sent(api, MediaSource::url("http://x/a.png")), read(of_url));
            assert_eq!(
                sent(api, MediaSource::base64("image/png", "QUJD")),
                read(of_data)
            );
        },
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn a_local_file_is_sent_or_named_in_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let png = b"\x89PNG\r\n\x1a\nABC";
    std::fs::write(folder.path().join("inn.png"), png).unwrap();
    std::fs::write(folder.path().join("fake.png"), b"GIF89a").unwrap();
    let options = FormatOptions::cautious(Api::Anthropic);
    let format = Format::new(Api::Anthropic, Style::Perspective, options)
        .with_files(Arc::new(MediaFolder::new(folder.path())));
    let sent = |path| {
        let image = Block::image(MediaSource::file(path));
        format.render(None, &turns(&[Message::new(Role::Human, vec![image])]))
    };
    let source = &sent("inn.png").unwrap().messages[0]["content"][0]["source"];
    let data = json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgpBQkM="});
    assert_eq!(*source, data);
    let error = sent("fake.png").unwrap_err().to_string();
    assert!(error.contains("fake.png") && error.contains("found image/gif"));
}
