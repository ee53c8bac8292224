//! A mind that answers nothing and remembers what it would have been asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::message::{Role, TokenUsage};
use crate::mind::{Answering, Cost, Mind, MindError, MindInfo, Prompt};
use serde::Serialize;

/// A prompt that was not sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct UnsentPrompt {
    /// Who would be asked.
    pub(crate) entity: String,
    pub(crate) purpose: String,
    pub(crate) model: String,
    /// The estimated tokens of the prompt.
    pub(crate) tokens: u64,
    /// The most tokens of the answer.
    pub(crate) max_tokens: u32,
    /// The most that it would cost; `None` if the price is unknown.
    pub(crate) cost: Option<Cost>,
    pub(crate) currency: Option<String>,
    /// The conversation as it would be sent.
    pub(crate) messages: Vec<UnsentMessage>,
}

/// A message of a prompt that was not sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct UnsentMessage {
    pub(crate) role: Role,
    pub(crate) content: String,
}

/// The prompts of all models that were not sent.
#[derive(Clone, Default)]
pub(crate) struct UnsentPrompts(Arc<Mutex<Vec<UnsentPrompt>>>);

impl UnsentPrompts {
    pub(crate) fn all(&self) -> MutexGuard<'_, Vec<UnsentPrompt>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a model's place and remembers the prompts.
#[derive(Clone)]
pub(crate) struct DryRun {
    info: MindInfo,
    unsent: UnsentPrompts,
}

impl DryRun {
    /// Takes the place of this model, and keeps its prompts there.
    pub(crate) fn of(mut info: MindInfo, unsent: &UnsentPrompts) -> Self {
        // Nothing is sent, so no prompt needs to wait for a warm cache.
        info.caches_prompts = false;
        Self {
            info,
            unsent: unsent.clone(),
        }
    }
}

impl Mind for DryRun {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let tokens = prompt.tokens();
        let usage = TokenUsage {
            input: tokens,
            output: u64::from(prompt.max_tokens),
            ..TokenUsage::default()
        };
        let messages = prompt.turns().map(|turn| UnsentMessage {
            role: turn.role,
            content: turn.to_text(),
        });
        let price = self.info.price.as_ref();
        self.unsent.all().push(UnsentPrompt {
            entity: prompt.entity.to_string(),
            purpose: prompt.purpose.to_owned(),
            model: self.info.model.to_string(),
            tokens,
            max_tokens: prompt.max_tokens,
            cost: price.map(|price| price.of(usage)),
            currency: price.map(|price| price.currency.clone()),
            messages: messages.collect(),
        });
        Box::pin(std::future::ready(Err(MindError::Cancelled.into())))
    }
}
