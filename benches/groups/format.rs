//! `format/<provider>`: a message is appended to a context of 1,000 messages of 300 bytes, and the
//! next request body is made; and the whole context is rendered anew, told to one mind with the
//! names of all speakers.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use criterion::Criterion;
use playhouse::context::AgentContext;
use playhouse::dialect::format::{
    Api, Format, MessageWriter, NoFiles, Progress, Shape, Style, Turn,
};
use playhouse::message::{Body, Tags};
use playhouse::mind::http::{Dialect, RequestCache, RequestForm};
use playhouse::mind::{Form, Language, Prompt, Tools};
use serde_json::{Value, json};

use crate::common;

const MESSAGES: usize = 1_000;
const BYTES: usize = 300;
/// Requests that are measured before the context begins anew.
const MEASURED: u64 = 100;

/// A conversation of two, as one of them remembers it.
fn conversation() -> AgentContext {
    let mut context = AgentContext::new("Mira");
    context.add_system_message("You are Mira.").unwrap();
    for number in 1..MESSAGES {
        say(&mut context, number);
    }
    context.reserve(MEASURED as usize);
    context
}

fn say(context: &mut AgentContext, number: usize) {
    let line = Body::text(common::line(number, BYTES)).from_sender("Odile Marsh");
    match number % 3 {
        0 => drop(context.add_ai_message([line]).unwrap()),
        _ => drop(context.add_human_message(line, Tags::new())),
    }
}

/// The time of appending a message and making the next request body, each `MEASURED` times.
fn append(form: &RequestForm, mut context: AgentContext) -> Duration {
    let drafts = RequestCache::default();
    let stable = Arc::from(json!({"type": "object"}).to_string());
    let (narrowed, notes) = (json!({"type": "object"}), Value::Null);
    let (entity, question) = (Arc::from("Mira"), Body::text("What do you say now?"));
    let request = |context: &AgentContext| {
        let body = drafts.request(
            &Prompt {
                entity: &entity,
                purpose: "bench",
                number: 1,
                language: Language::En,
                history: context,
                question: &question,
                ask_short: false,
                rounds: &[],
                tools: Tools::NONE,
                form: Form::Json {
                    name: "line",
                    schema: &stable,
                    narrowed: &narrowed,
                    notes: &notes,
                },
                max_tokens: 300,
                seed: 1,
                stream: None,
            },
            form,
            form.dialect().schema,
        );
        let mut body = body.unwrap();
        black_box(body.bytes().clone());
        drafts.take_back(&mut body);
    };
    request(&context);
    (MESSAGES..MESSAGES + MEASURED as usize)
        .map(|number| {
            common::timed(|| {
                say(&mut context, number);
                request(&context);
            })
        })
        .sum()
}

/// The request form of an interface, in a style.
fn form(api: Api, style: Style) -> RequestForm {
    let dialect = Dialect {
        api,
        style,
        ..Dialect::cautious("m")
    };
    RequestForm::new(dialect, Arc::new(NoFiles))
}

/// All messages of a context, told to one mind.
fn told(api: Api, context: &AgentContext) -> usize {
    let format = Format::new(api, Style::History, Shape::cautious(api));
    let mut script =
        MessageWriter::new(&format, Some("Mira"), BytesMut::new(), Progress::default());
    let entries = context.entries().iter();
    let turns = entries.map(|entry| Turn::short(entry.role(), entry.body()));
    script.remember(turns).unwrap();
    let written = script.finish();
    let mut bytes = written.bytes;
    format.close(&mut bytes, &written.progress, "");
    black_box(bytes).len()
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let apis = [
        ("openai", Api::OpenAi),
        ("deepseek", Api::DeepSeek),
        ("anthropic", Api::Anthropic),
        ("gemini", Api::Gemini),
        ("dashscope", Api::DashScope),
        ("ollama", Api::Ollama),
    ];
    for (provider, api) in apis {
        let mut group = criterion.benchmark_group(format!("format/{provider}"));
        let styles = [
            ("append to 1000", Style::Perspective),
            ("append to 1000, as a history", Style::History),
        ];
        for (name, style) in styles {
            let form = form(api, style);
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|times| {
                    common::average(times, MEASURED, || append(&form, conversation()))
                });
            });
        }
        let context = conversation();
        group.bench_function("render 1000 as a history", |bencher| {
            bencher.iter(|| told(api, &context));
        });
        group.finish();
    }
}
