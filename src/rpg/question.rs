//! Questions for free text.

use serde::Serialize;

use super::world_file::WorldFile;
use crate::event::{PhraseError, Phrasebook, PromptSet, PromptTemplate};
use crate::exchange::{Ask, AskTemplate, Prose, ProseRules};

/// A question for free text in the language of the world.
pub(super) struct ProseQuestion<D> {
    /// The question.
    pub(super) question: AskTemplate<D>,
    /// The default answer.
    pub(super) fallback: PromptTemplate<D>,
    /// The maximum number of characters of an answer; 0 for the default of [`ProseRules`].
    pub(super) max_chars: usize,
}

impl<D: Default + Serialize> ProseQuestion<D> {
    /// Adds its templates.
    pub(super) fn add_templates(&self, prompts: &mut PromptSet) {
        self.question.add_to(prompts);
        prompts.add(&self.fallback);
    }

    /// The ask.
    pub(super) fn ask(
        &self,
        phrases: &Phrasebook,
        world: &WorldFile,
        data: &D,
    ) -> Result<Ask<Prose>, PhraseError> {
        let rules = ProseRules {
            max_chars: self.max_chars,
            language: Some(world.language),
            ..ProseRules::default()
        };
        let fallback = Prose(phrases.render(&self.fallback, data)?);
        let ask = self.question.ask(phrases, data, rules, fallback)?;
        Ok(ask.max_tokens(world.limits.max_reply_tokens()))
    }
}
