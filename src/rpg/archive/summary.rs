//! Asks for a summary while showing the record, and replaces what they summarise by both.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::range::EntryRange;
use crate::context::{AgentContext, ChapterRecord, Chapters, EntryId};
use crate::event::kinds::Archive;
use crate::event::{ChapterClose, PhraseError, Phrasebook};
use crate::exchange::{Ask, AskTemplate, Prose, ProseRules, Reply};
use crate::rpg::world_file::WorldFile;

/// The maximum number of characters of a summary.
const MAX_CHARS: usize = 2_000;

/// On an entity that is asked for a summary: what the summary will replace.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PendingSummary {
    /// The first message of the range.
    pub(super) begin: EntryId,
    /// The last message of the range.
    pub(super) end: EntryId,
    /// The title of the chapter.
    pub(super) title: String,
    /// What code knows about it.
    pub(super) record: ChapterRecord,
    /// The same in words.
    pub(super) text: String,
}

/// What closes a chapter: its record and its owner's words replace a range of the owner's context.
pub(super) struct ClosedChapter {
    /// What stands in place of the range.
    pub(super) event: Archive,
    /// What moves to the chapter.
    pub(super) close: ChapterClose,
}

impl PendingSummary {
    /// Closes the chapter with its owner's words. The exchange that asked for them, if there was
    /// one, moves to the chapter too.
    pub(super) fn close(
        self,
        (context, chapters): (&AgentContext, &Chapters),
        stage: String,
        (words, summing_up): (String, Option<(EntryId, EntryId)>),
    ) -> ClosedChapter {
        ClosedChapter {
            event: Archive {
                actor: context.name().to_string(),
                stage,
                chapter: chapters.next_id(context.name()).to_string(),
                record: self.text,
                message: words,
            },
            close: ChapterClose {
                begin: self.begin,
                end: self.end,
                summing_up,
                title: self.title,
                record: Some(self.record),
            },
        }
    }
}

/// The question for a summary. Its default answer is the record in words.
pub(super) fn summary_ask<D: Serialize>(
    phrases: &Phrasebook,
    world: &WorldFile,
    question: &AskTemplate<D>,
    data: &D,
    record: &str,
) -> Result<Ask<Prose>, PhraseError> {
    let mut rules = ProseRules {
        max_chars: MAX_CHARS.max(record.chars().count()),
        language: Some(world.language),
        ..ProseRules::default()
    };
    let fallback = Prose(record.to_owned());
    if !fallback.check(&rules).is_empty() {
        // There can be more letters in names of another script than in the words around them.
        rules.language = None;
    }
    let ask = question.ask(phrases, data, rules, fallback)?;
    let ask = ask.max_tokens(world.limits.max_reply_tokens());
    Ok(ask.without_tools())
}

/// What a range will be replaced with, without its owner's words.
pub(super) fn pending(
    phrases: &Phrasebook,
    (context, chapters): (&AgentContext, &Chapters),
    EntryRange { begin, end }: EntryRange,
    room: u64,
    complete: impl FnOnce(&mut ChapterRecord) -> Result<String, PhraseError>,
) -> Result<PendingSummary, PhraseError> {
    let mut record = chapters.record_of(context, begin, end);
    let title = complete(&mut record)?;
    let merged = chapters.merged(&record);
    let text = super::record::record_text(phrases, context.name(), &merged, room)?;
    Ok(PendingSummary {
        begin,
        end,
        title,
        record,
        text,
    })
}
