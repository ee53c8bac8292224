//! A mind that answers nothing and remembers what it would have been asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::message::{Role, TokenUsage};
use crate::mind::{Answering, Cost, Mind, MindError, MindInfo, Prompt};
use serde::Serialize;

/// A prompt that was not sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct UnsentPrompt {
    /// Who would be asked.
    pub(crate) entity: String,
    /// What for.
    pub(crate) purpose: String,
    /// The model.
    pub(crate) model: String,
    /// The estimated tokens of the prompt.
    pub(crate) tokens: u64,
    /// The most tokens of the answer.
    pub(crate) max_tokens: u32,
    /// The most that it would cost; `None` if the price is unknown.
    pub(crate) cost: Option<Cost>,
    /// The conversation as it would be sent.
    pub(crate) messages: Vec<UnsentMessage>,
}

/// A message of a prompt that was not sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct UnsentMessage {
    /// Its role.
    pub(crate) role: Role,
    /// Its text.
    pub(crate) content: String,
}

/// Takes a model's place and remembers the prompts.
#[derive(Clone)]
pub(crate) struct DryRun {
    info: MindInfo,
    unsent: Arc<Mutex<Vec<UnsentPrompt>>>,
}

impl DryRun {
    /// Takes the place of this model.
    pub(crate) fn of(mut info: MindInfo) -> Self {
        // Nothing is sent, so no prompt needs to wait for a warm cache.
        info.caches_prompts = false;
        Self {
            info,
            unsent: Arc::default(),
        }
    }

    /// The prompts so far.
    pub(crate) fn unsent(&self) -> MutexGuard<'_, Vec<UnsentPrompt>> {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.unsent().push(UnsentPrompt {
            entity: prompt.entity.to_string(),
            purpose: prompt.purpose.to_owned(),
            model: self.info.model.to_string(),
            tokens,
            max_tokens: prompt.max_tokens,
            cost: self.info.price.as_ref().map(|price| price.of(usage)),
            messages: messages.collect(),
        });
        Box::pin(std::future::ready(Err(MindError::Cancelled.into())))
    }
}
