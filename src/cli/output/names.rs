//! Numbers of entities beside their names, in records for programs: names may be given again.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The members of records that name entities.
const NAMING: [&str; 13] = [
    "about", "agent", "at", "entity", "from", "name", "place", "sender", "speaker", "stage", "to",
    "told", "who",
];
/// What others wrote, which stays as it is.
const FOREIGN: [&str; 6] = ["arguments", "asked", "data", "result", "rounds", "recalled"];

/// The numbers of entities by name.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<String, u32>);

impl Names {
    pub(crate) fn add(&mut self, name: &str, id: u32) {
        self.0.insert(name.to_owned(), id);
    }

    /// Adds `speaker_id` beside `speaker`, and so on. An entity that is named with its number is
    /// known from then on.
    pub(crate) fn beside(&mut self, value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| self.beside(value)),
            Value::Object(members) => {
                self.learn(members);
                for (key, value) in members.iter_mut() {
                    if !FOREIGN.contains(&key.as_str()) {
                        self.beside(value);
                    }
                }
                for key in NAMING {
                    let is_numbered = members.get("id").is_some_and(Value::is_u64);
                    let is_own = matches!(key, "agent" | "entity" | "name");
                    let id = members.get(key).filter(|_| !(is_own && is_numbered));
                    let Some(id) = id.and_then(|named| self.ids(named)) else {
                        continue;
                    };
                    let plural = if id.is_array() { "ids" } else { "id" };
                    members.insert(format!("{key}_{plural}"), id);
                }
            }
            _ => {}
        }
    }

    /// The recipients of an event have their numbers.
    fn learn(&mut self, members: &Map<String, Value>) {
        for who in members
            .get("audience")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let id = who["id"].as_u64().and_then(|id| u32::try_from(id).ok());
            if let (Some(name), Some(id)) = (who["name"].as_str(), id) {
                self.add(name, id);
            }
        }
    }

    /// The number of a name, or those of several.
    fn ids(&self, named: &Value) -> Option<Value> {
        match named {
            Value::String(name) => Some((*self.0.get(name)?).into()),
            Value::Array(names) if !names.is_empty() => {
                let ids = names.iter().map(|name| self.ids(name));
                ids.collect::<Option<Vec<_>>>().map(Value::Array)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_get_numbers_and_what_others_wrote_does_not() {
        let mut names = Names::default();
        names.add("Pell", 3);
        let mut event = json!({
            "record": "event", "speaker": "Pell", "place": "Quay", "told": ["Pell", "Jory"],
            "audience": [{"id": 9, "name": "Quay"}, {"id": 4, "name": "Jory"}],
            "data": {"to": "Pell"}, "from": "nobody",
        });
        names.beside(&mut event);
        assert_eq!(event["speaker_id"], 3);
        assert_eq!(event["place_id"], 9);
        assert_eq!(event["told_ids"], json!([3, 4]));
        assert_eq!(event["data"], json!({"to": "Pell"}));
        assert!(event.get("from_id").is_none());
        assert!(event["audience"][0].get("name_id").is_none());
    }
}
