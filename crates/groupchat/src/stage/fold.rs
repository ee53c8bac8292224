//! Folding a conversation that has grown too long into a summary, which its own model writes.

use bevy_ecs::prelude::*;
use playhouse_engine::context::{AgentContext, Chapter, EntryId, StoredMessage, View};
use playhouse_engine::event::AnsweredBy;
use playhouse_engine::exchange::Ask;
use playhouse_engine::exchange::prompts::Remark;
use playhouse_engine::message::{Body, Role, Tags};

use super::chat::Phase;
use super::forget;
use super::replies::{TextConstraints, TextReply};
use super::speak::NO_ANSWER;
use super::step::ChatStep;
use crate::message::{ChatContent, ChatMessage};
use crate::prompts::{ChatNotes, ChatPrompt, notes};
use crate::team::{Participant, ParticipantKind};

/// The maximum number of tokens of a summary.
const MAX_TOKENS: u32 = 1_024;

impl ChatStep<'_, '_, '_> {
    /// Asks a participant for a summary if its conversation is too long; returns whether it did.
    pub(super) fn fold_before_speaking(&mut self, participant: &Participant) -> bool {
        let is_model = participant.kind == ParticipantKind::Assistant;
        // Other views show only a part anyway.
        if !is_model || participant.view != View::Whole {
            return false;
        }
        let entity = self.entity(&participant.name);
        let is_asked = entity.is_some_and(|entity| self.ask_to_fold(entity));
        if is_asked {
            self.chat.folding.insert(participant.name.clone());
        }
        is_asked
    }

    /// Asks the team's own model for a summary if its conversation is too long; returns whether it
    /// did.
    pub(super) fn fold_before_selecting(&mut self) -> bool {
        let is_asked = self.team.selection.asks_model() && self.ask_to_fold(self.stage);
        if is_asked {
            self.chat.phase = Phase::Folding;
        }
        is_asked
    }

    fn ask_to_fold(&mut self, entity: Entity) -> bool {
        let Some(fold) = &self.team.fold else {
            return false;
        };
        let context = self.context(entity);
        let is_too_long = context.is_some_and(|context| {
            context.tokens() > fold.tokens && foldable(context, fold.keep).is_some()
        });
        if is_too_long {
            let instruction = &fold.instruction;
            let question = self.prompt(&ChatPrompt::Fold { instruction });
            let constraints = TextConstraints::default();
            let ask = Ask::new(
                "chat.fold",
                question,
                constraints,
                TextReply(NO_ANSWER.into()),
            )
            .condensed("")
            .without_tools()
            .max_tokens(MAX_TOKENS)
            .notes(notes(&ChatNotes {}));
            self.ask(entity, ask);
        }
        is_too_long
    }

    /// Puts a summary in place of what it sums up. Without one, the conversation stays as it is.
    pub(super) fn take_summary(&mut self, entity: Entity, summary: &str, by: &AnsweredBy) {
        let usage = self.last_usage(entity);
        let answer = self.context(entity).and_then(last_answer);
        self.edit_context(entity, forget::remove_last_answer);
        let keep = self.team.fold.as_ref().map_or(0, |fold| fold.keep);
        let range = self
            .context(entity)
            .and_then(|context| foldable(context, keep));
        let (false, Some((first, last, count))) = (matches!(by, AnsweredBy::Fallback(_)), range)
        else {
            return;
        };
        let name = self.name(entity);
        // The tokens of a summary count too.
        let event = ChatMessage::new(&name, ChatContent::Thought(summary.to_owned()));
        self.post(event.with_usage(usage));
        let text = self.prompt(&ChatPrompt::Folded { summary });
        let title = self.prompt(&Remark::FoldedTitle { count });
        let turn = self.params.turn.0;
        let Ok((mut context, mut chapters)) = self.params.contexts.get_mut(entity) else {
            return;
        };
        // Without a sender: nobody said it.
        let body = Body::text(text);
        // Can't fail: the ids are from this context.
        let messages = context.replace_message_range(first, last, body.clone(), Tags::new());
        let id = chapters.next_id(&name);
        chapters.close(Chapter {
            id,
            title,
            turn,
            messages: messages.unwrap_or_default(),
            summing_up: answer.into_iter().collect(),
            summary: body,
            record: None,
        });
    }
}

fn last_answer(context: &AgentContext) -> Option<StoredMessage> {
    let last = context.entries().last()?;
    context.message(last.id())
}

/// The first and the last of the messages to fold, and how many they are: all but the last `keep`,
/// and the results of tools with their calls. `None` if there are too few.
fn foldable(context: &AgentContext, keep: usize) -> Option<(EntryId, EntryId, usize)> {
    let entries = context.entries();
    let is_system = |role| role == Role::System;
    let system = entries.iter().take_while(|entry| is_system(entry.role()));
    let rest = entries.get(system.count()..)?;
    let (folded, kept) = rest.split_at_checked(rest.len().checked_sub(keep)?)?;
    let orphans = kept.iter().take_while(|entry| entry.role() == Role::Tool);
    let count = folded.len() + orphans.count();
    if count < 2 {
        return None;
    }
    let folded = rest.get(..count)?;
    Some((folded.first()?.id(), folded.last()?.id(), count))
}
