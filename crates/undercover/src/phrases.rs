//! The templates of the game, in `data/prompts/<language>/`.

use playhouse_engine::event::kinds::Archive;
use playhouse_engine::event::{EventType, PromptSet};
use playhouse_engine::exchange;

use super::events::EVENTS;
use super::{ballot, describe, description, flow, memory, reflect, setup, vote};

/// The templates of the game.
pub(super) fn prompts() -> PromptSet {
    let mut prompts = PromptSet::default();
    exchange::add_templates(&mut prompts);
    prompts.add_events(&[EventType::of::<Archive>()]);
    prompts.add_events(EVENTS);
    setup::add_templates(&mut prompts);
    flow::add_templates(&mut prompts);
    describe::add_templates(&mut prompts);
    description::add_templates(&mut prompts);
    vote::add_templates(&mut prompts);
    ballot::add_templates(&mut prompts);
    reflect::add_templates(&mut prompts);
    memory::add_templates(&mut prompts);
    prompts
}
