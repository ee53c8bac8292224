//! Asks made from prompt templates.

use serde::Serialize;

use super::{Ask, Reply};
use crate::event::{PhraseError, Phrasebook, Prompt, PromptSet, PromptTemplate};

/// What fills the short form of a question: the data of the question, and more.
#[derive(Default, Serialize)]
struct ShortData<D> {
    #[serde(flatten)]
    data: D,
    /// Whether a mind reads the short form alone, never the whole question.
    alone: bool,
}

/// The templates of a question. The data that fills them are the notes of the ask too.
pub struct AskTemplate<D> {
    purpose: &'static str,
    full: PromptTemplate<D>,
    short: Option<PromptTemplate<ShortData<D>>>,
    /// What a person is asked, and what an empty answer means.
    for_people: Option<PromptTemplate<D>>,
    skipped: Option<PromptTemplate<D>>,
}

impl<D> AskTemplate<D> {
    /// A question that later prompts show in full.
    pub const fn new(purpose: &'static str, full: &'static str) -> Self {
        Self {
            purpose,
            full: PromptTemplate::new(full),
            short: None,
            for_people: None,
            skipped: None,
        }
    }

    /// A question with a short form, which later prompts show instead, and also its own if the
    /// phrasebook [wants it so](Phrasebook::with_short_questions).
    pub const fn condensed(purpose: &'static str, full: &'static str, short: &'static str) -> Self {
        Self {
            purpose,
            full: PromptTemplate::new(full),
            short: Some(PromptTemplate::new(short)),
            for_people: None,
            skipped: None,
        }
    }

    /// The purpose of the ask.
    pub const fn purpose(&self) -> &'static str {
        self.purpose
    }

    /// The same question, for which there are words for people: the template `seats/PURPOSE`.
    #[must_use]
    pub const fn for_people(mut self, template: &'static str) -> Self {
        self.for_people = Some(PromptTemplate::new(template));
        self
    }

    /// The same question, which a person may skip: the template `seats/PURPOSE_skipped` is then the
    /// answer.
    #[must_use]
    pub const fn skippable(mut self, template: &'static str) -> Self {
        self.skipped = Some(PromptTemplate::new(template));
        self
    }
}

impl<D: Serialize> AskTemplate<D> {
    /// The ask, with its constraints and its default answer.
    ///
    /// # Errors
    /// A template can't be filled.
    pub fn ask<R: Reply>(
        &self,
        phrases: &Phrasebook,
        data: &D,
        constraints: R::Constraints,
        fallback: R,
    ) -> Result<Ask<R>, PhraseError> {
        let question = phrases.render(&self.full, data)?;
        let mut ask = Ask::new(self.purpose, question, constraints, fallback);
        if let Some(short) = &self.short {
            let alone = phrases.has_short_questions();
            let short = phrases.say(short.name(), &ShortData { data, alone })?;
            ask = ask.condensed(short);
            if alone {
                ask = ask.sent_short();
            }
        }
        Ok(ask.notes(serde_json::to_value(data)?))
    }

    /// Adds the templates to those of a game.
    pub fn add_to(&self, prompts: &mut PromptSet)
    where
        D: Default,
    {
        prompts.add(&self.full);
        if let Some(short) = &self.short {
            prompts.add(short);
        }
        for template in self.for_people.iter().chain(&self.skipped) {
            prompts.add(template);
        }
    }
}

/// A prompt that asks. Its data are the notes of the ask too. Derive it with `purpose = "…"`.
pub trait Question: Prompt + Sized {
    /// The template of the short form, which later prompts show instead of the whole question, and
    /// also its own if the phrasebook [wants it so](Phrasebook::with_short_questions).
    const SHORT: Option<&'static str>;

    const PURPOSE: &'static str;

    /// The ask, with its constraints and its default answer.
    ///
    /// # Errors
    /// A template can't be filled.
    fn ask<R: Reply>(
        &self,
        phrases: &Phrasebook,
        constraints: R::Constraints,
        fallback: R,
    ) -> Result<Ask<R>, PhraseError> {
        let question = phrases.fill(self)?;
        let mut ask = Ask::new(Self::PURPOSE, question, constraints, fallback);
        if let Some(short) = Self::SHORT {
            let alone = phrases.has_short_questions();
            let data = ShortData { data: self, alone };
            ask = ask.condensed(phrases.say(short, &data)?);
            if alone {
                ask = ask.sent_short();
            }
        }
        Ok(ask.notes(serde_json::to_value(self)?))
    }
}
