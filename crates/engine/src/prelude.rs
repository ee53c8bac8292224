//! What a game imports: `use playhouse_engine::prelude::*;`.
//!
//! With it a game needs no dependency on `bevy_ecs`: the derives of components, resources and
//! events find it here.

pub use bevy_ecs;
pub use bevy_ecs::prelude::*;
pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Value, json};

pub use crate::cast::{
    CurrentStage, Dead, EntityName, Gone, Kind, SpawnSpec, StageQuery, StageRng, agents_context,
    dismiss, spawn,
};
pub use crate::context::{AgentContext, buffer};
pub use crate::engine::{
    Engine, EngineError, EngineSettings, Meet, MeetSet, Setup, Step, StepSet, Stop, StoryEnd,
};
pub use crate::event::{
    AgentEvent, AnsweredBy, EventWriter, Fault, Feed, PhraseError, Phrasebook, Record,
    register_event, write_events_at_meeting,
};
pub use crate::exchange::{
    Answer, Answers, Ask, Prose, ProseRules, Reply, Violation, register_reply,
};
pub use crate::memory::Words;
pub use crate::mind::{Mind, Minds, ScriptLine, ScriptMind};
pub use crate::tool::{NoArguments, ToolCaller, ToolError, ToolSet};
