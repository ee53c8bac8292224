//! Fitting a saved world to the team that loads it.
//!
//! A state fits every team with the same participants. All settings are those of the team that
//! loads it.

use std::collections::BTreeSet;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, OnStage};
use playhouse_engine::locale::{Argument, Localize, text};
use serde_json::Value;
use thiserror::Error;

use super::autogen_state::{agent_name, inner_state};
use super::stage::{CONTROLLER, Chat};
use super::team::{MANAGERS, TeamFile};

/// How the participants of a saved state differ from those of the team that is to load it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Error, Localize)]
#[text(groupchat_other_participants, differences = self.differences(), ..)]
pub struct OtherParticipants {
    /// Participants, teams and users that the state lacks.
    pub missing: Vec<String>,
    /// Those that only the state has.
    pub extra: Vec<String>,
    /// Those that take part in another team in the state.
    pub moved: Vec<String>,
}

impl OtherParticipants {
    fn differences(&self) -> Argument {
        let [missing, extra, moved] = [&self.missing, &self.extra, &self.moved].map(Argument::list);
        let differences = [
            (&self.missing, text!(groupchat_state_lacks, names = missing)),
            (&self.extra, text!(groupchat_team_lacks, names = extra)),
            (&self.moved, text!(groupchat_state_elsewhere, names = moved)),
        ]
        .into_iter()
        .filter(|(names, _)| !names.is_empty());
        Argument::list(differences.map(|(_, text)| text))
    }
}

/// Compares the names in a world, and in the state that it was restored from, with those of a team.
pub(super) fn check_participants(
    world: &World,
    state: Option<&Value>,
    team: &TeamFile,
) -> Result<(), OtherParticipants> {
    let mut wanted = BTreeSet::new();
    let mut moved = Vec::new();
    for team in team.nested() {
        wanted.insert(team.name.as_str());
        for name in team.names() {
            wanted.insert(name);
            let entity = world.resource::<CastList>().by_name(name);
            let stage = entity.and_then(|entity| world.get::<OnStage>(entity));
            let stage = stage.and_then(|stage| world.get::<EntityName>(stage.0));
            if stage.is_some_and(|stage| *stage.0 != *team.name) {
                moved.push(name.to_owned());
            }
        }
    }
    wanted.insert(&team.user);
    let mut saved: BTreeSet<&str> = world
        .resource::<CastList>()
        .all()
        .filter_map(|(_, entity)| world.get::<EntityName>(entity))
        .map(|name| &*name.0)
        .collect();
    // A state may be of a team that was not controlled from outside.
    saved.remove(CONTROLLER);
    let here: BTreeSet<&str> = team.nested().iter().flat_map(|team| team.names()).collect();
    let listed = state.map_or_else(|| here.clone(), agents);
    let other = OtherParticipants {
        missing: beyond([(&wanted, &saved), (&here, &listed)]),
        extra: beyond([(&saved, &wanted), (&listed, &here)]),
        moved,
    };
    if other == OtherParticipants::default() {
        Ok(())
    } else {
        Err(other)
    }
}

/// The names in each first set that the second lacks.
fn beyond(pairs: [(&BTreeSet<&str>, &BTreeSet<&str>); 2]) -> Vec<String> {
    let names: BTreeSet<&str> = pairs
        .map(|(names, known)| names.difference(known).copied())
        .into_iter()
        .flatten()
        .collect();
    names.into_iter().map(str::to_owned).collect()
}

/// The names in the `agent_states` of a state, without those of managers.
fn agents(state: &Value) -> BTreeSet<&str> {
    let states = state["agent_states"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, state)| (agent_name(key), &state["agent_state"]))
        .filter(|(name, _)| !MANAGERS.contains(name));
    let names = states.flat_map(|(name, state)| {
        let mut names = agents(state);
        names.append(&mut agents(&state["inner_team_state"]));
        names.insert(name);
        names
    });
    names.collect()
}

/// Adapts the conversations of a restored world to the team that loads it. The state says how it
/// selected; without one, a graph or a ledger that a run is in the middle of begins anew.
pub(super) fn adapt_chats(world: &mut World, state: Option<&Value>, team: &TeamFile) {
    if let Some(mut chat) = Chat::of_mut(world, &team.name) {
        let selection = serde_json::to_value(&team.selection).unwrap_or_default();
        let is_same = state.is_some_and(|state| {
            let saved = state.get("selection");
            saved.is_none_or(|saved| *saved == selection)
        });
        chat.adapt(team, is_same);
    }
    for inner in &team.teams {
        let state = state.map(|state| inner_state(state, team, inner));
        adapt_chats(world, state, inner);
    }
}
