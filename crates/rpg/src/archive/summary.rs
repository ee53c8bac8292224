//! Asks for a summary while showing the record, and replaces what they summarise by both.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::context::{
    AgentContext, ChapterRecord, Chapters, Common, Entry, EntryId, Level,
};
use playhouse_engine::event::kinds::Archive;
use playhouse_engine::event::{ChapterClose, PhraseError, Phrasebook, Prompt};
use playhouse_engine::exchange::{Ask, Prose, ProseRules, Question, Reply};
use playhouse_engine::knowledge::{FactBook, is_made};
use playhouse_engine::reading::{is_in_third_person, letters};
use serde::{Deserialize, Serialize};

use super::range::EntryRange;
use crate::conversation::{SpokenLine, is_speech};
use crate::happening::{Happening, merged};
use crate::world_file::WorldFile;

/// The maximum number of characters of a summary.
const MAX_CHARS: usize = 2_000;
/// The least number of letters of a summary, which is asked for in sentences.
const MIN_LETTERS: usize = 16;

/// The maximum number of spoken lines that the notes quote.
const MAX_LINES: usize = 8;

/// The data of the question for a summary of a past.
#[derive(Default, Serialize, Prompt)]
pub(super) struct SummaryData<'a> {
    pub(super) me: &'a str,
    pub(super) kind: &'a str,
    pub(super) place: &'a str,
    pub(super) level: Level,
    pub(super) day: u32,
    pub(super) with: &'a [String],
    pub(super) record: &'a str,
    /// The beginning of the first message, if something stands before it.
    pub(super) begins: String,
    /// The beginning of the first message that stays, if something happened after the range.
    pub(super) until: String,
    /// Where the fights were of which the summary should tell.
    pub(super) fights: Vec<Arc<str>>,
    pub(super) said: Vec<SpokenLine>,
    // Of the record, for minds without language.
    pub(super) learned: Vec<LearnedNote<'a>>,
    pub(super) felt: Vec<FeltNote>,
}

#[derive(Serialize)]
pub(super) struct LearnedNote<'a> {
    title: &'a str,
    /// From whom; empty for nobody.
    from: Arc<str>,
}

#[derive(Serialize)]
pub(super) struct FeltNote {
    about: Arc<str>,
    change: i32,
}

/// On an entity that is asked for a summary: what the summary will replace.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PendingSummary {
    pub(super) begin: EntryId,
    pub(super) end: EntryId,
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

/// The question for a summary, with its default answer.
pub(super) fn summary_ask<'a, Q: Question>(
    phrases: &Phrasebook,
    world: &WorldFile,
    data: SummaryData<'a>,
    question: fn(SummaryData<'a>) -> Q,
    words: &str,
) -> Result<Ask<Prose>, PhraseError> {
    let mut rules = ProseRules {
        max_chars: MAX_CHARS.max(words.chars().count()),
        min_letters: MIN_LETTERS.min(letters(words)),
        writer: data.me.to_owned(),
        in_first_person: data.kind != "stage" && !is_in_third_person(words, data.me),
        language: Some(world.language),
        ..ProseRules::default()
    };
    let fallback = Prose(words.to_owned());
    if !fallback.check(&rules).is_empty() {
        // There can be more letters in names of another script than in the words around them.
        rules.language = None;
    }
    let ask = question(data)
        .ask(phrases, rules, fallback)?
        .max_tokens(world.limits.max_reply_tokens());
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
    let merged = merged(chapters, &record);
    let text = super::record::record_text(phrases, context.name(), &merged, room)?;
    Ok(PendingSummary {
        begin,
        end,
        title,
        record,
        text,
    })
}

/// What of a record minds without language need: the facts that were learned and have a title, and
/// how it feels differently for whom.
pub(super) fn learned_and_felt<'f>(
    record: &ChapterRecord,
    facts: &'f FactBook,
) -> (Vec<LearnedNote<'f>>, Vec<FeltNote>) {
    let (mut learned, mut felt) = (Vec::new(), Vec::new());
    for note in &record.notes {
        match note.happening.read() {
            Some(Happening::Common(Common::Learned { fact, from, .. })) => {
                // What play made has no title of its own.
                let fact = facts.get(&fact).filter(|fact| !is_made(&fact.id));
                let title = fact.map(|fact| fact.title.as_str());
                let title = title.filter(|title| !title.is_empty());
                learned.extend(title.map(|title| LearnedNote { title, from }));
            }
            Some(Happening::Felt { about, change, .. }) => felt.push(FeltNote { about, change }),
            _ => {}
        }
    }
    (learned, felt)
}

pub(super) fn entries(
    context: &AgentContext,
    range: EntryRange,
) -> impl DoubleEndedIterator<Item = &Entry> {
    let entries = context.entries().iter();
    entries.filter(move |entry| range.contains(entry.id()))
}

/// The last lines that were spoken in a range, oldest first.
pub(super) fn spoken_lines(context: &AgentContext, range: EntryRange) -> Vec<SpokenLine> {
    let newest_first = entries(context, range).rev();
    let speech = newest_first
        .filter(|entry| is_speech(entry))
        .take(MAX_LINES);
    let line = |entry: &Entry| SpokenLine::new(entry, entry.body().short_text());
    let mut lines: Vec<_> = speech.map(line).collect();
    lines.reverse();
    lines
}
