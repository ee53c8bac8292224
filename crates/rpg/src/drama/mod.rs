//! Drama: what is at stake in a story, and how choices change it.
//!
//! State moves by typed choices and by rules whose conditions hold, never by prose. A world has
//! items, bonds between characters, named numbers ([`Qualities`]), promises and goals; what anybody
//! knows is in [`knowledge`](playhouse_engine::knowledge). Writers tie them together with
//! [`Scene`]s, whose [`Condition`]s say when they open and whose choices have [`Effect`]s, and with
//! [`Ending`]s. Conditions read the whole world, so they are checked at meetings, when every place
//! rests. Games decide how a scene is played and apply its effects. Start reading at [`Scene`].

mod condition;
mod data;
mod judgement;
mod nearness;
mod occasion;
mod quality;
mod scene;
mod state;

pub use condition::{Claim, Condition, PARTY, entities_of};
pub(crate) use data::effects_of;
pub use data::{BondSpec, Drama, Goal, Item, ItemUse, StoryData};
pub use judgement::{Finding, Judgements};
pub use nearness::{Missing, Nearness, PlotPoint, Whereabout};
pub use occasion::{AttemptEnd, Occasion};
pub use quality::{Qualities, Quality, QualityStep};
pub use scene::{
    Choice, ChoiceOption, Effect, Ending, OtherQuestion, OwnOpening, Scene, claims_of_endings,
    claims_of_scenes, next_scene,
};
pub(crate) use scene::{INSTEAD, note_scenes};
pub use state::{
    Belongings, Bond, Bonds, FightResult, GoalState, Goals, Hidden, History, Promise, PromiseState,
    Promises, change_bond, holder_of, move_item,
};

use playhouse_engine::engine::Setup;

pub fn plugin(setup: &mut Setup) {
    setup.world.init_resource::<Qualities>();
    setup.world.init_resource::<History>();
    setup
        .world
        .init_resource::<playhouse_engine::knowledge::MadeFacts>();
    setup.world.init_resource::<Judgements>();
    setup.world.init_resource::<StoryData>();
    setup.world.init_resource::<Occasion>();
    setup
        .saves()
        .resource::<Qualities>("qualities")
        .resource::<History>("history")
        .resource::<Occasion>("occasion")
        .resource::<Judgements>("judgements")
        .resource::<playhouse_engine::knowledge::Today>("today")
        .resource::<playhouse_engine::knowledge::MadeFacts>("made_facts")
        .after_load(playhouse_engine::knowledge::restore_made_facts)
        .component::<playhouse_engine::knowledge::Knowledge>("knowledge")
        .component::<Belongings>("belongings")
        .component::<Hidden>("hidden")
        .component::<Bonds>("bonds")
        .component::<Promises>("promises")
        .component::<Goals>("goals");
}
