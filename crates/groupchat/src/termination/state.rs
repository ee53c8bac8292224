//! Evaluating a termination condition during a run.

use playhouse_engine::locale::{Language, Localize, text};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Termination;
use crate::functions::Functions;
use crate::message::{ChatContent, ChatMessage, RequestUsage};

/// What a condition may depend on besides the messages.
#[derive(Clone, Copy)]
pub struct DeltaContext<'a> {
    /// Turns since the run began.
    pub turns: u32,
    /// Wall-clock milliseconds since the run began; 0 if the team has no clock.
    pub elapsed_ms: u64,
    /// Whether a stop was asked for from outside.
    pub external: bool,
    /// The functions of the user of the library.
    pub functions: &'a Functions,
    /// The language of the reasons.
    pub language: Language,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopReason {
    /// The reason for people.
    pub content: String,
    /// The names of the conditions that were met, or of what else ended the run.
    pub source: String,
}

impl StopReason {
    pub(crate) fn new(content: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            source: source.into(),
        }
    }
}

/// The condition has been met already and was not reset.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq, Localize)]
#[text(groupchat_already_terminated)]
pub struct AlreadyTerminated;

/// The state of a condition during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerminationState {
    condition: Termination,
    is_met: bool,
    messages: u32,
    usage: RequestUsage,
    /// The states of the parts of a combined condition.
    parts: Vec<TerminationState>,
    /// Of a condition with several parts that must all be met: the reasons of those met so far.
    met: Vec<StopReason>,
}

impl TerminationState {
    /// The state at the beginning of a run.
    pub fn new(condition: Termination) -> Self {
        let parts = match &condition {
            Termination::All(parts) | Termination::Any(parts) => {
                parts.iter().cloned().map(Self::new).collect()
            }
            _ => Vec::new(),
        };
        Self {
            condition,
            is_met: false,
            messages: 0,
            usage: RequestUsage::default(),
            parts,
            met: Vec::new(),
        }
    }

    /// Whether the condition has been met.
    pub fn terminated(&self) -> bool {
        self.is_met
    }

    /// Back to the beginning of a run.
    pub fn reset(&mut self) {
        *self = Self::new(self.condition.clone());
    }

    /// The state of another condition, with what was counted for the conditions that both have.
    pub(crate) fn adapted_to(&self, condition: &Termination) -> Self {
        if self.condition == *condition {
            return self.clone();
        }
        let mut adapted = Self::new(condition.clone());
        adapted.take_counts(&mut self.singles());
        adapted
    }

    /// The conditions that are not combined of others.
    fn singles(&self) -> Vec<&Self> {
        if self.parts.is_empty() {
            vec![self]
        } else {
            self.parts.iter().flat_map(Self::singles).collect()
        }
    }

    /// Takes over what was counted for the same condition, or one of the same kind.
    fn take_counts(&mut self, counted: &mut Vec<&Self>) {
        for part in &mut self.parts {
            part.take_counts(counted);
        }
        let kind = std::mem::discriminant(&self.condition);
        let same = counted
            .iter()
            .position(|old| old.condition == self.condition);
        let similar = || {
            let mut kinds = counted.iter();
            kinds.position(|old| std::mem::discriminant(&old.condition) == kind)
        };
        if let Some(index) = same.or_else(similar) {
            let old = counted.remove(index);
            (self.messages, self.usage) = (old.messages, old.usage);
        }
    }

    /// Looks at the messages since the last check: why the run ends, or `None` if it continues.
    ///
    /// # Errors
    /// The condition has been met before.
    pub fn check(
        &mut self,
        delta: &[ChatMessage],
        context: DeltaContext<'_>,
    ) -> Result<Option<StopReason>, AlreadyTerminated> {
        if self.is_met {
            return Err(AlreadyTerminated);
        }
        let stop = match &self.condition {
            Termination::All(_) => self.check_all(delta, context),
            Termination::Any(_) => self.check_any(delta, context),
            _ => self.check_single(delta, context),
        };
        self.is_met = stop.is_some();
        Ok(stop)
    }

    fn check_all(
        &mut self,
        delta: &[ChatMessage],
        context: DeltaContext<'_>,
    ) -> Option<StopReason> {
        for part in &mut self.parts {
            // A part that was met before waits for the others.
            if let Ok(Some(stop)) = part.check(delta, context) {
                self.met.push(stop);
            }
        }
        let all_met = self.parts.iter().all(Self::terminated);
        all_met.then(|| joined(&self.met))
    }

    fn check_any(
        &mut self,
        delta: &[ChatMessage],
        context: DeltaContext<'_>,
    ) -> Option<StopReason> {
        let parts = self.parts.iter_mut();
        let met: Vec<_> = parts
            .filter_map(|part| part.check(delta, context).ok().flatten())
            .collect();
        (!met.is_empty()).then(|| joined(&met))
    }

    fn check_single(
        &mut self,
        delta: &[ChatMessage],
        context: DeltaContext<'_>,
    ) -> Option<StopReason> {
        let reason = match &self.condition {
            Termination::MaxMessages {
                max,
                include_events,
            } => {
                let counted = delta.iter().filter(|m| *include_events || !m.is_event());
                self.messages += counted.count() as u32;
                (self.messages >= *max)
                    .then(|| text!(groupchat_stop_max_messages, max, count = self.messages))
            }
            Termination::StopMessage { text } => {
                let mut messages = delta.iter();
                let says_stop = |last: &ChatMessage| mentions(&last.to_text(), text, true);
                let is_stopped = messages
                    .any(|message| matches!(message.content, ChatContent::Stop(_)))
                    || (!text.is_empty() && delta.last().is_some_and(says_stop));
                is_stopped.then(|| text!(groupchat_stop_message))
            }
            Termination::TextMention {
                text,
                sources,
                ignore_case,
                last_only,
            } => {
                let skipped = if *last_only {
                    delta.len().saturating_sub(1)
                } else {
                    0
                };
                let is_mentioned = delta.iter().skip(skipped).any(|message| {
                    (sources.is_empty() || sources.contains(&message.source))
                        && mentions(&message.to_text(), text, *ignore_case)
                });
                is_mentioned.then(|| text!(groupchat_stop_mention, text))
            }
            Termination::TokenUsage {
                total,
                prompt,
                completion,
            } => {
                for message in delta {
                    self.usage += message.models_usage.unwrap_or_default();
                }
                let usage = self.usage;
                let is_reached =
                    |limit: &Option<u64>, used| limit.is_some_and(|limit| used >= limit);
                let is_reached = is_reached(total, usage.total_tokens())
                    || is_reached(prompt, usage.prompt_tokens)
                    || is_reached(completion, usage.completion_tokens);
                is_reached.then(|| {
                    text!(
                        groupchat_stop_tokens,
                        total = usage.total_tokens(),
                        prompt = usage.prompt_tokens,
                        completion = usage.completion_tokens
                    )
                })
            }
            Termination::Timeout { turns, seconds } => {
                let by_clock = seconds
                    .filter(|seconds| context.elapsed_ms as f64 >= seconds * 1000.0)
                    .map(|seconds| text!(groupchat_stop_seconds, seconds));
                let by_turns = turns
                    .filter(|turns| context.turns >= *turns)
                    .map(|turns| text!(groupchat_stop_turns, turns));
                by_turns.or(by_clock)
            }
            Termination::Handoff { target } => {
                delta.iter().find_map(|message| match &message.content {
                    ChatContent::Handoff { target: to, .. } if to == target => Some(text!(
                        groupchat_stop_handoff,
                        source = &message.source,
                        target
                    )),
                    _ => None,
                })
            }
            Termination::SourceMatch { sources } => delta
                .iter()
                .find(|message| !message.is_event() && sources.contains(&message.source))
                .map(|message| text!(groupchat_stop_answered, source = &message.source)),
            Termination::TextMessage { source } => delta
                .iter()
                .find(|message| {
                    matches!(message.content, ChatContent::Text(_))
                        && source
                            .as_ref()
                            .is_none_or(|source| *source == message.source)
                })
                .map(|message| text!(groupchat_stop_text_message, source = &message.source)),
            Termination::FunctionCall { name } => delta
                .iter()
                .any(|message| match &message.content {
                    ChatContent::ToolCallExecution(results) => {
                        results.iter().any(|result| result.name == *name)
                    }
                    _ => false,
                })
                .then(|| text!(groupchat_stop_function_call, name)),
            Termination::External => context.external.then(|| text!(groupchat_stop_external)),
            Termination::Function { name } => {
                let function = context.functions.terminations.get(name);
                let is_met = function.is_some_and(|function| function(delta));
                is_met.then(|| text!(groupchat_stop_function, name))
            }
            Termination::All(_) | Termination::Any(_) => None,
        };
        reason.map(|reason| {
            let reason = reason.in_language(context.language);
            StopReason::new(reason, self.condition.name())
        })
    }
}

fn mentions(text: &str, wanted: &str, ignore_case: bool) -> bool {
    if ignore_case {
        text.to_lowercase().contains(&wanted.to_lowercase())
    } else {
        text.contains(wanted)
    }
}

fn joined(stops: &[StopReason]) -> StopReason {
    let join =
        |part: fn(&StopReason) -> &str| stops.iter().map(part).collect::<Vec<_>>().join(", ");
    StopReason::new(join(|stop| &stop.content), join(|stop| &stop.source))
}
