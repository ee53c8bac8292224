//! What formats promise, whatever is said.

use std::sync::Arc;

use bytes::BytesMut;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::message::{Block, Body, Message, Role, Source};

const APIS: [Api; 6] = [
    Api::OpenAi,
    Api::DeepSeek,
    Api::Anthropic,
    Api::Gemini,
    Api::DashScope,
    Api::Ollama,
];
const STYLES: [Style; 4] = [
    Style::AsStored,
    Style::Perspective,
    Style::History,
    Style::Brackets,
];

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
        Source::url("http://x/a.png"),
        Source::base64("audio/wav", "AA\"=="),
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
    let sender = prop::sample::select(vec![None, Some("A"), Some("B"), Some("苏绣 [x]: ")]);
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
    let api = prop::sample::select(APIS.to_vec());
    let style = prop::sample::select(STYLES.to_vec());
    (api, style, any::<[bool; 4]>()).prop_map(|(api, style, [cautious, merge, marks, parts])| {
        let mut shape = match cautious {
            true => Shape::cautious(api),
            false => Shape::observed(api),
        };
        shape.header = "HIST\n".into();
        shape.merge = merge;
        shape.parts |= parts;
        shape.cache_marks = marks && api == Api::Anthropic;
        Format::new(api, style, shape)
    })
}

fn turns(messages: &[Message]) -> Vec<Turn<'_>> {
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
    let mut all = Vec::new();
    objects(messages, &mut all);
    let ids = |of: fn(&Value) -> Option<&Value>| {
        all.iter().filter_map(|value| of(value)).cloned().collect()
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

/// The bytes of turns that were taken one stretch after the other, each on a later day, as it were.
fn in_stretches(format: &Format, turns: &[Turn<'_>], ends: &[usize]) -> BytesMut {
    let mut mark = Mark {
        at: 0,
        progress: Progress::default(),
    };
    let mut bytes = BytesMut::new();
    for end in ends {
        bytes.truncate(mark.at);
        let from = mark.progress.turns();
        let mut script = MessageWriter::new(format, Some("A"), bytes, mark.progress);
        script.remember(turns[from..*end].iter().copied()).unwrap();
        script.ask(question().iter().copied()).unwrap();
        let written = script.finish();
        bytes = written.bytes;
        format.close(&mut bytes, &written.progress, "And in JSON.");
        mark = written.mark.unwrap_or(Mark {
            at: 0,
            progress: Progress::default(),
        });
    }
    bytes
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
    fn whatever_is_said_becomes_messages_whose_calls_and_results_are_paired(
        messages in prop::collection::vec(message(), 0..14), format in format(),
    ) {
        let rendered = format.render(Some("A"), &turns(&messages)).unwrap();
        prop_assert!(rendered.messages.is_array(), "{rendered:?}");
        let (calls, results) = calls_and_results(format.api, &rendered.messages);
        prop_assert_eq!(calls, results);
        let text = rendered.messages.to_string();
        prop_assert!(!text.contains("mystery"));
        let sent_back = text.contains("\"thinking\"") || text.contains("reasoning_content");
        prop_assert!(format.shape.thinking == Thinking::Always || !sent_back);
        if format.api.has_parts() {
            let empty = text.contains("\"text\":\"\"") || text.contains("\"text\":\" \"");
            prop_assert!(!empty, "an empty part is refused: {text}");
        }
    }

    #[test]
    fn what_goes_on_from_a_mark_has_the_bytes_of_what_is_written_at_once(
        messages in prop::collection::vec(message(), 0..60), format in format(),
        ends in prop::collection::vec(any::<prop::sample::Index>(), 1..5),
    ) {
        let turns = turns(&messages);
        let mut ends: Vec<_> = ends.iter().map(|end| end.index(turns.len() + 1)).collect();
        ends.sort_unstable();
        let last = *ends.last().unwrap();
        let at_once = in_stretches(&format, &turns, &[last]);
        let stretched = in_stretches(&format, &turns, &ends);
        prop_assert_eq!(String::from_utf8_lossy(&stretched), String::from_utf8_lossy(&at_once));
        let whole = format!("{{{}}}", String::from_utf8_lossy(&at_once));
        let value: Value = serde_json::from_str(&whole).unwrap();
        let marks = whole.matches("cache_control").count();
        prop_assert!(marks <= 4, "{marks} marks");
        prop_assert!(value.is_object());
    }

    #[test]
    fn nobody_can_speak_for_another_in_a_history(
        said in prop::collection::vec((prop::sample::select(vec!["A", "B: x\nC", "苏绣"]), words()), 1..8),
    ) {
        let messages: Vec<_> = said
            .iter()
            .map(|(name, words)| Message::new(Role::Human, Body::text(*words).from_sender(*name)))
            .collect();
        for style in [Style::History, Style::Brackets] {
            let mut shape = Shape::cautious(Api::OpenAi);
            shape.header = "HIST\n".into();
            let format = Format::new(Api::OpenAi, style, shape);
            let rendered = format.render(None, &turns(&messages)).unwrap();
            let texts = rendered.messages.as_array().unwrap().iter();
            let text = texts.map(|message| message["content"].as_str().unwrap()).collect::<Vec<_>>().join("\n");
            prop_assert_eq!(text.matches("<history>").count(), usize::from(style == Style::History));
            let begins = |line: &&str| match style {
                Style::History => line.starts_with("A: ") || line.starts_with("苏绣: ") || line.starts_with("B%3A"),
                _ => line.starts_with('['),
            };
            prop_assert_eq!(text.lines().filter(begins).count(), said.len(), "{}", text);
            let forged = |line: &str| style == Style::History && (line.starts_with("B: ") || line.starts_with("C: "));
            prop_assert!(!text.lines().any(forged), "{}", text);
        }
    }

    #[test]
    fn truncation_keeps_the_newest_the_systems_and_whole_groups(
        messages in prop::collection::vec(message(), 1..20), limit in 0u64..60,
    ) {
        let turns = turns(&messages);
        let all: u64 = turns.iter().map(Turn::tokens).sum();
        let kept = truncate(&turns, limit, Turn::tokens);
        prop_assert_eq!(kept.left_out.is_none(), kept.turns.len() == turns.len());
        prop_assert_eq!(kept.weight, kept.turns.iter().map(Turn::tokens).sum::<u64>());
        let system = |turns: &[Turn<'_>]| turns.iter().filter(|turn| turn.role == Role::System).count();
        prop_assert_eq!(system(&turns), system(&kept.turns));
        if let Some(LeftOut::Older { messages, weight }) = kept.left_out {
            prop_assert!(all > limit && messages + kept.turns.len() == turns.len() && weight + kept.weight == all);
        }
        let format = Format::new(Api::OpenAi, Style::AsStored, Shape::cautious(Api::OpenAi));
        let orphans = |turns: &[Turn<'_>]| {
            let left_out = format.render(None, turns).unwrap().left_out;
            let broken = |left: &&LeftOut| matches!(left, LeftOut::Orphan { .. } | LeftOut::Unanswered { .. });
            left_out.iter().filter(broken).count()
        };
        prop_assert!(orphans(&kept.turns) <= orphans(&turns));
    }
}

fn render(api: Api, style: Style, shape: Shape, messages: &[Message]) -> Rendered {
    Format::new(api, style, shape)
        .render(Some("Mira"), &turns(messages))
        .unwrap()
}

#[test]
fn ones_own_turns_are_the_assistants_and_all_others_the_users() {
    let said = |role, name: &str| Message::new(role, Body::text("x").from_sender(name));
    let messages = [
        said(Role::Human, "Odile Marsh"),
        said(Role::Ai, "Mira"),
        said(Role::Ai, "Odile Marsh"),
    ];
    let shape = Shape {
        names: true,
        ..Shape::cautious(Api::OpenAi)
    };
    let rendered = render(Api::OpenAi, Style::Perspective, shape, &messages);
    let odile = alias("Odile Marsh", 64);
    let expected = json!([
        {"role": "user", "name": odile, "content": "x"},
        {"role": "assistant", "name": "Mira", "content": "x"},
        {"role": "user", "name": odile, "content": "x"},
    ]);
    assert_eq!(rendered.messages, expected);
}

#[test]
fn calls_of_another_are_nobodys_business_and_unanswered_ones_are_not_sent() {
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
    let shape = Shape::cautious(Api::OpenAi);
    let rendered = render(Api::OpenAi, Style::Perspective, shape, &messages);
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
        LeftOut::CallOfAnother { id: "1".into() },
        LeftOut::Unanswered {
            id: "2".into(),
            tool: "dice".into(),
        },
        LeftOut::Orphan { id: "9".into() },
    ];
    assert_eq!(rendered.left_out, expected);
}

#[test]
fn thoughts_go_back_signed_and_only_while_the_question_is_open() {
    let signed = Block::Thinking {
        thinking: "hm".into(),
        signature: Some("s1".into()),
    };
    let closed = json!({"type": "redacted_thinking", "data": "x"});
    let round = [
        Message::new(
            Role::Ai,
            vec![
                Block::thinking("unsigned"),
                signed,
                Block::Unknown(closed.clone()),
                Block::tool_use("1", "dice", json!({})),
            ],
        ),
        Message::new(Role::Tool, vec![Block::tool_result("1", "4")]),
    ];
    let format = Format::new(
        Api::Anthropic,
        Style::Perspective,
        Shape::cautious(Api::Anthropic),
    );
    let before = format.render(None, &turns(&round)).unwrap();
    assert!(!before.messages.to_string().contains("hm"));
    let mut script = MessageWriter::new(&format, None, BytesMut::new(), Progress::default());
    script.ask(turns(&round).iter().copied()).unwrap();
    let written = script.finish();
    let mut bytes = written.bytes;
    format.close(&mut bytes, &written.progress, "");
    let value: Value =
        serde_json::from_str(&format!("{{{}}}", String::from_utf8_lossy(&bytes))).unwrap();
    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "s1"});
    assert_eq!(value["messages"][0]["content"][0], thought);
    assert_eq!(value["messages"][0]["content"][1], closed);
    assert_eq!(value["messages"][0]["content"][2]["type"], "tool_use");
    assert_eq!(written.left_out, []);
}

#[test]
fn an_image_is_sent_as_each_provider_takes_it() {
    let look = |source: Source| {
        [Message::new(
            Role::Human,
            vec![Block::text("look"), Block::image(source)],
        )]
    };
    let url = look(Source::url("http://x/a.png"));
    let data = look(Source::base64("image/png", "QUJD"));
    for (api, of_url, of_data) in [
        (
            Api::OpenAi,
            json!({"type": "image_url", "image_url": {"url": "http://x/a.png"}}),
            json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}),
        ),
        (
            Api::Anthropic,
            json!({"type": "image", "source": {"type": "url", "url": "http://x/a.png"}}),
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}),
        ),
        (
            Api::Gemini,
            json!({"file_data": {"file_uri": "http://x/a.png", "mime_type": "image/png"}}),
            json!({"inline_data": {"mime_type": "image/png", "data": "QUJD"}}),
        ),
        (
            Api::DashScope,
            json!({"image": "http://x/a.png"}),
            json!({"image": "data:image/png;base64,QUJD"}),
        ),
    ] {
        for (messages, expected) in [(&url, of_url), (&data, of_data)] {
            let rendered = render(api, Style::Perspective, Shape::cautious(api), messages);
            let content = &rendered.messages[0];
            let parts = content["content"]
                .as_array()
                .or(content["parts"].as_array())
                .unwrap();
            assert_eq!((parts.len(), &parts[1]), (2, &expected), "{api:?}");
        }
    }
    let ollama = |messages: &[Message]| {
        let shape = Shape::cautious(Api::Ollama);
        render(Api::Ollama, Style::Perspective, shape, messages).messages[0].clone()
    };
    let expected = json!({"role": "user", "content": "look", "images": ["QUJD"]});
    assert_eq!(ollama(&data), expected);
    let expected = json!({"role": "user", "content": "look\n[image: http://x/a.png]"});
    assert_eq!(ollama(&url), expected, "it fetches nothing");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn a_local_file_is_sent_or_named_in_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let png = b"\x89PNG\r\n\x1a\nABC";
    std::fs::write(folder.path().join("inn.png"), png).unwrap();
    std::fs::write(folder.path().join("fake.png"), b"GIF89a").unwrap();
    let format = |api| {
        let files = Arc::new(MediaFolder::new(folder.path()));
        Format::new(api, Style::Perspective, Shape::cautious(api)).with_files(files)
    };
    let show = |path: &str| {
        [Message::new(
            Role::Human,
            vec![Block::image(Source::file(path))],
        )]
    };
    let rendered = format(Api::Anthropic)
        .render(None, &turns(&show("inn.png")))
        .unwrap();
    let source = &rendered.messages[0]["content"][0]["source"];
    assert_eq!(
        *source,
        json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgpBQkM="})
    );
    for (path, said) in [
        ("none.png", "can't be read"),
        ("fake.png", "image/gif was found"),
        ("../x", "outside"),
    ] {
        let error = format(Api::Gemini)
            .render(None, &turns(&show(path)))
            .unwrap_err()
            .to_string();
        assert!(error.contains(path) && error.contains(said), "{error}");
    }
}
