//! The stories that a server can show.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde_json::Value;

use super::board::Board;
use super::control::Control;
use super::seat::Seat;
use crate::journal::Outcome;
use crate::locale::{Language, UiText, text};
use crate::mind::Mind;
use crate::save::Slot;
use crate::session::{Game, Retaken};

/// Who made a recorded answer, since a request is in the form of its mind; `None` for a mind that
/// is sent nothing.
pub type Answered = dyn FnMut(&Outcome) -> Option<Arc<dyn Mind>> + Send;

/// A story that a server shows.
#[derive(Clone)]
pub struct Story {
    /// All that is to be seen of it.
    pub board: Arc<Board>,
    /// Pauses and steps it; `None` if nobody plays it.
    pub control: Option<Arc<Control>>,
    /// Where it is saved.
    pub slot: Slot,
    /// Its game, to play it again.
    pub game: Arc<dyn Game>,
    /// Who made its recorded answers.
    pub answered: Arc<Mutex<Answered>>,
    /// The seats that people may have, by name.
    pub seats: BTreeMap<String, Arc<Seat>>,
}

impl Story {
    /// The language of its world.
    pub fn language(&self) -> Language {
        self.board.about.language
    }
}

/// A story in the list of all.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Listed {
    /// The slot's name.
    pub slot: String,
    /// The world's name.
    pub world: String,
    /// The title for people; empty if it is not known before it is opened.
    pub title: String,
    /// The turn of its snapshot.
    pub turn: u64,
    /// Whether this server plays it.
    pub running: bool,
}

/// Where a branch begins.
#[derive(Clone, Debug)]
pub enum BranchAt {
    /// At the end of a turn, with what its world is told then, such as another seed.
    Turn(u64, Option<Value>),
    /// Before an ask that is answered anew.
    Ask(Retaken),
}

/// The stories that a server can show. All functions may read files and take their time.
pub trait Library: Send + Sync {
    /// All stories.
    fn list(&self) -> Vec<Listed>;

    /// The names of all slots among which branches of these stories may be.
    fn slots(&self) -> Vec<String> {
        self.list().into_iter().map(|story| story.slot).collect()
    }

    /// A story, filled with what was played. `None` if there is none of that name.
    ///
    /// # Errors
    /// Why it can't be shown.
    fn open(&self, slot: &str) -> Result<Option<Story>, UiText>;

    /// Starts a new slot from a story, under this name or a free one; returns its name.
    ///
    /// # Errors
    /// Why that is impossible; by default, that stories are only shown.
    fn branch(&self, slot: &str, at: BranchAt, name: Option<&str>) -> Result<String, UiText> {
        let _ = (slot, at, name);
        Err(text!(page_only_shown))
    }
}

/// A library of one story.
impl Library for Story {
    fn list(&self) -> Vec<Listed> {
        let about = &self.board.about;
        vec![Listed {
            slot: about.slot.clone(),
            world: about.world.clone(),
            title: about.title.clone(),
            turn: self.board.read().turn,
            running: self.control.is_some(),
        }]
    }

    fn open(&self, slot: &str) -> Result<Option<Story>, UiText> {
        Ok((self.board.about.slot == slot).then(|| self.clone()))
    }
}
