//! A mind for tests: exact answers, delays and failures, in sequence or by rule.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::{Answering, Completion, FailedCall, Mind, MindError, MindInfo, Prompt};
use crate::tool::ToolCall;

/// One line of a script.
#[derive(Clone, Debug)]
pub struct ScriptLine {
    after: Duration,
    result: Result<Completion, FailedCall>,
}

impl ScriptLine {
    /// An answer.
    pub fn say(text: impl Into<String>) -> Self {
        Self {
            after: Duration::ZERO,
            result: Ok(Completion::instant("script", text)),
        }
    }

    /// A wish to call tools: name and arguments of each.
    pub fn call<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let calls = calls.into_iter().enumerate();
        let calls = calls.map(|(at, (name, arguments))| {
            ToolCall::new(format!("script-{at}"), name, arguments.to_string())
        });
        Self::complete(Completion::calling("script", calls))
    }

    /// A failure; one of a [`MindError`] alone costs nothing.
    pub fn fail(failure: impl Into<FailedCall>) -> Self {
        Self {
            after: Duration::ZERO,
            result: Err(failure.into()),
        }
    }

    /// A whole completion, with usage and reasoning.
    pub fn complete(completion: Completion) -> Self {
        Self {
            after: Duration::ZERO,
            result: Ok(completion),
        }
    }

    /// The same line, after some time.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.after = delay;
        self
    }
}

type Rule = dyn Fn(&Prompt<'_>) -> ScriptLine + Send + Sync;

/// A mind that answers by script and remembers what it was asked.
pub struct ScriptMind {
    info: MindInfo,
    lines: Mutex<BTreeMap<String, VecDeque<ScriptLine>>>,
    rule: Option<Box<Rule>>,
    heard: Option<Mutex<Vec<(String, String)>>>,
}

impl ScriptMind {
    /// Answers by a rule, which sees the whole prompt.
    pub fn by_rule(rule: impl Fn(&Prompt<'_>) -> ScriptLine + Send + Sync + 'static) -> Self {
        Self {
            info: MindInfo::embedded("script"),
            lines: Mutex::default(),
            rule: Some(Box::new(rule)),
            heard: None,
        }
    }

    /// Answers with these lines, for each entity in order; then it has no answer any more.
    pub fn lines<'a>(lines: impl IntoIterator<Item = (&'a str, ScriptLine)>) -> Self {
        let mut by_entity: BTreeMap<String, VecDeque<ScriptLine>> = BTreeMap::new();
        for (entity, line) in lines {
            by_entity
                .entry(entity.to_owned())
                .or_default()
                .push_back(line);
        }
        Self {
            info: MindInfo::embedded("script"),
            lines: Mutex::new(by_entity),
            rule: None,
            heard: None,
        }
    }

    /// The same mind with other figures: a window, a price, a width.
    #[must_use]
    pub fn with_info(mut self, change: impl FnOnce(&mut MindInfo)) -> Self {
        change(&mut self.info);
        self
    }

    /// The same mind, keeping every prompt it hears as text.
    #[must_use]
    pub fn listening(mut self) -> Self {
        self.heard = Some(Mutex::default());
        self
    }

    /// Every prompt it heard, as entity and text, in order of asking.
    pub fn heard(&self) -> Vec<(String, String)> {
        let heard = self.heard.as_ref();
        heard
            .map(|heard| heard.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .unwrap_or_default()
    }

    fn line(&self, prompt: &Prompt<'_>) -> ScriptLine {
        if let Some(rule) = &self.rule {
            return rule(prompt);
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let next = lines
            .get_mut(&**prompt.entity)
            .and_then(VecDeque::pop_front);
        next.unwrap_or_else(|| {
            ScriptLine::fail(MindError::ScriptOver {
                entity: prompt.entity.to_string(),
                number: prompt.number,
            })
        })
    }
}

/// The whole prompt as text, one turn a paragraph, behind the names of the tools that may be
/// called.
pub fn prompt_text(prompt: &Prompt<'_>) -> String {
    let specs = prompt.tools.specs.iter();
    let tools: Vec<_> = specs.map(|spec| spec.name()).collect();
    let tools = (!tools.is_empty()).then(|| format!("Tools: {}", tools.join(", ")));
    let turns = prompt.turns();
    let turns = turns.map(|turn| format!("{:?}: {}", turn.role, turn.to_text()));
    let lines: Vec<_> = tools.into_iter().chain(turns).collect();
    lines.join("\n")
}

impl Mind for ScriptMind {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        if let Some(heard) = &self.heard {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.push((prompt.entity.to_string(), prompt_text(prompt)));
        }
        let line = self.line(prompt);
        let stream = prompt.stream.cloned();
        Box::pin(async move {
            if !line.after.is_zero() {
                tokio::time::sleep(line.after).await;
            }
            if let (Some(stream), Ok(completion)) = (stream, &line.result) {
                stream.say(&completion.text);
            }
            line.result
        })
    }
}
