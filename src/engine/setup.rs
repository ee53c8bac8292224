//! Putting an engine together: the world, the two schedules and what is saved.

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor};

use super::{AskCount, EngineError, IdleTurns, StoryEnd};
use crate::cast::{Appearance, Exits, Faction, WorldSeed};
use crate::context::{AgentContext, View};
use crate::event::deliver;
use crate::exchange::{Budget, Ledger, PastLedgers};
use crate::message::tokens::Correction;
use crate::mind::MindAlias;
use crate::save::{FINALE, SaveRegistry};
use crate::tool::{ToolSet, Toolbox};
use crate::{cast, event, exchange};

/// The schedule of one place: it takes answers, applies rules, tells and asks.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step;

/// The schedule of the whole world, when every place rests.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Meet;

/// The order within a step. Declare the order of systems within one set yourself.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub enum StepSet {
    /// Take the answers that were committed.
    Take,
    /// Apply rules and move on.
    Rules,
    /// Ask what is to be decided next.
    Ask,
    /// Events reach contexts and feeds; the engine's own.
    Deliver,
}

/// The order within a meeting.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub enum MeetSet {
    /// The world's own systems.
    Rules,
    /// Events reach contexts and feeds; the engine's own.
    Deliver,
}

/// What plugins add to before an engine is built.
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
        world.init_resource::<SaveRegistry>();
        world.insert_resource(Toolbox::standard());
        world
            .resource_mut::<SaveRegistry>()
            .resource::<StoryEnd>(FINALE)
            .resource::<IdleTurns>("idle_turns")
            .resource::<PastLedgers>("past_ledgers")
            .component::<AskCount>("ask_count")
            .component::<Ledger>("ledger")
            .component::<Budget>("budget")
            .component::<Correction>("token_correction")
            .component::<Faction>("camp")
            .component::<Appearance>("look")
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
                StepSet::Deliver,
            )
                .chain(),
        );
        step.add_systems(deliver.in_set(StepSet::Deliver));
        let mut meet = Schedule::new(Meet);
        meet.configure_sets((MeetSet::Rules, MeetSet::Deliver).chain());
        meet.add_systems(deliver.in_set(MeetSet::Deliver));
        Self { world, step, meet }
    }

    /// Adds a room's systems.
    pub fn plugin(&mut self, plugin: impl FnOnce(&mut Self)) -> &mut Self {
        plugin(self);
        self
    }

    /// The tools that minds may call, to add some.
    pub fn tools(&mut self) -> Mut<'_, Toolbox> {
        self.world.resource_mut::<Toolbox>()
    }

    /// What of this world is saved.
    pub fn saves(&mut self) -> Mut<'_, SaveRegistry> {
        self.world.resource_mut::<SaveRegistry>()
    }

    /// Makes the schedules strict and ready.
    ///
    /// # Errors
    /// Two systems have no declared order but touch the same things.
    pub(super) fn finish(mut self) -> Result<(World, Schedule, Schedule), EngineError> {
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
