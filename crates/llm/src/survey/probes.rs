//! The questions of a survey, and what follows from the answers.

use std::sync::Arc;

use playhouse_engine::context::AgentContext;
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::message::{Body, FinishReason, Tags, TokenUsage};
use playhouse_engine::mind::{AnswerForm, FailedCall, MindError, Prompt, Tools};
use playhouse_engine::tool::ToolSpec;
use playhouse_interop::format::Api;
use serde_json::{Value, json};

use super::entry::{Entry, Member};
use super::finding::Finding;
use crate::http::{ExaminedAnswer, HttpMind, SchemaMode};

/// A word that no model writes unless it must.
const UNLIKELY: &str = "zquorvex";
/// The tokens of an answer of a model that thinks before it.
const ROOM_FOR_THOUGHTS: u32 = 512;
/// How many tokens a model that thinks may think before an answer in a story.
const THOUGHT_TOKENS: u64 = 4_096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Plain,
    /// For a detail of a long system message.
    System,
    /// After two messages of the user.
    Turns,
    /// For JSON with a word that only a schema demands.
    Schema,
    /// For a call of a tool.
    Tool,
}

/// What is known so far.
pub(super) struct State {
    pub(super) api: Api,
    pub(super) is_local: bool,
    pub(super) thinks: bool,
    pub(super) entry: Entry,
    pub(super) window: Option<u64>,
    pub(super) findings: Vec<Finding>,
    /// Tokens read and written per second.
    pub(super) speed: [Option<u64>; 2],
    /// Whether the server did not read what it was sent.
    pub(super) is_unread: bool,
}

impl State {
    pub(super) fn found(&mut self, topic: &'static str, value: impl Into<Value>, text: UiText) {
        self.findings.push(Finding::new(topic, value, text));
    }

    fn has_openai_members(&self) -> bool {
        matches!(self.api, Api::OpenAi | Api::DeepSeek)
    }

    fn lacks(&self, topic: &str) -> bool {
        let mut findings = self.findings.iter();
        !findings.any(|finding| finding.topic == topic)
    }

    fn set_schema(&mut self, mode: SchemaMode) {
        self.entry.set(Member("schema", name_of(mode)));
    }
}

/// An answer, and our estimate of the tokens of its prompt.
pub(super) struct Reply {
    pub(super) answer: ExaminedAnswer,
    pub(super) estimate: u64,
}

impl Reply {
    fn usage(&self) -> Option<TokenUsage> {
        let usage = self.answer.completion.usage;
        usage.filter(|usage| usage.input > 0)
    }

    fn thinks(&self) -> bool {
        let thinking = self.answer.completion.thinking.as_deref();
        thinking.is_some_and(|thinking| !thinking.trim().is_empty())
    }

    fn json(&self) -> Option<Value> {
        serde_json::from_str(self.answer.completion.text.trim()).ok()
    }

    /// Whether the answer is in the form that its schema, or its lack of one, can enforce.
    fn fits_schema(&self) -> bool {
        let json = self.json();
        match self.answer.schema {
            SchemaMode::JsonMode => json.is_some_and(|json| json.is_object()),
            SchemaMode::Text => true,
            _ => json.is_some_and(|json| json["word"] == UNLIKELY),
        }
    }
}

#[derive(Default)]
pub(super) struct Outcome {
    /// The answer that was accepted, or else the last one.
    pub(super) reply: Option<Reply>,
    /// The number of the settings with which it was accepted.
    pub(super) accepted: Option<usize>,
    /// Why the first settings were refused.
    pub(super) refusal: Option<MindError>,
}

impl Outcome {
    /// Whether there was a response at all.
    pub(super) fn was_asked(&self) -> bool {
        self.reply.is_some() || self.refusal.is_some()
    }

    fn reason(&self) -> UiText {
        match &self.refusal {
            Some(error) => text!(mind_survey_refused, reason = error.text()),
            None => text!(mind_survey_no),
        }
    }
}

/// One question, the settings with which it is tried until one is accepted, and what follows.
pub(super) struct Probe {
    pub(super) topic: &'static str,
    pub(super) ask: Ask,
    pub(super) applies: fn(&State) -> bool,
    pub(super) settings: fn(&State) -> Vec<Vec<Member>>,
    pub(super) accepts: fn(&Reply) -> bool,
    pub(super) read: fn(&mut State, &Outcome),
}

impl Probe {
    /// Whether it must be answered, or nothing can be found out.
    pub(super) fn is_first(&self) -> bool {
        self.topic == "streaming"
    }
}

/// All probes, in order. The first must be answered.
pub(super) const PROBES: [Probe; 8] = [
    Probe {
        topic: "streaming",
        ask: Ask::Plain,
        applies: |_| true,
        settings: |state| {
            let limit = Member("limit_field", "max_completion_tokens".into());
            let whole = Member("stream", "false".into());
            let mut settings = vec![vec![], vec![whole.clone()]];
            if state.has_openai_members() {
                settings.insert(1, vec![limit.clone()]);
                settings.push(vec![limit, whole]);
            }
            settings
        },
        accepts: |_| true,
        read: read_answer,
    },
    Probe {
        topic: "usage",
        ask: Ask::Plain,
        applies: |state| state.lacks("usage"),
        settings: |_| vec![vec![member("stream_usage", true)]],
        accepts: |reply| reply.usage().is_some(),
        read: |state, outcome| match outcome.accepted {
            Some(_) => state.found("usage", "if_asked", text!(mind_survey_usage_asked)),
            None => state.found("usage", false, text!(mind_survey_usage_none)),
        },
    },
    Probe {
        topic: "thinking_off",
        ask: Ask::Plain,
        applies: |state| state.thinks,
        settings: |state| {
            let ways = ways_not_to_think(state.api).into_iter();
            ways.map(|way| vec![Member("extra", way.to_string())])
                .collect()
        },
        accepts: |reply| !reply.thinks() && !reply.answer.completion.text.trim().is_empty(),
        read: read_thinking_off,
    },
    Probe {
        topic: "system_role",
        ask: Ask::System,
        applies: |_| true,
        settings: |_| {
            let as_user = member("system_role", false);
            let merged = member("merge_turns", true);
            vec![vec![], vec![as_user.clone()], vec![as_user, merged]]
        },
        accepts: |_| true,
        read: read_system,
    },
    Probe {
        topic: "turns",
        ask: Ask::Turns,
        applies: |state| state.lacks("turns"),
        settings: |_| vec![vec![], vec![member("merge_turns", true)]],
        accepts: |_| true,
        read: |state, outcome| match outcome.accepted {
            Some(0) => state.found("turns", "any", text!(mind_survey_turns_any)),
            Some(_) => state.found("turns", "alternate", text!(mind_survey_turns_alternate)),
            None => state.found("turns", Value::Null, outcome.reason()),
        },
    },
    Probe {
        topic: "schema",
        ask: Ask::Schema,
        applies: |_| true,
        settings: |state| {
            // A grammar is exact for each question; elsewhere it would spoil the cache.
            let first = if state.is_local {
                SchemaMode::Constrained
            } else {
                SchemaMode::Strict
            };
            [first, SchemaMode::JsonMode]
                .map(|mode| vec![Member("schema", name_of(mode))])
                .into()
        },
        accepts: Reply::fits_schema,
        read: read_schema,
    },
    Probe {
        topic: "tools",
        ask: Ask::Tool,
        applies: |_| true,
        settings: |_| vec![vec![]],
        accepts: |_| true,
        read: read_tools,
    },
    Probe {
        topic: "cache",
        ask: Ask::System,
        applies: |state| !state.lacks("messages"),
        settings: |_| vec![vec![]],
        accepts: |_| true,
        read: read_cache,
    },
];

fn member(name: &'static str, is: bool) -> Member {
    Member(name, is.to_string())
}

fn name_of(mode: SchemaMode) -> String {
    json!(mode).as_str().unwrap_or_default().to_owned()
}

/// How servers with this API are told that a model should not think.
fn ways_not_to_think(api: Api) -> Vec<Value> {
    let ways: [(&[Api], Value); 6] = [
        (
            &[Api::OpenAi],
            json!({"chat_template_kwargs": {"enable_thinking": false}}),
        ),
        (&[Api::OpenAi], json!({"reasoning_effort": "none"})),
        (
            &[Api::OpenAi, Api::DeepSeek, Api::Anthropic],
            json!({"thinking": {"type": "disabled"}}),
        ),
        (&[Api::Ollama], json!({"think": false})),
        (
            &[Api::DashScope],
            json!({"parameters": {"enable_thinking": false}}),
        ),
        (
            &[Api::Gemini],
            json!({"generation_config": {"thinking_config": {"thinking_level": "minimal"}}}),
        ),
    ];
    let of_api = ways.into_iter().filter(|(apis, _)| apis.contains(&api));
    of_api.map(|(_, way)| way).collect()
}

fn read_answer(state: &mut State, outcome: &Outcome) {
    let Some(reply) = &outcome.reply else {
        return;
    };
    match reply.answer.streamed {
        Some(_) => state.found("streaming", true, text!(mind_survey_yes)),
        None => state.found("streaming", false, text!(mind_survey_not_streamed)),
    }
    if state.has_openai_members() {
        let is_new = state.entry.has("limit_field");
        let limit = if is_new {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        state.found("limit", limit, UiText::verbatim(limit));
    }
    match reply.usage() {
        Some(_) => state.found("usage", true, text!(mind_survey_yes)),
        None if reply.answer.streamed.is_some() && state.has_openai_members() => {}
        None => state.found("usage", false, text!(mind_survey_usage_none)),
    }
    state.thinks = reply.thinks();
    let marked = reply.answer.marked_text.trim_start();
    let mark: String = marked.split_inclusive(['>', ']', '▷']).take(1).collect();
    let mark: String = mark.chars().take(30).collect();
    match (state.thinks, reply.answer.has_reasoning_field) {
        (false, _) => state.found("thinking", false, text!(mind_survey_no)),
        (true, true) => state.found("thinking", "field", text!(mind_survey_thinks_in_field)),
        (true, false) => {
            let text = text!(mind_survey_thinks_in_text, mark = mark.as_str());
            state.found("thinking", mark, text);
        }
    }
    state.speed[1] = reply.answer.streamed.and_then(|took| {
        let written = reply.answer.completion.usage?.output;
        per_second(written, took)
    });
}

fn read_thinking_off(state: &mut State, outcome: &Outcome) {
    let ways = ways_not_to_think(state.api);
    match outcome.accepted.and_then(|index| ways.get(index)) {
        Some(way) => {
            state.thinks = false;
            let text = text!(mind_survey_thinking_off, setting = way.to_string());
            state.found("thinking_off", way.clone(), text);
        }
        None => {
            let most = state.window.map_or(u64::MAX, |window| window / 4);
            let most = THOUGHT_TOKENS.min(most);
            state.entry.set(Member("thought_tokens", most.to_string()));
            state.found("thinking_off", false, text!(mind_survey_thinking_stays));
        }
    }
}

fn read_system(state: &mut State, outcome: &Outcome) {
    match outcome.accepted {
        Some(0) => state.found("system_role", true, text!(mind_survey_yes)),
        Some(_) => state.found("system_role", false, text!(mind_survey_system_as_user)),
        None => state.found("system_role", Value::Null, outcome.reason()),
    }
    if outcome.accepted == Some(2) {
        state.found("turns", "alternate", text!(mind_survey_turns_alternate));
    }
    let Some(reply) = outcome.reply.as_ref() else {
        return;
    };
    let Some(usage) = reply.usage() else {
        return;
    };
    let (read, sent) = (usage.input, reply.estimate);
    state.is_unread = usage.shows_unread(sent);
    let text = if state.is_unread {
        text!(mind_survey_messages_lost, read, sent)
    } else {
        text!(mind_survey_messages_read, read, sent)
    };
    state.found("messages", json!({"read": read, "sent": sent}), text);
    let answer = &reply.answer;
    let took = answer
        .completion
        .latency
        .checked_sub(answer.streamed.unwrap_or_default());
    state.speed[0] = took.and_then(|took| per_second(read.saturating_sub(usage.cached), took));
}

/// A rate, of what took long enough to be measured.
fn per_second(count: u64, took: std::time::Duration) -> Option<u64> {
    let millis = u64::try_from(took.as_millis()).ok()?;
    let rate = count.saturating_mul(1_000).checked_div(millis)?;
    (millis >= 20 && rate > 0).then_some(rate)
}

fn read_schema(state: &mut State, outcome: &Outcome) {
    let accepted = outcome
        .reply
        .as_ref()
        .filter(|_| outcome.accepted.is_some());
    let mode = accepted.map_or(SchemaMode::Text, |reply| reply.answer.schema);
    state.set_schema(mode);
    let name = name_of(mode);
    let text = match mode {
        SchemaMode::Text => text!(mind_survey_schema_text),
        SchemaMode::JsonMode => text!(mind_survey_schema_json),
        _ => text!(mind_survey_schema_enforced, mode = name.as_str()),
    };
    state.found("schema", name, text);
}

fn read_tools(state: &mut State, outcome: &Outcome) {
    let Some(reply) = outcome
        .reply
        .as_ref()
        .filter(|_| outcome.accepted.is_some())
    else {
        state.entry.set(member("prompted_tools", true));
        return state.found("tools", "refused", text!(mind_survey_tools_refused));
    };
    let answer = &reply.answer.completion;
    if answer.calls.is_empty() {
        state.found("tools", false, text!(mind_survey_tools_uncalled));
    } else if reply.answer.calls_natively || answer.finish == FinishReason::ToolCalls {
        state.found("tools", true, text!(mind_survey_yes));
    } else {
        state.found("tools", "in_text", text!(mind_survey_tools_in_text));
    }
}

fn read_cache(state: &mut State, outcome: &Outcome) {
    let reply = outcome.reply.as_ref();
    let usage = reply.and_then(Reply::usage).unwrap_or_default();
    let reports = reply.is_some_and(|reply| reply.answer.reports_cached);
    let (cached, read) = (usage.cached, usage.input);
    let text = match (reports, cached) {
        (false, _) => text!(mind_survey_cache_unreported),
        (true, 0) => text!(mind_survey_cache_missed),
        (true, _) => text!(mind_survey_cache_hit, cached, read),
    };
    state.found("cache", reports.then_some(cached), text);
}

impl Ask {
    /// Asks it. `seed` makes the prompt one that no cache has.
    pub(super) async fn put(
        self,
        mind: &HttpMind,
        thinks: bool,
        seed: u64,
    ) -> (u64, Result<ExaminedAnswer, FailedCall>) {
        let mut history = AgentContext::new("doctor");
        if self != Self::Plain {
            // The first message of a context is free.
            let _ = history.add_system_message(self.rules(seed));
        }
        if self == Self::Turns {
            history.add_human_message("It rains.", Tags::new());
        }
        let (question, room) = self.question();
        let question = Body::text(question);
        let schema = json!({
            "type": "object",
            "properties": {"word": {"type": "string", "enum": [UNLIKELY]}},
            "required": ["word"],
            "additionalProperties": false,
        });
        let stable: Arc<str> = schema.to_string().into();
        let door = json!({"type": "object", "properties": {"door": {"type": "string"}}, "required": ["door"]});
        let tool = ToolSpec::new("open_door", "Opens a door.", &door);
        let specs: Vec<_> = tool.into_iter().map(Arc::new).collect();
        let mut prompt = Prompt::new("doctor", &history, &question);
        if self == Self::Schema {
            prompt.form = AnswerForm::Json {
                name: "word",
                schema: &stable,
                constrained: &schema,
                notes: &Value::Null,
            };
        }
        if self == Self::Tool {
            prompt.tools = Tools {
                specs: &specs,
                callable: true,
                instructions: None,
            };
        }
        prompt.max_tokens = if thinks { ROOM_FOR_THOUGHTS } else { room };
        (prompt.tokens(), mind.examine(&prompt).await)
    }

    fn rules(self, seed: u64) -> String {
        if self != Self::System {
            return "You are a helpful keeper of a house.".into();
        }
        let shelf = |shelf: u64| format!(" Shelf {shelf} holds {} jars.", shelf * 7 % 19);
        let shelves: String = (1..=50).map(shelf).collect();
        format!("Inventory number {seed}.{shelves}")
    }

    /// The question, and the tokens of an answer to it.
    fn question(self) -> (&'static str, u32) {
        match self {
            Self::Plain => ("Say good morning in one short sentence.", 64),
            Self::System => (
                "How many jars are on shelf 7? Answer with the number alone.",
                24,
            ),
            Self::Turns => ("Which weather is it? Answer with one word.", 24),
            Self::Schema => (
                "What is the capital of France? Answer in JSON, with the name as `word`.",
                64,
            ),
            Self::Tool => ("Open the red door with the tool `open_door`.", 96),
        }
    }
}
