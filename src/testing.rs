//! A small world for tests of systems: a stage with two actors, and everything the engine needs.

use bevy_ecs::prelude::*;

use crate::cast::{CurrentStage, Kind, SpawnSpec, spawn};
use crate::engine::{Engine, Setup};
use crate::event::EventQueue;
use crate::journal::{FORMAT, Journal, JournalHeader};
use crate::mind::{Mind, Minds};

/// A world with the stage `Hall` and the actors `Ann` and `Bob` on it, about to step.
pub struct TinyWorld {
    /// The engine's parts, to add systems to.
    pub setup: Setup,
    /// The stage.
    pub hall: Entity,
    /// The first actor.
    pub ann: Entity,
    /// The second actor.
    pub bob: Entity,
}

/// Somebody without rules or identity.
pub fn newcomer(name: &str, kind: Kind, stage: Option<&str>) -> SpawnSpec {
    SpawnSpec {
        name: name.into(),
        kind,
        rules: None,
        identity: format!("You are {name}."),
        stage: stage.map(Into::into),
    }
}

/// A stage `Hall` with the actors `Ann` and `Bob`.
#[expect(
    clippy::expect_used,
    reason = "fixed names in an empty world are never refused"
)]
pub fn tiny() -> TinyWorld {
    let mut setup = Setup::new(7);
    let mut enter = |name, kind, stage| {
        spawn(&mut setup.world, newcomer(name, kind, stage)).expect("a new name")
    };
    let hall = enter("Hall", Kind::Stage, None);
    let ann = enter("Ann", Kind::Actor, Some("Hall"));
    let bob = enter("Bob", Kind::Actor, Some("Hall"));
    setup.world.insert_resource(CurrentStage::Place(hall));
    TinyWorld {
        setup,
        hall,
        ann,
        bob,
    }
}

impl TinyWorld {
    /// The world.
    pub fn world(&mut self) -> &mut World {
        &mut self.setup.world
    }

    /// What was told and not delivered yet: type and text.
    pub fn told(&self) -> Vec<(&'static str, String)> {
        let queue = self.setup.world.resource::<EventQueue>();
        queue
            .0
            .iter()
            .map(|told| (told.kind, told.text.clone()))
            .collect()
    }

    /// An engine of this world, with one mind for everybody and a journal in memory.
    ///
    /// # Errors
    /// Two systems have no declared order.
    pub fn engine(
        mut self,
        mind: impl Mind + 'static,
    ) -> Result<Engine, crate::engine::EngineError> {
        self.setup.world.insert_resource(CurrentStage::Meeting);
        Engine::new(self.setup, Minds::all(std::sync::Arc::new(mind)), journal())
    }
}

/// A journal in memory.
pub fn journal() -> Journal {
    Journal::in_memory(JournalHeader {
        format: FORMAT,
        engine: env!("CARGO_PKG_VERSION").into(),
        data: "none".into(),
        seed: 7,
    })
}
