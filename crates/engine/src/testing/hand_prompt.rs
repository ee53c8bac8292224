//! Prompts made by hand.

use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::{Value, json};

use crate::context::AgentContext;
use crate::message::{Body, Tags};
use crate::mind::improviser::Improviser;
use crate::mind::{AnswerForm, ExchangeRound, Language, Mind, Prompt};

/// A question to one entity, by hand.
pub struct HandPrompt {
    pub entity: Arc<str>,
    pub purpose: &'static str,
    pub language: Language,
    pub notes: Value,
    /// The schema of a JSON answer; `Null` for prose.
    pub constrained: Value,
    pub question: Body,
    /// What the entity remembers.
    pub history: AgentContext,
    /// What came of the ask so far.
    pub rounds: Vec<ExchangeRound>,
}

impl HandPrompt {
    /// A question without history, for an answer in prose.
    pub fn new(entity: &str, purpose: &'static str, language: Language, notes: Value) -> Self {
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

    /// The same for an answer of this schema.
    pub fn json(mut self, constrained: Value) -> Self {
        self.constrained = constrained;
        self
    }

    /// What an improviser answers.
    ///
    /// # Panics
    /// It waits or fails.
    pub fn answer(&self, improviser: &Improviser, seed: u64) -> String {
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

    /// As [`Self::answer`], read as JSON.
    ///
    /// # Panics
    /// The answer is no JSON.
    pub fn value(&self, improviser: &Improviser, seed: u64) -> Value {
        serde_json::from_str(&self.answer(improviser, seed)).expect("the answer is JSON")
    }

    /// Lets the entity remember its answer, and what was asked.
    ///
    /// # Panics
    /// The context refuses one message.
    pub fn remember(&mut self, answer: &str) {
        self.history.add_human_message("…", Tags::new());
        self.history
            .add_ai_message([Body::text(answer)])
            .expect("one message");
    }
}

/// The schema of an object with these members, all of them required.
pub fn object(members: &[(&str, Value)]) -> Value {
    let names: Vec<_> = members.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<_, _> = members
        .iter()
        .map(|(name, part)| ((*name).to_owned(), part.clone()))
        .collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}
