//! What an actor does in its turn at home: a thought, at most one thing said, at most one thing done.
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

/// A feeling that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Feeling")]
pub(super) struct Feeling {
    /// The name of the one it is about.
    pub(super) about: String,
    /// 1 if you like them better now, -1 if you like them less.
    pub(super) change: i8,
    /// Why, in a few words.
    pub(super) why: String,
}

/// A private thought, at most one thing said (speak, whisper, announce) and at most one thing done
/// (query, move, wait), at least one of them.
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
    /// Do nothing; the talk ends when everybody waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wait: Option<WaitReason>,
    /// How your feelings for somebody here have changed, if they have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) feels: Option<Feeling>,
}

/// What is legal in one turn.
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
    /// The names of those about whom feelings may change now.
    pub(super) feels_about: Vec<String>,
}

/// What may be said, by the names in JSON.
const SAID: [&str; 3] = ["speak", "whisper", "announce"];
/// What may be done, by the names in JSON.
const DONE: [&str; 3] = ["query", "move", "wait"];

const NOT_HERE: PromptTemplate<NotHere> = PromptTemplate::new("rules/not_here");
const NO_ACTION: PromptTemplate<NoAction> = PromptTemplate::new("rules/no_action");
const ONE_ACTION: PromptTemplate<OneAction> = PromptTemplate::new("rules/one_action");
const NOT_POSSIBLE: PromptTemplate<NotPossible> = PromptTemplate::new("rules/not_possible");
const NO_WAY: PromptTemplate<NoWay> = PromptTemplate::new("rules/no_way");
const ONE_STEP: PromptTemplate<OneStep> = PromptTemplate::new("rules/one_step");

#[derive(Default, Serialize)]
struct NotHere<'a> {
    target: &'a str,
    present: &'a [String],
}

#[derive(Default, Serialize)]
struct NoAction<'a> {
    actions: &'a [&'a str],
}

#[derive(Default, Serialize)]
struct OneAction<'a> {
    found: &'a [&'a str],
}

#[derive(Default, Serialize)]
struct OneStep {
    change: i8,
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
    prompts.add(&NOT_HERE).add(&NOT_POSSIBLE).add(&NO_WAY);
    prompts.add(&NO_ACTION).add(&ONE_ACTION).add(&ONE_STEP);
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

    /// What it says, in the order of [`SAID`].
    fn said(&self) -> Vec<&'static str> {
        let held = [
            self.speak.is_some(),
            self.whisper.is_some(),
            self.announce.is_some(),
        ];
        held_of(SAID, held)
    }

    /// What it does, in the order of [`DONE`].
    fn done(&self) -> Vec<&'static str> {
        let held = [self.query.is_some(), self.go.is_some(), self.wait.is_some()];
        held_of(DONE, held)
    }

    /// Whether the actor says nothing and does nothing.
    pub(super) fn passes(&self) -> bool {
        self.said().is_empty() && self.done() == ["wait"]
    }
}

fn held_of<const N: usize>(actions: [&'static str; N], held: [bool; N]) -> Vec<&'static str> {
    let actions = actions.into_iter().zip(held);
    actions
        .filter_map(|(action, held)| held.then_some(action))
        .collect()
}

impl PlanConstraints {
    /// What may be said and done now.
    fn possible(&self) -> impl Iterator<Item = &'static str> {
        let actions = SAID.into_iter().chain(DONE);
        actions.filter(|action| self.allows(action))
    }

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

    fn check_feeling(&self, feeling: &Feeling, violations: &mut Vec<Violation>) {
        let (target, present) = (&feeling.about, &self.feels_about);
        if !present.contains(target) {
            let rule = format!("choose one of: {}", present.join(", "));
            let violation = Violation::new("feels.about", rule);
            violations.push(violation.with_template(&NOT_HERE, &NotHere { target, present }));
        }
        let change = feeling.change;
        if ![-1, 1].contains(&change) {
            let rule = format!("is {change}; write 1 or -1");
            let violation = Violation::new("feels.change", rule);
            violations.push(violation.with_template(&ONE_STEP, &OneStep { change }));
        }
        self.check_text("feels.why", &feeling.why, violations);
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
        for action in constraints.possible() {
            let schema = match action {
                "speak" | "whisper" => speech.clone(),
                "move" => object_of("to", &exits),
                "wait" => object_of("reason", &text),
                _ => object_of("text", &text),
            };
            properties.insert(action.to_owned(), schema);
        }
        if !constraints.feels_about.is_empty() {
            let feeling = json!({
                "type": "object",
                "properties": {
                    "about": {"type": "string", "enum": constraints.feels_about},
                    "change": {"type": "integer", "enum": [-1, 1]},
                    "why": text,
                },
                "required": ["about", "change", "why"],
                "additionalProperties": false,
            });
            properties.insert("feels".to_owned(), feeling);
        }
        Some(json!({
            "type": "object",
            "properties": properties,
            "required": ["mind"],
            "minProperties": 2,
            "additionalProperties": false,
        }))
    }

    fn check(&self, constraints: &PlanConstraints) -> Vec<Violation> {
        let mut violations = Vec::new();
        constraints.check_text("mind", &self.mind, &mut violations);
        let (said, done) = (self.said(), self.done());
        if said.is_empty() && done.is_empty() {
            let possible: Vec<_> = constraints.possible().collect();
            let rule = format!("say or do something: {}", possible.join(", "));
            let data = NoAction { actions: &possible };
            violations.push(Violation::new("", rule).with_template(&NO_ACTION, &data));
        }
        for found in [&said, &done] {
            if found.len() > 1 {
                let rule = format!("only one of {}", found.join(", "));
                let violation = Violation::new("", rule);
                violations.push(violation.with_template(&ONE_ACTION, &OneAction { found }));
            }
        }
        let found = said.iter().chain(&done);
        for &action in found.filter(|action| !constraints.allows(action)) {
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
        if let Some(feeling) = &self.feels {
            constraints.check_feeling(feeling, &mut violations);
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
            feels_about: vec!["Bob".into()],
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
    fn one_thing_said_and_one_thing_done_pass() {
        for right in [
            r#"{"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}"#,
            r#"{"mind": "m", "wait": {"reason": "r"}, "speak": null}"#,
            r#"{"mind": "m", "announce": {"text": "Hi"}, "move": {"to": "Mill"}}"#,
            r#"{"mind": "m", "wait": {"reason": "r"}, "feels": {"about": "Bob", "change": -1, "why": "w"}}"#,
        ] {
            assert_eq!(broken_paths(right), Vec::<String>::new(), "{right}");
        }
        let feeling = r#"{"about": "Bob", "change": 1, "why": "w"}"#;
        assert_eq!(
            broken_paths(&format!(r#"{{"mind": "m", "feels": {feeling}}}"#)),
            [""]
        );
        let two_done = r#"{"mind": "m", "wait": {"reason": "r"}, "move": {"to": "Mill"}}"#;
        assert_eq!(broken_paths(two_done), [""]);
        let two_said =
            r#"{"mind": "m", "announce": {"text": "a"}, "speak": {"target": "Bob", "text": "b"}}"#;
        assert_eq!(broken_paths(two_said), [""]);
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
        let feels = r#"{"mind": "m", "wait": {"reason": "r"}, "feels": {"about": "Eve", "change": 2, "why": ""}}"#;
        assert_eq!(
            broken_paths(feels),
            ["feels.about", "feels.change", "feels.why"]
        );
    }

    #[test]
    fn the_schema_holds_only_what_is_legal() {
        let alone = PlanConstraints {
            present: vec![],
            feels_about: vec![],
            ..constraints()
        };
        let schema = Plan::constrain_schema(&Value::Null, &alone).unwrap();
        let members = schema["properties"].as_object().unwrap();
        let members: Vec<_> = members.keys().map(String::as_str).collect();
        assert_eq!(members, ["announce", "mind", "move", "query", "wait"]);
        assert_eq!(
            schema["properties"]["move"]["properties"]["to"]["enum"],
            json!(["Mill"])
        );
    }
}
