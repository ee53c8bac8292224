//! What an actor answers in its turn at home: a thought, at most one thing said, at most one thing
//! done, and perhaps a promise given or kept beside them.

use std::borrow::Cow;

use playhouse_engine::event::Prompt;
use playhouse_engine::exchange::{Reply, Violation};
use playhouse_engine::memory::Words;
use playhouse_engine::reading::{Offers, OtherNames};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::member::{Given, Source, check_facts, one_of};
use super::{ACTIONS, ActionSpec, Plan, Slot, Use, Wait};
use crate::other_names::OTHER_NAMES;
use crate::talk::is_question;

/// What is legal in one turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanConstraints {
    /// The names of those present.
    pub(crate) present: Vec<String>,
    /// The names of the places one can walk to.
    pub(crate) exits: Vec<String>,
    /// The names of the places that one can get to some time.
    pub(crate) ways: Vec<String>,
    /// The languages that one speaks besides the one that all share.
    pub(crate) languages: Vec<String>,
    /// Whether whispering is allowed.
    pub(crate) whisper: bool,
    /// The maximum number of characters of one speech.
    pub(crate) speech_chars: usize,
    /// The names of those about whom feelings may change now.
    pub(crate) feels_about: Vec<String>,
    /// The ids of the facts that one is offered to tell.
    pub(crate) tells: Vec<String>,
    /// The ids of all facts that one knows, listed or not; some of them everyone knows, and some
    /// nobody can say.
    pub(crate) known: Vec<String>,
    /// The names of the items that one has.
    pub(crate) held: Vec<String>,
    /// The names of the items that one has and can part with.
    pub(crate) spare: Vec<String>,
    /// The names of the items that lie here for everybody to see and take.
    pub(crate) lying: Vec<String>,
    /// The names of the items that one can read.
    pub(crate) readable: Vec<String>,
    /// The uses of items: of which, and with what.
    pub(crate) uses: Vec<Use>,
    /// The names of those to whom one may promise something.
    pub(crate) promise_to: Vec<String>,
    /// By whom each promise was made to one that is not kept yet, in the order of their numbers.
    pub(crate) owed_by: Vec<String>,
    /// The names of the items that one has and can destroy.
    pub(crate) destructible: Vec<String>,
    /// Whether something else may be tried now.
    pub(crate) attempt: bool,
    /// Whether one has searched in this talk.
    pub(crate) searched: bool,
    /// Whether nobody would answer a question any more.
    pub(crate) is_last: bool,
}

impl PlanConstraints {
    /// The rows of what can be said and done now.
    pub(crate) fn possible(&self) -> impl Iterator<Item = &'static ActionSpec> {
        ActionSpec::all().filter(|row| row.is_possible(self))
    }
}

/// A rule that a plan can break.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub(super) enum PlanRule<'a> {
    #[prompt("rules/no_action")]
    NoAction {
        actions: &'a [&'a str],
        /// What it holds that is not possible now.
        impossible: &'a [&'a str],
    },
    /// It says or does several things.
    #[prompt("rules/one_action")]
    OneAction { found: &'a [&'a str] },
    #[prompt("rules/not_here")]
    NotHere {
        target: &'a str,
        present: &'a [String],
    },
    #[prompt("rules/no_way")]
    NoWay { to: &'a str, exits: &'a [String] },
    /// It asks something at the end of a talk.
    #[prompt("rules/no_question")]
    NoQuestion {},
}

impl Plan {
    /// A plan to do nothing.
    pub(crate) fn wait(mind: impl Into<String>, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            mind: mind.into(),
            wait: Some(Wait { reason }),
            ..Self::default()
        }
    }

    /// The names of what it holds in a slot.
    fn in_slot(&self, slot: Slot) -> Vec<&'static str> {
        names(self.held().filter(|row| row.slot == slot))
    }

    /// What it would have said and done besides, had it been possible.
    pub(super) fn impossible(&self) -> Vec<&'static str> {
        let is_left_out = |row: &&ActionSpec| self.left_out.iter().any(|left| left == row.name);
        names(ActionSpec::all().filter(is_left_out))
    }

    /// Whether the actor says nothing and does nothing.
    pub(super) fn passes(&self) -> bool {
        self.holds_only("wait")
    }

    /// Whether the actor searches and does nothing else.
    pub(super) fn only_searches(&self) -> bool {
        self.query.is_some() && self.holds_only("query")
    }

    fn holds_only(&self, name: &str) -> bool {
        let mut rows = self.held();
        rows.all(|row| row.name == name || row.slot == Slot::Felt)
    }

    /// That it neither says nor does anything.
    fn check_some(&self, constraints: &PlanConstraints) -> Option<Violation> {
        if self.held().any(|row| row.slot != Slot::Felt) {
            return None;
        }
        let possible = names(constraints.possible());
        let rule = format!("say or do something: {}", possible.join(", "));
        let broken = PlanRule::NoAction {
            actions: &possible,
            impossible: &self.impossible(),
        };
        let violation = Violation::new("", rule).with_prompt(&broken);
        // A thought alone is asked again once, and is to do nothing then.
        let is_thought = !self.mind.trim().is_empty();
        Some(if is_thought {
            violation.only_once()
        } else {
            violation
        })
    }

    /// That it asks somebody who can't answer any more.
    fn check_last(&self, constraints: &PlanConstraints) -> Option<Violation> {
        let spoken = self.speak.iter().map(|speech| ("speak.text", &speech.text));
        let whispered = self.whisper.iter();
        let whispered = whispered.map(|whisper| ("whisper.text", &whisper.text));
        let mut said = spoken.chain(whispered).filter(|_| constraints.is_last);
        let (path, _) = said.find(|(_, text)| is_question(text))?;
        let rule = "no question: the talk is over with these words";
        // Whoever insists has the last word.
        let violation = Violation::new(path, rule).with_prompt(&PlanRule::NoQuestion {});
        Some(violation.only_once())
    }

    /// That it says or does several things. What is whispered is the last to be given up.
    fn check_one(&self, slot: Slot) -> Option<Violation> {
        let found = &*self.in_slot(slot);
        let surplus = found.iter().rev().find(|name| **name != "whisper");
        surplus.filter(|_| found.len() > 1).map(|surplus| {
            let rule = format!("only one of {}", found.join(", "));
            Violation::new(*surplus, rule).with_prompt(&PlanRule::OneAction { found })
        })
    }
}

/// The names of rows in the order in which refusals list them.
fn names(rows: impl Iterator<Item = &'static ActionSpec>) -> Vec<&'static str> {
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|row| (row.slot, !["query", "move"].contains(&row.name)));
    rows.into_iter().map(|row| row.name).collect()
}

/// The schema of what is legal now, or of all that may ever be.
fn schema(legal: Option<&PlanConstraints>) -> Value {
    let is_possible = |row: &&ActionSpec| legal.is_none_or(|legal| row.is_possible(legal));
    let possible = ACTIONS
        .iter()
        .filter(is_possible)
        .map(|row| (row.name.to_owned(), row.schema(legal)));
    let mut properties = Map::from_iter(possible);
    properties.insert("mind".to_owned(), Source::Thought.schema(legal));
    let facts = match legal {
        None => Some(json!({"type": "string"})),
        Some(legal) => (!legal.tells.is_empty()).then(|| one_of(&legal.tells)),
    };
    if let Some(fact) = facts {
        let tells = json!({"type": "array", "items": fact});
        properties.insert("tells".to_owned(), tells);
    }
    let mut whole = json!({"type": "object", "required": ["mind"], "additionalProperties": false});
    whole["properties"] = properties.into();
    whole
}

impl JsonSchema for Plan {
    fn schema_name() -> Cow<'static, str> {
        "Plan".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::try_from(schema(None)).unwrap_or_default()
    }
}

impl Reply for Plan {
    type Constraints = PlanConstraints;
    const NAME: &'static str = "plan";
    const OTHER_NAMES: OtherNames = OTHER_NAMES;
    const IS_TOLD: bool = true;
    const WORDS: &'static [Words] = Self::HELD_WORDS;
    const LEFT_OUT: Option<&'static str> = Some("left_out");
    const MAY_BE_LEFT_OUT: &'static [&'static str] = Self::OPTIONAL;

    fn looks_up(&self) -> Option<&str> {
        self.query.as_ref().map(|question| question.text.as_str())
    }

    fn constrain_schema(_schema: &Value, constraints: &PlanConstraints) -> Option<Value> {
        Some(schema(Some(constraints)))
    }

    /// What is said to several is said to nobody in particular, without words nothing is told, an
    /// item can only be promised if there is one, waiting beside a deed means nothing, and a
    /// feeling moves by one step however much it says.
    fn settled(mut self, constraints: &PlanConstraints) -> Self {
        let present = || Offers::of_names(constraints.present.iter().map(String::as_str));
        if let Some(speech) = &mut self.speak
            && !constraints.present.contains(&speech.target)
            && present().are_several_meant(&speech.target)
        {
            speech.target.clear();
        }
        if self.in_slot(Slot::Said).is_empty() {
            self.tells.clear();
        }
        if let Some(promise) = &mut self.promise
            && constraints.held.is_empty()
        {
            promise.item.clear();
        }
        if self.in_slot(Slot::Done).len() > 1 {
            self.wait = None;
        }
        self.feels = self.feels.filter(|feeling| feeling.change != 0);
        if let Some(feeling) = &mut self.feels {
            feeling.change = feeling.change.signum();
        }
        self
    }

    fn check(&self, constraints: &PlanConstraints) -> Vec<Violation> {
        let mind = Source::Thought.check(Given::from(&self.mind), constraints);
        let mut found: Vec<_> = mind.map(|mind| mind.at("mind")).into_iter().collect();
        found.extend(check_facts(&self.tells, constraints));
        found.extend(self.check_some(constraints));
        found.extend(self.check_last(constraints));
        found.extend(self.check_one(Slot::Said));
        found.extend(self.check_one(Slot::Done));
        self.check_actions(constraints, &mut found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::exchange::Ask;

    fn using(item: &str, with: &str) -> Use {
        let (item, with) = (item.into(), with.into());
        Use { item, with }
    }

    fn constraints() -> PlanConstraints {
        PlanConstraints {
            present: vec!["Bob".into()],
            exits: vec!["Mill".into()],
            ways: vec!["Mill".into(), "Quay".into()],
            whisper: true,
            speech_chars: 50,
            feels_about: vec!["Bob".into()],
            tells: vec!["the-lamp".into()],
            known: vec!["the-lamp".into(), "the-oath".into()],
            held: vec!["the key".into()],
            spare: vec!["the key".into()],
            lying: vec!["the log".into()],
            readable: vec!["the log".into()],
            uses: vec![using("the key", "Mill"), using("the key", "the log")],
            promise_to: vec!["Bob".into()],
            owed_by: vec!["Bob".into(), "Ann".into(), "Bob".into()],
            attempt: true,
            ..PlanConstraints::default()
        }
    }

    #[test]
    fn a_place_is_promised_that_one_gets_to_some_time() {
        let legal = PlanConstraints {
            exits: Vec::new(),
            ..constraints()
        };
        let promise = |place| {
            let promise = json!({"to": "Bob", "words": "I will come.", "place": place});
            let plan = json!({"mind": "m", "wait": {}, "promise": promise});
            let plan: Plan = serde_json::from_value(plan).unwrap();
            plan.check(&legal).len()
        };
        assert_eq!([promise("Quay"), promise("Moon")], [0, 1]);
        let schema = Plan::constrain_schema(&Value::Null, &legal).unwrap();
        let places = schema.pointer("/properties/promise/properties/place/enum");
        assert_eq!(places, Some(&json!(["Mill", "Quay"])));
    }

    #[test]
    fn the_last_words_of_a_talk_ask_nothing() {
        let last = |is_last, text: &str| {
            let plan = json!({"mind": "m", "speak": {"target": "Bob", "text": text}});
            let legal = PlanConstraints {
                is_last,
                ..constraints()
            };
            let ask = Ask::new("home.plan", "", legal, Plan::wait("", ""));
            ask.read(&plan.to_string()).is_ok()
        };
        assert!(last(false, "Who is it?"));
        assert!(!last(true, "And then, who is it?”"));
        assert!(last(true, "Who is it? I know."));
    }

    fn broken_paths(json: &str) -> Vec<String> {
        let ask = Ask::new("home.plan", "", constraints(), Plan::wait("", ""));
        let violations = ask.read(json).err().unwrap_or_default().into_iter();
        violations.map(|violation| violation.path).collect()
    }

    #[test]
    fn one_thing_said_and_one_thing_done_pass() {
        for right in [
            r#"{"mind": "m", "speak": {"target": "Bob", "text": "Hi"}}"#,
            r#"{"mind": "m", "wait": {"reason": "r"}, "speak": null}"#,
            r#"{"mind": "m", "announce": {"text": "Hi"}, "move": {"to": "Mill"}}"#,
            r#"{"mind": "m", "wait": {"reason": "r"}, "move": {"to": "Mill"}}"#,
            r#"{"mind": "m", "wait": {"reason": "r"}, "feels": {"about": "Bob", "change": 2, "why": "w"}}"#,
            r#"{"mind": "m", "wait": {"reason": "r"}, "feels": {"about": "Bob", "change": -1, "why": "w"}}"#,
            r#"{"mind": "m", "speak": {"target": "Bob", "text": "t", "tells": ["the-lamp"]}, "take": {"item": "the log"}}"#,
            r#"{"mind": "m", "whisper": {"target": "Bob", "text": "t"}, "tells": ["the-lamp"]}"#,
            r#"{"mind": "m", "announce": {"text": "t", "tells": ["the-oath"]}}"#,
            r#"{"mind": "m", "give": {"item": "the key", "to": "Bob"}}"#,
            r#"{"mind": "m", "promise": {"to": "Bob", "words": "I will."}}"#,
            r#"{"mind": "m", "speak": {"target": "Bob", "text": "Hi"}, "promise": {"to": "Bob", "words": "I will."}, "move": {"to": "Mill"}}"#,
            r#"{"mind": "m", "keep": {"by": "Bob", "promise": 3}}"#,
            r#"{"mind": "m", "keep": {"promise": "number 1"}}"#,
            r#"{"mind": "m", "keep": {"by": "Ann"}}"#,
            r#"{"mind": "m", "attempt": {"what": "force the door"}}"#,
            r#"{"mind": "m", "attempt": {"what": "force the door", "aim": "to get out"}}"#,
            r#"{"mind": "m", "give": {"item": "the key", "to": "Bob"}, "keep": {"by": "Ann"}}"#,
            r#"{"mind": "m", "announce": "Hi", "move": "Mill", "feels": {"about": "Eve", "change": "+1", "why": "w"}}"#,
            r#"{"mind": "m", "use": {"item": "the key", "with": "the log"}}"#,
            r#"{"mind": "m", "hide": {"item": "the key"}}"#,
            r#"{"mind": "m", "follow": {"who": "Bob"}}"#,
        ] {
            assert_eq!(broken_paths(right), Vec::<String>::new(), "{right}");
        }
        let feeling = r#"{"about": "Bob", "change": 1, "why": "w"}"#;
        assert_eq!(
            broken_paths(&format!(r#"{{"mind": "m", "feels": {feeling}}}"#)),
            [""]
        );
        let two_done = r#"{"mind": "m", "take": {"item": "the log"}, "move": {"to": "Mill"}}"#;
        assert_eq!(broken_paths(two_done), ["take"]);
        let two_said =
            r#"{"mind": "m", "announce": {"text": "a"}, "speak": {"target": "Bob", "text": "b"}}"#;
        assert_eq!(broken_paths(two_said), ["announce"]);
    }

    #[test]
    fn every_wrong_member_is_named() {
        let wrong = r#"{"mind": "", "whisper": {"target": "Eve", "text": ""}}"#;
        assert_eq!(broken_paths(wrong), ["whisper.target", "whisper.text"]);
        assert_eq!(
            broken_paths(r#"{"mind": "m", "move": {"to": "Moon"}}"#),
            ["move.to"]
        );
        let unknown = r#"{"mind": "m", "announce": {"text": "t", "tells": ["the-boy"]}, "show": {"item": "the log", "to": "Eve"}}"#;
        assert_eq!(broken_paths(unknown), ["tells[0]", "show.item", "show.to"]);
        for (keep, path) in [
            (r#"{"by": "Bob"}"#, "keep.promise"),
            (r#"{"by": "Bob", "promise": 2}"#, "keep.promise"),
            (r#"{"by": "Eve", "promise": 2}"#, "keep.by"),
            ("{}", "keep.promise"),
        ] {
            let plan = format!(r#"{{"mind": "m", "keep": {keep}}}"#);
            assert_eq!(broken_paths(&plan), [path], "{keep}");
        }
        for (done, path) in [
            (r#""use": {"item": "the log"}"#, "use.item"),
            (r#""use": {"item": "the key"}"#, "use.with"),
            (r#""hide": {"item": "the log"}"#, "hide.item"),
            (r#""follow": {"who": "Eve"}"#, "follow.who"),
        ] {
            let plan = format!(r#"{{"mind": "m", {done}}}"#);
            assert_eq!(broken_paths(&plan), [path], "{done}");
        }
    }

    #[test]
    fn the_schema_holds_only_what_is_legal() {
        let alone = PlanConstraints {
            exits: vec!["Mill".into()],
            speech_chars: 50,
            ..PlanConstraints::default()
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
