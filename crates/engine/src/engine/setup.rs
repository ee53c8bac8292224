//! Putting an engine together: the world, the two schedules and what is saved.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor};

use super::EngineError;
use super::state::{AskCount, IdleTurns, StoryEnd};
use crate::cast::{Appearance, CastError, Exits, Faction, Kind, SpawnSpec, WorldSeed, spawn};
use crate::context::{AgentContext, View};
use crate::event::deliver;
use crate::exchange::{Budget, Ledger};
use crate::journal::GameSetup;
use crate::memory::{CameToMind, LookupVectors, Lore, Vectors, Witnessed};
use crate::message::Language;
use crate::message::tokens::Correction;
use crate::mind::MindAlias;
use crate::save::{ENDING, GAME_SETUP, SaveRegistry, SetUpAt};
use crate::tool::{ToolSet, Toolbox};
use crate::world_data::{DataFolder, Problems, PromptSet};
use crate::{cast, event, exchange, tool};

/// The schedule of one place: it takes answers, applies rules, writes events and asks.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step;

/// The schedule of the whole world, run when every place rests.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Meet;

/// The order within a step. Declare the order of systems within one set yourself.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub enum StepSet {
    Take,
    Rules,
    /// Ask for the next decisions.
    Ask,
    /// What is added to the game of somebody else: it sees what that has done, and what it tells
    /// and asks goes out with the rest.
    Extensions,
    /// Events reach contexts and feeds. For the engine's own system.
    Deliver,
}

#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub enum MeetSet {
    Rules,
    /// What is added to the game of somebody else: it sees what that has done.
    Extensions,
    /// Events reach contexts and feeds. For the engine's own system.
    Deliver,
}

/// A world and its schedules, from which an engine is built. Games add their systems here.
///
/// ```
/// use playhouse_engine::prelude::*;
///
/// #[derive(Component, Serialize, Deserialize)]
/// struct Coins(u32);
///
/// fn earn(mut purses: Query<&mut Coins>) {
///     purses.iter_mut().for_each(|mut coins| coins.0 += 1);
/// }
///
/// let mut setup = Setup::new(7); // the seed
/// setup.saves().component::<Coins>("coins");
/// setup.meet.add_systems(earn.in_set(MeetSet::Rules));
/// setup.spawn_stage("Mill", "You are a mill.")?;
/// let alda = setup.spawn_actor("Alda", "Mill", "You are Alda.")?;
/// setup.world.entity_mut(alda).insert(Coins(3));
/// # Ok::<(), playhouse_engine::cast::CastError>(())
/// ```
pub struct Setup {
    /// The world, with the engine's resources in it.
    pub world: World,
    /// The schedule of one place.
    pub step: Schedule,
    /// The schedule of the whole world.
    pub meet: Schedule,
}

impl Setup {
    /// An empty world with the engine's own resources and systems.
    pub fn new(seed: u64) -> Self {
        let mut world = World::new();
        cast::install(&mut world, WorldSeed(seed));
        event::install(&mut world);
        exchange::install(&mut world);
        world.register_required_components::<AgentContext, AskCount>();
        world.register_required_components::<AgentContext, Correction>();
        world.register_required_components::<AgentContext, Witnessed>();
        world.init_resource::<Lore>();
        world.init_resource::<LookupVectors>();
        world.init_resource::<SaveRegistry>();
        world.insert_resource(Toolbox::standard());
        world
            .resource_mut::<SaveRegistry>()
            .resource::<StoryEnd>(ENDING)
            .resource::<GameSetup>(GAME_SETUP)
            .resource::<IdleTurns>("idle_turns")
            .resource::<Vectors>("vectors")
            .component::<AskCount>("ask_count")
            .component::<Ledger>("ledger")
            .component::<Budget>("budget")
            .component::<Correction>("token_correction")
            .component::<CameToMind>("came_to_mind")
            .component::<Faction>("faction")
            .component::<Appearance>("appearance")
            .component::<Exits>("exits")
            .component::<View>("view")
            .component::<MindAlias>("mind")
            .component::<ToolSet>("tools");
        let mut step = Schedule::new(Step);
        step.configure_sets(
            (
                StepSet::Take,
                StepSet::Rules,
                StepSet::Ask,
                StepSet::Extensions,
                StepSet::Deliver,
            )
                .chain(),
        );
        step.add_systems(deliver.in_set(StepSet::Deliver));
        let mut meet = Schedule::new(Meet);
        meet.configure_sets((MeetSet::Rules, MeetSet::Extensions, MeetSet::Deliver).chain());
        meet.add_systems(deliver.in_set(MeetSet::Deliver));
        Self { world, step, meet }
    }

    /// The same in a language, with the engine's own phrases in it: around memories, and on what
    /// is wrong with an answer. The events of a game then need words of their own.
    pub fn in_language(mut self, language: Language) -> Result<Self, Problems> {
        let mut prompts = PromptSet::default();
        exchange::declare_prompts(&mut prompts);
        tool::declare_prompts(&mut prompts);
        prompts.add_events(event::kinds::EVENTS);
        let folder = format!("prompts/{}", language.code());
        let (phrases, _) = prompts.load(&DataFolder::embedded(), &folder)?;
        self.world.insert_resource(phrases);
        self.world.insert_resource(language);
        Ok(self)
    }

    /// Brings a stage into the world, with its own part of the system message. For more, such as
    /// shared rules, see [`spawn`].
    ///
    /// # Errors
    /// The name is bad or taken.
    pub fn spawn_stage(
        &mut self,
        name: &str,
        identity: impl Into<String>,
    ) -> Result<Entity, CastError> {
        self.spawn(name, Kind::Stage, identity.into(), None)
    }

    /// Brings an actor into the world, on the stage of this name, with its own part of the system
    /// message.
    ///
    /// # Errors
    /// The name is bad or taken, or the stage is unknown.
    pub fn spawn_actor(
        &mut self,
        name: &str,
        stage: &str,
        identity: impl Into<String>,
    ) -> Result<Entity, CastError> {
        self.spawn(name, Kind::Actor, identity.into(), Some(stage.into()))
    }

    fn spawn(
        &mut self,
        name: &str,
        kind: Kind,
        identity: String,
        stage: Option<Arc<str>>,
    ) -> Result<Entity, CastError> {
        let spec = SpawnSpec {
            name: name.into(),
            kind,
            rules: None,
            identity,
            stage,
        };
        spawn(&mut self.world, spec)
    }

    /// Lets a part of a game add its systems.
    pub fn plugin(&mut self, plugin: impl FnOnce(&mut Self)) -> &mut Self {
        plugin(self);
        self
    }

    /// The tools that minds may call, to add more.
    pub fn tools(&mut self) -> Mut<'_, Toolbox> {
        self.world.resource_mut::<Toolbox>()
    }

    /// Which components and resources are saved, to add more.
    pub fn saves(&mut self) -> Mut<'_, SaveRegistry> {
        self.world.resource_mut::<SaveRegistry>()
    }

    /// Makes the schedules strict and ready.
    pub(super) fn finish(mut self) -> Result<(World, Schedule, Schedule), EngineError> {
        let set_up_at = SetUpAt(self.world.increment_change_tick());
        self.world.insert_resource(set_up_at);
        for schedule in [&mut self.step, &mut self.meet] {
            schedule.set_executor(SingleThreadedExecutor::new());
            let settings = schedule.get_build_settings();
            schedule.set_build_settings(ScheduleBuildSettings {
                ambiguity_detection: LogLevel::Error,
                ..settings
            });
            if let Some(error) = schedule.initialize(&mut self.world).err() {
                return Err(EngineError::Ambiguous(
                    error.to_string(schedule.graph(), &self.world),
                ));
            }
        }
        Ok((self.world, self.step, self.meet))
    }
}
