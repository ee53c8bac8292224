//! `format/<provider>`: a message is appended to a context of 1,000 messages of 300 bytes, and the
//! next request body is made; once with their roles, once told to one mind with the names of all
//! speakers.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use playhouse::context::AgentContext;
use playhouse::interop::format::{Api, NoFiles, Style};
use playhouse::message::{Body, Tags};
use playhouse::mind::http::{ModelSettings, RequestFormat, request_body};
use playhouse::mind::{AnswerForm, Prompt};
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

/// What an ask has beside its context.
struct Ask {
    entity: Arc<str>,
    question: Body,
    schema: Arc<str>,
    constrained: Value,
}

impl Ask {
    fn new() -> Self {
        let schema = json!({"type": "object"});
        Self {
            entity: "Mira".into(),
            question: Body::text("What do you say now?"),
            schema: schema.to_string().into(),
            constrained: schema,
        }
    }

    fn prompt<'a>(&'a self, context: &'a AgentContext) -> Prompt<'a> {
        Prompt {
            entity: &self.entity,
            form: AnswerForm::Json {
                name: "line",
                schema: &self.schema,
                constrained: &self.constrained,
                notes: &Value::Null,
            },
            max_tokens: 300,
            ..Prompt::new("bench", context, &self.question)
        }
    }
}

/// The time of appending a message and building the next request body, `MEASURED` times.
fn append(format: &RequestFormat, mut context: AgentContext) -> Duration {
    let (ask, mode) = (Ask::new(), format.model().provider.schema);
    let request = |context: &mut AgentContext| {
        // As the engine does before each ask.
        context.stats();
        black_box(request_body(&ask.prompt(context), format, mode).unwrap());
    };
    request(&mut context);
    (MESSAGES..MESSAGES + MEASURED as usize)
        .map(|number| {
            common::timed(|| {
                say(&mut context, number);
                request(&mut context);
            })
        })
        .sum()
}

/// The requests of an API, in a style.
fn request_format(api: Api, style: Style) -> RequestFormat {
    let mut model = ModelSettings::cautious("m");
    (model.provider.api, model.provider.style) = (api, style);
    RequestFormat::new(model, Arc::new(NoFiles))
}

pub(crate) fn bench(criterion: &mut Criterion) {
    for api in Api::ALL {
        let mut group = criterion.benchmark_group(format!("format/{}", api.name()));
        let styles = [
            ("append to 1000", Style::Perspective),
            ("append to 1000, as a history", Style::History),
        ];
        for (name, style) in styles {
            let format = request_format(api, style);
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|times| {
                    common::average(times, MEASURED, || append(&format, conversation()))
                });
            });
        }
        group.finish();
    }
}
