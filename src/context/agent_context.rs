//! The conversation of one entity.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::generation::Generation;
use crate::message::{Body, Digest, Message, Role, Tag, Tags, Text};

/// Names one message within one context, for as long as the context lives. Later messages have
/// greater ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub u32);

impl std::fmt::Display for EntryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// In which order a search returns what it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchOrder {
    /// The latest message first.
    NewestFirst,
    /// The earliest message first.
    OldestFirst,
}

/// Why a context refused an edit. It is then as it was.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ContextError {
    /// A system message where there is a message already.
    #[error("'{entity}' has {held} message(s) already; a system message can only be the first")]
    NotEmpty {
        /// The context's entity.
        entity: String,
        /// How many messages it holds.
        held: usize,
    },
    /// An id that no message of this context has.
    #[error("'{entity}' holds no message {id}; it was removed, or belongs to another context")]
    NoSuchMessage {
        /// The context's entity.
        entity: String,
        /// The unknown id.
        id: EntryId,
    },
    /// A message of another role where a human one is needed.
    #[error(
        "message {id} of '{entity}' is not a human message; only those can be removed one by one"
    )]
    NotHuman {
        /// The context's entity.
        entity: String,
        /// The message.
        id: EntryId,
    },
    /// A range whose end stands before its begin.
    #[error(
        "the range {begin} to {end} of '{entity}' is crossed; its begin must not stand after its end"
    )]
    CrossedRange {
        /// The context's entity.
        entity: String,
        /// The range's first message.
        begin: EntryId,
        /// The range's last message.
        end: EntryId,
    },
    /// A range that would take the system message away.
    #[error(
        "the range {begin} to {end} of '{entity}' holds its system message, which always stays"
    )]
    HoldsSystem {
        /// The context's entity.
        entity: String,
        /// The range's first message.
        begin: EntryId,
        /// The range's last message.
        end: EntryId,
    },
    /// An empty list of ai messages.
    #[error("no ai message was given to '{entity}'; an answer is at least one message")]
    NothingSaid {
        /// The context's entity.
        entity: String,
    },
}

/// One message as the context stores it: 16 bytes that point to a shared body.
#[derive(Clone, Debug)]
pub struct Entry {
    body: Body,
    id: EntryId,
    role: Role,
}

impl Entry {
    /// What is said.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The message's id within its context.
    pub fn id(&self) -> EntryId {
        self.id
    }

    /// Whose turn it is.
    pub fn role(&self) -> Role {
        self.role
    }
}

/// A message with its id and tags, as a search or a removal returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldMessage {
    /// The message's id within its context.
    pub id: EntryId,
    /// The message.
    pub message: Message,
}

/// The conversation of one actor, stage or world agent with its mind.
#[derive(Component, Clone, Debug, Default)]
pub struct AgentContext {
    name: Arc<str>,
    /// Sorted by id; a system message, if any, is the first.
    entries: Vec<Entry>,
    /// Tags of those entries that have any, sorted by id.
    tags: Vec<(EntryId, Tags)>,
    /// Hash of key and value → entry, sorted; a hit is compared with the tag itself.
    index: Vec<(u64, EntryId)>,
    last_id: u32,
    /// How often something before the last ask was changed: chapters, budgets, chosen views.
    revisions: u32,
    /// Figures of the first so many entries; extended when asked for.
    stats: ContextStats,
    /// New after every edit but an append.
    generation: Generation,
}

/// Figures of a conversation as the next prompt would show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextStats {
    /// How many messages.
    pub messages: usize,
    /// Bytes of their text.
    pub bytes: u64,
    /// Estimated tokens of their text, uncorrected.
    pub tokens: u64,
    /// A digest of roles and texts in order.
    pub digest: Digest,
}

impl AgentContext {
    /// An empty context of the entity of this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The entity's name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The messages as stored, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How often something before the last ask was changed: by a chapter, a budget or a chosen view.
    pub fn revisions(&self) -> u32 {
        self.revisions
    }

    /// A number that two conversations share only where one is the other with more messages after it; new
    /// for every clone. It differs from run to run: never save, hash or show it, and let nothing that
    /// reaches the world depend on it.
    pub fn generation(&self) -> u64 {
        self.generation.number()
    }

    /// The estimated tokens of the conversation as the next prompt would show it.
    pub fn tokens(&self) -> u64 {
        let each = self.entries.iter().map(|entry| entry.body.short_tokens());
        each.map(u64::from).sum()
    }

    /// Figures of the conversation as the next prompt would show it. Costs about 0.1 µs for each
    /// message since it was last asked for, and starts anew after a removal.
    pub fn stats(&mut self) -> ContextStats {
        let mut stats = self.stats;
        for entry in self.entries.get(stats.messages..).unwrap_or_default() {
            let body = &entry.body;
            let (shown, bytes, tokens) = match body.short() {
                Some(short) => (short.digest(), short.as_str().len(), short.tokens()),
                None => (body.digest(), body.bytes(), body.tokens()),
            };
            let mut chained = [0; 33];
            chained[..16].copy_from_slice(&stats.digest.0);
            chained[16..32].copy_from_slice(&shown.0);
            chained[32] = entry.role as u8;
            stats.digest = Digest::of(&chained);
            stats.bytes += bytes as u64;
            stats.tokens += u64::from(tokens);
        }
        stats.messages = self.entries.len();
        self.stats = stats;
        stats
    }

    /// The figures as they were counted last, which may be of fewer messages than there are now.
    pub fn counted(&self) -> ContextStats {
        self.stats
    }

    /// All messages with their ids and tags, oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = HeldMessage> {
        self.entries.iter().map(|entry| self.held(entry))
    }

    /// One message.
    pub fn message(&self, id: EntryId) -> Option<HeldMessage> {
        Some(self.held(self.entries.get(self.position(id)?)?))
    }

    /// The tags of one message.
    pub fn tags(&self, id: EntryId) -> Option<&Tags> {
        let at = self.tags.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.tags.get(at).map(|(_, tags)| tags)
    }

    /// Adds the rules and identity that open the conversation.
    ///
    /// # Errors
    /// The context has messages already.
    pub fn add_system_message(&mut self, body: impl Into<Body>) -> Result<EntryId, ContextError> {
        if !self.entries.is_empty() {
            return Err(ContextError::NotEmpty {
                entity: self.name.to_string(),
                held: self.entries.len(),
            });
        }
        Ok(self.push(Role::System, body.into(), Tags::new()))
    }

    /// Adds something the entity is told. Several may follow each other.
    pub fn add_human_message(&mut self, body: impl Into<Body>, tags: impl Into<Tags>) -> EntryId {
        self.push(Role::Human, body.into(), tags.into())
    }

    /// Adds what the entity's mind answered.
    ///
    /// # Errors
    /// The list is empty.
    pub fn add_ai_message(
        &mut self,
        bodies: impl IntoIterator<Item = Body>,
    ) -> Result<Vec<EntryId>, ContextError> {
        let ids: Vec<_> = bodies
            .into_iter()
            .map(|body| self.push(Role::Ai, body, Tags::new()))
            .collect();
        if ids.is_empty() {
            return Err(ContextError::NothingSaid {
                entity: self.name.to_string(),
            });
        }
        Ok(ids)
    }

    /// Adds what the tools returned that the ai message before called.
    pub fn add_tool_message(&mut self, body: impl Into<Body>) -> EntryId {
        self.push(Role::Tool, body.into(), Tags::new())
    }

    /// Adds a message of any role; for reading conversations that others wrote.
    ///
    /// # Errors
    /// A system message that is not the first.
    pub fn add_message(&mut self, message: Message) -> Result<EntryId, ContextError> {
        if message.role == Role::System && !self.entries.is_empty() {
            return Err(ContextError::NotEmpty {
                entity: self.name.to_string(),
                held: self.entries.len(),
            });
        }
        Ok(self.push(message.role, message.body, message.tags))
    }

    /// Finds the human messages that carry a tag with exactly this value.
    pub fn filter_human_messages_by_attribute(
        &self,
        key: &str,
        value: impl Into<Value>,
        order: SearchOrder,
    ) -> Vec<HeldMessage> {
        let value = value.into();
        let hash = tag_hash(key, &value);
        let from = self.index.partition_point(|(other, _)| *other < hash);
        let hits = self.index[from..]
            .iter()
            .take_while(|(other, _)| *other == hash)
            .filter_map(|(_, id)| self.entries.get(self.position(*id)?))
            .filter(|entry| entry.role == Role::Human)
            .filter(|entry| self.carries(entry, key, &value));
        let mut found: Vec<_> = hits.map(|entry| self.held(entry)).collect();
        if order == SearchOrder::NewestFirst {
            found.reverse();
        }
        found
    }

    /// Removes human messages one by one and returns them, oldest first.
    ///
    /// # Errors
    /// An id is unknown or not a human message's; nothing is removed then.
    pub fn remove_human_messages(
        &mut self,
        ids: &[EntryId],
    ) -> Result<Vec<HeldMessage>, ContextError> {
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut removed = Vec::with_capacity(sorted.len());
        for &id in &sorted {
            let message = self.message(id).ok_or_else(|| self.unknown(id))?;
            if message.message.role != Role::Human {
                return Err(ContextError::NotHuman {
                    entity: self.name.to_string(),
                    id,
                });
            }
            removed.push(message);
        }
        if !sorted.is_empty() {
            let gone = |id: EntryId| sorted.binary_search(&id).is_ok();
            self.entries.retain(|entry| !gone(entry.id));
            self.tags.retain(|(id, _)| !gone(*id));
            self.index.retain(|(_, id)| !gone(*id));
            self.revise();
        }
        Ok(removed)
    }

    /// Removes the messages from `begin` to `end`, both included, and returns them, oldest first.
    ///
    /// # Errors
    /// An id is unknown, the range is crossed, or it holds the system message; nothing is removed then.
    pub fn remove_message_range(
        &mut self,
        begin: EntryId,
        end: EntryId,
    ) -> Result<Vec<HeldMessage>, ContextError> {
        let (from, to) = self.range(begin, end)?;
        let first = self.tags.partition_point(|(id, _)| *id < begin);
        let last = self.tags.partition_point(|(id, _)| *id <= end);
        let mut tags = self.tags.drain(first..last).peekable();
        // Bodies are moved out, not shared and let go again, which would touch every one of them.
        let removed = self.entries.drain(from..=to).map(|entry| HeldMessage {
            id: entry.id,
            message: Message {
                role: entry.role,
                body: entry.body,
                tags: tags
                    .next_if(|(id, _)| *id == entry.id)
                    .map_or_else(Tags::new, |(_, tags)| tags),
            },
        });
        let removed = removed.collect();
        drop(tags);
        self.index.retain(|(_, id)| *id < begin || *id > end);
        self.revise();
        Ok(removed)
    }

    /// Puts one human message in the place of the messages from `begin` to `end`, both included, and
    /// returns those. The new message takes over the id of the first.
    ///
    /// # Errors
    /// As [`Self::remove_message_range`].
    pub fn replace_message_range(
        &mut self,
        begin: EntryId,
        end: EntryId,
        body: impl Into<Body>,
        tags: impl Into<Tags>,
    ) -> Result<Vec<HeldMessage>, ContextError> {
        let removed = self.remove_message_range(begin, end)?;
        let (body, tags) = condensed(body.into(), tags.into());
        let at = self.entries.partition_point(|entry| entry.id < begin);
        self.entries.insert(
            at,
            Entry {
                body,
                id: begin,
                role: Role::Human,
            },
        );
        self.mark(begin, tags);
        Ok(removed)
    }

    /// The last two messages, if they are a question and its answer.
    pub fn last_exchange(&self) -> Option<(EntryId, EntryId)> {
        match self.entries() {
            [.., question, answer]
                if question.role() == Role::Human && answer.role() == Role::Ai =>
            {
                Some((question.id(), answer.id()))
            }
            _ => None,
        }
    }

    /// Makes room for this many more messages.
    pub fn reserve(&mut self, additional: usize) {
        self.entries.reserve(additional);
    }

    fn push(&mut self, role: Role, body: Body, tags: Tags) -> EntryId {
        let (body, tags) = condensed(body, tags);
        self.last_id += 1;
        let id = EntryId(self.last_id);
        let has_short = body.short().is_some();
        self.entries.push(Entry { body, id, role });
        if has_short || !tags.is_empty() {
            self.mark(id, tags);
        }
        id
    }

    /// Stores and indexes the tags of an entry that has none yet.
    fn mark(&mut self, id: EntryId, tags: Tags) {
        let hashes: Vec<u64> = tags
            .iter()
            .map(|(key, value)| tag_hash(key, &value))
            .chain(self.short_hash(id))
            .collect();
        for hash in hashes {
            let at = self.index.partition_point(|row| *row < (hash, id));
            self.index.insert(at, (hash, id));
        }
        if !tags.is_empty() {
            let at = self.tags.partition_point(|(other, _)| *other < id);
            self.tags.insert(at, (id, tags));
        }
    }

    fn short_hash(&self, id: EntryId) -> Option<u64> {
        let short = self.entries.get(self.position(id)?)?.body.short()?;
        Some(tag_hash(Tag::COMPRESSED_PROMPT, &short.as_str().into()))
    }

    /// Notes that something before the last message changed.
    fn revise(&mut self) {
        self.revisions += 1;
        self.stats = ContextStats::default();
        self.generation = Generation::default();
    }

    fn carries(&self, entry: &Entry, key: &str, value: &Value) -> bool {
        let tag = self.tags(entry.id).and_then(|tags| tags.get(key));
        tag.as_ref() == Some(value)
            || (key == Tag::COMPRESSED_PROMPT
                && value.is_string()
                && entry.body.short().map(Text::as_str) == value.as_str())
    }

    fn held(&self, entry: &Entry) -> HeldMessage {
        HeldMessage {
            id: entry.id,
            message: Message {
                role: entry.role,
                body: entry.body.clone(),
                tags: self.tags(entry.id).cloned().unwrap_or_default(),
            },
        }
    }

    fn position(&self, id: EntryId) -> Option<usize> {
        self.entries
            .binary_search_by_key(&id, |entry| entry.id)
            .ok()
    }

    fn range(&self, begin: EntryId, end: EntryId) -> Result<(usize, usize), ContextError> {
        let from = self.position(begin).ok_or_else(|| self.unknown(begin))?;
        let to = self.position(end).ok_or_else(|| self.unknown(end))?;
        let entity = || self.name.to_string();
        if from > to {
            return Err(ContextError::CrossedRange {
                entity: entity(),
                begin,
                end,
            });
        }
        if self.entries[from].role == Role::System {
            return Err(ContextError::HoldsSystem {
                entity: entity(),
                begin,
                end,
            });
        }
        Ok((from, to))
    }

    fn unknown(&self, id: EntryId) -> ContextError {
        ContextError::NoSuchMessage {
            entity: self.name.to_string(),
            id,
        }
    }

    /// A context as a save holds it: messages with the ids they had.
    pub(crate) fn restore(
        name: Arc<str>,
        messages: impl IntoIterator<Item = (EntryId, Message)>,
        last_id: u32,
        revisions: u32,
    ) -> Result<Self, String> {
        let messages = messages.into_iter();
        let mut context = Self::new(name);
        context.reserve(messages.size_hint().1.unwrap_or_default());
        for (id, message) in messages {
            if id.0 <= context.last_id {
                return Err(format!("message {id} stands out of order"));
            }
            context.last_id = id.0 - 1;
            context
                .add_message(message)
                .map_err(|error| error.to_string())?;
        }
        if last_id < context.last_id {
            return Err(format!(
                "last id {last_id} is below message {}",
                context.last_id
            ));
        }
        context.last_id = last_id;
        context.revisions = revisions;
        Ok(context)
    }

    /// The id given last; for saves.
    pub(crate) fn last_id(&self) -> u32 {
        self.last_id
    }
}

/// A short text lives in the body alone, where prompts look for it; given as a tag, it moves there.
fn condensed(body: Body, mut tags: Tags) -> (Body, Tags) {
    match tags.take_compressed_prompt() {
        Some(short) if body.short().is_none_or(|held| held.as_str() != &*short) => {
            (body.with_short(&*short), tags)
        }
        _ => (body, tags),
    }
}

/// A hash that is equal for equal tags within one process; it is never stored.
fn tag_hash(key: &str, value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    match value {
        Value::String(text) => text.hash(&mut hasher),
        other => other.to_string().hash(&mut hasher),
    }
    hasher.finish()
}
