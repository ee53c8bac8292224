//! Questions for free text.

use playhouse_engine::event::{PhraseError, Phrasebook, PromptSet, PromptTemplate};
use playhouse_engine::exchange::{Ask, AskTemplate, Prose, ProseRules, is_in_language};
use playhouse_engine::reading::letters;
use serde::Serialize;

use super::deaths::death_of;
use super::world_file::WorldFile;

/// A question for free text in the language of the world.
pub(super) struct ProseQuestion<D> {
    pub(super) question: AskTemplate<D>,
    pub(super) fallback: PromptTemplate<D>,
    /// The maximum number of characters of an answer; 0 for the default of [`ProseRules`].
    pub(super) max_chars: usize,
    /// The least number of letters of an answer.
    pub(super) min_letters: usize,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Writer<'a> {
    pub(super) name: &'a str,
    /// Those who are there and say nothing in the text.
    pub(super) silent: &'a [String],
    /// Those of whom it may not say that they die.
    pub(super) alive: &'a [String],
}

impl<'a> Writer<'a> {
    pub(super) fn of(name: &'a str) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }
}

impl<D: Default + Serialize> ProseQuestion<D> {
    pub(super) fn add_templates(&self, prompts: &mut PromptSet) {
        self.question.add_to(prompts);
        prompts.add(&self.fallback);
    }

    pub(super) fn ask(
        &self,
        phrases: &Phrasebook,
        world: &WorldFile,
        writer: Writer<'_>,
        data: &D,
    ) -> Result<Ask<Prose>, PhraseError> {
        let fallback = Prose(phrases.render(&self.fallback, data)?);
        let alive = writer.alive.iter();
        // Nothing is asked that the default answer does not keep to.
        let rules = ProseRules {
            max_chars: self.max_chars,
            min_letters: self.min_letters.min(letters(&fallback.0)),
            language: Some(world.language)
                .filter(|language| is_in_language(&fallback.0, *language)),
            writer: writer.name.to_owned(),
            silent: writer.silent.to_vec(),
            untrue: alive.map(|name| death_of(name, world.language)).collect(),
            ..ProseRules::default()
        };
        let ask = self.question.ask(phrases, data, rules, fallback)?;
        Ok(ask.max_tokens(world.limits.max_reply_tokens()))
    }
}
