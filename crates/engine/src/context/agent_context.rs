//! The conversation of one entity.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::locale::{Localize, UiText, text};
use crate::message::{Body, Digest, Message, Role, Tag, Tags, Text};

/// Identifies a message within its context. Later messages have greater ids.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
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
    NewestFirst,
    OldestFirst,
}

/// Why a context refused an edit, which left it unchanged. `entity` is the context's.
#[derive(Debug, Error, PartialEq, Eq, Localize)]
pub enum ContextError {
    /// A system message after other messages.
    #[text(context_not_empty)]
    NotEmpty { entity: String, count: usize },
    /// An id of no message of this context.
    #[text(context_no_such_message, id = id.to_string())]
    NoSuchMessage { entity: String, id: EntryId },
    /// A message of another role, but only human ones can be removed one by one.
    #[text(context_not_human, id = id.to_string())]
    NotHuman { entity: String, id: EntryId },
    /// A range whose end is before its beginning.
    #[text(context_crossed_range, begin = begin.to_string(), end = end.to_string())]
    CrossedRange {
        entity: String,
        begin: EntryId,
        end: EntryId,
    },
    /// A range that includes the system message.
    #[text(context_includes_system, begin = begin.to_string(), end = end.to_string())]
    IncludesSystem {
        entity: String,
        begin: EntryId,
        end: EntryId,
    },
    /// An empty list of ai messages.
    #[text(context_no_messages)]
    NoMessages { entity: String },
}

/// A message as the context stores it: 16 bytes, with a pointer to the shared body.
#[derive(Clone, Debug)]
pub struct Entry {
    body: Body,
    id: EntryId,
    role: Role,
}

impl Entry {
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Its id within its context.
    pub fn id(&self) -> EntryId {
        self.id
    }

    pub fn role(&self) -> Role {
        self.role
    }

    /// The part of its text that no other conversation shares.
    pub fn own_text(&self) -> String {
        let text = self.body.full_text();
        let shared = self.body.shared_prefix();
        let own = shared.and_then(|shared| text.strip_prefix(shared.as_str()));
        own.unwrap_or(&text).trim().to_owned()
    }
}

/// A message with its id, as searches and removals return it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredMessage {
    /// The message's id within its context.
    pub id: EntryId,
    pub message: Message,
}

/// The conversation of an actor, stage or world agent with its mind.
#[derive(Component, Clone, Debug, Default)]
pub struct AgentContext {
    name: Arc<str>,
    /// Sorted by id. A system message, if there is one, is the first.
    entries: Vec<Entry>,
    /// The tags of those entries that have any, sorted by id.
    tags: Vec<(EntryId, Tags)>,
    /// Hash of key and value → entry, sorted. A match is compared with the tag itself.
    index: Vec<(u64, EntryId)>,
    last_id: u32,
    /// How often something before the last ask changed, by a chapter, a budget or a view.
    revisions: u32,
    /// Covers the first `stats.messages` entries; extended when asked for.
    stats: ContextStats,
}

/// Statistics of a conversation as the next prompt would show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextStats {
    pub messages: usize,
    /// The length of their text in bytes.
    pub bytes: u64,
    /// The estimated tokens of their text, uncorrected.
    pub tokens: u64,
    /// A digest of roles and texts in order.
    pub digest: Digest,
}

impl AgentContext {
    /// An empty context of the entity with this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How often something before the last ask changed, by a chapter, a budget or a view. While it
    /// stays the same, messages are only appended.
    pub fn revisions(&self) -> u32 {
        self.revisions
    }

    /// The estimated tokens of the conversation as the next prompt would show it.
    pub fn tokens(&self) -> u64 {
        let each = self.entries.iter().map(|entry| entry.body.short_tokens());
        each.map(u64::from).sum()
    }

    /// Statistics of the conversation as the next prompt would show it. Takes about 0.1 µs for each
    /// message since the last call, and starts over after a removal.
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

    /// The result of the last [`Self::stats`], which may cover fewer messages than there are now.
    pub fn last_stats(&self) -> ContextStats {
        self.stats
    }

    /// All messages with their ids and tags, oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = StoredMessage> {
        self.entries.iter().map(|entry| self.with_id(entry))
    }

    pub fn message(&self, id: EntryId) -> Option<StoredMessage> {
        Some(self.with_id(self.entries.get(self.position(id)?)?))
    }

    pub fn tags(&self, id: EntryId) -> Option<&Tags> {
        let index = self.tags.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.tags.get(index).map(|(_, tags)| tags)
    }

    /// The messages that have tags, oldest first.
    pub fn tagged(&self) -> impl Iterator<Item = (EntryId, &Tags)> {
        self.tags.iter().map(|(id, tags)| (*id, tags))
    }

    /// One message as the context stores it.
    pub fn entry(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(self.position(id)?)
    }

    /// Adds the rules and the identity at the beginning of the conversation.
    ///
    /// ```
    /// use playhouse_engine::context::AgentContext;
    ///
    /// let mut ann = AgentContext::new("Ann");
    /// ann.add_system_message("You are Ann, a smith.")?;
    /// assert!(ann.add_system_message("You are somebody else.").is_err());
    /// # Ok::<(), playhouse_engine::context::ContextError>(())
    /// ```
    ///
    /// # Errors
    /// The context has messages already.
    pub fn add_system_message(&mut self, body: impl Into<Body>) -> Result<EntryId, ContextError> {
        if !self.entries.is_empty() {
            return Err(ContextError::NotEmpty {
                entity: self.name.to_string(),
                count: self.entries.len(),
            });
        }
        Ok(self.push(Role::System, body.into(), Tags::new()))
    }

    /// Puts another body in the place of the system message, if there is one.
    pub fn replace_system_message(&mut self, body: impl Into<Body>) {
        let first = self.entries.first_mut();
        if let Some(entry) = first.filter(|entry| entry.role == Role::System) {
            entry.body = body.into();
            self.revise();
        }
    }

    /// Adds something that the entity is told. Tags mark it for searches and removals; the tag
    /// `compressed_prompt` becomes the short form of the body.
    ///
    /// ```
    /// use playhouse_engine::context::AgentContext;
    /// use playhouse_engine::message::{TagKey, Tags};
    ///
    /// let mut ann = AgentContext::new("Ann");
    /// ann.add_human_message("The bell rings.", Tags::new());
    /// let fight = TagKey::new("combat_initialization").of("Hall");
    /// let fight = ann.add_human_message("# A fight begins in the Hall!", fight);
    /// let own = Tags::new().with_user("round", 1)?.with_user("compressed_prompt", "Round 1")?;
    /// let round = ann.add_human_message("# Order! Round 1 …", own);
    /// assert_eq!(ann.tags(fight).unwrap().text("combat_initialization"), Some("Hall"));
    /// assert_eq!(ann.entry(round).unwrap().body().short_text(), "Round 1");
    /// # Ok::<(), playhouse_engine::message::TagError>(())
    /// ```
    pub fn add_human_message(&mut self, body: impl Into<Body>, tags: impl Into<Tags>) -> EntryId {
        self.push(Role::Human, body.into(), tags.into())
    }

    /// Adds an answer of the entity's mind. The engine does so when it commits an answer, with what
    /// the provider said about it.
    ///
    /// ```
    /// use playhouse_engine::context::AgentContext;
    /// use playhouse_engine::message::{Body, ResponseMetadata, TokenUsage, message_to_json};
    ///
    /// let mut ann = AgentContext::new("Ann");
    /// let usage = TokenUsage { input: 900, output: 40, cached: 768, ..TokenUsage::default() };
    /// let answer = Body::text("I draw my sword.")
    ///     .with_response(ResponseMetadata::new("deepseek", "deepseek-chat", usage));
    /// let ids = ann.add_ai_message([answer])?;
    /// let json = message_to_json(&ann.message(ids[0]).unwrap().message);
    /// assert_eq!(json["response_metadata"]["model_name"], "deepseek-chat");
    /// assert_eq!(json["response_metadata"]["prompt_cache_hit_tokens"], 768);
    /// assert!(ann.add_ai_message([]).is_err());
    /// # Ok::<(), playhouse_engine::context::ContextError>(())
    /// ```
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
            return Err(ContextError::NoMessages {
                entity: self.name.to_string(),
            });
        }
        Ok(ids)
    }

    /// Adds the results of the tools that the ai message before it called.
    pub fn add_tool_message(&mut self, body: impl Into<Body>) -> EntryId {
        self.push(Role::Tool, body.into(), Tags::new())
    }

    /// Adds a message of any role; for importing conversations.
    ///
    /// # Errors
    /// The message is a system message, but not the first message.
    pub fn add_message(&mut self, message: Message) -> Result<EntryId, ContextError> {
        self.check_role(message.role)?;
        Ok(self.push(message.role, message.body, message.tags))
    }

    /// Only the first message is one of the system.
    fn check_role(&self, role: Role) -> Result<(), ContextError> {
        if role == Role::System && !self.entries.is_empty() {
            return Err(ContextError::NotEmpty {
                entity: self.name.to_string(),
                count: self.entries.len(),
            });
        }
        Ok(())
    }

    /// Finds the human messages that have a tag with exactly this value.
    ///
    /// ```
    /// use playhouse_engine::context::{AgentContext, SearchOrder};
    /// use playhouse_engine::message::TagKey;
    ///
    /// let mut ann = AgentContext::new("Ann");
    /// for number in ["1", "2"] {
    ///     let begin = TagKey::new("combat_initialization").of("Hall");
    ///     let fight = [begin, TagKey::new("combat_id").of(number)];
    ///     ann.add_human_message("# A fight begins in the Hall!", fight);
    /// }
    /// let find = |key, value, order| ann.filter_human_messages_by_attribute(key, value, order);
    /// let fights = find("combat_initialization", "Hall", SearchOrder::NewestFirst);
    /// assert_eq!(fights.len(), 2);
    /// assert!(fights[0].id > fights[1].id);
    /// assert_eq!(find("combat_id", "1", SearchOrder::OldestFirst), [fights[1].clone()]);
    /// ```
    pub fn filter_human_messages_by_attribute(
        &self,
        key: &str,
        value: impl Into<Value>,
        order: SearchOrder,
    ) -> Vec<StoredMessage> {
        let value = value.into();
        let hash = tag_hash(key, &value);
        let from = self.index.partition_point(|(row_hash, _)| *row_hash < hash);
        let hits = self.index[from..]
            .iter()
            .take_while(|(row_hash, _)| *row_hash == hash)
            .filter_map(|(_, id)| self.entries.get(self.position(*id)?))
            .filter(|entry| entry.role == Role::Human)
            .filter(|entry| self.has_tag(entry, key, &value));
        let mut found: Vec<_> = hits.map(|entry| self.with_id(entry)).collect();
        if order == SearchOrder::NewestFirst {
            found.reverse();
        }
        found
    }

    /// Removes human messages one by one and returns them, oldest first.
    ///
    /// ```
    /// use playhouse_engine::context::AgentContext;
    /// use playhouse_engine::message::Tags;
    ///
    /// let mut ann = AgentContext::new("Ann");
    /// let bell = ann.add_human_message("The bell rings.", Tags::new());
    /// let answer = ann.add_ai_message(["I listen.".into()])?[0];
    /// assert!(ann.remove_human_messages(&[bell, answer]).is_err(), "one is Ann’s own");
    /// assert_eq!(ann.len(), 2);
    /// assert_eq!(ann.remove_human_messages(&[bell])?[0].id, bell);
    /// assert_eq!(ann.len(), 1);
    /// # Ok::<(), playhouse_engine::context::ContextError>(())
    /// ```
    ///
    /// # Errors
    /// An id is unknown or of a message that is not human. Nothing is removed then.
    pub fn remove_human_messages(
        &mut self,
        ids: &[EntryId],
    ) -> Result<Vec<StoredMessage>, ContextError> {
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

    /// Removes the messages from `begin` to `end`, inclusive, and returns them, oldest first.
    ///
    /// ```
    /// use playhouse_engine::context::AgentContext;
    /// use playhouse_engine::message::{TagKey, Tags};
    ///
    /// let mut ann = AgentContext::new("Ann");
    /// let rules = ann.add_system_message("You are Ann, a smith.")?;
    /// let begin = TagKey::new("combat_initialization").of("Hall");
    /// let begin = ann.add_human_message("# A fight begins in the Hall!", begin);
    /// ann.add_ai_message(["I draw my sword.".into()])?;
    /// let end = TagKey::new("combat_outcome").of("Hall");
    /// let end = ann.add_human_message("# The fight is won.", end);
    /// assert!(ann.remove_message_range(end, begin).is_err());
    /// assert!(ann.remove_message_range(rules, end).is_err(), "the system message stays");
    /// assert_eq!(ann.remove_message_range(begin, end)?.len(), 3);
    /// let summary = ann.add_human_message("(You won a fight in the Hall.)", Tags::new());
    /// assert!(summary > end, "no id is given twice");
    /// # Ok::<(), playhouse_engine::context::ContextError>(())
    /// ```
    ///
    /// # Errors
    /// An id is unknown, the end is before the beginning, or the range includes the system message.
    /// Nothing is removed then.
    pub fn remove_message_range(
        &mut self,
        begin: EntryId,
        end: EntryId,
    ) -> Result<Vec<StoredMessage>, ContextError> {
        let (from, to) = self.range(begin, end)?;
        let first = self.tags.partition_point(|(id, _)| *id < begin);
        let last = self.tags.partition_point(|(id, _)| *id <= end);
        let mut tags = self.tags.drain(first..last).peekable();
        // Moving the bodies out, rather than cloning them, leaves their counters untouched.
        let removed = self
            .entries
            .drain(from..=to)
            .map(|entry| StoredMessage {
                id: entry.id,
                message: Message {
                    role: entry.role,
                    body: entry.body,
                    tags: tags
                        .next_if(|(id, _)| *id == entry.id)
                        .map_or_else(Tags::new, |(_, tags)| tags),
                },
            })
            .collect();
        drop(tags);
        self.index.retain(|(_, id)| *id < begin || *id > end);
        self.revise();
        Ok(removed)
    }

    /// Replaces the messages from `begin` to `end`, inclusive, with one human message, which takes
    /// over the id of the first, and returns them.
    pub fn replace_message_range(
        &mut self,
        begin: EntryId,
        end: EntryId,
        body: impl Into<Body>,
        tags: impl Into<Tags>,
    ) -> Result<Vec<StoredMessage>, ContextError> {
        let removed = self.remove_message_range(begin, end)?;
        let (body, tags) = condensed(body.into(), tags.into());
        let position = self.entries.partition_point(|entry| entry.id < begin);
        self.entries.insert(
            position,
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

    /// Reserves memory for this many more messages.
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
        let entry = self.position(id).and_then(|index| self.entries.get(index));
        let short = entry.and_then(|entry| entry.body.short());
        for row in rows(id, &tags, short) {
            let position = self.index.partition_point(|before| *before < row);
            self.index.insert(position, row);
        }
        if !tags.is_empty() {
            let position = self.tags.partition_point(|(tagged, _)| *tagged < id);
            self.tags.insert(position, (id, tags));
        }
    }

    /// Records that something before the last message changed.
    fn revise(&mut self) {
        self.revisions += 1;
        self.stats = ContextStats::default();
    }

    fn has_tag(&self, entry: &Entry, key: &str, value: &Value) -> bool {
        let tag = self.tags(entry.id).and_then(|tags| tags.get(key));
        tag == Some(value)
            || (key == Tag::COMPRESSED_PROMPT.as_str()
                && value.is_string()
                && entry.body.short().map(Text::as_str) == value.as_str())
    }

    fn with_id(&self, entry: &Entry) -> StoredMessage {
        StoredMessage {
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
            return Err(ContextError::IncludesSystem {
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

    /// Restores a saved context: messages with the ids they had.
    pub(crate) fn restore(
        name: Arc<str>,
        messages: Vec<StoredMessage>,
        last_id: u32,
        revisions: u32,
    ) -> Result<Self, UiText> {
        let mut context = Self::new(name);
        context.reserve(messages.len());
        for StoredMessage { id, message } in messages {
            if id.0 <= context.last_id {
                return Err(text!(context_out_of_order, id = id.to_string()));
            }
            context
                .check_role(message.role)
                .map_err(|error| error.text())?;
            context.last_id = id.0;
            let (body, tags) = condensed(message.body, message.tags);
            context.index.extend(rows(id, &tags, body.short()));
            context.entries.push(Entry {
                body,
                id,
                role: message.role,
            });
            if !tags.is_empty() {
                context.tags.push((id, tags));
            }
        }
        context.index.sort_unstable();
        if last_id < context.last_id {
            let message = context.last_id;
            return Err(text!(context_last_id, last = last_id, message));
        }
        context.last_id = last_id;
        context.revisions = revisions;
        Ok(context)
    }

    /// The last id that was given; for saves.
    pub(crate) fn last_id(&self) -> u32 {
        self.last_id
    }
}

/// Moves a short text that was given as a tag into the body, where prompts look for it.
fn condensed(body: Body, mut tags: Tags) -> (Body, Tags) {
    match tags.take_compressed_prompt() {
        Some(short) if body.short().is_none_or(|held| held.as_str() != &*short) => {
            (body.with_short(&*short), tags)
        }
        _ => (body, tags),
    }
}

/// The rows of the index for an entry with these tags and this short text.
fn rows(id: EntryId, tags: &Tags, short: Option<&Text>) -> impl Iterator<Item = (u64, EntryId)> {
    let hashes = tags.iter().map(|(key, value)| tag_hash(key, value));
    let short = short.map(|short| text_hash(Tag::COMPRESSED_PROMPT.as_str(), short.as_str()));
    hashes.chain(short).map(move |hash| (hash, id))
}

/// Equal for equal tags within a process. Never stored.
fn tag_hash(key: &str, value: &Value) -> u64 {
    match value {
        Value::String(text) => text_hash(key, text),
        value => text_hash(key, &value.to_string()),
    }
}

fn text_hash(key: &str, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (key, text).hash(&mut hasher);
    hasher.finish()
}
