//! Asking for a summary, and putting it in place of what it summarizes.

use bevy_ecs::prelude::*;
use serde::Serialize;

use super::range::EntryRange;
use crate::context::{AgentContext, Chapters, EntryId};
use crate::event::kinds::Archive;
use crate::event::{ChapterClose, EventWriter, PhraseError, Phrasebook, PromptTemplate};
use crate::exchange::{Ask, AskTemplate, Prose, ProseRules, Reply};
use crate::rpg::world_file::WorldFile;

/// The maximum number of characters of a summary, without the facts that it must contain and the
/// default answer.
const MAX_CHARS: usize = 2_000;

/// The question for a summary. Its default answer is made from the facts that must survive.
pub(super) fn summary_ask<D: Serialize>(
    phrases: &Phrasebook,
    world: &WorldFile,
    (question, fallback): (&AskTemplate<D>, &PromptTemplate<D>),
    data: &D,
    must_hold: Vec<String>,
) -> Result<Ask<Prose>, PhraseError> {
    let text = phrases.render(fallback, data)?;
    let length = |text: &str| text.chars().count();
    let facts: usize = must_hold.iter().map(|fact| 1 + length(fact)).sum();
    let mut rules = ProseRules {
        max_chars: MAX_CHARS + length(&text) + facts,
        language: Some(world.language),
        must_hold,
    };
    let fallback = Prose(with_facts(text, &rules.must_hold));
    if !fallback.check(&rules).is_empty() {
        // There can be more letters in names of another script than in the words around them.
        rules.language = None;
    }
    let ask = question.ask(phrases, data, rules, fallback)?;
    let ask = ask.max_tokens(world.limits.max_reply_tokens());
    Ok(ask.without_tools())
}

/// The text with all facts, since a changed template may leave some out.
fn with_facts(mut text: String, facts: &[String]) -> String {
    for fact in facts {
        if !text.contains(fact.as_str()) {
            text.push('\n');
            text.push_str(fact);
        }
    }
    text
}

/// Closes a chapter: its summary replaces a range of the entity's context. The exchange that asked
/// for the summary, if there was one, moves to the chapter too.
pub(super) fn close_chapter(
    events: &mut EventWriter,
    (entity, context, chapters): (Entity, &AgentContext, &Chapters),
    EntryRange { begin, end }: EntryRange,
    stage: String,
    title: String,
    (summary, summing_up): (String, Option<(EntryId, EntryId)>),
) {
    let event = Archive {
        actor: context.name().to_string(),
        stage,
        chapter: chapters.next_id(context.name()).to_string(),
        message: summary,
    };
    let close = ChapterClose {
        begin,
        end,
        summing_up,
        title,
    };
    events.close_chapter(entity, event, close);
}
