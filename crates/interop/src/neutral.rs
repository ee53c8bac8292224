//! The intermediate form of a message between two formats. Readers fill it; writers take out what
//! their format has members for, and keep the rest as leftovers (see `leftovers.rs`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use playhouse_engine::message::{
    Block, Body, BodyId, Message, ResponseMetadata, Role, Tags, with_condensed,
};
use serde_json::{Map, Value};

/// The member of our metadata that keeps what another format said beyond our members.
pub(super) const ORIGIN: &str = "origin";

/// The member of an origin that marks a message that was part of the one before it.
pub(super) const JOINED: &str = "joined";

/// A message in no particular format.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Neutral {
    pub(super) role: Option<Role>,
    pub(super) blocks: Vec<Block>,
    pub(super) name: Option<String>,
    pub(super) metadata: Map<String, Value>,
    /// What another format said that ours has no members for: `id`, `timestamp`, and its own
    /// members.
    pub(super) origin: Map<String, Value>,
    pub(super) tags: Tags,
    /// The condensed form for later prompts.
    pub(super) short: Option<String>,
    pub(super) response: Option<ResponseMetadata>,
}

impl Neutral {
    /// Takes one of our messages apart.
    pub(super) fn of(message: &Message) -> Self {
        let body = &message.body;
        let mut metadata = body.metadata().cloned().unwrap_or_default();
        let origin = match metadata.remove(ORIGIN) {
            Some(Value::Object(origin)) => origin,
            Some(other) => {
                metadata.insert(ORIGIN.into(), other);
                Map::new()
            }
            None => Map::new(),
        };
        let mut neutral = Self {
            role: Some(message.role),
            blocks: body.to_blocks(),
            name: body.sender().map(|name| name.to_string()),
            metadata,
            origin,
            tags: message.tags.clone(),
            short: body.short().map(|short| short.as_str().to_owned()),
            response: body.response().cloned(),
        };
        if body.id() != BodyId::NONE {
            let id = body.id().to_string();
            neutral.origin.entry("id").or_insert(id.into());
        }
        neutral
    }

    /// The role; human if there is none.
    pub(super) fn role(&self) -> Role {
        self.role.unwrap_or(Role::Human)
    }

    /// Whether it has nothing but a role, a name and blocks.
    pub(super) fn is_bare(&self) -> bool {
        self.metadata.is_empty()
            && self.origin.is_empty()
            && self.tags.is_empty()
            && self.short.is_none()
            && self.response.is_none()
    }

    /// Keeps a member of another format, unless it is empty.
    pub(super) fn keep(&mut self, key: &str, value: Option<&Value>) {
        let is_empty = |value: &Value| match value {
            Value::Null => true,
            Value::Array(list) => list.is_empty(),
            Value::Object(map) => map.is_empty(),
            _ => false,
        };
        if let Some(value) = value.filter(|value| !is_empty(value)) {
            self.origin.insert(key.into(), value.clone());
        }
    }

    /// Keeps the members of which a format says nothing, under its name.
    pub(super) fn keep_others(&mut self, format: &str, map: &Map<String, Value>, known: &[&str]) {
        let mut others = map.clone();
        others.retain(|member, _| !known.contains(&&**member));
        self.keep(format, Some(&Value::Object(others)));
    }

    /// Our messages. Tool results become messages with the role tool, since some formats put calls,
    /// results and what followed into one message.
    pub(super) fn into_messages(mut self) -> Vec<Message> {
        let role = self.role();
        let mut runs: Vec<(Role, Vec<Block>)> = Vec::new();
        for block in std::mem::take(&mut self.blocks) {
            let role = if block.is_tool_result() {
                Role::Tool
            } else {
                role
            };
            match runs.last_mut() {
                Some((last, run)) if *last == role => run.push(block),
                _ => runs.push((role, vec![block])),
            }
        }
        let mut runs = runs.into_iter();
        let (first, blocks) = runs.next().unwrap_or((role, Vec::new()));
        let name = self.name.clone();
        let mut messages = vec![self.into_message(first, blocks)];
        messages.extend(runs.map(|(role, blocks)| {
            let mut part = Self {
                name: name.clone().filter(|_| role != Role::Tool),
                ..Self::default()
            };
            part.origin.insert(JOINED.into(), true.into());
            part.into_message(role, blocks)
        }));
        messages
    }

    /// Whether it is a thought or calls, which other formats put into the message beside them.
    fn is_step(&self) -> bool {
        let is_step =
            |block: &Block| matches!(block, Block::Thinking { .. } | Block::ToolUse { .. });
        self.role == Some(Role::Ai) && self.is_bare() && self.blocks.iter().all(is_step)
    }

    fn into_message(self, role: Role, blocks: Vec<Block>) -> Message {
        let mut body = if blocks.is_empty() {
            Body::text("")
        } else {
            Body::blocks(blocks)
        };
        if let Some(name) = self.name {
            body = body.from_sender(name);
        }
        let mut metadata = self.metadata;
        if !self.origin.is_empty() {
            metadata.insert(ORIGIN.into(), Value::Object(self.origin));
        }
        if !metadata.is_empty() {
            body = body.with_metadata(metadata);
        }
        if let Some(response) = self.response {
            body = body.with_response(response);
        }
        if let Some(short) = self.short {
            body = with_condensed(body, &short);
        }
        Message::new(role, body).tagged(self.tags)
    }
}

/// Adds what [`Neutral::keep_others`] kept of a format to the first of these, and its weight in
/// training.
pub(super) fn add_others(written: &mut [Value], format: &str, origin: &Map<String, Value>) {
    let Some(Value::Object(first)) = written.first_mut() else {
        return;
    };
    let others = origin.get(format).and_then(Value::as_object);
    let weight = origin.get_key_value("weight");
    for (member, value) in others.into_iter().flatten().chain(weight) {
        first.entry(member.clone()).or_insert_with(|| value.clone());
    }
}

/// Gives each call an id of its own, by which its result refers to it: some formats have none, or
/// the name of the function.
pub(super) fn tell_calls_apart(messages: Vec<Message>) -> Vec<Message> {
    let mut ids = BTreeSet::new();
    let mut calls = BTreeMap::<String, usize>::new();
    let mut open = BTreeMap::<String, VecDeque<String>>::new();
    let with_ids = messages.into_iter().flat_map(|message| {
        let mut neutral = Neutral::of(&message);
        for block in &mut neutral.blocks {
            match block {
                Block::ToolUse { id, name, .. } => {
                    let given = std::mem::take(id);
                    let stem = if given.is_empty() { name } else { &given };
                    let number = calls.entry(stem.clone()).or_default();
                    id.clone_from(stem);
                    while !ids.insert(id.clone()) {
                        *number += 1;
                        *id = format!("{stem}-{}", *number + 1);
                    }
                    open.entry(given).or_default().push_back(id.clone());
                }
                Block::ToolResult { tool_use_id, .. } => {
                    let own = open.get_mut(tool_use_id).and_then(VecDeque::pop_front);
                    if let Some(own) = own {
                        *tool_use_id = own;
                    }
                }
                _ => {}
            }
        }
        neutral.into_messages()
    });
    with_ids.collect()
}

/// Puts thoughts and calls, each of which is an item of its own in some formats, into one message
/// with what the model says beside them: calls that are made together are answered together.
pub(super) fn join_steps(messages: Vec<Message>) -> Vec<Message> {
    let mut joined: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        let last = joined.pop_if(|last| last.role == Role::Ai && message.role == Role::Ai);
        let Some(last) = last else {
            joined.push(message);
            continue;
        };
        let (mut before, mut after) = (Neutral::of(&last), Neutral::of(&message));
        if after.is_step() {
            before.blocks.append(&mut after.blocks);
            joined.extend(before.into_messages());
        } else if before.is_step() {
            before.blocks.append(&mut after.blocks);
            after.blocks = before.blocks;
            joined.extend(after.into_messages());
        } else {
            joined.extend([last, message]);
        }
    }
    joined
}
