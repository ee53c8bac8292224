//! A step of a conversation: its state, and what it reads and changes in the world.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::{CastList, Clock, EntityName, OnStage, StageRng, WorldTurn};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::engine::AskCount;
use playhouse_engine::event::{EventWriter, Prompt};
use playhouse_engine::exchange::{Ask, Reply};
use playhouse_engine::locale::{Language, UiText};

use super::chat::Chat;
use super::teams::Teams;
use super::tool_rounds::{FunctionCallRound, rounds_at};
use crate::message::RequestUsage;
use crate::perspective;
use crate::team::{Participant, ParticipantKind, TeamFile};

/// What a step of a conversation reads and changes in the world.
#[derive(SystemParam)]
pub(super) struct ChatParams<'w, 's> {
    pub(super) teams: Res<'w, Teams>,
    pub(super) language: Res<'w, Language>,
    pub(super) rng: StageRng<'w, 's>,
    pub(super) ask_counts: Query<'w, 's, &'static AskCount>,
    pub(super) events: EventWriter<'w, 's>,
    pub(super) turn: Res<'w, WorldTurn>,
    pub(super) contexts: Query<'w, 's, (&'static mut AgentContext, &'static mut Chapters)>,
    cast_list: Res<'w, CastList>,
    names: Query<'w, 's, &'static EntityName>,
    on_stage: Query<'w, 's, &'static OnStage>,
    clocks: Query<'w, 's, &'static Clock>,
    commands: Commands<'w, 's>,
}

/// A step of the conversation of one team.
pub(super) struct ChatStep<'a, 'w, 's> {
    pub(super) stage: Entity,
    pub(super) team: &'a TeamFile,
    pub(super) chat: &'a mut Chat,
    pub(super) params: &'a mut ChatParams<'w, 's>,
}

impl<'a> ChatStep<'a, '_, '_> {
    pub(super) fn entity(&self, name: &str) -> Option<Entity> {
        self.params.cast_list.by_name(name)
    }

    /// The entity of this name, if it is on the team's stage.
    pub(super) fn entity_here(&self, name: &str) -> Option<Entity> {
        let entity = self.entity(name)?;
        let on = self.params.on_stage.get(entity).ok()?;
        (on.0 == self.stage).then_some(entity)
    }

    pub(super) fn name(&self, entity: Entity) -> String {
        let name = self.params.names.get(entity);
        name.map(ToString::to_string).unwrap_or_default()
    }

    pub(super) fn participant(&self, entity: Entity) -> Option<&'a Participant> {
        self.team.participant(&self.name(entity))
    }

    /// The participants that are in the team now, in order.
    pub(super) fn present(&self) -> Vec<&'a str> {
        let participants = self.team.participants.iter();
        let present = participants.filter(|participant| {
            // A team that takes part is a stage of its own.
            participant.kind == ParticipantKind::Team
                || self.entity_here(&participant.name).is_some()
        });
        present
            .map(|participant| participant.name.as_str())
            .collect()
    }

    pub(super) fn context(&self, entity: Entity) -> Option<&AgentContext> {
        self.params
            .contexts
            .get(entity)
            .ok()
            .map(|(context, _)| context)
    }

    /// Changes the context of an entity.
    pub(super) fn edit_context(&mut self, entity: Entity, edit: impl FnOnce(&mut AgentContext)) {
        if let Ok((mut context, _)) = self.params.contexts.get_mut(entity) {
            edit(&mut context);
        }
    }

    /// The tokens of the calls behind the last answer of an entity.
    pub(super) fn last_usage(&self, entity: Entity) -> Option<RequestUsage> {
        self.context(entity).and_then(perspective::last_usage)
    }

    /// The rounds of tool calls before the answer of an entity that this step takes.
    pub(super) fn last_rounds(&self, entity: Entity) -> Vec<FunctionCallRound> {
        let clock = self.params.clocks.get(self.stage).ok();
        // The step began after the answer.
        let answered = clock.and_then(|clock| clock.time.checked_sub(1));
        let context = self.context(entity);
        let found = answered.zip(context);
        found.map_or_else(Vec::new, |(time, context)| rounds_at(time, context))
    }

    pub(super) fn ask<R: Reply>(&mut self, entity: Entity, ask: Ask<R>) {
        self.params.commands.entity(entity).insert(ask);
    }

    /// A text in the language of the team.
    pub(super) fn translate(&self, text: &UiText) -> String {
        text.in_language(*self.params.language)
    }

    /// A prompt in the language of the team. A missing template stops the engine: the game should
    /// have checked it.
    pub(super) fn prompt(&mut self, prompt: &impl Prompt) -> String {
        let filled = self.params.events.phrases().fill(prompt);
        filled.unwrap_or_else(|reason| {
            self.params.events.fault(reason.into());
            String::new()
        })
    }
}
