//! Spans of asks, of the calls of minds and of tools, as OpenTelemetry's conventions for generative
//! AI name them (<https://github.com/open-telemetry/semantic-conventions-genai>).
//!
//! They are spans of `tracing`, of the level trace: without a subscriber that wants them, each
//! costs a comparison. What was said is in them only if the subscriber wants [`CONTENT`], too.

use serde_json::{Value, json};
use tracing::field::Empty;
use tracing::{Level, Span};

use super::job::Job;
use crate::event::AnsweredBy;
use crate::message::{FinishReason, PromptBytes, TokenUsage};
use crate::mind::{AnswerForm, Completion, FailedCall, MindError, MindInfo, Prompt, Turn};
use crate::secrets::redacted;
use crate::tool::{ToolCall, ToolOutput};

/// The target of all of these spans.
pub const SPANS: &str = "gen_ai";
/// A target that stands for what was asked, answered, and given to tools.
pub const CONTENT: &str = "gen_ai.content";

fn wants_content() -> bool {
    tracing::enabled!(target: CONTENT, Level::TRACE)
}

/// The span of an ask, from when its mind is asked to its outcome.
pub(super) fn agent_span(job: &Job) -> Span {
    let (name, info) = (&*job.ask.name, job.mind.info());
    tracing::trace_span!(
        target: SPANS,
        parent: None,
        "invoke_agent",
        otel.name = format!("invoke_agent {name}"),
        gen_ai.operation.name = "invoke_agent",
        gen_ai.provider.name = &*info.provider,
        gen_ai.request.model = &*info.model,
        gen_ai.agent.name = name,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.reasoning.output_tokens = Empty,
        playhouse.ask.number = number(job.ask.number),
        playhouse.ask.purpose = job.ask.question.parts().purpose,
        playhouse.ask.calls = Empty,
        playhouse.answered_by = Empty,
    )
}

/// Adds what became of an ask to its span.
pub(super) fn note_outcome(job: &Job, by: &AnsweredBy) {
    let Some(span) = &job.span else {
        return;
    };
    note_usage(span, &job.usage.spent.usage);
    span.record("playhouse.ask.calls", number(job.usage.spent.calls));
    let by = match by {
        AnsweredBy::Fallback(_) => "fallback",
        AnsweredBy::Repaired(_) => "repaired",
        AnsweredBy::Mind => "mind",
    };
    span.record("playhouse.answered_by", by);
}

/// The span of one call of a mind.
pub(super) fn call_span(job: &Job, prompt: &Prompt<'_>) -> Span {
    let (name, info) = (&*job.ask.name, job.mind.info());
    let span = tracing::trace_span!(
        target: SPANS,
        parent: job.span.as_ref().and_then(Span::id),
        "chat",
        otel.name = format!("chat {}", info.model),
        otel.kind = "client",
        otel.status_code = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = &*info.provider,
        gen_ai.request.model = &*info.model,
        gen_ai.request.max_tokens = number(prompt.max_tokens),
        gen_ai.request.seed = prompt.seed as i64,
        "gen_ai.output.type" = match prompt.form {
            AnswerForm::Prose { .. } => "text",
            AnswerForm::Json { .. } => "json",
        },
        gen_ai.conversation.id = format!("{}/{name}", prompt.story_seed),
        gen_ai.agent.name = name,
        gen_ai.response.model = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.reasoning.output_tokens = Empty,
        gen_ai.input.messages = Empty,
        gen_ai.output.messages = Empty,
        "error.type" = Empty,
        playhouse.ask.number = number(job.ask.number),
        playhouse.ask.purpose = prompt.purpose,
        playhouse.cost = Empty,
        playhouse.retries = Empty,
        playhouse.prompt.repeated_share = Empty,
    );
    if !span.is_disabled() && wants_content() {
        let messages: Vec<_> = prompt.turns().map(|turn| message(&turn)).collect();
        span.record(
            "gen_ai.input.messages",
            redacted(json!(messages).to_string()),
        );
    }
    span
}

/// Adds how much of a prompt repeats the last one of its entity to the span of its call.
pub(super) fn note_prompt(span: &Span, bytes: &PromptBytes) {
    span.record("playhouse.prompt.repeated_share", bytes.repeated_share());
}

/// Adds what a mind answered to the span of its call.
pub(super) fn note_answer(span: &Span, info: &MindInfo, result: &Result<Completion, FailedCall>) {
    if span.is_disabled() {
        return;
    }
    let (usage, retries) = match result {
        Ok(completion) => (completion.usage, completion.retries),
        Err(failed) => (failed.usage, failed.retries),
    };
    if let Some(usage) = usage {
        note_usage(span, &usage);
        if let Some(price) = &info.price {
            span.record("playhouse.cost", price.of(usage).units());
        }
    }
    span.record("playhouse.retries", number(retries));
    match result {
        Ok(completion) => {
            let model = match &*completion.model {
                "" => &*info.model,
                model => model,
            };
            span.record("gen_ai.response.model", model);
            let finish = finish_reason(completion.finish);
            span.record("gen_ai.response.finish_reasons", finish);
            if wants_content() {
                let mut answer = parts("assistant", &completion.text);
                answer["finish_reason"] = finish.into();
                let answer = redacted(json!([answer]).to_string());
                span.record("gen_ai.output.messages", answer);
            }
        }
        Err(failed) => {
            span.record("error.type", kind_of(&failed.error));
            span.record("otel.status_code", "ERROR");
        }
    }
}

/// As collectors take it: a `u64` would become a text.
fn number(count: impl Into<u64>) -> i64 {
    i64::try_from(count.into()).unwrap_or(i64::MAX)
}

fn note_usage(span: &Span, usage: &TokenUsage) {
    span.record("gen_ai.usage.input_tokens", number(usage.input));
    span.record("gen_ai.usage.output_tokens", number(usage.output));
    span.record("gen_ai.usage.cache_read.input_tokens", number(usage.cached));
    span.record(
        "gen_ai.usage.reasoning.output_tokens",
        number(usage.reasoning),
    );
}

pub(super) fn tool_span(job: &Job, call: &ToolCall) -> Span {
    let span = tracing::trace_span!(
        target: SPANS,
        parent: job.span.as_ref().and_then(Span::id),
        "execute_tool",
        otel.name = format!("execute_tool {}", call.name),
        otel.status_code = Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = call.name,
        "gen_ai.tool.type" = "function",
        gen_ai.tool.call.id = call.id,
        gen_ai.tool.call.arguments = Empty,
        gen_ai.tool.call.result = Empty,
        gen_ai.agent.name = &*job.ask.name,
        "error.type" = Empty,
    );
    if !span.is_disabled() && wants_content() {
        span.record(
            "gen_ai.tool.call.arguments",
            redacted(call.arguments.clone()),
        );
    }
    span
}

/// Adds what a tool returned to the span of its call.
pub(super) fn note_result(span: &Span, output: &ToolOutput) {
    match output {
        _ if span.is_disabled() => {}
        Ok(text) if wants_content() => {
            span.record("gen_ai.tool.call.result", redacted(text.clone()));
        }
        Ok(_) => {}
        Err(_) => {
            span.record("error.type", "tool_error");
            span.record("otel.status_code", "ERROR");
        }
    }
}

fn message(turn: &Turn<'_>) -> Value {
    let role = match turn.role.name() {
        "human" => "user",
        "ai" => "assistant",
        role => role,
    };
    parts(role, &turn.to_text())
}

fn parts(role: &str, text: &str) -> Value {
    json!({"role": role, "parts": [{"type": "text", "content": text}]})
}

fn finish_reason(finish: FinishReason) -> &'static str {
    match finish {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ToolCalls => "tool_call",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Unknown => "unknown",
    }
}

/// A failure by its kind, without what the server said.
fn kind_of(error: &MindError) -> String {
    let words = format!("{error:?}");
    let end = words.find(|c: char| !c.is_alphanumeric());
    words[..end.unwrap_or(words.len())].to_owned()
}
