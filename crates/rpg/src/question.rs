//! Questions for free text.

use playhouse_engine::event::{PhraseError, Phrasebook};
use playhouse_engine::exchange::{Ask, Prose, ProseRules, Question, is_in_language};
use playhouse_engine::reading::letters;

use super::deaths::death_of;
use super::world_file::WorldFile;

/// What is asked for by a question for free text in the language of the world.
pub(super) struct ProseForm {
    /// The template of the default answer, which the data of the question fill.
    pub(super) fallback: &'static str,
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

/// Whether these words stand for those that a person at a seat left out.
pub(super) fn are_left_out(phrases: &Phrasebook, purpose: &str, words: &str) -> bool {
    let name = format!("seats/{}_skipped", purpose.replace('.', "_"));
    let skipped = phrases.say_if_known(&name, &serde_json::Value::Null);
    skipped.is_some_and(|skipped| skipped.trim() == words.trim())
}

impl ProseForm {
    pub(super) fn ask(
        &self,
        phrases: &Phrasebook,
        world: &WorldFile,
        writer: Writer<'_>,
        question: &impl Question,
    ) -> Result<Ask<Prose>, PhraseError> {
        let fallback = Prose(phrases.say(self.fallback, question)?);
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
        let ask = question.ask(phrases, rules, fallback)?;
        Ok(ask.max_tokens(world.limits.max_reply_tokens()))
    }
}
