//! The structured log of Concordia, which its log viewer opens.
//!
//! Source: `concordia/utils/structured_logging.py`. Long texts are kept once, and entries refer to
//! them by their ids.

use std::collections::BTreeMap;

use playhouse_engine::message::Digest;
use serde_json::{Map, Value, json};

/// Shorter texts stand where they are said.
const SHORTEST_KEPT: usize = 50;

/// Who logs an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logger {
    /// A character.
    Entity,
    GameMaster,
}

/// What happened in a step.
#[derive(Clone, Debug)]
pub struct LogEntry<'a> {
    pub step: u64,
    /// When, as an ISO time; empty if that is not known.
    pub timestamp: String,
    pub logger: Logger,
    pub name: &'a str,
    /// The part of the logger that it comes from.
    pub component: &'a str,
    /// One line.
    pub summary: String,
    /// The rest, as the viewer unfolds it.
    pub data: Value,
}

/// A log that grows.
#[derive(Clone, Debug, Default)]
pub struct Log {
    contents: BTreeMap<String, String>,
    entries: Vec<Value>,
    memories: BTreeMap<String, Vec<String>>,
    game_master: Vec<String>,
}

impl Log {
    pub fn add(&mut self, entry: LogEntry<'_>) {
        let (kind, key) = match entry.logger {
            Logger::Entity => ("entity", format!("Entity [{}]", entry.name)),
            Logger::GameMaster => ("step", format!("{} --- Event", entry.name)),
        };
        let data = self.kept(entry.data);
        self.entries.push(json!({
            "step": entry.step, "timestamp": entry.timestamp, "entity_name": entry.name,
            "component_name": entry.component, "entry_type": kind, "summary": entry.summary,
            "deduplicated_data": {"key": key, "value": data},
        }));
    }

    /// What a character remembers.
    pub fn remember(&mut self, name: &str, memories: Vec<String>) {
        self.memories.insert(name.to_owned(), memories);
    }

    /// What those remember who tell what happens.
    pub fn remember_as_game_master(&mut self, memories: impl IntoIterator<Item = String>) {
        self.game_master.extend(memories);
    }

    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    pub fn into_json(self) -> Value {
        json!({
            "content_store": self.contents, "entries": self.entries,
            "entity_memories": self.memories, "game_master_memories": self.game_master,
        })
    }

    /// A value with references in the place of its long texts.
    fn kept(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) if text.chars().count() >= SHORTEST_KEPT => {
                let id = Digest::of(text.as_bytes()).to_string();
                let reference = json!({"_ref": &id});
                self.contents.insert(id, text);
                reference
            }
            Value::Array(items) => items.into_iter().map(|item| self.kept(item)).collect(),
            Value::Object(members) => {
                let members = members.into_iter();
                let kept = members.map(|(key, value)| (key, self.kept(value)));
                Value::Object(kept.collect::<Map<_, _>>())
            }
            value => value,
        }
    }
}
