//! When a conversation ends.
//!
//! A [`Rule`] is written in a team's data; a [`Termination`] watches a run by it, message by message,
//! and is saved with the world. It sees deltas: what was said since it looked last. Pure: time and
//! functions come with each look.

mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::message::{ChatMessage, Content, RequestUsage};
use crate::message::Language;

/// The word with which an agent usually says that it is done.
pub const TERMINATE: &str = "TERMINATE";

/// When a conversation ends, as a team's data says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Rule {
    /// So many messages.
    MaxMessages {
        /// How many.
        max: u32,
        /// Whether events count too.
        #[serde(default)]
        include_events: bool,
    },
    /// A stop message.
    StopMessage,
    /// A text occurs.
    TextMention {
        /// The text; `TERMINATE` where none is given.
        #[serde(default = "terminate")]
        text: String,
        /// Only in messages of these; of anybody where empty.
        #[serde(default)]
        sources: Vec<String>,
        /// Whether great and small letters are the same.
        #[serde(default)]
        ignore_case: bool,
        /// Whether only the last message of each look counts.
        #[serde(default)]
        last_only: bool,
    },
    /// So many tokens were used.
    TokenUsage {
        /// Of prompts and answers.
        #[serde(default)]
        total: Option<u64>,
        /// Of prompts.
        #[serde(default)]
        prompt: Option<u64>,
        /// Of answers.
        #[serde(default)]
        completion: Option<u64>,
    },
    /// Time has run out since the run began.
    Timeout {
        /// Logical time: turns of the conversation.
        #[serde(default)]
        turns: Option<u32>,
        /// Wall-clock seconds; what the clock said is recorded like every answer.
        #[serde(default)]
        seconds: Option<f64>,
    },
    /// The word goes to somebody.
    Handoff {
        /// To whom.
        target: String,
    },
    /// One of these has answered.
    SourceMatch {
        /// Who.
        sources: Vec<String>,
    },
    /// A text message.
    TextMessage {
        /// Of whom; of anybody where absent.
        #[serde(default)]
        source: Option<String>,
    },
    /// A function was executed.
    FunctionCall {
        /// Its name.
        name: String,
    },
    /// Somebody outside says so.
    External,
    /// A function of the library's user says so.
    Function {
        /// The name under which it was given.
        name: String,
    },
    /// All of these have fired, in one look or several.
    All(Vec<Rule>),
    /// One of these fires.
    Any(Vec<Rule>),
}

fn terminate() -> String {
    TERMINATE.into()
}

impl Rule {
    /// `TERMINATE` in any text.
    pub fn terminate() -> Self {
        Self::mention(TERMINATE)
    }

    /// A text in any message.
    pub fn mention(text: impl Into<String>) -> Self {
        Self::TextMention {
            text: text.into(),
            sources: Vec::new(),
            ignore_case: false,
            last_only: false,
        }
    }

    /// So many messages, without events.
    pub fn max_messages(max: u32) -> Self {
        Self::MaxMessages {
            max,
            include_events: false,
        }
    }

    /// This and the other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match self {
            Self::All(mut all) => {
                all.push(other);
                Self::All(all)
            }
            one => Self::All(vec![one, other]),
        }
    }

    /// This or the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Any(mut any) => {
                any.push(other);
                Self::Any(any)
            }
            one => Self::Any(vec![one, other]),
        }
    }

    /// This rule and all within it.
    pub fn all(&self) -> Vec<&Self> {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                let within = parts.iter().flat_map(Self::all);
                std::iter::once(self).chain(within).collect()
            }
            one => vec![one],
        }
    }

    /// Whether it fires sooner or later however the conversation goes.
    pub fn surely_fires(&self) -> bool {
        match self {
            Self::MaxMessages { max, .. } => *max > 0,
            Self::Timeout { turns, seconds } => turns.is_some() || seconds.is_some(),
            Self::All(parts) => !parts.is_empty() && parts.iter().all(Self::surely_fires),
            Self::Any(parts) => parts.iter().any(Self::surely_fires),
            _ => false,
        }
    }

    /// What is wrong with it, of its own accord: a limit that is none, nothing to combine.
    pub fn mistake(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::MaxMessages { max: 0, .. } => {
                Some(("no message would ever be said", "1 message or more"))
            }
            Self::TextMention { text, .. } if text.is_empty() => {
                Some(("the empty text is in every message", "a text to look for"))
            }
            Self::TokenUsage {
                total: None,
                prompt: None,
                completion: None,
            } => Some((
                "no limit is given",
                "at least one of total, prompt, completion",
            )),
            Self::Timeout {
                turns: None,
                seconds: None,
            } => Some(("no time is given", "turns or seconds")),
            Self::Timeout {
                seconds: Some(seconds),
                ..
            } if !(*seconds > 0.0 && seconds.is_finite()) => {
                Some(("the time is none", "more than 0 seconds"))
            }
            Self::SourceMatch { sources } if sources.is_empty() => {
                Some(("nobody is named", "at least one name"))
            }
            Self::All(parts) | Self::Any(parts) if parts.is_empty() => {
                Some(("nothing is combined", "at least one condition"))
            }
            _ => None,
        }
    }
}

/// A function of the library's user that ends a conversation.
pub type Predicate = Arc<dyn Fn(&[ChatMessage]) -> bool + Send + Sync>;

/// What a look at a delta may know beside it.
#[derive(Clone, Copy)]
pub struct DeltaContext<'a> {
    /// Turns since the run began.
    pub turns: u32,
    /// Wall-clock milliseconds since the run began; 0 where nobody asked the clock.
    pub elapsed_ms: u64,
    /// Whether somebody outside asked the conversation to end.
    pub external: bool,
    /// The functions of the library's user, by name.
    pub functions: &'a BTreeMap<String, Predicate>,
    /// The language of the reasons.
    pub language: Language,
}

/// Why a conversation ends: the words, and the conditions that fired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// The reason in words.
    pub content: String,
    /// The names of the conditions.
    pub source: String,
}

impl Stop {
    /// The stop message that says it.
    pub fn message(&self) -> ChatMessage {
        ChatMessage::stop(self.source.as_str(), self.content.as_str())
    }
}

/// A condition that has fired already and was not reset.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the termination condition has been reached already; reset it before it looks again")]
pub struct Reached;

/// Watches one run by a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Termination {
    rule: Rule,
    reached: bool,
    messages: u32,
    usage: RequestUsage,
    parts: Vec<Termination>,
    /// What fired so far of several that must all fire, in order of firing.
    fired: Vec<Stop>,
}

impl Termination {
    /// A watch that has seen nothing.
    pub fn new(rule: Rule) -> Self {
        let parts = match &rule {
            Rule::All(parts) | Rule::Any(parts) => parts.iter().cloned().map(Self::new).collect(),
            _ => Vec::new(),
        };
        Self {
            rule,
            reached: false,
            messages: 0,
            usage: RequestUsage::default(),
            parts,
            fired: Vec::new(),
        }
    }

    /// Whether it has fired.
    pub fn terminated(&self) -> bool {
        self.reached
    }

    /// Forgets all it saw.
    pub fn reset(&mut self) {
        *self = Self::new(self.rule.clone());
    }

    /// Looks at what was said since it looked last.
    ///
    /// # Errors
    /// It has fired already.
    pub fn check(
        &mut self,
        delta: &[ChatMessage],
        look: DeltaContext<'_>,
    ) -> Result<Option<Stop>, Reached> {
        if self.reached {
            return Err(Reached);
        }
        let stop = match &self.rule {
            Rule::All(_) => self.check_all(delta, look),
            Rule::Any(_) => self.check_any(delta, look),
            _ => self.check_alone(delta, look),
        };
        self.reached = stop.is_some();
        Ok(stop)
    }

    fn check_all(&mut self, delta: &[ChatMessage], look: DeltaContext<'_>) -> Option<Stop> {
        for part in &mut self.parts {
            // A part that has fired waits for the others.
            if let Ok(Some(stop)) = part.check(delta, look) {
                self.fired.push(stop);
            }
        }
        let all = self.parts.iter().all(Self::terminated);
        all.then(|| joined(&self.fired))
    }

    fn check_any(&mut self, delta: &[ChatMessage], look: DeltaContext<'_>) -> Option<Stop> {
        let parts = self.parts.iter_mut();
        let fired = parts.filter_map(|part| part.check(delta, look).ok().flatten());
        let fired: Vec<_> = fired.collect();
        (!fired.is_empty()).then(|| joined(&fired))
    }

    fn check_alone(&mut self, delta: &[ChatMessage], look: DeltaContext<'_>) -> Option<Stop> {
        let language = look.language;
        let fired = match &self.rule {
            Rule::MaxMessages {
                max,
                include_events,
            } => {
                let counted = delta.iter().filter(|m| *include_events || !m.is_event());
                self.messages += counted.count() as u32;
                (self.messages >= *max).then(|| words::max_messages(language, *max, self.messages))
            }
            Rule::StopMessage => delta
                .iter()
                .any(|message| matches!(message.content, Content::Stop(_)))
                .then(|| words::stop_message(language)),
            Rule::TextMention {
                text,
                sources,
                ignore_case,
                last_only,
            } => {
                let from = if *last_only {
                    delta.len().saturating_sub(1)
                } else {
                    0
                };
                let mut all = delta.get(from..).unwrap_or_default().iter();
                all.any(|message| {
                    let by = sources.is_empty() || sources.contains(&message.source);
                    by && mentions(&message.to_text(), text, *ignore_case)
                })
                .then(|| words::mention(language, text))
            }
            Rule::TokenUsage {
                total,
                prompt,
                completion,
            } => {
                for message in delta {
                    self.usage += message.models_usage.unwrap_or_default();
                }
                let usage = self.usage;
                let over = |limit: &Option<u64>, used| limit.is_some_and(|limit| used >= limit);
                let over = over(total, usage.total_tokens())
                    || over(prompt, usage.prompt_tokens)
                    || over(completion, usage.completion_tokens);
                over.then(|| words::tokens(language, usage))
            }
            Rule::Timeout { turns, seconds } => {
                let late = seconds
                    .filter(|seconds| look.elapsed_ms as f64 >= seconds * 1000.0)
                    .map(|seconds| words::seconds(language, seconds));
                let long = turns
                    .filter(|turns| look.turns >= *turns)
                    .map(|turns| words::turns(language, turns));
                long.or(late)
            }
            Rule::Handoff { target } => delta.iter().find_map(|message| match &message.content {
                Content::Handoff { target: to, .. } if to == target => {
                    Some(words::handoff(language, target, &message.source))
                }
                _ => None,
            }),
            Rule::SourceMatch { sources } => delta
                .iter()
                .find(|message| !message.is_event() && sources.contains(&message.source))
                .map(|message| words::answered(language, &message.source)),
            Rule::TextMessage { source } => delta
                .iter()
                .find(|message| {
                    matches!(message.content, Content::Text(_))
                        && source
                            .as_ref()
                            .is_none_or(|source| *source == message.source)
                })
                .map(|message| words::text_message(language, &message.source)),
            Rule::FunctionCall { name } => delta
                .iter()
                .any(|message| match &message.content {
                    Content::ToolCallExecution(results) => {
                        results.iter().any(|result| result.name == *name)
                    }
                    _ => false,
                })
                .then(|| words::function(language, name)),
            Rule::External => look.external.then(|| words::external(language)),
            Rule::Function { name } => look
                .functions
                .get(name)
                .is_some_and(|predicate| predicate(delta))
                .then(|| words::predicate(language, name)),
            Rule::All(_) | Rule::Any(_) => None,
        };
        fired.map(|content| Stop {
            content,
            source: name_of(&self.rule).into(),
        })
    }
}

fn mentions(text: &str, wanted: &str, ignore_case: bool) -> bool {
    match ignore_case {
        true => text.to_lowercase().contains(&wanted.to_lowercase()),
        false => text.contains(wanted),
    }
}

fn joined(stops: &[Stop]) -> Stop {
    let join = |part: fn(&Stop) -> &str| stops.iter().map(part).collect::<Vec<_>>().join(", ");
    Stop {
        content: join(|stop| &stop.content),
        source: join(|stop| &stop.source),
    }
}

/// The names that AutoGen users know.
fn name_of(rule: &Rule) -> &'static str {
    match rule {
        Rule::MaxMessages { .. } => "MaxMessageTermination",
        Rule::StopMessage => "StopMessageTermination",
        Rule::TextMention { .. } => "TextMentionTermination",
        Rule::TokenUsage { .. } => "TokenUsageTermination",
        Rule::Timeout { .. } => "TimeoutTermination",
        Rule::Handoff { .. } => "HandoffTermination",
        Rule::SourceMatch { .. } => "SourceMatchTermination",
        Rule::TextMessage { .. } => "TextMessageTermination",
        Rule::FunctionCall { .. } => "FunctionCallTermination",
        Rule::External => "ExternalTermination",
        Rule::Function { .. } => "FunctionalTermination",
        Rule::All(_) => "AndTermination",
        Rule::Any(_) => "OrTermination",
    }
}

#[cfg(test)]
mod tests;
