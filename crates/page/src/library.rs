//! The stories that a server can show.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use playhouse_engine::journal::Outcome;
use playhouse_engine::locale::{Language, UiText, text};
use playhouse_engine::mind::Mind;
use playhouse_engine::mind::human::SeatLessons;
use playhouse_engine::save::Slot;
use playhouse_engine::session::{Game, Retaken};
use playhouse_story::{RunState, StoryView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::control::Control;
use super::desk::{Desk, Opening};
use super::reader::Reader;
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
    /// Teaches a seat the words and dialogues of its game.
    pub teach: Arc<Teach>,
    /// The files of its world, for whoever writes them.
    pub desk: Option<Arc<dyn Desk>>,
}

pub type Teach = dyn Fn(&mut SeatLessons) + Send + Sync;

impl Story {
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

impl LibraryError {
    /// That a server begins no stories.
    pub fn no_new_stories() -> Self {
        Self {
            text: text!(page_no_new_stories),
            help: Some(text!(page_no_new_stories_help)),
        }
    }
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
    pub turn: u64,
    /// The day of the story; 0 if it has none.
    #[serde(skip_serializing_if = "is_zero")]
    pub day: u32,
    /// The last heading in it, in its own language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
    pub state: RunState,
    /// The characters whose players are asked something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    /// When it was last written to, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<UiText>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(day: &u32) -> bool {
    *day == 0
}

/// Of what a new story may be.
#[derive(Clone, Debug, Serialize)]
pub struct Offers {
    pub worlds: Vec<OfferedWorld>,
    pub models: Vec<String>,
    /// The world and the model of a story, unless others are chosen.
    pub world: String,
    pub model: String,
}

/// A world of which a new story may be.
#[derive(Clone, Debug, Serialize)]
pub struct OfferedWorld {
    pub world: String,
    pub title: String,
    pub language: Language,
}

/// A story that a host wants.
#[derive(Clone, Debug, Deserialize)]
pub struct NewStory {
    pub world: String,
    pub model: String,
    /// Drawn if it is not given.
    pub seed: Option<u64>,
    /// A free name if it is not given.
    pub name: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Invitation {
    pub name: String,
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

/// A figure about all stories together.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name for programs that collect figures, such as `playhouse_worlds`.
    pub name: &'static str,
    /// Of which part it is, such as `phase` and `queued`.
    pub of: Option<(&'static str, String)>,
    pub value: u64,
    /// What it is, for people.
    pub text: UiText,
}

impl fmt::Display for Figure {
    /// As Prometheus reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if let Some((of, which)) = &self.of {
            write!(f, "{{{of}={which:?}}}")?;
        }
        write!(f, " {}", self.value)
    }
}

/// The stories that a server can show. All functions may read files and be slow.
pub trait Library: Send + Sync {
    fn list(&self) -> Vec<StoryEntry>;

    /// How all of it goes.
    ///
    /// # Errors
    /// Why nobody knows: then nothing can be shown, either.
    fn figures(&self) -> Result<Vec<Figure>, LibraryError> {
        Ok(Vec::new())
    }

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

    /// Of what new stories may be; `None` if there can't be any.
    fn offers(&self) -> Option<Offers> {
        None
    }

    /// Begins a new story; returns its name.
    ///
    /// # Errors
    /// Why that is impossible; by default, that stories are only shown.
    fn begin(&self, story: NewStory) -> Result<String, LibraryError> {
        let _ = story;
        Err(LibraryError::no_new_stories())
    }

    /// Starts a new slot of the world of a story, with the stage set for a scene; returns its name.
    ///
    /// # Errors
    /// Why that is impossible; by default, that stories are only shown.
    fn play_from(&self, slot: &str, opening: Opening) -> Result<String, LibraryError> {
        let _ = (slot, opening);
        Err(text!(page_only_shown).into())
    }

    /// Takes note of an invitation by the host.
    fn note(&self, _invitation: Invitation) {}
}

/// A time as browsers count it.
pub fn milliseconds(time: Option<SystemTime>) -> Option<u64> {
    let since = time?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    since.as_millis().try_into().ok()
}

impl Library for Story {
    fn list(&self) -> Vec<StoryEntry> {
        let about = &self.view.about;
        let contents = self.view.read();
        let seats = self.seats.iter();
        let asked = seats.filter(|(_, seat)| !seat.question(about.language).is_null());
        vec![StoryEntry {
            slot: about.slot.clone(),
            world: about.world.clone(),
            title: about.title.clone(),
            turn: contents.turn,
            day: contents.day,
            chapter: Reader::of(self).last_heading(&contents),
            state: contents.run_state(),
            waits_for: asked.map(|(name, _)| name.clone()).collect(),
            changed: milliseconds(self.slot.written().0),
            problem: None,
        }]
    }

    fn open(&self, slot: &str) -> Result<Option<Story>, LibraryError> {
        Ok((self.view.about.slot == slot).then(|| self.clone()))
    }
}
