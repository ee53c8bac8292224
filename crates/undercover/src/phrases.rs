//! The templates of the game, in `data/prompts/<language>/`.

use playhouse_engine::event::kinds::Archive;
use playhouse_engine::event::{EventType, PromptSet};
use playhouse_engine::exchange;

use super::events::EVENTS;
use super::{ballot, describe, description, flow, memory, reflect, setup, vote};

pub(super) fn prompts() -> PromptSet {
    let mut prompts = PromptSet::default();
    exchange::declare_prompts(&mut prompts);
    prompts.add_events(&[EventType::of::<Archive>()]);
    prompts.add_events(EVENTS);
    prompts
        .declare::<setup::RulesData>()
        .declare::<setup::TableData>()
        .declare::<setup::PlayerData>()
        .declare::<flow::OverData>()
        .declare::<describe::DescribeData>()
        .declare::<describe::DescribePrompt>()
        .declare::<description::DescriptionRule>()
        .declare::<vote::VoteData>()
        .declare::<ballot::NoTarget>()
        .declare::<reflect::BeliefData>()
        .declare::<memory::SummaryData>()
        .declare::<memory::TitleData>();
    prompts
}
