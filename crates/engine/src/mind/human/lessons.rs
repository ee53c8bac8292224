//! How a game teaches the seat: what the parts of its answers are called, and dialogues of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use serde_json::Value;

use super::dialogue::Dialogue;
use crate::event::Phrasebook;
use crate::locale::{Language, UiText};
use crate::mind::Notes;

/// How a person answers asks of one purpose, if menus by the schema are not enough. A function of
/// notes and a dialogue is one.
pub trait SeatSkill: Send + Sync {
    /// The answer, as JSON of the asked schema. `None` leaves it to menus.
    ///
    /// # Errors
    /// The input ended or broke: the person has left.
    fn answer(&self, notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>>;
}

impl<F> SeatSkill for F
where
    F: Fn(Notes<'_>, &mut Dialogue<'_>) -> io::Result<Option<Value>> + Send + Sync,
{
    fn answer(&self, notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
        self(notes, dialogue)
    }
}

/// What a seat is taught before the person plays.
pub struct SeatLessons {
    language: Language,
    phrases: Phrasebook,
    skills: BTreeMap<Cow<'static, str>, Arc<dyn SeatSkill>>,
    members: BTreeMap<Cow<'static, str>, UiText>,
    options: BTreeMap<Cow<'static, str>, UiText>,
    thoughts: BTreeSet<Cow<'static, str>>,
}

impl SeatLessons {
    pub(super) fn new(language: Language) -> Self {
        Self {
            language,
            phrases: Phrasebook::default(),
            skills: BTreeMap::new(),
            members: BTreeMap::new(),
            options: BTreeMap::new(),
            thoughts: BTreeSet::new(),
        }
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// Lets the seat ask in the words of a world, by its templates for people.
    pub fn phrases(&mut self, phrases: Phrasebook) -> &mut Self {
        self.phrases = phrases;
        self
    }

    /// What a person is told for asks of a purpose; `None` if the world has no template for it.
    pub(super) fn phrase(&self, purpose: &str, ending: &str, notes: &Value) -> Option<String> {
        let own = purpose
            .split_once('.')
            .map(|(game, ask)| format!("{game}/seats/{ask}{ending}"));
        let shared = format!("seats/{}{ending}", purpose.replace('.', "_"));
        let mut names = own.into_iter().chain([shared]);
        names.find_map(|name| self.phrases.say_if_known(&name, notes))
    }

    /// Teaches a dialogue for asks of a purpose. A later one replaces an earlier one.
    pub fn skill(
        &mut self,
        purpose: impl Into<Cow<'static, str>>,
        skill: impl SeatSkill + 'static,
    ) -> &mut Self {
        self.skills.insert(purpose.into(), Arc::new(skill));
        self
    }

    /// What a member of answers is called in questions and menus; else its name is shown.
    pub fn member(&mut self, name: impl Into<Cow<'static, str>>, label: UiText) -> &mut Self {
        self.members.insert(name.into(), label);
        self
    }

    /// That a member of answers is a private thought: it is asked for last, and may stay empty.
    pub fn thought(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self {
        self.thoughts.insert(name.into());
        self
    }

    /// What a word of a closed list is called in menus; else it is shown itself.
    pub fn option(&mut self, word: impl Into<Cow<'static, str>>, label: UiText) -> &mut Self {
        self.options.insert(word.into(), label);
        self
    }

    pub(super) fn skill_for(&self, purpose: &str) -> Option<&Arc<dyn SeatSkill>> {
        self.skills.get(purpose)
    }

    pub(super) fn is_thought(&self, name: &str) -> bool {
        self.thoughts.contains(name)
    }

    pub(super) fn label_of_member(&self, name: &str) -> UiText {
        let label = self.members.get(name).cloned();
        label.unwrap_or_else(|| UiText::verbatim(name))
    }

    pub(super) fn label_of_option(&self, word: &str) -> UiText {
        let label = self.options.get(word).cloned();
        label.unwrap_or_else(|| UiText::verbatim(word))
    }
}
