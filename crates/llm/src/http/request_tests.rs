//! Requests for every API and in every schema mode.

use std::sync::Arc;

use bytes::Bytes;
use playhouse_engine::context::AgentContext;
use playhouse_engine::locale::Language;
use playhouse_engine::message::{Block, Body, Message, Role, Text};
use playhouse_engine::mind::{AnswerForm, ExchangeRound, Prompt, Refused, ToolRound, Tools};
use playhouse_engine::tool::ToolSpec;
use playhouse_interop::format::{Api, NoFiles};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::request::{RequestBody, RequestFormat, request_body};
use super::settings::{ModelSettings, SchemaMode};

const STABLE: &str = r#"{"type":"object","properties":{"mind":{"type":"string"}},"required":["mind"],"additionalProperties":false}"#;

struct TestAsk {
    entity: Arc<str>,
    history: AgentContext,
    question: Body,
    rounds: Vec<ExchangeRound>,
    tools: Vec<Arc<ToolSpec>>,
    callable: bool,
    stable: Arc<str>,
    constrained: Value,
    language: Language,
    model: ModelSettings,
}

impl TestAsk {
    fn new(question: impl Into<Body>) -> Self {
        Self {
            entity: "Mira".into(),
            history: AgentContext::new("Mira"),
            question: question.into(),
            rounds: Vec::new(),
            tools: Vec::new(),
            stable: STABLE.into(),
            constrained: json!({"const": "narrowed"}),
            language: Language::En,
            callable: true,
            model: ModelSettings::cautious("m"),
        }
    }

    fn at(mut self, api: Api) -> Self {
        self.model.provider.api = api;
        self
    }

    fn with(mut self, role: Role, body: impl Into<Body>) -> Self {
        self.history.add_message(Message::new(role, body)).unwrap();
        self
    }

    fn prompt(&self, json: bool) -> Prompt<'_> {
        let notes = &Value::Null;
        Prompt {
            entity: &self.entity,
            language: self.language,
            rounds: &self.rounds,
            tools: Tools {
                specs: &self.tools,
                callable: !self.tools.is_empty() && self.callable,
                instructions: None,
            },
            form: if json {
                AnswerForm::Json {
                    name: "day plan",
                    schema: &self.stable,
                    constrained: &self.constrained,
                    notes,
                }
            } else {
                AnswerForm::Prose { notes }
            },
            max_tokens: 5000,
            ..Prompt::new("test", &self.history, &self.question)
        }
    }

    fn format(&self) -> RequestFormat {
        RequestFormat::new(self.model.clone(), Arc::new(NoFiles))
    }

    fn body(&self, json: bool, mode: SchemaMode) -> RequestBody {
        request_body(&self.prompt(json), &self.format(), mode).unwrap()
    }

    fn bytes(&self, json: bool, mode: SchemaMode) -> Bytes {
        self.body(json, mode).bytes().clone()
    }

    fn request(&self, json: bool, mode: SchemaMode) -> Value {
        serde_json::from_slice(&self.bytes(json, mode)).unwrap()
    }

    fn messages(&self) -> Value {
        self.request(false, SchemaMode::Stable)["messages"].clone()
    }
}

/// A member of each message.
fn each(messages: &Value, member: &str) -> Vec<Value> {
    let messages = messages.as_array().unwrap().iter();
    messages.map(|message| message[member].clone()).collect()
}

#[test]
fn each_role_has_its_name_and_the_shared_prefix_comes_first() {
    let rules: Arc<Text> = Arc::new(Text::from("Rules \"of\" the world.\n"));
    let asker = TestAsk::new("What\nnow?")
        .with(Role::System, Body::text("You are Mira.").after(rules))
        .with(Role::Human, Body::text("long").with_short("short"))
        .with(Role::Ai, "I \\ nod.");
    let expected = json!({
        "model": "m", "stream": true, "max_tokens": 4096,
        "messages": [
            {"role": "system", "content": "Rules \"of\" the world.\nYou are Mira."},
            {"role": "user", "content": "short"},
            {"role": "assistant", "content": "I \\ nod."},
            {"role": "user", "content": "What\nnow?"},
        ],
    });
    assert_eq!(asker.request(false, SchemaMode::Stable), expected);
}

#[test]
fn an_empty_list_of_messages_is_never_sent() {
    for api in Api::ALL {
        let nothing = TestAsk::new("").at(api).with(Role::Human, " ");
        for json in [true, false] {
            let error = request_body(&nothing.prompt(json), &nothing.format(), SchemaMode::Text);
            assert!(error.unwrap_err().to_string().contains("are empty"));
        }
        let rules = TestAsk::new("").at(api).with(Role::System, "You are Mira.");
        let request = rules.request(false, SchemaMode::Text);
        let places = ["/messages", "/contents", "/input/messages"];
        let list = places.iter().find_map(|place| request.pointer(place));
        assert_eq!(list.unwrap().as_array().unwrap().len(), 1, "{request}");
        let told = request.to_string().matches("You are Mira.").count();
        assert_eq!(told, 1, "{request}");
    }
}

#[test]
fn neighbouring_messages_of_one_role_are_merged_if_required() {
    let mut asker = TestAsk::new("What now?")
        .with(Role::System, "You are Mira.")
        .with(Role::Human, "It rains.")
        .with(Role::Ai, "I wait.")
        .with(Role::Human, "It stops.");
    asker.model.provider.merge_turns = true;
    let expected = [
        "You are Mira.",
        "It rains.",
        "I wait.",
        "It stops.\n\nWhat now?",
    ];
    assert_eq!(each(&asker.messages(), "content"), expected);
}

#[test]
fn tools_are_listed_and_their_rounds_follow_the_question() {
    let schema = json!({"type": "object", "properties": {"sides": {"type": "integer"}}});
    let spec = ToolSpec::new("dice", "Rolls \"dice\".", &schema).unwrap();
    let call = Block::tool_use("c1", "dice", json!({"sides": 6}));
    let result = Block::tool_result("c1", "4");
    let mut asker = TestAsk::new("Throw.");
    asker.tools.push(Arc::new(spec));
    asker.rounds.push(ExchangeRound::Tools(ToolRound {
        called: Body::blocks(vec![call]),
        returned: Body::blocks(vec![result]),
    }));
    asker.rounds.push(ExchangeRound::Note("Now answer.".into()));
    let request = asker.request(true, SchemaMode::Strict);
    let told = json!([{"type": "function", "function":
        {"name": "dice", "description": "Rolls \"dice\".", "parameters": schema}}]);
    assert_eq!(request["tools"], told);
    assert_eq!(request["tool_choice"], Value::Null);
    // A schema would keep it from calling.
    assert_eq!(request["response_format"], Value::Null);
    let roles = ["user", "assistant", "tool", "user"];
    assert_eq!(each(&request["messages"], "role"), roles);

    asker.callable = false;
    let request = asker.request(true, SchemaMode::Strict);
    assert_eq!(request["tools"], told, "the prefix stays");
    assert_eq!(request["tool_choice"], "none");
    assert_eq!(request["response_format"]["type"], "json_schema");
}

#[test]
fn the_schema_is_sent_according_to_the_mode() {
    let asker = TestAsk::new("Plan.");
    let on = |mode| asker.request(true, mode);
    let stable: Value = serde_json::from_str(STABLE).unwrap();
    let strict = json!({"type": "json_schema",
        "json_schema": {"name": "day_plan", "schema": stable, "strict": true}});
    assert_eq!(on(SchemaMode::Strict)["response_format"], strict);
    let plain = json!({"name": "day_plan", "schema": stable});
    let format = on(SchemaMode::Stable)["response_format"].clone();
    assert_eq!(format["json_schema"], plain);
    let format = on(SchemaMode::Constrained)["response_format"].clone();
    assert_eq!(format["json_schema"]["schema"], asker.constrained);
    let format = on(SchemaMode::JsonMode)["response_format"].clone();
    assert_eq!(format, json!({"type": "json_object"}));
    assert_eq!(on(SchemaMode::Text)["response_format"], Value::Null);
    for (mode, in_words) in [
        (SchemaMode::Strict, false),
        (SchemaMode::Constrained, false),
        (SchemaMode::JsonMode, true),
        (SchemaMode::Text, true),
    ] {
        let said = on(mode)["messages"][0]["content"].to_string();
        assert!(said.starts_with("\"Plan."), "{said}");
        assert_eq!(said.contains("JSON schema"), in_words, "{mode:?}");
    }
    let chinese = TestAsk {
        language: Language::Zh,
        ..asker
    };
    let said = chinese.request(true, SchemaMode::Text)["messages"][0]["content"].to_string();
    assert!(said.contains("必须符合"), "{said}");
}

#[test]
fn a_rejected_answer_follows_the_question() {
    let mut asker = TestAsk::new("Plan.");
    asker.rounds.push(ExchangeRound::Refused(Refused {
        answer: "no".into(),
        complaint: "wrong".into(),
    }));
    let request = asker.request(true, SchemaMode::Text);
    let messages = &request["messages"];
    assert_eq!(each(messages, "role"), ["user", "assistant", "user"]);
    assert_eq!(messages[0]["content"], "Plan.");
    let last = messages[2]["content"].to_string();
    assert!(last.contains("narrowed"), "{last}");
}

#[test]
fn each_api_lists_tools_in_its_own_way() {
    let schema = json!({"type": "object", "properties": {"sides": {"type": "integer"}}});
    let spec = Arc::new(ToolSpec::new("dice", "Rolls \"dice\".", &schema).unwrap());
    let request = |api, callable| {
        let mut asker = TestAsk::new("Throw.").at(api);
        asker.tools.push(Arc::clone(&spec));
        asker.callable = callable;
        asker.request(true, SchemaMode::Stable)
    };
    let function = json!([{"type": "function", "function":
        {"name": "dice", "description": "Rolls \"dice\".", "parameters": schema}}]);
    let anthropic_tool =
        json!([{"name": "dice", "description": "Rolls \"dice\".", "input_schema": schema}]);
    let gemini_tool = json!([{"function_declarations": [
        {"name": "dice", "description": "Rolls \"dice\".", "parameters_json_schema": schema}]}]);
    let none = json!({"tool_choice": "none"});
    let of_anthropic = json!({"tool_choice": {"type": "none"}});
    let of_gemini = json!({"tool_config": {"function_calling_config": {"mode": "NONE"}}});
    for (api, told, place, forbidden) in [
        (Api::OpenAi, &function, "", &none),
        (Api::Ollama, &function, "", &json!({})),
        (Api::DashScope, &function, "/parameters", &none),
        (Api::Anthropic, &anthropic_tool, "", &of_anthropic),
        (Api::Gemini, &gemini_tool, "", &of_gemini),
    ] {
        let here = request(api, true).pointer(place).unwrap().clone();
        assert_eq!(here["tools"], *told, "{api:?}");
        assert_eq!(here["tool_choice"], Value::Null);
        assert_eq!(here["tool_config"], Value::Null);
        let here = request(api, false).pointer(place).unwrap().clone();
        assert_eq!(here["tools"], *told, "the prefix stays");
        for (member, value) in forbidden.as_object().unwrap() {
            assert_eq!(here[member], *value, "{api:?}");
        }
    }
}

#[test]
fn the_cache_key_is_the_same_in_all_requests_of_an_entity() {
    let mut asker = TestAsk::new("Plan.");
    let key = |asker: &TestAsk, json, mode| asker.request(json, mode)["prompt_cache_key"].take();
    assert_eq!(key(&asker, false, SchemaMode::Text), Value::Null);
    asker.model.provider.cache_key = true;
    let own = key(&asker, false, SchemaMode::Text);
    assert_eq!(own.as_str().unwrap().len(), 32);
    asker.question = "And now?".into();
    assert_eq!(key(&asker, true, SchemaMode::Stable), own);
}

proptest! {
    #[test]
    fn any_text_is_sent_unchanged(
        lines in prop::collection::vec(("\\PC{0,20}|[\\x00-\\x1f\"\\\\]{0,5}", 0u8..3), 0..12),
        question in "[a-z中]\\PC{0,20}",
    ) {
        let mut asker = TestAsk::new(question.as_str());
        let mut expected = Vec::new();
        for (line, kind) in &lines {
            let (role, name) = match kind {
                0 => (Role::Ai, "assistant"),
                _ => (Role::Human, "user"),
            };
            asker = asker.with(role, line.as_str());
            // What says nothing is not sent.
            if !line.trim().is_empty() {
                expected.push(json!({"role": name, "content": line}));
            }
        }
        expected.push(json!({"role": "user", "content": question}));
        prop_assert_eq!(asker.messages(), Value::Array(expected));
    }

    #[test]
    fn a_lower_schema_mode_changes_nothing_before_the_instruction(history in prop::collection::vec("\\PC{0,20}", 0..6), api in prop::sample::select(Api::ALL.to_vec())) {
        let ask = |question: &str| {
            let asker = TestAsk::new(question);
            history.iter().fold(asker, |asker, line| asker.with(Role::Human, line.as_str()))
        };
        let asker = ask("the question").at(api);
        let format = asker.format();
        let mut body = asker.body(true, SchemaMode::Strict);
        let whole = body.bytes().clone();
        let question = b"the question";
        let end = whole.windows(question.len()).rposition(|window| window == question);
        let kept = &whole[..end.unwrap() + question.len()];
        for mode in SchemaMode::ALL {
            let direct = asker.bytes(true, mode);
            prop_assert!(direct.starts_with(kept));
            body.set_schema_mode(mode, &format);
            prop_assert_eq!(body.bytes(), &direct);
        }
    }
}
