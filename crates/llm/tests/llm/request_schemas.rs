//! Requests as providers' own clients describe them. `tests/schemas/` holds what `record.py` there
//! took from their Python packages, whose versions stand in the files; DashScope's describes none.

use std::sync::Arc;

use playhouse_engine::context::AgentContext;
use playhouse_engine::message::{Block, Body, MediaSource, Message, Role, Tags};
use playhouse_engine::mind::{
    AnswerForm, ExchangeRound, Language, Prompt, Refused, ToolRound, Tools,
};
use playhouse_engine::tool::ToolSpec;
use playhouse_interop::format::{Api, NoFiles, Style, ThinkingPolicy};
use playhouse_llm::http::{ModelSettings, Provider, RequestFormat, SchemaMode, request_body};
use serde_json::{Value, json};

fn call(id: &str) -> Block {
    Block::ToolUse {
        id: id.into(),
        name: "dice".into(),
        input: json!({"sides": 6}),
        signature: Some("c2ln".into()),
    }
}

/// A conversation in which everything happens that can.
fn history() -> AgentContext {
    let mut history = AgentContext::new("Mira");
    let rules = Body::text("You are Mira.").after(Arc::new("The rules.\n".into()));
    history.add_system_message(rules).unwrap();
    let heard = |words: &str| Body::text(words).from_sender("苏绣");
    history.add_human_message(heard("It rains."), Tags::new());
    let shown = vec![
        Block::text("Look."),
        Block::image(MediaSource::base64("image/png", "QUJD")),
        Block::image(MediaSource::url("https://example.com/a.png")),
        Block::audio(MediaSource::base64("audio/wav", "QUJD")),
        Block::video(MediaSource::url("https://example.com/a.mp4")),
        Block::Unknown(json!({"type": "hologram"})),
    ];
    history.add_human_message(Body::blocks(shown).from_sender("Odile Marsh"), Tags::new());
    let of_mira = |body: Body| [body.from_sender("Mira")];
    let (thought, words) = (Block::thinking("Hm."), Block::text("I look."));
    let said = Body::blocks(vec![thought, words, call("call 1")]);
    history.add_ai_message(of_mira(said)).unwrap();
    let four = json!([{"type": "text", "text": "4"}]);
    let result = Message::new(Role::Tool, vec![Block::tool_result("call 1", four)]);
    history.add_message(result).unwrap();
    let said = Body::text("A four.");
    history.add_ai_message(of_mira(said)).unwrap();
    history
}

fn rounds() -> Vec<ExchangeRound> {
    let signed = Block::Thinking {
        thinking: "Once more.".into(),
        signature: Some("EqQB".into()),
    };
    let closed = Block::Unknown(json!({"type": "redacted_thinking", "data": "zzz"}));
    let failed = Block::tool_error("2", "no dice");
    vec![
        ExchangeRound::Tools(ToolRound {
            called: Body::blocks(vec![signed, closed, call("2")]),
            returned: Body::blocks(vec![failed]),
        }),
        ExchangeRound::Note("Now answer.".into()),
        ExchangeRound::Refused(Refused {
            answer: "No.".into(),
            complaint: "Yes.".into(),
        }),
    ]
}

/// Every kind of request of an interface, with words for errors.
fn requests(api: Api) -> Vec<(String, Value)> {
    let schema = json!({"type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"]});
    let dice = ToolSpec::new("dice", "Rolls dice.", &schema).unwrap();
    let dice = [Arc::new(dice)];
    let stable = Arc::from(schema.to_string());
    let (history, rounds, question) = (history(), rounds(), Body::text("What do you do?"));
    let mut requests = Vec::new();
    for style in Style::ALL {
        for (tools, callable) in [(0, false), (1, true), (1, false)] {
            let provider = Provider {
                api,
                style,
                names: true,
                parts: style == Style::Brackets,
                cache_key: true,
                stream_usage: true,
                // Anthropic's newest models refuse it.
                temperature: (api != Api::Anthropic).then_some(0.5),
                merge_turns: style == Style::Perspective,
                thinking: (api == Api::OpenAi).then_some(ThinkingPolicy::Never),
                ..Provider::default()
            };
            let mut model = ModelSettings::of("m", provider);
            model.window = Some(4096);
            let form = RequestFormat::new(model, Arc::new(NoFiles));
            let notes = Value::Null;
            let prompt = Prompt {
                language: Language::Zh,
                rounds: &rounds,
                tools: Tools {
                    specs: &dice[..tools],
                    callable,
                    ..Tools::NONE
                },
                form: AnswerForm::Json {
                    name: "plan",
                    schema: &stable,
                    constrained: &schema,
                    notes: &notes,
                },
                max_tokens: 100,
                seed: 3,
                ..Prompt::new("test", &history, &question)
            };
            for mode in SchemaMode::ALL {
                let body = request_body(&prompt, &form, mode).unwrap();
                let about = format!("{api:?} {style:?} {mode:?} {tools} {callable}");
                requests.push((about, serde_json::from_slice(body.bytes()).unwrap()));
            }
        }
    }
    requests
}

/// What is wrong with a request by a recorded schema.
fn problems(recorded: &str, requests: Vec<(String, Value)>) -> Vec<String> {
    let recorded: Value = serde_json::from_str(recorded).unwrap();
    let validator = jsonschema::validator_for(&recorded["schema"]).unwrap();
    let mut problems = Vec::new();
    for (about, request) in requests {
        for error in validator.iter_errors(&request) {
            problems.push(format!("{about}: {} at {}", error, error.instance_path()));
        }
    }
    problems
}

#[test]
fn requests_are_what_the_clients_of_their_providers_describe() {
    for (api, recorded) in [
        (Api::OpenAi, include_str!("../schemas/openai.json")),
        (Api::Anthropic, include_str!("../schemas/anthropic.json")),
        (Api::Gemini, include_str!("../schemas/gemini.json")),
        (Api::Ollama, include_str!("../schemas/ollama.json")),
    ] {
        let problems = problems(recorded, requests(api));
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}

#[test]
fn a_member_that_nobody_knows_is_seen() {
    for (recorded, place) in [
        (include_str!("../schemas/openai.json"), "messages"),
        (include_str!("../schemas/anthropic.json"), "messages"),
        (include_str!("../schemas/gemini.json"), "contents"),
    ] {
        let recorded: Value = serde_json::from_str(recorded).unwrap();
        let validator = jsonschema::validator_for(&recorded["schema"]).unwrap();
        let mut request = json!({"model": "m", "max_tokens": 1, "stream": false});
        if place == "contents" {
            request = json!({});
        }
        request[place] = json!([]);
        assert!(validator.is_valid(&request), "{request}");
        request["surprise"] = 1.into();
        assert!(!validator.is_valid(&request), "{request}");
    }
}
