//! Notes that participants make by a tool, and that stay when a conversation is forgotten.

use playhouse_engine::event::Phrasebook;
use playhouse_tools::Toolbox;
use schemars::JsonSchema;
use serde::Deserialize;

use super::step::ChatStep;
use super::tool_rounds::FunctionCallRound;
use crate::prompts::ChatPrompt;
use crate::team::Participant;

/// The tool by which a participant makes a note.
const REMEMBER: &str = "remember";

/// The maximum number of notes of a participant. The oldest are dropped.
const MAX_NOTES: usize = 100;

// The name and the comment of this type are part of requests, as its JSON schema.

/// What is to be remembered.
#[derive(Debug, Deserialize, JsonSchema)]
struct Note {
    /// One fact, in one sentence.
    note: String,
}

pub(crate) fn register_remember(phrases: &Phrasebook, toolbox: &mut Toolbox) {
    // Can't fail: the templates were checked when they were loaded.
    let about = phrases.fill(&ChatPrompt::RememberTool).unwrap_or_default();
    let done = phrases.fill(&ChatPrompt::Remembered).unwrap_or_default();
    toolbox.add_pure(REMEMBER, &about, move |_, _: Note| Ok(done.clone()));
}

impl ChatStep<'_, '_, '_> {
    /// Keeps the notes that a participant made in a round of tool calls.
    pub(super) fn keep_notes(&mut self, participant: &Participant, round: &FunctionCallRound) {
        let made: Vec<String> = round
            .succeeded(REMEMBER)
            .filter_map(|call| serde_json::from_str::<Note>(&call.arguments).ok())
            .map(|made| made.note.trim().to_owned())
            .collect();
        if made.is_empty() {
            return;
        }
        let notes = self.chat.notes.entry(participant.name.clone()).or_default();
        for note in made {
            if !note.is_empty() && !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes.drain(..notes.len().saturating_sub(MAX_NOTES));
    }

    /// What a participant always remembers: the memory of its team file, and its own notes.
    pub(super) fn memory(&self, participant: &Participant) -> Vec<String> {
        let notes = self.chat.notes.get(&participant.name).into_iter().flatten();
        participant.memory.iter().chain(notes).cloned().collect()
    }
}
