//! Saved states of teams as AutoGen writes them: what each model knows (`llm_context`), what an
//! agent has not heard yet (`message_buffer`), and what was said in the team (`message_thread`).

use bevy_ecs::prelude::*;
use playhouse_engine::cast::CastList;
use playhouse_engine::context::{AgentContext, Entry};
use playhouse_engine::event::Phrasebook;
use playhouse_engine::message::{Block, Body, Message, Role};
use playhouse_interop::{Conversation, DialectError, Profile, read_value, write_value};
use serde_json::{Map, Value, json};

use super::message::ChatMessage;
use super::perspective::text_without_speaker;
use super::prompts::ChatPrompt;
use super::stage::Chat;
use super::team::{Participant, ParticipantKind, Selection, TeamFile};

const VERSION: &str = "1.0.0";

/// The context of the entity of this name.
pub(super) fn context_of<'w>(world: &'w World, name: &str) -> Option<&'w AgentContext> {
    world.get(world.resource::<CastList>().by_name(name)?)
}

/// The state of a team, with how it selects.
pub(super) fn team_state(world: &World, team: &TeamFile) -> Value {
    let participants = team.participants.iter();
    let mut states: Map<String, Value> = participants
        .map(|participant| {
            let state = container_state(world, team, participant);
            (participant.name.clone(), state)
        })
        .collect();
    let manager = team.selection.manager().to_owned();
    states.insert(manager, manager_state(world, team));
    json!({
        "type": "TeamState", "version": VERSION, "agent_states": states,
        "selection": team.selection,
    })
}

fn container_state(world: &World, team: &TeamFile, participant: &Participant) -> Value {
    let inner = inner_team(team, participant).map(|inner| team_state(world, inner));
    let context = context_of(world, &participant.name);
    let entries = context.map(AgentContext::entries).unwrap_or_default();
    // An agent of AutoGen takes what it has heard into its context when it is asked to speak.
    let is_own = |entry: &Entry| matches!(entry.role(), Role::Ai | Role::Tool);
    let known = entries.iter().rposition(is_own).map_or(0, |last| last + 1);
    let (known, unheard) = entries.split_at(known);
    let (agent_state, buffer) = match (&participant.kind, inner) {
        (ParticipantKind::Team, Some(inner)) => {
            let chat = Chat::of(world, &team.name);
            let unheard = chat
                .and_then(|chat| chat.unheard.get(&participant.name))
                .into_iter()
                .flatten();
            (inner, unheard.map(ChatMessage::dump).collect())
        }
        (ParticipantKind::Society { .. }, Some(inner)) => {
            let state = json!({
                "type": "SocietyOfMindAgentState", "version": VERSION, "inner_team_state": inner,
            });
            (state, chat_messages(unheard, team))
        }
        (ParticipantKind::Assistant, _) => {
            let messages = model_messages(known.iter());
            let state = json!({
                "type": "AssistantAgentState", "version": VERSION,
                "llm_context": {"messages": messages},
            });
            (state, chat_messages(unheard, team))
        }
        _ => {
            let state = json!({"type": "BaseState", "version": VERSION});
            (state, chat_messages(unheard, team))
        }
    };
    json!({
        "type": "ChatAgentContainerState", "version": VERSION, "agent_state": agent_state,
        "message_buffer": buffer,
    })
}

/// The team that speaks through a participant.
fn inner_team<'t>(team: &'t TeamFile, participant: &Participant) -> Option<&'t TeamFile> {
    let name = participant.inner_team()?;
    team.teams.iter().find(|inner| inner.name == name)
}

fn manager_state(world: &World, team: &TeamFile) -> Value {
    let chat = Chat::of(world, &team.name);
    let current = chat.and_then(|chat| chat.current.as_deref());
    let turns = chat.map_or(0, |chat| chat.turns);
    let names = team.names();
    let mut state = match &team.selection {
        Selection::RoundRobin => {
            let last = names.iter().position(|name| Some(*name) == current);
            let next = last.map_or(0, |last| (last + 1) % names.len());
            json!({"type": "RoundRobinManagerState", "next_speaker_index": next})
        }
        Selection::Selector { .. } => {
            json!({"type": "SelectorManagerState", "previous_speaker": current})
        }
        Selection::Swarm => {
            let current = current.or_else(|| names.first().copied());
            json!({"type": "SwarmManagerState", "current_speaker": current.unwrap_or_default()})
        }
        Selection::Graph(_) => json!({"type": "GraphManagerState"}),
        Selection::Ledger { .. } => {
            let task = chat.map_or("", |chat| &chat.goal);
            json!({"type": "MagenticOneOrchestratorState", "task": task, "n_rounds": turns})
        }
        Selection::Random { .. } | Selection::Manual { .. } | Selection::Function(_) => {
            json!({"type": "BaseGroupChatManagerState"})
        }
    };
    let context = context_of(world, &team.name);
    let thread = context.map(AgentContext::entries).unwrap_or_default();
    state["version"] = VERSION.into();
    state["current_turn"] = turns.into();
    state["message_thread"] = chat_messages(thread, team);
    state
}

/// What a model knows.
fn model_messages<'e>(entries: impl Iterator<Item = &'e Entry>) -> Value {
    let entries = entries.filter(|entry| entry.role() != Role::System);
    let messages = entries.map(|entry| Message::new(entry.role(), as_said(entry)));
    let conversation = Conversation {
        messages: messages.collect(),
        ..Conversation::default()
    };
    write_value(&[conversation], Profile::AutoGen)
}

/// The body of a message without the speaker's name before its text.
fn as_said(entry: &Entry) -> Body {
    let body = entry.body();
    if entry.role() != Role::Human {
        return body.clone();
    }
    with_text(body, text_without_speaker(body))
}

/// The body with another text; its media stay.
fn with_text(body: &Body, text: String) -> Body {
    let media = body
        .listed_blocks()
        .iter()
        .filter(|block| block.as_media().is_some())
        .cloned();
    let told = Body::blocks(std::iter::once(Block::text(text)).chain(media).collect());
    match body.sender() {
        Some(sender) => told.from_sender(sender.clone()),
        None => told,
    }
}

/// What was heard, as messages of AgentChat.
fn chat_messages(entries: &[Entry], team: &TeamFile) -> Value {
    let heard = || entries.iter().filter(|entry| entry.role() == Role::Human);
    let told = model_messages(heard());
    let messages = heard()
        .zip(told.as_array().into_iter().flatten())
        .filter_map(|(entry, told)| {
            let kind = match told["content"] {
                Value::String(_) => "TextMessage",
                _ => "MultiModalMessage",
            };
            let sender = entry.body().sender().map_or(&*team.user, |sender| sender);
            let message = json!({
                "type": kind, "id": entry.body().id(), "source": sender, "content": told["content"],
            });
            let mut dumped = ChatMessage::load(message).ok()?.dump();
            // The world has no clock.
            dumped.as_object_mut()?.remove("created_at");
            Some(dumped)
        });
    messages.collect()
}

/// The state of an inner team within that of its outer team; null if there is none.
pub(super) fn inner_state<'s>(state: &'s Value, outer: &TeamFile, inner: &TeamFile) -> &'s Value {
    let mut participants = outer.participants.iter();
    let participant =
        participants.find(|participant| participant.inner_team() == Some(inner.name.as_str()));
    match participant {
        Some(participant) => inner_of(participant, container(state, &participant.name)),
        None => &Value::Null,
    }
}

fn inner_of<'s>(participant: &Participant, container: &'s Value) -> &'s Value {
    let agent_state = &container["agent_state"];
    match participant.kind {
        ParticipantKind::Team => agent_state,
        _ => &agent_state["inner_team_state"],
    }
}

/// The state of an agent; null if there is none.
fn container<'s>(state: &'s Value, name: &str) -> &'s Value {
    let mut states = state["agent_states"].as_object().into_iter().flatten();
    let found = states.find(|(key, _)| agent_name(key) == name);
    found.map_or(&Value::Null, |(_, state)| state)
}

/// The name of an agent in a state. AutoGen 0.4 added the id of the run.
pub(super) fn agent_name(key: &str) -> &str {
    key.split('/').next().unwrap_or(key)
}

/// Tells a new world of a team what the state of that team in another program says.
pub(super) fn import_state(
    world: &mut World,
    state: &Value,
    team: &TeamFile,
) -> Result<(), DialectError> {
    for participant in &team.participants {
        let container = container(state, &participant.name);
        let buffer = &container["message_buffer"];
        if let Some(inner) = inner_team(team, participant) {
            import_state(world, inner_of(participant, container), inner)?;
            if let Some(mut chat) = Chat::of_mut(world, &team.name) {
                chat.unheard
                    .insert(participant.name.clone(), loaded(buffer));
            }
        }
        let known = &container["agent_state"]["llm_context"]["messages"];
        if participant.kind != ParticipantKind::Team {
            tell(world, &participant.name, known, true)?;
            tell(world, &participant.name, buffer, false)?;
        }
    }
    let manager = container(state, team.selection.manager());
    tell(world, &team.name, &manager["message_thread"], false)?;
    let current = last_speaker(manager, team);
    if let Some(mut chat) = Chat::of_mut(world, &team.name) {
        chat.delta = loaded(&manager["message_thread"]);
        chat.messages = chat.delta.len() as u64;
        chat.last_speaker = chat.delta.last().map(|last| last.source.clone());
        chat.current = current;
    }
    Ok(())
}

/// The messages of a list that are not events.
fn loaded(messages: &Value) -> Vec<ChatMessage> {
    let messages = messages
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| ChatMessage::load(message.clone()).ok());
    messages.filter(|message| !message.is_event()).collect()
}

/// Who had the last turn, as far as it matters for the next.
fn last_speaker(manager: &Value, team: &TeamFile) -> Option<String> {
    let name = match &team.selection {
        Selection::RoundRobin => {
            let next = manager["next_speaker_index"].as_u64()?;
            let last = usize::try_from(next).ok()?.checked_sub(1)?;
            *team.names().get(last)?
        }
        Selection::Swarm => manager["current_speaker"].as_str()?,
        _ => manager["previous_speaker"].as_str()?,
    };
    team.participant(name).map(|last| last.name.clone())
}

/// Adds messages to the context of an entity. Those of its model's context have their roles;
/// everything else was said by others.
fn tell(
    world: &mut World,
    name: &str,
    messages: &Value,
    is_context: bool,
) -> Result<(), DialectError> {
    let Some(entity) = world.resource::<CastList>().by_name(name) else {
        return Ok(());
    };
    if !messages.is_array() {
        return Ok(());
    }
    let phrases = world.resource::<Phrasebook>().clone();
    let imported = read_value(messages, Some(Profile::AutoGen))?;
    let conversations = imported.conversations.into_iter();
    for message in conversations.flat_map(|conversation| conversation.messages) {
        let told = match message.role {
            Role::Ai | Role::Tool if is_context => Some(message),
            Role::Human | Role::Ai => heard(&phrases, &message.body),
            // The team has its own system messages.
            Role::System | Role::Tool => None,
        };
        if let (Some(told), Some(mut context)) = (told, world.get_mut::<AgentContext>(entity)) {
            // Can't fail: it is no system message.
            let _ = context.add_message(told);
        }
    }
    Ok(())
}

/// A message of another participant, with its name; `None` if it says nothing.
fn heard(phrases: &Phrasebook, body: &Body) -> Option<Message> {
    let said = body.joined_text("\n").into_owned();
    let has_media = body
        .listed_blocks()
        .iter()
        .any(|block| block.as_media().is_some());
    if said.trim().is_empty() && !has_media {
        return None;
    }
    let told = ChatPrompt::Said {
        actor: body.sender().map_or("user", |sender| sender),
        message: said,
    };
    // Can't fail: the templates were checked when they were loaded.
    let text = phrases.fill(&told).unwrap_or_default();
    Some(Message::new(Role::Human, with_text(body, text)))
}
