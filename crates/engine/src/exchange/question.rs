//! Asks made from prompt templates.

use serde::Serialize;

use super::{Ask, Reply};
use crate::event::{PhraseError, Phrasebook, Prompt};
use crate::world_data::Filling;

/// What fills the short form of a question beside its data.
#[derive(Serialize)]
struct Short {
    /// Whether a mind reads the short form alone, never the whole question.
    alone: bool,
}

/// A prompt that asks. Its data are the notes of the ask too. Derive it with `purpose = "…"`.
pub trait Question: Prompt + Sized {
    /// The template of the short form, which later prompts show instead of the whole question, and
    /// also its own if the phrasebook [wants it so](Phrasebook::with_short_questions).
    const SHORT: Option<&'static str>;

    const PURPOSE: &'static str;

    /// The ask, with its constraints and its default answer.
    fn ask<R: Reply>(
        &self,
        phrases: &Phrasebook,
        constraints: R::Constraints,
        fallback: R,
    ) -> Result<Ask<R>, PhraseError> {
        let data = Filling::of(self);
        let question = phrases.say(self.template(), &data)?;
        let mut ask = Ask::new(Self::PURPOSE, question, constraints, fallback);
        if let Some(short) = Self::SHORT {
            let alone = phrases.has_short_questions();
            ask = ask.condensed(phrases.say(short, &data.with(Short { alone }))?);
            if alone {
                ask = ask.sent_short();
            }
        }
        Ok(ask.notes(serde_json::to_value(self)?))
    }
}
