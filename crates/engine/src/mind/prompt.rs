//! What a mind is asked.

use std::sync::Arc;

use serde_json::Value;

use super::stream::AnswerStream;
use super::tool_round::ToolRound;
use super::turn::Turn;
use crate::context::{AgentContext, Entry};
use crate::locale::Language;
use crate::message::{Body, Role, Text, tokens};
use crate::tool::ToolSpec;

/// The form of the answer that is wanted.
#[derive(Clone, Copy, Debug)]
pub enum AnswerForm<'a> {
    Prose {
        /// The facts of the prompt as data, for minds without a model; null if there are none.
        /// Never sent to a model.
        notes: &'a Value,
    },
    /// JSON by a schema.
    Json {
        /// The reply type's name, such as `plan`.
        name: &'a str,
        /// The type's schema. It is the same for every ask, so that it may come before the
        /// messages.
        schema: &'a Arc<str>,
        /// The schema constrained to what is legal in this ask.
        constrained: &'a Value,
        /// The facts of the prompt as data, for minds without a model. Never sent to a model.
        notes: &'a Value,
    },
}

/// An answer that failed its check, and what the mind is told about it. Never enters a context.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The answer as it came.
    pub answer: Text,
    /// Everything that is wrong with it, and how to correct it.
    pub complaint: Text,
}

/// A step of the exchange about an open question.
#[derive(Clone, Debug)]
pub enum ExchangeRound {
    /// The mind called tools. Enters the context with the answer.
    Tools(ToolRound),
    /// A note to the mind, such as that it may call no more tools. Never enters a context.
    Note(Text),
    /// An answer that failed its check.
    Refused(Refused),
}

impl ExchangeRound {
    pub fn turns(&self) -> impl Iterator<Item = Turn<'_>> + Clone + use<'_> {
        let (first, second) = match self {
            Self::Tools(ToolRound { called, returned }) => (
                Turn::full(Role::Ai, called),
                Some(Turn::full(Role::Tool, returned)),
            ),
            Self::Note(note) => (Turn::text(Role::Human, note), None),
            Self::Refused(Refused { answer, complaint }) => (
                Turn::text(Role::Ai, answer),
                Some(Turn::text(Role::Human, complaint)),
            ),
        };
        std::iter::once(first).chain(second)
    }

    /// The estimated tokens of its turns, without what surrounds them and any correction factor.
    pub fn tokens(&self) -> u64 {
        u64::from(match self {
            Self::Tools(round) => round.called.tokens() + round.returned.tokens(),
            Self::Note(note) => note.tokens(),
            Self::Refused(refused) => refused.answer.tokens() + refused.complaint.tokens(),
        })
    }

    /// The bytes of its turns, without what surrounds them.
    pub fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Tools(round) => round.called.bytes() + round.returned.bytes(),
            Self::Note(note) => note.as_str().len(),
            Self::Refused(Refused { answer, complaint }) => {
                answer.as_str().len() + complaint.as_str().len()
            }
        };
        bytes as u64
    }

    /// The refused answer, if it is one.
    pub fn as_refused(&self) -> Option<&Refused> {
        match self {
            Self::Refused(refused) => Some(refused),
            Self::Tools(_) | Self::Note(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Tools<'a> {
    /// Their specifications, in stable order. The same for every call of an ask, so that prompts
    /// share their prefix.
    pub specs: &'a [Arc<ToolSpec>],
    /// Whether the mind may call them now; `false` once its rounds are used up.
    pub callable: bool,
    /// How to call them in text, for [`super::PromptedTools`].
    pub instructions: Option<&'a str>,
}

impl Tools<'_> {
    pub const NONE: Tools<'static> = Tools {
        specs: &[],
        callable: false,
        instructions: None,
    };

    /// The estimated tokens of their description, without any correction factor.
    pub fn tokens(&self) -> u64 {
        match self.instructions {
            Some(text) => u64::from(tokens::estimate(text)),
            None => self.specs.iter().map(|spec| u64::from(spec.tokens())).sum(),
        }
    }
}

/// One question to one entity's mind, built from that entity's context and ask alone.
#[derive(Clone, Copy, Debug)]
pub struct Prompt<'a> {
    /// Who is asked.
    pub entity: &'a Arc<str>,
    /// The purpose, such as `combat.act`; for statistics, scripts and people.
    pub purpose: &'a str,
    /// The number of this ask among those of the entity, from 1.
    pub number: u32,
    pub language: Language,
    /// What the entity remembers.
    pub history: &'a AgentContext,
    /// The question, sent in full.
    pub question: &'a Body,
    /// Whether to send the question's condensed form instead.
    pub ask_short: bool,
    /// Memories that bear on the question, sent after it. They never enter a context.
    pub recalled: Option<&'a Text>,
    /// The exchange about this question so far, oldest first.
    pub rounds: &'a [ExchangeRound],
    /// The tools that the mind may call before it answers.
    pub tools: Tools<'a>,
    /// The form of the answer that is wanted.
    pub form: AnswerForm<'a>,
    /// The maximum number of tokens of the answer.
    pub max_tokens: u32,
    /// The seed of this ask; equal requests have equal seeds.
    pub seed: u64,
    /// The seed of the story, the same for all entities.
    pub story_seed: u64,
    /// Where the text is shown while it is written, without thoughts and tool calls; `None` if
    /// it is not watched. For people alone: the answer must be the same without it.
    pub stream: Option<&'a AnswerStream>,
}

impl<'a> Prompt<'a> {
    /// The first question to the owner of a conversation, in English, which wants prose of at most
    /// 1,024 tokens and has no notes, no tools and the seeds 1. Set what differs:
    /// `Prompt { seed: 7, ..Prompt::new(purpose, &history, &question) }`.
    pub fn new(purpose: &'a str, history: &'a AgentContext, question: &'a Body) -> Self {
        Self {
            entity: history.name(),
            purpose,
            number: 1,
            language: Language::En,
            history,
            question,
            ask_short: false,
            recalled: None,
            rounds: &[],
            tools: Tools::NONE,
            form: AnswerForm::Prose {
                notes: &Value::Null,
            },
            max_tokens: 1024,
            seed: 1,
            story_seed: 1,
            stream: None,
        }
    }

    /// The conversation as it is sent, oldest turn first.
    pub fn turns(&self) -> impl Iterator<Item = Turn<'a>> + use<'a> {
        self.history_turns().chain(self.question_turns())
    }

    /// The turns of the history, condensed where possible.
    pub fn history_turns(&self) -> impl ExactSizeIterator<Item = Turn<'a>> + Clone + use<'a> {
        let turn = |entry: &'a Entry| Turn::short(entry.role(), entry.body());
        self.history.entries().iter().map(turn)
    }

    /// The turns after the history: the question, memories, then each round.
    pub fn question_turns(&self) -> impl Iterator<Item = Turn<'a>> + Clone + use<'a> {
        let question = if self.ask_short {
            Turn::short(Role::Human, self.question)
        } else {
            Turn::full(Role::Human, self.question)
        };
        // An empty question asks for an answer to the last message.
        let question = (!self.question.is_silent()).then_some(question);
        let recalled = self.recalled.map(|text| Turn::text(Role::Human, text));
        let rounds = self.rounds.iter().flat_map(ExchangeRound::turns);
        question.into_iter().chain(recalled).chain(rounds)
    }

    /// Earlier answers to this question that failed their check, oldest first.
    pub fn refused(&self) -> impl DoubleEndedIterator<Item = &'a Refused> + use<'a> {
        self.rounds.iter().filter_map(ExchangeRound::as_refused)
    }

    /// The estimated tokens of the prompt, without any correction factor.
    pub fn tokens(&self) -> u64 {
        let question = if self.ask_short {
            self.question.short_tokens()
        } else {
            self.question.tokens()
        };
        let recalled = self.recalled.map_or(0, |text| u64::from(text.tokens()) + 4);
        let rounds: u64 = self.rounds.iter().map(ExchangeRound::tokens).sum();
        // With OpenAI's chat format, roles and separators take about four tokens per message.
        let separators = 4 * (self.history.len() as u64 + 1 + 2 * self.rounds.len() as u64);
        let after = u64::from(question) + recalled + rounds;
        self.history.tokens() + after + self.tools.tokens() + separators
    }

    /// The facts of the prompt as data; null if there are none.
    pub fn notes(&self) -> &'a Value {
        match self.form {
            AnswerForm::Prose { notes } | AnswerForm::Json { notes, .. } => notes,
        }
    }
}
