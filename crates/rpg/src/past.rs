//! What an actor remembers from before the story: a chapter for each part of it, as if it had been
//! archived.

use bevy_ecs::prelude::*;
use playhouse_engine::context::{AgentContext, Chapter, Chapters};
use playhouse_engine::message::{Body, Tag, Tags};
use playhouse_engine::wording::as_line;

use super::world_file::{Actor, Past};

/// Gives a new actor its past.
pub(super) fn remember(world: &mut World, entity: Entity, actor: &Actor) {
    if actor.past.is_empty() {
        return;
    }
    let mut entity = world.entity_mut(entity);
    let mut chapters = entity.take::<Chapters>().unwrap_or_default();
    if let Some(mut context) = entity.get_mut::<AgentContext>() {
        for part in &actor.past {
            close(&mut context, &mut chapters, part);
        }
    }
    entity.insert(chapters);
}

fn close(context: &mut AgentContext, chapters: &mut Chapters, part: &Past) {
    let name = context.name().clone();
    let said = part.said.iter().filter_map(|line| {
        let body = Body::text(as_line(&line.words)).from_sender(line.who.as_str());
        if *line.who == *name {
            context.add_ai_message([body]).ok()?.pop()
        } else {
            Some(context.add_human_message(body, Tags::default()))
        }
    });
    let said: Vec<_> = said.collect();
    let summary = Body::text(format!("{}\n{}", as_line(&part.title), part.summary));
    let ([begin, .., end] | [begin @ end]) = said[..] else {
        context.add_human_message(summary, Tags::default());
        return;
    };
    let id = chapters.next_id(&name);
    let tags = Tag::CHAPTER.of(&*id.0);
    let Ok(messages) = context.replace_message_range(begin, end, summary.clone(), tags) else {
        return;
    };
    chapters.close(Chapter {
        id,
        title: part.title.clone(),
        turn: 0,
        messages,
        summing_up: Vec::new(),
        summary,
        record: None,
    });
}
