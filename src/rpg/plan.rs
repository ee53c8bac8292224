//! What an actor does at home: a thought, and exactly one action.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::exchange::{Reply, Violation};

/// Words to somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Words {
    /// The name of the one they are meant for.
    pub target: String,
    /// The words themselves, without any name or mark before them.
    pub text: String,
}

/// Words to all, or to oneself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// The words themselves.
    pub text: String,
}

/// A way to go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Way {
    /// The name of the place to go to.
    pub to: String,
}

/// A reason to do nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// Why, in a few words.
    pub reason: String,
}

/// A private thought and exactly one action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// What you think and feel, in the first person; nobody else learns it.
    pub mind: String,
    /// Say something aloud to somebody here; everybody here hears it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speak: Option<Words>,
    /// Say something into one ear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whisper: Option<Words>,
    /// Have something made known in every place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announce: Option<Said>,
    /// Search your memory and what is told in these parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<Said>,
    /// Walk to another place.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub go: Option<Way>,
    /// Do nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Pause>,
}

/// What is legal for one plan.
#[derive(Clone, Debug, Default)]
pub struct PlanConstraints {
    /// The names of those present.
    pub present: Vec<String>,
    /// The names of the places one can walk to.
    pub exits: Vec<String>,
    /// Whether whispering is allowed.
    pub whisper: bool,
    /// The most characters of one speech.
    pub speech_chars: usize,
}

/// The names of the actions, as they stand in JSON.
const ACTIONS: [&str; 6] = ["speak", "whisper", "announce", "query", "move", "wait"];

impl Plan {
    /// A plan to do nothing.
    pub fn wait(mind: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            mind: mind.into(),
            wait: Some(Pause {
                reason: reason.into(),
            }),
            ..Self::default()
        }
    }

    /// Which actions it holds, in the order of [`ACTIONS`].
    fn actions(&self) -> Vec<&'static str> {
        let held = [
            self.speak.is_some(),
            self.whisper.is_some(),
            self.announce.is_some(),
            self.query.is_some(),
            self.go.is_some(),
            self.wait.is_some(),
        ];
        let actions = ACTIONS.into_iter().zip(held);
        actions
            .filter(|(_, held)| *held)
            .map(|(action, _)| action)
            .collect()
    }
}

impl PlanConstraints {
    fn allows(&self, action: &str) -> bool {
        match action {
            "speak" => !self.present.is_empty(),
            "whisper" => self.whisper && !self.present.is_empty(),
            "move" => !self.exits.is_empty(),
            _ => true,
        }
    }

    fn check_words(&self, path: &str, words: &Words, broken: &mut Vec<Violation>) {
        if !self.present.contains(&words.target) {
            let rule = format!(
                "'{}' is not here; choose one of: {}",
                words.target,
                self.present.join(", ")
            );
            let facts = json!({"target": words.target, "present": self.present});
            let path = format!("{path}.target");
            broken.push(Violation::new(path, rule).said("rules/not_here", facts));
        }
        self.check_text(&format!("{path}.text"), &words.text, broken);
    }

    fn check_text(&self, path: &str, text: &str, broken: &mut Vec<Violation>) {
        let length = text.chars().count();
        if text.trim().is_empty() {
            broken.push(Violation::new(path, "must not be empty").said("rules/empty", json!({})));
        } else if length > self.speech_chars {
            let rule = format!(
                "at most {} characters; this has {length}",
                self.speech_chars
            );
            let facts = json!({"most": self.speech_chars, "length": length});
            broken.push(Violation::new(path, rule).said("rules/too_long", facts));
        }
    }
}

impl Reply for Plan {
    type Constraints = PlanConstraints;
    const NAME: &'static str = "plan";

    fn constrain_schema(_schema: &Value, facts: &PlanConstraints) -> Option<Value> {
        let text = json!({"type": "string", "minLength": 1, "maxLength": facts.speech_chars});
        let words = json!({
            "type": "object",
            "properties": {"target": {"type": "string", "enum": facts.present}, "text": text},
            "required": ["target", "text"],
            "additionalProperties": false,
        });
        let one = |member: &str, value: &Value| {
            json!({
                "type": "object",
                "properties": {member: value},
                "required": [member],
                "additionalProperties": false,
            })
        };
        let exits = json!({"type": "string", "enum": facts.exits});
        let mut properties = Map::from_iter([("mind".to_owned(), text.clone())]);
        let legal: Vec<_> = ACTIONS
            .into_iter()
            .filter(|action| facts.allows(action))
            .collect();
        for action in &legal {
            let value = match *action {
                "speak" | "whisper" => words.clone(),
                "move" => one("to", &exits),
                "wait" => one("reason", &text),
                _ => one("text", &text),
            };
            properties.insert((*action).to_owned(), value);
        }
        let pairs: Vec<_> = legal
            .iter()
            .map(|action| json!({"required": ["mind", action]}))
            .collect();
        Some(json!({
            "type": "object",
            "properties": properties,
            "oneOf": pairs,
            "additionalProperties": false,
        }))
    }

    fn check(&self, facts: &PlanConstraints) -> Vec<Violation> {
        let mut broken = Vec::new();
        facts.check_text("mind", &self.mind, &mut broken);
        let actions = self.actions();
        if actions.len() != 1 {
            let found = match actions.is_empty() {
                true => "there is none".to_owned(),
                false => format!("there are {}", actions.join(", ")),
            };
            let rule = format!("exactly one of {} beside mind; {found}", ACTIONS.join(", "));
            let facts = json!({"actions": ACTIONS, "found": actions});
            broken.push(Violation::new("", rule).said("rules/one_action", facts));
        }
        for action in actions.iter().filter(|action| !facts.allows(action)) {
            broken.push(
                Violation::new(*action, "not possible here and now; choose another action")
                    .said("rules/not_possible", json!({"action": action})),
            );
        }
        if let Some(words) = self.speak.as_ref().filter(|_| facts.allows("speak")) {
            facts.check_words("speak", words, &mut broken);
        }
        if let Some(words) = self.whisper.as_ref().filter(|_| facts.allows("whisper")) {
            facts.check_words("whisper", words, &mut broken);
        }
        for (path, said) in [
            ("announce.text", &self.announce),
            ("query.text", &self.query),
        ] {
            if let Some(said) = said {
                facts.check_text(path, &said.text, &mut broken);
            }
        }
        if let Some(way) = self
            .go
            .as_ref()
            .filter(|way| !facts.exits.contains(&way.to))
        {
            let rule = format!(
                "no way leads to '{}'; choose one of: {}",
                way.to,
                facts.exits.join(", ")
            );
            let to = json!({"to": way.to, "exits": facts.exits});
            broken.push(Violation::new("move.to", rule).said("rules/no_way", to));
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> PlanConstraints {
        PlanConstraints {
            present: vec!["Bob".into()],
            exits: vec!["Mill".into()],
            whisper: true,
            speech_chars: 50,
        }
    }

    fn rules(json: &str) -> Vec<String> {
        let plan = Plan::read(json).unwrap();
        plan.check(&facts())
            .into_iter()
            .map(|broken| broken.path)
            .collect()
    }

    #[test]
    fn exactly_one_action_passes() {
        let one = r#"{"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}"#;
        assert_eq!(rules(one), Vec::<String>::new());
        assert_eq!(rules(r#"{"mind": "m"}"#), [""]);
        let two = r#"{"mind": "m", "wait": {"reason": "r"}, "move": {"to": "Mill"}}"#;
        assert_eq!(rules(two), [""]);
    }

    #[test]
    fn every_wrong_member_is_named() {
        let wrong = r#"{"mind": "", "whisper": {"target": "Eve", "text": ""}}"#;
        assert_eq!(rules(wrong), ["mind", "whisper.target", "whisper.text"]);
        assert_eq!(
            rules(r#"{"mind": "m", "move": {"to": "Moon"}}"#),
            ["move.to"]
        );
    }

    #[test]
    fn the_schema_holds_only_what_is_legal() {
        let alone = PlanConstraints {
            present: vec![],
            ..facts()
        };
        let schema = Plan::constrain_schema(&Value::Null, &alone).unwrap();
        assert!(schema["properties"].get("speak").is_none());
        assert_eq!(
            schema["properties"]["move"]["properties"]["to"]["enum"],
            json!(["Mill"])
        );
        assert_eq!(schema["oneOf"].as_array().unwrap().len(), 4);
    }
}
