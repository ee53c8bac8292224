//! What an actor does in its turn at home: a thought, at most one thing said, at most one thing
//! done, and perhaps a promise given or kept beside them.
//!
//! The doc comments of the types that minds answer with are part of the schema that models read.

use std::collections::BTreeSet;

use playhouse_engine::event::{PromptSet, PromptTemplate};
use playhouse_engine::exchange::{Reply, Violation};
use playhouse_engine::memory::Words;
use playhouse_engine::reading::{Offers, letters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Words to somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Words")]
pub(super) struct Speech {
    /// The name of the one they are meant for.
    pub(super) target: String,
    /// The words themselves, without any name or mark before them.
    pub(super) text: String,
    /// The ids of what you tell with these words, of those that you can tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tells: Vec<String>,
}

/// Words to all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Announcement {
    /// The words themselves.
    pub(super) text: String,
    /// The ids of what you tell with these words, of those that you can tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tells: Vec<String>,
}

/// A question to oneself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Lookup {
    /// What you look for.
    pub(super) text: String,
}

/// An item for somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Handing {
    /// The name of an item that you have.
    pub(super) item: String,
    /// The name of the one it is for.
    pub(super) to: String,
}

/// An item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Thing {
    /// The name of the item.
    pub(super) item: String,
}

/// A use of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Use")]
#[serde(default)]
pub(super) struct Using {
    /// The name of the item.
    pub(super) item: String,
    /// With whom or what; empty if with nothing.
    pub(super) with: String,
}

/// Somebody to go with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Companion {
    /// The name of the one whom you follow.
    pub(super) who: String,
}

/// A promise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Vow {
    /// The name of the one to whom you give it.
    pub(super) to: String,
    /// What you promise, in the first person.
    pub(super) words: String,
}

/// A promise to keep. One of the two is enough if it leaves no doubt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Promised")]
#[serde(default)]
pub(super) struct Keeping {
    /// The name of the one to whom you gave it.
    pub(super) to: String,
    /// Its number among those that you have not kept yet.
    pub(super) promise: u64,
}

impl Using {
    /// The index of the use that is meant, if only one can be.
    pub(super) fn find(&self, open: &[Self]) -> Option<usize> {
        let same = open.iter().enumerate();
        let same = same.filter(|(_, open)| open.item == self.item);
        let exact = same.clone().find(|(_, open)| open.with == self.with);
        let mut meant = same.filter(|_| self.with.is_empty());
        let only = meant.next().filter(|_| meant.next().is_none());
        exact.or(only).map(|(index, _)| index)
    }
}

impl Keeping {
    /// The index of the promise that is meant, if only one can be, given to whom each open promise
    /// was made.
    pub(super) fn find<'a>(&self, open: impl IntoIterator<Item = &'a str>) -> Option<usize> {
        let open = open.into_iter().zip(1..).enumerate();
        let mut meant = open.filter(|(_, (to, number))| {
            (self.to.is_empty() || self.to == *to) && (self.promise == 0 || self.promise == *number)
        });
        let found = meant.next();
        let (index, _) = found.filter(|_| meant.next().is_none())?;
        Some(index)
    }
}

/// Something to try.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Try {
    /// What you do, as everybody here sees it, beginning with a verb.
    pub(super) what: String,
    /// What for, which the place alone reads, to judge it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) aim: String,
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
    #[serde(default)]
    #[schemars(!default)]
    pub(super) reason: String,
}

/// A feeling that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Feeling")]
pub(super) struct Feeling {
    /// The name of the one it is about.
    pub(super) about: String,
    /// 1 if you like them better now, -1 if you like them less.
    pub(super) change: i64,
    /// Why, in a few words.
    #[serde(default)]
    #[schemars(!default)]
    pub(super) why: String,
}

/// A private thought, at most one thing said (speak, whisper, announce) and at most one thing done
/// (all others but feels), at least one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Plan {
    /// What is said may say here, too, what it tells.
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub(super) tells: Vec<String>,
    /// What the answer would do besides, and is not possible now.
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub(super) left_out: Vec<String>,
    /// What you think and feel, in the first person; nobody else learns it.
    #[serde(default)]
    #[schemars(!default)]
    pub(super) mind: String,
    /// Say something aloud to somebody here; everybody here hears it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) speak: Option<Speech>,
    /// Say something into one ear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) whisper: Option<Speech>,
    /// Have something made known in every place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) announce: Option<Announcement>,
    /// Search your memory and what you know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) query: Option<Lookup>,
    /// Walk to another place.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub(super) go: Option<Destination>,
    /// Take something that lies here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) take: Option<Thing>,
    /// Give somebody here something that you have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) give: Option<Handing>,
    /// Show somebody here something that you have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) show: Option<Handing>,
    /// Read something that you have or that lies here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) read: Option<Thing>,
    /// Use something that you have or that lies here.
    #[serde(default, rename = "use", skip_serializing_if = "Option::is_none")]
    pub(super) using: Option<Using>,
    /// Hide something that you have where you are; nobody sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hide: Option<Thing>,
    /// Go along with somebody here who leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) follow: Option<Companion>,
    /// Promise something to somebody here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) promise: Option<Vow>,
    /// Keep what you have promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) keep: Option<Keeping>,
    /// Try something else; the place judges whether and how it comes off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) attempt: Option<Try>,
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
    /// The ids of the facts that may be told.
    pub(super) tells: Vec<String>,
    /// The ids of the facts that one knows and that nobody can be told: everyone knows them, or
    /// they are sworn.
    pub(super) untold: Vec<String>,
    /// The names of the items that one has.
    pub(super) held: Vec<String>,
    /// The names of the items that lie here for everybody to see.
    pub(super) lying: Vec<String>,
    /// The names of the items that one can read.
    pub(super) readable: Vec<String>,
    /// The uses of items: of which, and with what.
    pub(super) uses: Vec<Using>,
    /// The names of those to whom one may promise something.
    pub(super) promise_to: Vec<String>,
    /// To whom each promise was made that one has not kept yet, in the order of their numbers.
    pub(super) promised_to: Vec<String>,
    /// Whether something else may be tried now.
    pub(super) attempt: bool,
}

/// What may be said, by the names in JSON.
const SAID: [&str; 3] = ["speak", "whisper", "announce"];
/// What may be done, by the names in JSON.
const DONE: [&str; 11] = [
    "query", "move", "take", "give", "show", "read", "use", "hide", "follow", "attempt", "wait",
];
/// What may stand beside both, by the names in JSON.
const BESIDE: [&str; 2] = ["promise", "keep"];

const NOT_HERE: PromptTemplate<NotHere> = PromptTemplate::new("rules/not_here");
const NO_ACTION: PromptTemplate<NoAction> = PromptTemplate::new("rules/no_action");
const ONE_ACTION: PromptTemplate<OneAction> = PromptTemplate::new("rules/one_action");
const NOT_POSSIBLE: PromptTemplate<NotPossible> = PromptTemplate::new("rules/not_possible");
const NO_WAY: PromptTemplate<NoWay> = PromptTemplate::new("rules/no_way");

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
    prompts.add(&NO_ACTION).add(&ONE_ACTION);
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
        let held = [
            self.query.is_some(),
            self.go.is_some(),
            self.take.is_some(),
            self.give.is_some(),
            self.show.is_some(),
            self.read.is_some(),
            self.using.is_some(),
            self.hide.is_some(),
            self.follow.is_some(),
            self.attempt.is_some(),
            self.wait.is_some(),
        ];
        held_of(DONE, held)
    }

    /// What it would have said and done besides, had it been possible.
    pub(super) fn impossible(&self) -> Vec<&'static str> {
        let actions = SAID.into_iter().chain(BESIDE).chain(DONE);
        let is_left_out = |action: &&str| self.left_out.iter().any(|left| left == action);
        actions.filter(is_left_out).collect()
    }

    /// What its words are meant to tell.
    pub(super) fn told(&self) -> Vec<String> {
        let said = [&self.speak, &self.whisper].into_iter().flatten();
        let said = said.flat_map(|speech| &speech.tells);
        let announced = self.announce.iter().flat_map(|words| &words.tells);
        said.chain(announced).cloned().collect()
    }

    /// Whether the actor says nothing and does nothing.
    pub(super) fn passes(&self) -> bool {
        self.says_nothing() && matches!(self.done().as_slice(), [] | ["wait"])
    }

    /// Whether the actor searches and does nothing else.
    pub(super) fn only_searches(&self) -> bool {
        self.says_nothing() && self.done() == ["query"]
    }

    fn says_nothing(&self) -> bool {
        self.said().is_empty() && self.beside().is_empty()
    }

    /// What stands beside it, in the order of [`BESIDE`].
    fn beside(&self) -> Vec<&'static str> {
        held_of(BESIDE, [self.promise.is_some(), self.keep.is_some()])
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
        let actions = SAID.into_iter().chain(BESIDE).chain(DONE);
        actions.filter(|action| self.allows(action))
    }

    fn allows(&self, action: &str) -> bool {
        match action {
            "speak" => !self.present.is_empty(),
            "whisper" => self.whisper && !self.present.is_empty(),
            "move" => !self.exits.is_empty(),
            "take" => !self.lying.is_empty(),
            "give" | "show" => !self.held.is_empty() && !self.present.is_empty(),
            "read" => !self.readable.is_empty(),
            "use" => !self.uses.is_empty(),
            "hide" => !self.held.is_empty(),
            "follow" => !self.exits.is_empty() && !self.present.is_empty(),
            "promise" => !self.promise_to.is_empty(),
            "keep" => !self.promised_to.is_empty(),
            "attempt" => self.attempt,
            _ => true,
        }
    }

    fn check_speech(&self, action: &str, speech: &Speech, violations: &mut Vec<Violation>) {
        // What is said aloud may be meant for all.
        if action != "speak" || !speech.target.is_empty() {
            self.check_present(format!("{action}.target"), &speech.target, violations);
        }
        self.check_told(action, &speech.text, &speech.tells, violations);
    }

    fn check_present(&self, path: String, target: &str, violations: &mut Vec<Violation>) {
        let present = &self.present;
        if !present.iter().any(|name| name == target) {
            let violation = Violation::unclear(target, present, || {
                let rule = format!(
                    "'{target}' is not here; choose one of: {}",
                    present.join(", ")
                );
                Violation::new("", rule).with_template(&NOT_HERE, &NotHere { target, present })
            });
            violations.push(violation.at(path));
        }
    }

    fn check_told(
        &self,
        action: &str,
        text: &str,
        tells: &[String],
        violations: &mut Vec<Violation>,
    ) {
        self.check_text(&format!("{action}.text"), text, violations);
        for (number, fact) in tells.iter().enumerate() {
            let path = format!("{action}.tells[{number}]");
            if !self.untold.contains(fact) {
                violations.extend(Violation::unless_offered(path, fact, &self.tells));
            }
        }
    }

    /// Checks what is done with items and promises.
    fn check_deeds(&self, plan: &Plan, violations: &mut Vec<Violation>) {
        let things = [
            ("take", &plan.take, &self.lying),
            ("read", &plan.read, &self.readable),
            ("hide", &plan.hide, &self.held),
        ];
        for (action, thing, options) in things {
            if let Some(thing) = thing.as_ref().filter(|_| self.allows(action)) {
                let path = format!("{action}.item");
                violations.extend(Violation::unless_offered(path, &thing.item, options));
            }
        }
        for (action, handing) in [("give", &plan.give), ("show", &plan.show)] {
            if let Some(handing) = handing.as_ref().filter(|_| self.allows(action)) {
                let path = format!("{action}.item");
                violations.extend(Violation::unless_offered(path, &handing.item, &self.held));
                self.check_present(format!("{action}.to"), &handing.to, violations);
            }
        }
        if let Some(using) = plan.using.as_ref().filter(|_| self.allows("use")) {
            self.check_use(using, violations);
        }
        if let Some(Companion { who }) = plan.follow.as_ref().filter(|_| self.allows("follow")) {
            self.check_present("follow.who".into(), who, violations);
        }
        if let Some(vow) = plan.promise.as_ref().filter(|_| self.allows("promise")) {
            let violation = Violation::unless_offered("promise.to", &vow.to, &self.promise_to);
            violations.extend(violation);
            self.check_deed("promise.words", &vow.words, violations);
        }
        if let Some(tried) = plan.attempt.as_ref().filter(|_| self.allows("attempt")) {
            self.check_deed("attempt.what", &tried.what, violations);
            violations.extend(Violation::too_long(
                "attempt.aim",
                &tried.aim,
                self.speech_chars,
            ));
        }
        if let Some(keeping) = plan.keep.as_ref().filter(|_| self.allows("keep")) {
            self.check_kept(keeping, violations);
        }
    }

    fn check_use(&self, using: &Using, violations: &mut Vec<Violation>) {
        let Using { item, with } = using;
        if using.find(&self.uses).is_some() {
            return;
        }
        let items: Vec<_> = self.uses.iter().map(|open| open.item.clone()).collect();
        if !items.contains(item) {
            return violations.extend(Violation::unless_offered(
                "use.item",
                item,
                &distinct(&items),
            ));
        }
        let same = self.uses.iter().filter(|open| open.item == *item);
        let with_what: Vec<_> = same.map(|open| open.with.clone()).collect();
        violations.extend(Violation::unless_offered("use.with", with, &with_what));
    }

    fn check_kept(&self, keeping: &Keeping, violations: &mut Vec<Violation>) {
        let Keeping { to, promise } = keeping;
        let open = &self.promised_to;
        if keeping.find(open.iter().map(String::as_str)).is_some() {
            return;
        }
        if !to.is_empty() && !open.contains(to) {
            return violations.extend(Violation::unless_offered("keep.to", to, &distinct(open)));
        }
        let numbers = open.iter().zip(1..);
        let numbers = numbers.filter(|(other, _)| to.is_empty() || *other == to);
        let numbers: Vec<_> = numbers
            .map(|(_, number): (_, u64)| number.to_string())
            .collect();
        let given = promise.to_string();
        violations.extend(Violation::unless_offered("keep.promise", &given, &numbers));
    }

    /// What is said may be a silence; what is done is something.
    fn check_deed(&self, path: &str, text: &str, violations: &mut Vec<Violation>) {
        let text = if letters(text) > 0 { text } else { "" };
        self.check_text(path, text, violations);
    }

    fn check_text(&self, path: &str, text: &str, violations: &mut Vec<Violation>) {
        if text.trim().is_empty() {
            violations.push(Violation::empty(path));
        } else {
            violations.extend(Violation::too_long(path, text, self.speech_chars));
        }
    }
}

/// The schema of an object whose members must all be there.
fn object_of<const N: usize>(members: [(&str, &Value); N]) -> Value {
    let names = members.map(|(name, _)| name);
    let members = members.map(|(name, schema)| (name.to_owned(), schema.clone()));
    json!({
        "type": "object",
        "properties": Map::from_iter(members),
        "required": names.as_slice(),
        "additionalProperties": false,
    })
}

/// These names, each once.
fn distinct(names: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = names.iter().filter(|name| seen.insert(*name));
    names.cloned().collect()
}

/// The schema of one of these names.
pub(super) fn one_of(names: &[String]) -> Value {
    json!({"type": "string", "enum": names})
}

impl Reply for Plan {
    type Constraints = PlanConstraints;
    const NAME: &'static str = "plan";
    const IS_TOLD: bool = true;
    const WORDS: &'static [Words] = &[
        Words::Thought("/mind"),
        Words::Spoken("/speak/text"),
        Words::Spoken("/whisper/text"),
        Words::Spoken("/announce/text"),
        Words::Given("/promise/words"),
        Words::Tried("/attempt/what"),
    ];
    const LEFT_OUT: Option<&'static str> = Some("left_out");
    const MAY_BE_LEFT_OUT: &'static [&'static str] = &[
        "mind",
        "use.with",
        "keep.to",
        "keep.promise",
        "attempt.aim",
        "wait.reason",
        "feels.why",
    ];

    fn looks_up(&self) -> Option<&str> {
        self.query.as_ref().map(|question| question.text.as_str())
    }

    fn constrain_schema(_schema: &Value, constraints: &PlanConstraints) -> Option<Value> {
        let text = json!({"type": "string", "minLength": 1, "maxLength": constraints.speech_chars});
        let thought = json!({"type": "string", "maxLength": constraints.speech_chars});
        let other = one_of(&constraints.present);
        let tells = json!({"type": "array", "items": one_of(&constraints.tells)});
        let telling = |mut schema: Value| {
            let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
            if let Some(properties) = properties.filter(|_| !constraints.tells.is_empty()) {
                properties.insert("tells".to_owned(), tells.clone());
            }
            schema
        };
        let mut properties = Map::from_iter([("mind".to_owned(), thought)]);
        for action in constraints.possible() {
            let held = || one_of(&constraints.held);
            let schema = match action {
                "speak" | "whisper" => telling(object_of([("target", &other), ("text", &text)])),
                "announce" => telling(object_of([("text", &text)])),
                "move" => object_of([("to", &one_of(&constraints.exits))]),
                "take" => object_of([("item", &one_of(&constraints.lying))]),
                "give" | "show" => object_of([("item", &held()), ("to", &other)]),
                "read" => object_of([("item", &one_of(&constraints.readable))]),
                "hide" => object_of([("item", &held())]),
                "follow" => object_of([("who", &other)]),
                "use" => {
                    let uses = constraints.uses.iter();
                    let (items, with): (Vec<_>, Vec<_>) = uses
                        .map(|open| (open.item.clone(), open.with.clone()))
                        .unzip();
                    let (items, with) = (one_of(&distinct(&items)), one_of(&distinct(&with)));
                    object_of([("item", &items), ("with", &with)])
                }
                "promise" => {
                    object_of([("to", &one_of(&constraints.promise_to)), ("words", &text)])
                }
                "keep" => {
                    let open = &constraints.promised_to;
                    let numbers: Vec<_> = (1..=open.len()).collect();
                    let number = json!({"type": "integer", "enum": numbers});
                    object_of([("to", &one_of(&distinct(open))), ("promise", &number)])
                }
                "attempt" => object_of([("what", &text), ("aim", &text)]),
                "wait" => object_of([("reason", &text)]),
                _ => object_of([("text", &text)]),
            };
            properties.insert(action.to_owned(), schema);
        }
        if !constraints.feels_about.is_empty() {
            let change = json!({"type": "integer", "enum": [-1, 1]});
            let about = one_of(&constraints.feels_about);
            let feeling = object_of([("about", &about), ("change", &change), ("why", &text)]);
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

    /// What is told may stand beside the words, what is said to all is said to nobody in
    /// particular, waiting beside a deed means nothing, and a feeling moves by one step however
    /// much it says.
    fn settled(mut self, constraints: &PlanConstraints) -> Self {
        let told = std::mem::take(&mut self.tells);
        let said = [&mut self.speak, &mut self.whisper].into_iter().flatten();
        let said = said.map(|speech| &mut speech.tells);
        let announced = self.announce.as_mut().map(|words| &mut words.tells);
        for tells in said.chain(announced).filter(|tells| tells.is_empty()) {
            tells.clone_from(&told);
        }
        let present = || Offers::of_names(constraints.present.iter().map(String::as_str));
        if let Some(speech) = &mut self.speak
            && !constraints.present.contains(&speech.target)
            && present().are_all_meant(&speech.target)
        {
            speech.target.clear();
        }
        if self.done().len() > 1 {
            self.wait = None;
        }
        self.feels = self.feels.filter(|feeling| feeling.change != 0);
        if let Some(feeling) = &mut self.feels {
            feeling.change = feeling.change.signum();
        }
        self
    }

    fn check(&self, constraints: &PlanConstraints) -> Vec<Violation> {
        let mut violations = Vec::new();
        // Nobody need think of anything.
        let mind = Violation::too_long("mind", &self.mind, constraints.speech_chars);
        violations.extend(mind);
        let (said, done) = (self.said(), self.done());
        if self.says_nothing() && done.is_empty() {
            let possible: Vec<_> = constraints.possible().collect();
            let rule = format!("say or do something: {}", possible.join(", "));
            let data = NoAction { actions: &possible };
            let violation = Violation::new("", rule).with_template(&NO_ACTION, &data);
            // Whoever only thinks, and is asked again and only thinks, does nothing.
            let is_thought = !self.mind.trim().is_empty();
            violations.push(if is_thought {
                violation.only_once()
            } else {
                violation
            });
        }
        for found in [&said, &done] {
            if found.len() > 1 {
                let rule = format!("only one of {}", found.join(", "));
                let violation = Violation::new("", rule);
                violations.push(violation.with_template(&ONE_ACTION, &OneAction { found }));
            }
        }
        let beside = self.beside();
        let found = said.iter().chain(&beside).chain(&done);
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
        if let Some(Announcement { text, tells }) = &self.announce {
            constraints.check_told("announce", text, tells, &mut violations);
        }
        if let Some(question) = &self.query {
            constraints.check_text("query.text", &question.text, &mut violations);
        }
        constraints.check_deeds(self, &mut violations);
        if let Some(Destination { to }) = &self.go
            && !constraints.exits.contains(to)
        {
            let exits = &constraints.exits;
            let violation = Violation::unclear(to, exits, || {
                let rule = format!(
                    "no way leads to '{to}'; choose one of: {}",
                    exits.join(", ")
                );
                Violation::new("", rule).with_template(&NO_WAY, &NoWay { to, exits })
            });
            violations.push(violation.at("move.to"));
        }
        // Whoever it can't be about any more leaves a feeling without effect.
        if let Some(feeling) = &self.feels {
            let most = constraints.speech_chars;
            violations.extend(Violation::too_long("feels.why", &feeling.why, most));
        }
        violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::exchange::Ask;

    fn using(item: &str, with: &str) -> Using {
        let (item, with) = (item.into(), with.into());
        Using { item, with }
    }

    fn constraints() -> PlanConstraints {
        PlanConstraints {
            present: vec!["Bob".into()],
            exits: vec!["Mill".into()],
            whisper: true,
            speech_chars: 50,
            feels_about: vec!["Bob".into()],
            tells: vec!["the-lamp".into()],
            untold: vec!["the-oath".into()],
            held: vec!["the key".into()],
            lying: vec!["the log".into()],
            readable: vec!["the log".into()],
            uses: vec![using("the key", "Mill"), using("the key", "the log")],
            promise_to: vec!["Bob".into()],
            promised_to: vec!["Bob".into(), "Ann".into(), "Bob".into()],
            attempt: true,
        }
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
            r#"{"mind": "m", "keep": {"to": "Bob", "promise": 3}}"#,
            r#"{"mind": "m", "keep": {"promise": "number 1"}}"#,
            r#"{"mind": "m", "keep": {"to": "Ann"}}"#,
            r#"{"mind": "m", "attempt": {"what": "force the door"}}"#,
            r#"{"mind": "m", "attempt": {"what": "force the door", "aim": "to get out"}}"#,
            r#"{"mind": "m", "give": {"item": "the key", "to": "Bob"}, "keep": {"to": "Ann"}}"#,
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
        assert_eq!(broken_paths(two_done), [""]);
        let two_said =
            r#"{"mind": "m", "announce": {"text": "a"}, "speak": {"target": "Bob", "text": "b"}}"#;
        assert_eq!(broken_paths(two_said), [""]);
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
        assert_eq!(
            broken_paths(unknown),
            ["announce.tells[0]", "show.item", "show.to"]
        );
        for (keep, path) in [
            (r#"{"to": "Bob"}"#, "keep.promise"),
            (r#"{"to": "Bob", "promise": 2}"#, "keep.promise"),
            (r#"{"to": "Eve", "promise": 2}"#, "keep.to"),
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
