//! The saves as pages see them, and what pages want of the command.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard};

use crate::page::{BranchAt, Invitation, Library, LibraryError, Story, StoryEntry};
use crate::save::{list, names};
use crate::session::Batch;
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
    End,
}

/// The saves as pages see them.
pub(super) struct SavesLibrary {
    pub(super) root: PathBuf,
    pub(super) stories: Mutex<BTreeMap<String, Story>>,
    /// The slot that is watched; `None` if all are served.
    pub(super) only: Mutex<Option<String>>,
    pub(super) commands: Sender<PageCommand>,
}

impl SavesLibrary {
    pub(super) fn stories(&self) -> MutexGuard<'_, BTreeMap<String, Story>> {
        lock(&self.stories)
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
        let saved = list(&self.root).unwrap_or_default().into_iter();
        let listed = saved.filter_map(|saved| {
            let slot = saved.slot.name().to_string();
            if let Some(story) = open.get(&slot) {
                return story.list().pop();
            }
            let (world, turn, problem) = match (saved.head, saved.branch) {
                (Ok(Some(head)), _) => (head.world, head.turn, None),
                (Ok(None), Some(branch)) => (branch.world, branch.turn, None),
                (Ok(None), None) if Batch::exists(&self.root, &slot) => {
                    (String::new(), 0, Some(text!(page_is_batch)))
                }
                (Ok(None), None) => return None,
                (Err(error), _) => (String::new(), 0, Some(error.text())),
            };
            Some(StoryEntry {
                slot,
                world,
                turn,
                problem,
                ..StoryEntry::default()
            })
        });
        listed.collect()
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

    fn note(&self, invitation: Invitation) {
        // A closed channel means that the host has ended.
        let _ = self.commands.send(PageCommand::Note(invitation));
    }
}

/// An error as a page tells it.
pub(super) fn library_error(error: CommandError) -> LibraryError {
    LibraryError {
        text: error.message.unwrap_or_else(|| text!(page_problems)),
        help: error.help,
    }
}
