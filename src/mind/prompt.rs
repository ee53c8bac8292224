//! What a mind is asked.

use std::sync::Arc;

use serde_json::Value;

use crate::context::{AgentContext, Entry};
use crate::dialect::format::Turn;
use crate::message::{Body, Language, Role, Text, tokens};
use crate::tool::ToolSpec;

use super::AnswerStream;

/// In which form the answer is wanted.
#[derive(Clone, Copy, Debug)]
pub enum Form<'a> {
    /// Free text. `notes` says what the prompt says in a form that a grammar can read.
    Prose {
        /// The facts of the prompt; `Value::Null` where there are none. Never sent to a model.
        notes: &'a Value,
    },
    /// JSON by a schema.
    Json {
        /// The reply type's name, such as `plan`.
        name: &'a str,
        /// The type's schema: the same text at every ask, so that it may stand before the messages.
        schema: &'a Arc<str>,
        /// The schema narrowed to what is legal in this ask.
        narrowed: &'a Value,
        /// The facts of the prompt in a form that a grammar can read. Never sent to a model.
        notes: &'a Value,
    },
}

/// An answer that failed its check, and what the mind is told about it. Never enters a context.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The answer as it came.
    pub answer: Text,
    /// Everything that was wrong with it, and how to mend it.
    pub complaint: Text,
}

/// Tools that a mind called while it answered, and what they returned.
#[derive(Clone, Debug)]
pub struct ToolRound {
    /// The mind's message: its reasoning and words, if any, and its tool-use blocks.
    pub called: Body,
    /// The tool message: one tool-result block for every call, in the order of the calls.
    pub returned: Body,
}

/// What went back and forth on an open question.
#[derive(Clone, Debug)]
pub enum Round {
    /// The mind called tools. Enters the context with the answer.
    Tools(ToolRound),
    /// Words to the mind that belong to this exchange alone, such as that its calls are used up.
    /// Never enters a context.
    Told(Text),
    /// An answer that failed its check.
    Refused(Refused),
}

impl Round {
    /// The turns that show it.
    pub fn turns(&self) -> impl Iterator<Item = Turn<'_>> + Clone + use<'_> {
        let (first, second) = match self {
            Self::Tools(ToolRound { called, returned }) => (
                Turn::full(Role::Ai, called),
                Some(Turn::full(Role::Tool, returned)),
            ),
            Self::Told(words) => (Turn::text(Role::Human, words), None),
            Self::Refused(Refused { answer, complaint }) => (
                Turn::text(Role::Ai, answer),
                Some(Turn::text(Role::Human, complaint)),
            ),
        };
        std::iter::once(first).chain(second)
    }

    /// The estimated tokens of its turns, uncorrected and without their frames.
    pub fn tokens(&self) -> u64 {
        u64::from(match self {
            Self::Tools(round) => round.called.tokens() + round.returned.tokens(),
            Self::Told(words) => words.tokens(),
            Self::Refused(refused) => refused.answer.tokens() + refused.complaint.tokens(),
        })
    }

    /// The bytes of its turns, without their frames.
    pub fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Tools(round) => round.called.bytes() + round.returned.bytes(),
            Self::Told(words) => words.as_str().len(),
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
            Self::Tools(_) | Self::Told(_) => None,
        }
    }
}

/// The tools of an ask.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tools<'a> {
    /// What the mind is told of each, in stable order. The same for every call of an ask, so that
    /// the prefix stays.
    pub specs: &'a [Arc<ToolSpec>],
    /// Whether the mind may call them now; `false` once its rounds are used up.
    pub callable: bool,
    /// How to call them, in words; for minds that take tools no other way.
    pub in_words: Option<&'a str>,
}

impl Tools<'_> {
    /// No tools.
    pub const NONE: Tools<'static> = Tools {
        specs: &[],
        callable: false,
        in_words: None,
    };

    /// The estimated tokens of what the mind is told of them, uncorrected.
    pub fn tokens(&self) -> u64 {
        match self.in_words {
            Some(words) => u64::from(tokens::estimate(words)),
            None => self.specs.iter().map(|spec| u64::from(spec.tokens())).sum(),
        }
    }
}

/// One question to one entity's mind, built from that entity's context and ask alone.
#[derive(Clone, Copy, Debug)]
pub struct Prompt<'a> {
    /// Who is asked.
    pub entity: &'a Arc<str>,
    /// What for, such as `combat.draw`; for ledgers, scripts and people.
    pub purpose: &'a str,
    /// The number of this ask among all of its entity, from 1.
    pub number: u32,
    /// The language of the world.
    pub language: Language,
    /// What the entity remembers.
    pub history: &'a AgentContext,
    /// The question; its full form is sent.
    pub question: &'a Body,
    /// Whether to send the question's short form in its own turn too.
    pub ask_short: bool,
    /// What went back and forth on this question before, oldest first.
    pub rounds: &'a [Round],
    /// The tools that the mind may call before it answers.
    pub tools: Tools<'a>,
    /// In which form the answer is wanted.
    pub form: Form<'a>,
    /// The most tokens the answer may have.
    pub max_tokens: u32,
    /// A seed of this ask, equal for equal requests.
    pub seed: u64,
    /// Where its text is shown while it is written, without thoughts and calls of tools; nothing
    /// where nobody watches. For people's eyes alone: the answer must be the same without.
    pub stream: Option<&'a AnswerStream>,
}

impl<'a> Prompt<'a> {
    /// The conversation as it is sent, oldest turn first.
    pub fn turns(&self) -> impl Iterator<Item = Turn<'a>> + use<'a> {
        self.remembered(0).chain(self.asked())
    }

    /// The history in its short forms, without its first so many messages.
    pub fn remembered(
        &self,
        from: usize,
    ) -> impl ExactSizeIterator<Item = Turn<'a>> + Clone + use<'a> {
        let entries = self.history.entries().get(from..).unwrap_or_default();
        let turn = |entry: &'a Entry| Turn::short(entry.role(), entry.body());
        entries.iter().map(turn)
    }

    /// What stands after the history: the question, then each round: calls of tools with their
    /// results, refused answers with what was wrong about them.
    pub fn asked(&self) -> impl Iterator<Item = Turn<'a>> + Clone + use<'a> {
        let question = match self.ask_short {
            true => Turn::short(Role::Human, self.question),
            false => Turn::full(Role::Human, self.question),
        };
        // A question without words asks for an answer to what was told last.
        let question = (!self.question.is_silent()).then_some(question);
        let rounds = self.rounds.iter().flat_map(Round::turns);
        question.into_iter().chain(rounds)
    }

    /// Earlier answers to this question that failed their check, oldest first.
    pub fn refused(&self) -> impl DoubleEndedIterator<Item = &'a Refused> + use<'a> {
        self.rounds.iter().filter_map(Round::as_refused)
    }

    /// The estimated tokens of the prompt, uncorrected.
    pub fn tokens(&self) -> u64 {
        let question = match self.ask_short {
            true => self.question.short_tokens(),
            false => self.question.tokens(),
        };
        let rounds: u64 = self.rounds.iter().map(Round::tokens).sum();
        // Roles and separators cost about four tokens a message with OpenAI's chat format.
        let frame = 4 * (self.history.len() as u64 + 1 + 2 * self.rounds.len() as u64);
        self.history.tokens() + u64::from(question) + rounds + self.tools.tokens() + frame
    }

    /// What the prompt says in a form that a grammar can read.
    pub fn notes(&self) -> &'a Value {
        match self.form {
            Form::Prose { notes } | Form::Json { notes, .. } => notes,
        }
    }
}
