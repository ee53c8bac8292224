//! What a request costs that goes on from the last one: nothing that grows with the history.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use playhouse::context::AgentContext;
use playhouse::dialect::format::{Api, NoFiles, Style};
use playhouse::message::{Block, Body, MediaSource, Tags};
use playhouse::mind::http::{ModelSettings, RequestCache, RequestFormat, SchemaMode};
use playhouse::mind::{AnswerForm, Prompt};
use serde_json::{Value, json};
use stats_alloc::Region;

use crate::{ALLOCATOR, alone};

/// Everything that a conversation has: words of both, pictures, calls and their results.
fn remember(history: &mut AgentContext, number: usize, pictures: bool) {
    let words = format!("{number}: {}", "rain ".repeat(60));
    let id = format!("call_{number}");
    match number % 8 {
        2 => drop(history.add_ai_message([Body::text(words)])),
        4 if pictures => {
            let picture = Block::image(MediaSource::url("http://x/inn.png"));
            let look = vec![Block::text(words), picture];
            history.add_human_message(Body::blocks(look).from_sender("Odile Marsh"), Tags::new());
        }
        6 => {
            let call = Block::tool_use(&*id, "dice", json!({"sides": 6}));
            drop(history.add_ai_message([Body::blocks(vec![Block::text(words), call])]));
            history.add_tool_message(Body::blocks(vec![Block::tool_result(&*id, "4")]));
        }
        _ => {
            let said = Body::text(words).from_sender("Odile Marsh");
            history.add_human_message(said, Tags::new());
        }
    }
}

/// The bytes that each of a row of requests allocates, after so many messages.
fn allocated(messages: usize, api: Api, style: Style) -> Vec<usize> {
    let dialect = ModelSettings {
        api,
        style,
        ..ModelSettings::cautious("m")
    };
    let (drafts, form) = (
        RequestCache::default(),
        RequestFormat::new(dialect, Arc::new(NoFiles)),
    );
    let mut history = AgentContext::new("Mira");
    // Pictures of a history stand behind all of its words there, so that it is not append-only.
    let pictures = style != Style::History || !matches!(api, Api::OpenAi | Api::Ollama);
    for number in 0..messages {
        remember(&mut history, number, pictures);
    }
    history.reserve(200);
    let stable = json!({"type": "object"}).to_string().into();
    let (notes, constrained) = (Value::Null, json!({"const": "narrowed"}));
    let mut each = Vec::new();
    for number in 0..100 {
        let said = Body::text("It rains still.").from_sender("Odile Marsh");
        history.add_human_message(said, Tags::new());
        let question = Body::text("What do you do?");
        let region = Region::new(ALLOCATOR);
        let body = drafts.request(
            &Prompt {
                form: AnswerForm::Json {
                    name: "plan",
                    schema: &stable,
                    constrained: &constrained,
                    notes: &notes,
                },
                max_tokens: 100,
                seed: 3,
                ..Prompt::new("test", &history, &question)
            },
            &form,
            SchemaMode::Stable,
        );
        let mut body = body.unwrap();
        let sent = body.bytes().clone();
        if number % 25 == 0 {
            serde_json::from_slice::<serde::de::IgnoredAny>(&sent).unwrap();
        }
        drop(sent);
        drafts.put_back(&mut body);
        let change = region.change();
        each.push(change.bytes_allocated + change.bytes_reallocated.unsigned_abs());
    }
    each
}

#[test]
fn the_next_request_allocates_nothing_that_grows_with_the_history() {
    let _alone = alone();
    for api in Api::ALL {
        for style in Style::ALL {
            // Anthropic's marks for the cache move on by turns: what lies between two is written
            // again.
            let few = if api == Api::Anthropic { 50_000 } else { 5_000 };
            let most = |each: &[usize]| each.iter().filter(|bytes| **bytes > few).count();
            let (short, long) = (allocated(10, api, style), allocated(1_000, api, style));
            // The first is rendered whole; then the buffer doubles now and then.
            assert!(most(&short) <= 6, "{api:?} {style:?} {short:?}");
            assert!(most(&long) <= 2, "{api:?} {style:?} {long:?}");
        }
    }
}
