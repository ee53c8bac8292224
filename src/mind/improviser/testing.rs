//! Prompts made by hand.

use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::{Value, json};

use super::Improviser;
use crate::context::AgentContext;
use crate::message::Body;
use crate::mind::{AnswerForm, ExchangeRound, Language, Mind, Prompt};

/// A question to one entity, by hand.
pub(crate) struct HandPrompt {
    pub(crate) entity: Arc<str>,
    pub(crate) purpose: &'static str,
    pub(crate) language: Language,
    pub(crate) notes: Value,
    /// The schema of a JSON answer; `Null` for prose.
    pub(crate) constrained: Value,
    pub(crate) question: Body,
    pub(crate) history: AgentContext,
    pub(crate) rounds: Vec<ExchangeRound>,
}

impl HandPrompt {
    pub(crate) fn new(
        entity: &str,
        purpose: &'static str,
        language: Language,
        notes: Value,
    ) -> Self {
        Self {
            entity: entity.into(),
            purpose,
            language,
            notes,
            constrained: Value::Null,
            question: Body::text("…"),
            history: AgentContext::new(entity),
            rounds: Vec::new(),
        }
    }

    pub(crate) fn json(mut self, constrained: Value) -> Self {
        self.constrained = constrained;
        self
    }

    pub(crate) fn answer(&self, improviser: &Improviser, seed: u64) -> String {
        let schema: Arc<str> = self.constrained.to_string().into();
        let notes = &self.notes;
        let form = match &self.constrained {
            Value::Null => AnswerForm::Prose { notes },
            constrained => AnswerForm::Json {
                name: "reply",
                schema: &schema,
                constrained,
                notes,
            },
        };
        let prompt = Prompt {
            entity: &self.entity,
            language: self.language,
            rounds: &self.rounds,
            form,
            seed,
            ..Prompt::new(self.purpose, &self.history, &self.question)
        };
        let answer = improviser.answer(&prompt).now_or_never();
        answer
            .expect("an improviser never waits")
            .expect("it never fails")
            .text
    }

    pub(crate) fn value(&self, improviser: &Improviser, seed: u64) -> Value {
        serde_json::from_str(&self.answer(improviser, seed)).expect("the answer is JSON")
    }

    /// Lets the entity remember its answer, and what was asked.
    pub(crate) fn remember(&mut self, answer: &str) {
        self.history
            .add_human_message("…", crate::message::Tags::new());
        self.history
            .add_ai_message([Body::text(answer)])
            .expect("one message");
    }
}

/// The sentences of a text, without the signs that end them.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(['.', '!', '?', '。', '！', '？', '\n']);
    let parts = parts.map(|part| part.trim_matches(['“', '”', '‘', '’', ' ']));
    parts.filter(|part| part.chars().nth(1).is_some())
}

/// The schema of an object with these members, all of them required.
pub(crate) fn object(members: &[(&str, Value)]) -> Value {
    let names: Vec<_> = members.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<_, _> = members
        .iter()
        .map(|(name, part)| ((*name).to_owned(), part.clone()))
        .collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}
