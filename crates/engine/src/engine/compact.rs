//! Folding the oldest messages away if a prompt is too long for the model's window.

use crate::context::{AgentContext, Chapter, Chapters, Entry, StoredMessage};
use crate::event::Phrasebook;
use crate::exchange::prompts::Remark;
use crate::message::{Body, Role, Tags};

/// How many of the oldest messages to fold next: about half of those left; 0 if there is nothing
/// left to fold.
pub(super) fn next_fold(context: &AgentContext) -> u32 {
    let foldable = foldable(context);
    if foldable.len() < 4 {
        return 0;
    }
    let half = foldable.len() / 2;
    // The result of a tool is never kept without its call.
    let rest = foldable.iter().skip(half);
    let orphans = rest.take_while(|entry| entry.role() == Role::Tool);
    (half + orphans.count()) as u32
}

/// Folds the `count` oldest messages after the system message into one line that says so, and
/// returns them.
pub(super) fn fold(
    context: &mut AgentContext,
    count: u32,
    phrases: &Phrasebook,
) -> Vec<StoredMessage> {
    let foldable = foldable(context);
    let oldest = foldable.get(..count as usize).unwrap_or_default();
    let (Some(begin), Some(end)) = (oldest.first(), oldest.last()) else {
        return Vec::new();
    };
    let (begin, end) = (begin.id(), end.id());
    let body = folded_note(count, phrases);
    // The ids were read from this very context.
    context
        .replace_message_range(begin, end, body, Tags::new())
        .unwrap_or_default()
}

/// Folds permanently: the messages go to a chapter, where they can still be looked up.
pub(super) fn fold_into_chapter(
    context: &mut AgentContext,
    chapters: &mut Chapters,
    count: u32,
    turn: u64,
    phrases: &Phrasebook,
) {
    let foldable = foldable(context);
    let oldest = foldable.get(..count as usize).unwrap_or_default();
    let (Some(begin), Some(end)) = (oldest.first(), oldest.last()) else {
        return;
    };
    let record = chapters.record_of(context, begin.id(), end.id());
    let messages = fold(context, count, phrases);
    if messages.is_empty() {
        return;
    }
    chapters.close(Chapter {
        id: chapters.next_id(context.name()),
        title: phrases
            .fill(&Remark::FoldedTitle {
                count: count as usize,
            })
            .unwrap_or_else(|_| format!("{count} messages")),
        turn,
        messages,
        summing_up: Vec::new(),
        summary: folded_note(count, phrases),
        record: Some(record),
    });
}

pub(super) fn folded_note(count: u32, phrases: &Phrasebook) -> Body {
    let note = phrases.fill(&Remark::Folded {
        count: count as usize,
    });
    Body::text(note.unwrap_or_else(|_| format!("({count} earlier messages are left out here.)")))
}

fn foldable(context: &AgentContext) -> Vec<&Entry> {
    let entries = context.entries().iter();
    entries
        .filter(|entry| entry.role() != Role::System)
        .collect()
}
