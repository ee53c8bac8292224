//! What tests of games need: a small world for their systems, prompts made by hand, a person who
//! types known lines, stories that are played, and words that pretend to be more than words.
//!
//! The small world is a stage with two actors, and everything that the engine needs:
//!
//! ```
//! use playhouse_engine::prelude::*;
//! use playhouse_engine::testing::tiny;
//!
//! fn ask(query: Query<(Entity, &Kind)>, mut commands: Commands) {
//!     for (entity, kind) in &query {
//!         if *kind == Kind::Actor {
//!             let ask = Ask::new("greet", "Say hello.", ProseRules::default(), Prose("…".into()));
//!             commands.entity(entity).insert(ask);
//!         }
//!     }
//! }
//!
//! let mut tiny = tiny();
//! let ann = tiny.ann;
//! tiny.world().run_system_cached(ask).unwrap();
//! assert_eq!(tiny.world().get::<Ask<Prose>>(ann).unwrap().prompt(), "Say hello.");
//! ```

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that can't be made fails"
)]

mod attacks;
mod hand_prompt;
mod person;
mod played;
mod table;
mod told;

pub use attacks::{attacks, harmless};
pub use hand_prompt::{HandPrompt, object};
pub use person::{PersonAsk, json_of};
pub use played::{Played, play};
pub use table::{each_row, rows};
pub use told::{told, told_by};

use bevy_ecs::prelude::*;

use crate::cast::{CurrentStage, Kind, SpawnSpec, spawn};
use crate::engine::{Engine, EngineError, Setup};
use crate::event::EventQueue;
use crate::journal::{Journal, JournalHeader};
use crate::mind::Mind;

/// A world with the stage `Hall` and the actors `Ann` and `Bob` on it, about to step.
pub struct TinyWorld {
    /// The engine's parts, to add systems to.
    pub setup: Setup,
    pub hall: Entity,
    pub ann: Entity,
    pub bob: Entity,
}

/// An entity with a short identity and no rules.
pub fn spawn_spec(name: &str, kind: Kind, stage: Option<&str>) -> SpawnSpec {
    SpawnSpec {
        name: name.into(),
        kind,
        rules: None,
        identity: format!("You are {name}."),
        stage: stage.map(Into::into),
    }
}

/// A stage `Hall` with the actors `Ann` and `Bob`.
pub fn tiny() -> TinyWorld {
    let mut setup = Setup::new(7);
    let mut enter = |name, kind, stage| {
        spawn(&mut setup.world, spawn_spec(name, kind, stage)).expect("a new name")
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
    pub fn world(&mut self) -> &mut World {
        &mut self.setup.world
    }

    /// The events that are not delivered yet: type and text.
    pub fn told(&self) -> Vec<(&'static str, String)> {
        let queue = self.setup.world.resource::<EventQueue>();
        let events = queue.0.iter();
        events
            .map(|event| (event.kind, event.text.clone()))
            .collect()
    }

    /// An engine of this world, with one mind for everybody and a journal in memory.
    ///
    /// # Errors
    /// Two systems have no declared order.
    pub fn engine(mut self, mind: impl Mind + 'static) -> Result<Engine, EngineError> {
        self.setup.world.insert_resource(CurrentStage::Meeting);
        Engine::in_memory(self.setup, mind)
    }
}

/// A journal in memory.
pub fn journal() -> Journal {
    Journal::in_memory(JournalHeader::new("none", "none", 7))
}
