//! A mind for tests: exact answers, delays and failures, in sequence or by a rule.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::answer::{Answering, Mind};
use super::completion::{Completion, FailedCall, MindError};
use super::info::MindInfo;
use super::prompt::Prompt;
use crate::tool::ToolCall;

#[derive(Clone, Debug)]
pub struct ScriptLine {
    delay: Duration,
    result: Result<Completion, FailedCall>,
}

impl ScriptLine {
    pub fn say(text: impl Into<String>) -> Self {
        Self {
            delay: Duration::ZERO,
            result: Ok(Completion::instant("script", text)),
        }
    }

    /// Tool calls: the name and the arguments of each.
    pub fn call<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let calls = calls
            .into_iter()
            .enumerate()
            .map(|(index, (name, arguments))| {
                ToolCall::new(format!("script-{index}"), name, arguments.to_string())
            });
        Self::complete(Completion::calling("script", calls))
    }

    /// A failure; a [`MindError`] alone costs nothing.
    pub fn fail(failure: impl Into<FailedCall>) -> Self {
        Self {
            delay: Duration::ZERO,
            result: Err(failure.into()),
        }
    }

    /// A whole completion, with usage and reasoning.
    pub fn complete(completion: Completion) -> Self {
        Self {
            delay: Duration::ZERO,
            result: Ok(completion),
        }
    }

    /// The same line, after a delay.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

type Rule = dyn Fn(&Prompt<'_>) -> ScriptLine + Send + Sync;

/// A mind that answers by a script and can record its prompts.
#[must_use]
pub struct ScriptMind {
    info: MindInfo,
    lines: Mutex<BTreeMap<String, VecDeque<ScriptLine>>>,
    rule: Option<Box<Rule>>,
    heard: Option<Mutex<Vec<(String, String)>>>,
}

impl ScriptMind {
    /// Answers by a rule that sees the whole prompt.
    pub fn by_rule(rule: impl Fn(&Prompt<'_>) -> ScriptLine + Send + Sync + 'static) -> Self {
        Self {
            info: MindInfo::embedded("script"),
            lines: Mutex::default(),
            rule: Some(Box::new(rule)),
            heard: None,
        }
    }

    /// Answers with these lines, in order for each entity, then fails.
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

    /// The same mind with other properties, such as a window or a price.
    pub fn with_info(mut self, change: impl FnOnce(&mut MindInfo)) -> Self {
        change(&mut self.info);
        self
    }

    /// The same mind, recording every prompt as text.
    pub fn listening(mut self) -> Self {
        self.heard = Some(Mutex::default());
        self
    }

    /// Every recorded prompt, as entity and text, in order.
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
            ScriptLine::fail(MindError::ScriptExhausted {
                entity: prompt.entity.to_string(),
                number: prompt.number,
            })
        })
    }
}

/// The whole prompt as text: the names of the tools, then the turns, one per line.
pub fn prompt_text(prompt: &Prompt<'_>) -> String {
    let names: Vec<_> = prompt.tools.specs.iter().map(|spec| spec.name()).collect();
    let tools = (!names.is_empty()).then(|| format!("Tools: {}", names.join(", ")));
    let turns = prompt
        .turns()
        .map(|turn| format!("{:?}: {}", turn.role, turn.to_text()));
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
            if !line.delay.is_zero() {
                tokio::time::sleep(line.delay).await;
            }
            if let (Some(stream), Ok(completion)) = (stream, &line.result) {
                stream.say(&completion.text);
            }
            line.result
        })
    }
}
