//! The saves as pages see them, and what pages want of the command.

use crate::cli::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;

use crate::cli::event_types;
use crate::page::{
    BranchAt, Invitation, Library, LibraryError, NewStory, OfferedWorld, Offers, Opening, Story,
    StoryEntry, milliseconds,
};
use crate::rpg::world_file::{WorldListing, list_worlds};
use crate::save::{Listed, Slot, names, slots};
use crate::session::EventLog;
use crate::story::{Form, RunState};
use crate::undercover::Match;
use crate::world_data::DataFolder;

/// What a page wants of the command.
pub(super) enum PageCommand {
    Open(String, Sender<Result<Option<Story>, LibraryError>>),
    Note(Invitation),
    Branch {
        slot: String,
        at: BranchAt,
        name: Option<String>,
        reply: Sender<Result<String, LibraryError>>,
    },
    Begin(NewStory, Sender<Result<String, LibraryError>>),
    /// A new story of the world of a story, with the stage set for a scene.
    PlayFrom(String, Opening, Sender<Result<String, LibraryError>>),
    End,
}

/// When a save was written, and how large it is.
type Written = (Option<SystemTime>, u64);

/// The saves as pages see them.
pub(super) struct SavesLibrary {
    pub(super) root: PathBuf,
    pub(super) stories: Mutex<BTreeMap<String, Story>>,
    /// The slot that is watched; `None` if all are served.
    pub(super) only: Mutex<Option<String>>,
    pub(super) commands: Sender<PageCommand>,
    /// The data whose worlds new stories may be of.
    pub(super) data: Option<DataFolder>,
    /// What else is offered for new stories.
    pub(super) offers: Offers,
    /// What was found in saves that are not open.
    pub(super) seen: Mutex<BTreeMap<String, (Written, Option<StoryEntry>)>>,
}

impl SavesLibrary {
    pub(super) fn stories(&self) -> MutexGuard<'_, BTreeMap<String, Story>> {
        lock(&self.stories)
    }

    /// The worlds of the data folder.
    fn worlds(&self) -> Vec<WorldListing> {
        self.data
            .as_ref()
            .map_or_else(Vec::new, |data| list_worlds(data).0)
    }

    /// The titles of worlds, by folder.
    fn titles(&self) -> BTreeMap<String, String> {
        let worlds = self.worlds().into_iter();
        worlds.map(|world| (world.folder, world.name)).collect()
    }

    /// A save that is not open; `None` if there is nothing to show. What was looked at is looked at
    /// again only once it is written to.
    fn entry(&self, slot: Slot, titles: &BTreeMap<String, String>) -> Option<StoryEntry> {
        let (name, written) = (slot.name().to_string(), slot.written());
        let mut seen = lock(&self.seen);
        if let Some((_, entry)) = seen.get(&name).filter(|(then, _)| *then == written) {
            return entry.clone();
        }
        let entry = entry_of(slot, titles);
        seen.insert(name, (written, entry.clone()));
        entry
    }

    fn ask<T>(
        &self,
        command: impl FnOnce(Sender<Result<T, LibraryError>>) -> PageCommand,
    ) -> Result<T, LibraryError> {
        let (reply, answer) = channel();
        let ends = || LibraryError::from(text!(page_ends));
        self.commands.send(command(reply)).map_err(|_| ends())?;
        answer.recv().unwrap_or_else(|_| Err(ends()))
    }
}

impl Library for SavesLibrary {
    fn list(&self) -> Vec<StoryEntry> {
        let only = lock(&self.only).clone();
        let open = self.stories();
        if only.is_some() {
            return open.values().flat_map(|story| story.list()).collect();
        }
        let titles = self.titles();
        let slots = slots(&self.root).unwrap_or_default().into_iter();
        let listed = slots.filter_map(|slot| match open.get(slot.name().as_str()) {
            Some(story) => story.list().pop(),
            None => self.entry(slot, &titles),
        });
        let mut listed: Vec<_> = listed.collect();
        listed.sort_by_key(|entry| Reverse(entry.changed));
        listed
    }

    fn slots(&self) -> Vec<String> {
        let slots = names(&self.root).unwrap_or_default();
        slots.iter().map(ToString::to_string).collect()
    }

    fn open(&self, slot: &str) -> Result<Option<Story>, LibraryError> {
        if let Some(story) = self.stories().get(slot) {
            return Ok(Some(story.clone()));
        }
        self.ask(|reply| PageCommand::Open(slot.to_owned(), reply))
    }

    fn branch(&self, slot: &str, at: BranchAt, name: Option<&str>) -> Result<String, LibraryError> {
        self.ask(|reply| PageCommand::Branch {
            slot: slot.to_owned(),
            at,
            name: name.map(str::to_owned),
            reply,
        })
    }

    fn offers(&self) -> Option<Offers> {
        if lock(&self.only).is_some() {
            return None;
        }
        let worlds = self.worlds().into_iter().map(|world| OfferedWorld {
            world: world.folder,
            title: world.name,
            language: world.language,
        });
        Some(Offers {
            worlds: worlds.collect(),
            ..self.offers.clone()
        })
    }

    fn begin(&self, story: NewStory) -> Result<String, LibraryError> {
        if lock(&self.only).is_some() {
            return Err(LibraryError::no_new_stories());
        }
        self.ask(|reply| PageCommand::Begin(story, reply))
    }

    fn play_from(&self, slot: &str, opening: Opening) -> Result<String, LibraryError> {
        self.ask(|reply| PageCommand::PlayFrom(slot.to_owned(), opening, reply))
    }

    fn note(&self, invitation: Invitation) {
        // A closed channel means that the host has ended.
        let _ = self.commands.send(PageCommand::Note(invitation));
    }
}

/// A save as a list shows it; `None` if there is nothing to show.
fn entry_of(slot: Slot, titles: &BTreeMap<String, String>) -> Option<StoryEntry> {
    let saved = Listed::from(slot);
    let slot = saved.slot.name().to_string();
    let mut entry = StoryEntry {
        changed: milliseconds(saved.changed),
        state: RunState::Paused,
        ..StoryEntry::default()
    };
    match (saved.head, saved.branch) {
        (Ok(Some(head)), _) => {
            let table = head.game.as_ref().and_then(Match::table_of);
            entry.title = table.unwrap_or_default();
            (entry.world, entry.turn) = (head.world, head.turn);
            if head.ending.is_some() {
                entry.state = RunState::Finished;
            }
            (entry.day, entry.chapter) = how_far(&saved.slot, head.language);
        }
        (Ok(None), Some(branch)) => (entry.world, entry.turn) = (branch.world, branch.turn),
        (Ok(None), None) => return None,
        (Err(error), _) => entry.problem = Some(error.text()),
    }
    if let Some(title) = titles.get(&entry.world) {
        entry.title.clone_from(title);
    }
    Some(StoryEntry { slot, ..entry })
}

/// The day and the last heading of a save, as far as its log of events tells.
fn how_far(slot: &Slot, language: Language) -> (u32, Option<String>) {
    let types = event_types();
    let (mut day, mut chapter) = (0, None);
    EventLog::glance(slot, |event| {
        let telling = types.telling(&event);
        let form = telling.as_ref().map(|telling| Form::from(telling.style()));
        let heading = telling.as_ref().and_then(|telling| telling.heading());
        if form.is_some_and(Form::is_heading) && chapter.is_none() {
            chapter = heading.map(|heading| heading.in_language(language));
        }
        match telling.and_then(|telling| telling.day()) {
            Some(begun) => {
                day = begun;
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    });
    (day, chapter)
}

/// An error as a page tells it.
pub(super) fn library_error(error: CommandError) -> LibraryError {
    LibraryError {
        text: error.message.unwrap_or_else(|| text!(page_problems)),
        help: error.help,
    }
}
