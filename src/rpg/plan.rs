//! What an actor does at home: a thought and exactly one action.
//!
//! The doc comments of the types that minds answer with are part of the schema that models read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::event::{PromptSet, PromptTemplate};
use crate::exchange::{Reply, Violation};

/// Words to somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Words")]
pub(super) struct Speech {
    /// The name of the one they are meant for.
    pub(super) target: String,
    /// The words themselves, without any name or mark before them.
    pub(super) text: String,
}

/// Words to all, or to oneself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Said")]
pub(super) struct FreeText {
    /// The words themselves.
    pub(super) text: String,
}

/// A way to go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Way")]
pub(super) struct Destination {
    /// The name of the place to go to.
    pub(super) to: String,
}

/// A reason to do nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Pause")]
pub(super) struct WaitReason {
    /// Why, in a few words.
    pub(super) reason: String,
}

/// A private thought and exactly one action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Plan {
    /// What you think and feel, in the first person; nobody else learns it.
    pub(super) mind: String,
    /// Say something aloud to somebody here; everybody here hears it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) speak: Option<Speech>,
    /// Say something into one ear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) whisper: Option<Speech>,
    /// Have something made known in every place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) announce: Option<FreeText>,
    /// Search your memory and what is told in these parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) query: Option<FreeText>,
    /// Walk to another place.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub(super) go: Option<Destination>,
    /// Do nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wait: Option<WaitReason>,
}

/// What is legal in one plan.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanConstraints {
    /// The names of those present.
    pub(super) present: Vec<String>,
    /// The names of the places one can walk to.
    pub(super) exits: Vec<String>,
    /// Whether whispering is allowed.
    pub(super) whisper: bool,
    /// The maximum number of characters of one speech.
    pub(super) speech_chars: usize,
}

/// The actions by their names in JSON.
const ACTIONS: [&str; 6] = ["speak", "whisper", "announce", "query", "move", "wait"];

const NOT_HERE: PromptTemplate<NotHere> = PromptTemplate::new("rules/not_here");
const ONE_ACTION: PromptTemplate<OneAction> = PromptTemplate::new("rules/one_action");
const NOT_POSSIBLE: PromptTemplate<NotPossible> = PromptTemplate::new("rules/not_possible");
const NO_WAY: PromptTemplate<NoWay> = PromptTemplate::new("rules/no_way");

#[derive(Default, Serialize)]
struct NotHere<'a> {
    target: &'a str,
    present: &'a [String],
}

#[derive(Default, Serialize)]
struct OneAction<'a> {
    actions: [&'a str; 6],
    found: &'a [&'a str],
}

#[derive(Default, Serialize)]
struct NotPossible<'a> {
    action: &'a str,
}

#[derive(Default, Serialize)]
struct NoWay<'a> {
    to: &'a str,
    exits: &'a [String],
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts
        .add(&NOT_HERE)
        .add(&ONE_ACTION)
        .add(&NOT_POSSIBLE)
        .add(&NO_WAY);
}

impl Plan {
    /// A plan to do nothing.
    pub(super) fn wait(mind: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            mind: mind.into(),
            wait: Some(WaitReason {
                reason: reason.into(),
            }),
            ..Self::default()
        }
    }

    /// The actions that it holds, in the order of [`ACTIONS`].
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
            .filter_map(|(action, held)| held.then_some(action))
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

    fn check_speech(&self, action: &str, speech: &Speech, violations: &mut Vec<Violation>) {
        let (target, present) = (&speech.target, &self.present);
        if !present.contains(target) {
            let names = present.join(", ");
            let rule = format!("'{target}' is not here; choose one of: {names}");
            let violation = Violation::new(format!("{action}.target"), rule);
            violations.push(violation.with_template(&NOT_HERE, &NotHere { target, present }));
        }
        self.check_text(&format!("{action}.text"), &speech.text, violations);
    }

    fn check_text(&self, path: &str, text: &str, violations: &mut Vec<Violation>) {
        if text.trim().is_empty() {
            violations.push(Violation::empty(path));
        } else {
            violations.extend(Violation::too_long(path, text, self.speech_chars));
        }
    }
}

/// The schema of an object with a single member.
fn object_of(member: &str, schema: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {member: schema},
        "required": [member],
        "additionalProperties": false,
    })
}

impl Reply for Plan {
    type Constraints = PlanConstraints;
    const NAME: &'static str = "plan";

    fn constrain_schema(_schema: &Value, constraints: &PlanConstraints) -> Option<Value> {
        let text = json!({"type": "string", "minLength": 1, "maxLength": constraints.speech_chars});
        let speech = json!({
            "type": "object",
            "properties": {
                "target": {"type": "string", "enum": constraints.present},
                "text": text,
            },
            "required": ["target", "text"],
            "additionalProperties": false,
        });
        let exits = json!({"type": "string", "enum": constraints.exits});
        let mut properties = Map::from_iter([("mind".to_owned(), text.clone())]);
        let mut alternatives = Vec::new();
        for action in ACTIONS
            .into_iter()
            .filter(|action| constraints.allows(action))
        {
            let schema = match action {
                "speak" | "whisper" => speech.clone(),
                "move" => object_of("to", &exits),
                "wait" => object_of("reason", &text),
                _ => object_of("text", &text),
            };
            properties.insert(action.to_owned(), schema);
            alternatives.push(json!({"required": ["mind", action]}));
        }
        Some(json!({
            "type": "object",
            "properties": properties,
            "oneOf": alternatives,
            "additionalProperties": false,
        }))
    }

    fn check(&self, constraints: &PlanConstraints) -> Vec<Violation> {
        let mut violations = Vec::new();
        constraints.check_text("mind", &self.mind, &mut violations);
        let found = self.actions();
        if found.len() != 1 {
            let what = if found.is_empty() {
                "there is none".to_owned()
            } else {
                format!("there are {}", found.join(", "))
            };
            let rule = format!("exactly one of {} beside mind; {what}", ACTIONS.join(", "));
            let data = OneAction {
                actions: ACTIONS,
                found: &found,
            };
            violations.push(Violation::new("", rule).with_template(&ONE_ACTION, &data));
        }
        for &action in found.iter().filter(|action| !constraints.allows(action)) {
            let rule = "not possible here and now; choose another action";
            let data = NotPossible { action };
            violations.push(Violation::new(action, rule).with_template(&NOT_POSSIBLE, &data));
        }
        for (action, speech) in [("speak", &self.speak), ("whisper", &self.whisper)] {
            if let Some(speech) = speech.as_ref().filter(|_| constraints.allows(action)) {
                constraints.check_speech(action, speech, &mut violations);
            }
        }
        for (path, said) in [
            ("announce.text", &self.announce),
            ("query.text", &self.query),
        ] {
            if let Some(said) = said {
                constraints.check_text(path, &said.text, &mut violations);
            }
        }
        if let Some(Destination { to }) = &self.go
            && !constraints.exits.contains(to)
        {
            let exits = &constraints.exits;
            let names = exits.join(", ");
            let rule = format!("no way leads to '{to}'; choose one of: {names}");
            let violation = Violation::new("move.to", rule);
            violations.push(violation.with_template(&NO_WAY, &NoWay { to, exits }));
        }
        violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraints() -> PlanConstraints {
        PlanConstraints {
            present: vec!["Bob".into()],
            exits: vec!["Mill".into()],
            whisper: true,
            speech_chars: 50,
        }
    }

    fn broken_paths(json: &str) -> Vec<String> {
        let plan = Plan::read(json).unwrap();
        plan.check(&constraints())
            .into_iter()
            .map(|violation| violation.path)
            .collect()
    }

    #[test]
    fn exactly_one_action_passes() {
        let one = r#"{"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}"#;
        assert_eq!(broken_paths(one), Vec::<String>::new());
        assert_eq!(broken_paths(r#"{"mind": "m"}"#), [""]);
        let two = r#"{"mind": "m", "wait": {"reason": "r"}, "move": {"to": "Mill"}}"#;
        assert_eq!(broken_paths(two), [""]);
    }

    #[test]
    fn every_wrong_member_is_named() {
        let wrong = r#"{"mind": "", "whisper": {"target": "Eve", "text": ""}}"#;
        assert_eq!(
            broken_paths(wrong),
            ["mind", "whisper.target", "whisper.text"]
        );
        assert_eq!(
            broken_paths(r#"{"mind": "m", "move": {"to": "Moon"}}"#),
            ["move.to"]
        );
    }

    #[test]
    fn the_schema_holds_only_what_is_legal() {
        let alone = PlanConstraints {
            present: vec![],
            ..constraints()
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
