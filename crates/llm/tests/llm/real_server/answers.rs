//! Single answers: streams, schemas, reasoning, and what happens to a call that is given up.

use std::sync::Arc;
use std::time::Duration;

use playhouse_engine::context::AgentContext;
use playhouse_engine::message::{Body, Tags};
use playhouse_engine::mind::{
    AnswerForm, Answering, Completion, FailedCall, FinishReason, Mind, MindError, Prompt,
};
use playhouse_llm::http::{KeyState, SchemaMode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::server::{Server, USUAL, figure};

/// A conversation of some length, and a question.
struct ToolCaller {
    history: AgentContext,
    question: Body,
    schema: Option<Value>,
    max_tokens: u32,
}

const ENGLISH: &str =
    "The ferry is late, and the keeper counts the lamps along the quay once more.";
const CHINESE: &str = "渡船还没有到，更夫沿着河边把灯又数了一遍，谁也没有说话。";

impl ToolCaller {
    fn hears(line: &str, times: usize) -> Self {
        let mut history = AgentContext::new("Mira");
        history.add_system_message(format!("Mira. {line}")).unwrap();
        for number in 0..times {
            history.add_human_message(format!("{number}. {line}"), Tags::new());
        }
        Self {
            history,
            question: Body::text("Mira?"),
            schema: None,
            max_tokens: 200,
        }
    }

    fn ask(&self, mind: &dyn Mind) -> Answering {
        let notes = &Value::Null;
        let schema = self
            .schema
            .as_ref()
            .map(|schema| (Arc::from(schema.to_string()), schema));
        mind.answer(&Prompt {
            form: match &schema {
                None => AnswerForm::Prose { notes },
                Some((schema, constrained)) => AnswerForm::Json {
                    name: "deed",
                    schema,
                    constrained,
                    notes,
                },
            },
            max_tokens: self.max_tokens,
            seed: 3,
            ..Prompt::new("test", &self.history, &self.question)
        })
    }

    async fn told(&self, mind: &dyn Mind) -> Completion {
        self.ask(mind).await.unwrap()
    }
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn a_stream_says_what_a_whole_answer_says() {
    let server = Server::start("plain").await;
    let exact = format!("{USUAL}, temperature: 0.0");
    let streaming = server.mind(&exact);
    let whole = server.mind(&format!("{exact}, stream: false"));
    for (line, script) in [(ENGLISH, 'a'..='z'), (CHINESE, '\u{4e00}'..='\u{9fff}')] {
        let asker = ToolCaller::hears(line, 12);
        let (streamed, at_once) = (asker.told(&*streaming).await, asker.told(&*whole).await);
        let letters = streamed
            .text
            .chars()
            .filter(|letter| script.contains(letter));
        assert!(letters.count() > 1, "{}", streamed.text);
        assert!(
            !streamed.text.contains(char::REPLACEMENT_CHARACTER),
            "{}",
            streamed.text
        );
        assert_eq!(streamed.text, at_once.text);
        assert_eq!(streamed.finish, at_once.finish);
        let (first, second) = (streamed.usage.unwrap(), at_once.usage.unwrap());
        assert_eq!((first.input, first.output), (second.input, second.output));
        // The prompt was read a moment ago; the server reads a few last tokens anew.
        assert!(
            second.cached + 8 >= second.input && second.cached < second.input,
            "{second:?}"
        );
    }
}

/// What a schema asks for, and what its bounds are in words that Rust can check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deed {
    deed: String,
    target: String,
    effort: i64,
    with: Vec<String>,
    words: Option<String>,
}

const DEEDS: [&str; 3] = ["strike", "shield", "flee"];
const TARGETS: [&str; 2] = ["沈豆娘", "Warden Hollis"];

fn deed_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "deed": {"type": "string", "enum": DEEDS},
            "target": {"type": "string", "enum": TARGETS},
            "effort": {"type": "integer", "minimum": -3, "maximum": 12},
            "with": {"type": "array", "items": {"$ref": "#/$defs/thing"}, "minItems": 1, "maxItems": 3},
            "words": {"anyOf": [{"type": "string", "maxLength": 60}, {"type": "null"}]},
        },
        "required": ["deed", "target", "effort", "with", "words"],
        "additionalProperties": false,
        "$defs": {"thing": {"type": "string", "enum": ["lamp", "rope", "灯"]}},
    })
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn a_schema_is_kept_on_every_step_that_sends_one() {
    let server = Server::start("plain").await;
    let mut asker = ToolCaller::hears(CHINESE, 3);
    asker.schema = Some(deed_schema());
    asker.max_tokens = 500;
    let mut seen = std::collections::BTreeSet::new();
    for schema in ["strict", "stable", "constrained"] {
        for seed in 0..12 {
            let settings =
                format!("stream_usage: true, schema: {schema}, extra: {{\"seed\": {seed}}}");
            let completion = asker.told(&*server.mind(&settings)).await;
            assert_eq!(completion.retries, 0);
            assert_eq!(completion.finish, FinishReason::Stop);
            let deed: Deed = serde_json::from_str(&completion.text).unwrap();
            assert!(
                DEEDS.contains(&&*deed.deed) && TARGETS.contains(&&*deed.target),
                "{deed:?}"
            );
            assert!((-3..=12).contains(&deed.effort), "{deed:?}");
            assert!((1..=3).contains(&deed.with.len()), "{deed:?}");
            let words = deed.words.iter();
            assert!(
                words
                    .map(|words| words.chars().count())
                    .all(|length| length <= 60),
                "{deed:?}"
            );
            seen.insert((deed.deed, deed.target, deed.effort));
        }
    }
    assert!(seen.len() > 3, "the model has a choice: {seen:?}");
    let completion = asker.told(&*server.mind("schema: json_mode")).await;
    assert!(
        completion.retries == 0 && completion.text.starts_with('{'),
        "{}",
        completion.text
    );
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn reasoning_in_deepseeks_marks_is_parted_from_the_answer() {
    let server = Server::start("deepseek").await;
    let asker = ToolCaller::hears(ENGLISH, 3);
    let mut both = 0;
    for stream in [true, false] {
        for seed in 0..12 {
            let settings = format!(
                "stream: {stream}, {USUAL}, extra: {{\"seed\": {seed}, \"chat_template_kwargs\": {{\"thinking\": true}}}}"
            );
            let completion = match asker.ask(&*server.mind(&settings)).await {
                Ok(completion) => completion,
                // It reasons, and its turn ends before it says anything.
                Err(FailedCall {
                    error: MindError::InvalidResponse { reason, .. },
                    ..
                }) if reason.to_string().contains("empty") => continue,
                Err(failed) => panic!("{}", failed.error),
            };
            let thinking = completion.thinking.unwrap_or_default();
            for said in [&completion.text, &thinking] {
                assert!(!said.contains("think>"), "{said}");
            }
            let is_both = !thinking.is_empty() && !completion.text.is_empty();
            both += usize::from(is_both && !completion.text.contains(&thinking));
        }
    }
    figure(&format!("{both} of 24 answers held reasoning and words"));
    assert!(both > 0);
    // Told not to think, it answers at once, whatever marks are in its words.
    let mut asker = asker;
    asker.schema = Some(deed_schema());
    asker.max_tokens = 500;
    for seed in 0..12 {
        let silent = format!(
            "{USUAL}, extra: {{\"seed\": {seed}, \"chat_template_kwargs\": {{\"thinking\": false}}}}"
        );
        let completion = asker.told(&*server.mind(&silent)).await;
        assert_eq!(completion.thinking, None, "seed {seed}");
        serde_json::from_str::<Deed>(&completion.text).unwrap();
    }
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn a_call_that_is_given_up_frees_its_slot() {
    let server = Server::start("plain").await;
    let mut asker = ToolCaller::hears(ENGLISH, 3);
    asker.max_tokens = 15_000;
    let soon = Duration::from_millis(5);
    for (stream, look) in [(true, soon), (false, Duration::from_millis(1500))] {
        // It would go on for seconds.
        let mind = server.mind(&format!(
            "stream: {stream}, {USUAL}, max_output: 15000, extra: {{\"ignore_eos\": true}}"
        ));
        let call = tokio::spawn(asker.ask(&*mind));
        server.until_busy(1, soon).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(!call.is_finished() && server.busy().await == 1);
        call.abort();
        let freed = server.until_busy(0, look).await;
        figure(&format!(
            "a call (stream: {stream}) was given up; its slot was free after {} ms",
            freed.as_millis()
        ));
        assert!(freed < Duration::from_secs(4), "{freed:?}");
        assert!(call.await.unwrap_err().is_cancelled());
    }
    asker.max_tokens = 100;
    assert!(
        asker.ask(&*server.mind(USUAL)).await.is_ok(),
        "the server goes on"
    );
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn a_prompt_beyond_the_window_is_refused_with_the_window() {
    let server = Server::start("plain").await;
    let failed = ToolCaller::hears(ENGLISH, 1_500)
        .ask(&*server.mind(USUAL))
        .await
        .unwrap_err();
    let MindError::PromptTooLong { window, .. } = failed.error else {
        panic!("{}", failed.error);
    };
    assert_eq!(window, Some(16_384));
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn an_examination_finds_what_the_server_can_do() {
    let server = Server::start("plain").await;
    let found = server.models(USUAL).probe("m").await.unwrap();
    assert!(
        found.reachable == Some(true) && found.answers == Some(true),
        "{:?}",
        found.notes
    );
    assert_eq!((found.key, &*found.model), (KeyState::NotNeeded, "plain"));
    assert_eq!((found.window, found.streaming), (Some(16_384), Some(true)));
    assert_eq!(found.schema, Some(SchemaMode::Constrained));
    assert_eq!(found.cache_fields, Some(true));
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}
