//! The stories that a server can show.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use playhouse_engine::journal::Outcome;
use playhouse_engine::locale::{Language, UiText, text};
use playhouse_engine::mind::Mind;
use playhouse_engine::save::Slot;
use playhouse_engine::session::{Game, Retaken};
use playhouse_story::StoryView;
use serde::Serialize;
use serde_json::Value;

use super::control::Control;
use super::seat::Seat;

/// Who made a recorded answer, since a request is in the form of its mind; `None` for a mind that
/// is sent nothing.
pub type AnswerMinds = dyn FnMut(&Outcome) -> Option<Arc<dyn Mind>> + Send;

/// A story that a server shows.
#[derive(Clone)]
pub struct Story {
    /// Everything that can be seen of it.
    pub view: Arc<StoryView>,
    /// Pauses and steps it; `None` if it is not being played.
    pub control: Option<Arc<Control>>,
    /// Where it is saved.
    pub slot: Slot,
    /// Its game, to play it again.
    pub game: Arc<dyn Game>,
    /// Who made its recorded answers.
    pub answered: Arc<Mutex<AnswerMinds>>,
    /// The seats that people may have, by name.
    pub seats: BTreeMap<String, Arc<Seat>>,
}

impl Story {
    /// The language of its world.
    pub fn language(&self) -> Language {
        self.view.about.language
    }
}

/// Why something can't be done, and what to do.
#[derive(Clone, Debug)]
pub struct LibraryError {
    pub text: UiText,
    /// What to do, if anything is known to help.
    pub help: Option<UiText>,
}

impl From<UiText> for LibraryError {
    fn from(text: UiText) -> Self {
        Self { text, help: None }
    }
}

/// A story in the list of all stories.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StoryEntry {
    pub slot: String,
    pub world: String,
    /// The title for people; empty if it is not known before it is opened.
    pub title: String,
    /// The turn of its snapshot.
    pub turn: u64,
    /// The day of the story, once it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<u32>,
    /// The number of events, once it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<usize>,
    /// Why it can't be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<UiText>,
    /// Whether this server plays it.
    pub running: bool,
}

/// An invitation to a seat.
#[derive(Clone, Debug)]
pub struct Invitation {
    pub name: String,
    /// The address of the seat.
    pub address: String,
    /// The address of the host, if it needs a token since there are guests.
    pub host: Option<String>,
}

/// Where a branch begins.
#[derive(Clone, Debug)]
pub enum BranchAt {
    /// At the end of a turn, with what the world is told there, such as another seed.
    Turn(u64, Option<Value>),
    /// Before an ask that is to be answered again.
    Ask(Retaken),
}

/// The stories that a server can show. All functions may read files and be slow.
pub trait Library: Send + Sync {
    fn list(&self) -> Vec<StoryEntry>;

    /// The names of all slots among which branches of these stories may be.
    fn slots(&self) -> Vec<String> {
        self.list().into_iter().map(|story| story.slot).collect()
    }

    /// A story, filled with what was played. `None` if there is none of that name.
    ///
    /// # Errors
    /// Why it can't be shown.
    fn open(&self, slot: &str) -> Result<Option<Story>, LibraryError>;

    /// Starts a new slot from a story, under this name or a free one; returns its name.
    ///
    /// # Errors
    /// Why that is impossible; by default, that stories are only shown.
    fn branch(&self, slot: &str, at: BranchAt, name: Option<&str>) -> Result<String, LibraryError> {
        let _ = (slot, at, name);
        Err(text!(page_only_shown).into())
    }

    /// Takes note of an invitation by the host.
    fn note(&self, _invitation: Invitation) {}
}

/// A library of one story.
impl Library for Story {
    fn list(&self) -> Vec<StoryEntry> {
        let about = &self.view.about;
        let contents = self.view.read();
        vec![StoryEntry {
            slot: about.slot.clone(),
            world: about.world.clone(),
            title: about.title.clone(),
            turn: contents.turn,
            day: Some(contents.day),
            events: Some(contents.events.len()),
            problem: None,
            running: self.control.is_some() && self.view.is_played(),
        }]
    }

    fn open(&self, slot: &str) -> Result<Option<Story>, LibraryError> {
        Ok((self.view.about.slot == slot).then(|| self.clone()))
    }
}
