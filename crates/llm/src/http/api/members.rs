//! Members of JSON objects, written in a fixed order.

use std::fmt::Display;

use playhouse_engine::tool::ToolSpec;
use serde_json::{Map, Value};

use crate::http::request_parts::FixedParts;

/// Members of a JSON object, each written after a comma.
#[derive(Default)]
pub(super) struct Members(String);

impl Members {
    /// Adds a member whose value is JSON already.
    pub(super) fn raw(&mut self, name: &str, json: impl Display) {
        self.0.push_str(&format!(",\"{name}\":{json}"));
    }

    pub(super) fn all(&mut self, members: &Map<String, Value>) {
        for (name, value) in members {
            let name = Value::from(name.as_str());
            self.0.push_str(&format!(",{name}:{value}"));
        }
    }

    /// Adds an object, unless it is empty.
    pub(super) fn object(&mut self, name: &str, members: Self) {
        if !members.0.is_empty() {
            self.raw(name, members.into_object());
        }
    }

    pub(super) fn into_object(self) -> String {
        format!("{{{}}}", self.0.strip_prefix(',').unwrap_or(&self.0))
    }

    /// The members after others of an open object, and its end.
    pub(super) fn into_ending(self) -> String {
        self.0 + "}"
    }
}

/// An open object with these members, each followed by a comma.
pub(super) fn open_object(members: &Map<String, Value>) -> String {
    let mut written = Members::default();
    written.all(members);
    match written.0.strip_prefix(',') {
        Some(members) => format!("{{{members},"),
        None => "{".into(),
    }
}

/// The model, and what the model file adds.
pub(super) fn common_members(fixed: &FixedParts) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("model".into(), fixed.model.model.as_str().into());
    members.extend(fixed.extra.clone());
    members
}

/// Tools as OpenAI expects them.
pub(super) fn function_tools(tools: &[std::sync::Arc<ToolSpec>]) -> String {
    json_list(tools.iter().map(|tool| {
        let function = named_tool(tool, "parameters");
        format!("{{\"type\":\"function\",\"function\":{function}}}")
    }))
}

/// A tool whose schema is the member `schema_member`. Its name and schema need no escaping.
pub(super) fn named_tool(tool: &ToolSpec, schema_member: &str) -> String {
    let mut members = Members::default();
    members.raw("name", format_args!("\"{}\"", tool.name()));
    members.raw(
        "description",
        format_args!("\"{}\"", tool.description().escaped()),
    );
    members.raw(schema_member, tool.schema());
    members.into_object()
}

/// A list of values that are JSON already.
pub(super) fn json_list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(","))
}
