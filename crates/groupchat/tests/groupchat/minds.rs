//! Scripted participants, and what they were asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use playhouse_engine::locale::UiText;
use playhouse_engine::message::{Role, TokenUsage};
use playhouse_engine::mind::{
    Answering, Completion, FailedCall, FinishReason, Mind, MindError, MindInfo, Prompt, prompt_text,
};
use playhouse_groupchat::perspective;
use playhouse_tools::ToolCall;
use serde_json::{Value, json};

/// The requests for one entity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// The new messages in each request, as `source:text`.
    pub(crate) delivered: Vec<Vec<String>>,
    /// The conversation in each request: role, name and text.
    pub(crate) views: Vec<Value>,
    pub(crate) prompts: Vec<String>,
    /// The complaints about previous answers.
    pub(crate) complaints: Vec<String>,
}

#[derive(Default)]
struct State {
    lines: BTreeMap<String, Vec<Value>>,
    heard: BTreeMap<String, Heard>,
}

/// Answers by script. An entity without one counts its turns: `A1`, `A2`.
#[derive(Clone)]
pub(crate) struct Scripted {
    info: MindInfo,
    state: Arc<Mutex<State>>,
}

impl Scripted {
    /// Lines by entity: texts, or `{"text", "usage", "fail", "delay_ms", "thinking"}`.
    pub(crate) fn new(lines: &Value) -> Self {
        let lines = lines.as_object().into_iter().flatten();
        let lines = lines.map(|(name, lines)| (name.clone(), lines.as_array().unwrap().clone()));
        let state = State {
            lines: lines.collect(),
            heard: BTreeMap::new(),
        };
        Self {
            info: MindInfo::embedded("script"),
            state: Arc::new(Mutex::new(state)),
        }
    }

    pub(crate) fn heard(&self, entity: &str) -> Heard {
        let state = self.state.lock().unwrap();
        state.heard.get(entity).cloned().unwrap_or_default()
    }

    pub(crate) fn calls(&self) -> usize {
        let state = self.state.lock().unwrap();
        state.heard.values().map(|heard| heard.prompts.len()).sum()
    }

    fn note(&self, prompt: &Prompt<'_>) {
        let seen = perspective(prompt.history);
        let own = |seen: &&playhouse_groupchat::RoleMessage| seen.role == "assistant";
        let since = seen.iter().rev().take_while(|seen| !own(seen)).count();
        let new = seen.iter().skip(seen.len() - since);
        let new = new.map(|seen| format!("{}:{}", seen.name, seen.content));
        let mut state = self.state.lock().unwrap();
        let heard = state.heard.entry(prompt.entity.to_string()).or_default();
        heard.delivered.push(new.collect());
        let view = seen.iter();
        let view = view.map(|seen| json!([seen.role, seen.name, seen.content]));
        heard.views.push(view.collect());
        heard.prompts.push(prompt_text(prompt));
        if let Some(refused) = prompt.refused().last() {
            heard.complaints.push(refused.complaint.as_str().to_owned());
        }
    }

    fn line(&self, prompt: &Prompt<'_>) -> Value {
        let mut state = self.state.lock().unwrap();
        if let Some(lines) = state.lines.get_mut(&**prompt.entity) {
            return if lines.is_empty() {
                json!({"fail": "the script is over"})
            } else {
                lines.remove(0)
            };
        }
        let own = prompt.history.entries().iter();
        let own = own.filter(|entry| entry.role() == Role::Ai).count();
        Value::from(format!("{}{}", prompt.entity, own + 1))
    }
}

impl Mind for Scripted {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        self.note(prompt);
        let line = self.line(prompt);
        let delay = line.get("delay_ms").and_then(Value::as_u64).unwrap_or(0);
        let result: Result<Completion, FailedCall> = match &line {
            Value::String(text) => Ok(Completion::instant("script", text.as_str())),
            line => match line.get("fail").and_then(Value::as_str) {
                Some(reason) => Err(MindError::InvalidResponse {
                    server: "script".into(),
                    reason: UiText::verbatim(reason),
                }
                .into()),
                None => {
                    let mut said = Completion::instant("script", text_of(line));
                    said.thinking = line.get("thinking").and_then(Value::as_str).map(Into::into);
                    let calls = line.get("calls").and_then(Value::as_array);
                    for call in calls.into_iter().flatten() {
                        let text = |index: usize| match &call[index] {
                            Value::String(text) => text.clone(),
                            other => other.to_string(),
                        };
                        said.calls.push(ToolCall::new(text(0), text(1), text(2)));
                        said.finish = FinishReason::ToolCalls;
                    }
                    said.usage = line.get("usage").map(|usage| TokenUsage {
                        input: usage[0].as_u64().unwrap(),
                        output: usage[1].as_u64().unwrap(),
                        ..TokenUsage::default()
                    });
                    Ok(said)
                }
            },
        };
        let pieces = prompt.stream.cloned();
        Box::pin(async move {
            if delay > 0 {
                tokio::time::sleep(Duration::from_millis(delay)).await;
            }
            if let (Some(pieces), Ok(said)) = (pieces, &result) {
                pieces.say(&said.text);
            }
            result
        })
    }
}

/// The text of a line; JSON as it is.
fn text_of(line: &Value) -> String {
    match line.get("text") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None if line.get("calls").is_some() => String::new(),
        None => line.to_string(),
    }
}
