//! The members of actions: where their legal values come from, and how they are checked.

use std::collections::BTreeSet;

use playhouse_engine::event::{PromptSet, PromptTemplate};
use playhouse_engine::exchange::Violation;
use playhouse_engine::mind::Notes;
use playhouse_engine::reading::letters;
use serde::Serialize;
use serde_json::{Value, json};

use super::PlanConstraints;

const NOT_HERE: PromptTemplate<NotHere> = PromptTemplate::new("rules/not_here");
const NO_WAY: PromptTemplate<NoWay> = PromptTemplate::new("rules/no_way");

#[derive(Default, Serialize)]
struct NotHere<'a> {
    target: &'a str,
    present: &'a [String],
}

#[derive(Default, Serialize)]
struct NoWay<'a> {
    to: &'a str,
    exits: &'a [String],
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&NOT_HERE).add(&NO_WAY);
}

/// A member of an action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) source: Source,
}

/// What an answer gives for a member.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given<'a> {
    Text(&'a str),
    List(&'a [String]),
    Number,
}

impl<'a> From<&'a String> for Given<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a Vec<String>> for Given<'a> {
    fn from(list: &'a Vec<String>) -> Self {
        Self::List(list)
    }
}

impl From<&u64> for Given<'_> {
    fn from(_: &u64) -> Self {
        Self::Number
    }
}

impl From<&i64> for Given<'_> {
    fn from(_: &i64) -> Self {
        Self::Number
    }
}

/// Where the legal values of a member come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Somebody here, or nobody in particular.
    Addressee,
    /// Somebody here in whose ear one can whisper.
    Confidant,
    /// Somebody here.
    Person,
    /// Somebody here who can leave.
    Leader,
    /// Somebody here to whom one may promise something.
    Listener,
    /// Somebody here for whom one's feelings may change.
    Felt,
    /// The places that one can walk to.
    Exit,
    /// The items that lie here for everybody to see.
    Lying,
    /// The items that one has.
    Held,
    /// The items here that one can read.
    Readable,
    /// The items here that one can use, and with what.
    Usable,
    UsedWith,
    /// Those to whom one has promised something, and the numbers of what is not kept yet.
    Promisee,
    PromiseNumber,
    /// The ids of the facts that one can tell; none need be told.
    Facts,
    /// A step up or down.
    Step,
    /// Words that are said.
    Speech,
    /// Words that say what one will do, and what one does.
    Vow,
    Deed,
    /// What one looks for.
    Search,
    /// What something is for, and why nothing is done.
    Motive,
    Reason,
}

impl Source {
    pub(super) fn is_list(self) -> bool {
        self == Self::Facts
    }

    /// The names to choose from; `None` if there is nothing to choose from.
    fn options(self, legal: &PlanConstraints) -> Option<Vec<String>> {
        let uses = legal.uses.iter();
        Some(match self {
            Self::Addressee | Self::Person => legal.present.clone(),
            Self::Confidant if legal.whisper => legal.present.clone(),
            Self::Leader if !legal.exits.is_empty() => legal.present.clone(),
            Self::Confidant | Self::Leader => Vec::new(),
            Self::Listener => legal.promise_to.clone(),
            Self::Felt => legal.feels_about.clone(),
            Self::Exit => legal.exits.clone(),
            Self::Lying => legal.lying.clone(),
            Self::Held => legal.held.clone(),
            Self::Readable => legal.readable.clone(),
            Self::Usable => distinct(uses.map(|open| &open.item)),
            Self::UsedWith => distinct(uses.map(|open| &open.with)),
            Self::Promisee => distinct(&legal.promised_to),
            _ => return None,
        })
    }

    /// Whether there is a legal value.
    pub(super) fn is_open(self, legal: &PlanConstraints) -> bool {
        let is_free = self != Self::Deed || legal.attempt;
        let options = self.options(legal);
        is_free && options.is_none_or(|options| !options.is_empty())
    }

    /// The schema of the legal values; `None` if there is none that need be offered.
    pub(super) fn schema(self, legal: &PlanConstraints) -> Option<Value> {
        if let Some(options) = self.options(legal) {
            return Some(one_of(&options));
        }
        Some(match self {
            Self::PromiseNumber => {
                let numbers: Vec<_> = (1..=legal.promised_to.len()).collect();
                json!({"type": "integer", "enum": numbers})
            }
            Self::Step => json!({"type": "integer", "enum": [-1, 1]}),
            Self::Facts if legal.tells.is_empty() => return None,
            Self::Facts => json!({"type": "array", "items": one_of(&legal.tells)}),
            _ => json!({"type": "string", "minLength": 1, "maxLength": legal.speech_chars}),
        })
    }

    /// What is wrong with what was given. What belongs together is checked by its action.
    pub(super) fn check(
        self,
        path: &str,
        given: Given<'_>,
        legal: &PlanConstraints,
    ) -> Vec<Violation> {
        let found = match (self, given) {
            (Self::Facts, Given::List(facts)) => return check_facts(path, facts, legal),
            (Self::Addressee, Given::Text("")) => None,
            (
                Self::Addressee | Self::Confidant | Self::Person | Self::Leader,
                Given::Text(target),
            ) => check_present(target, &legal.present),
            (Self::Exit, Given::Text(to)) => check_exit(to, &legal.exits),
            (Self::Lying | Self::Held | Self::Readable | Self::Listener, Given::Text(name)) => {
                let options = self.options(legal).unwrap_or_default();
                Violation::unless_offered("", name, &options)
            }
            (Self::Speech | Self::Search, Given::Text(text)) => check_text(text, legal),
            // What is said may be a silence; what is done is something.
            (Self::Vow | Self::Deed, Given::Text(text)) => {
                check_text(if letters(text) > 0 { text } else { "" }, legal)
            }
            (Self::Motive, Given::Text(text)) => Violation::too_long("", text, legal.speech_chars),
            _ => None,
        };
        found.map(|found| found.at(path)).into_iter().collect()
    }

    /// The names to choose from that the notes of an ask offer; `None` if there is nothing to
    /// choose from.
    pub(crate) fn noted(self, notes: Notes<'_>) -> Option<Vec<&str>> {
        let parts = |list, part| notes.list(list).map(|each| each.text(part)).collect();
        Some(match self {
            Self::Addressee | Self::Person => notes.names("present"),
            Self::Confidant if notes.flag("whisper") => notes.names("present"),
            Self::Leader if notes.list("exits").len() > 0 => notes.names("present"),
            Self::Confidant | Self::Leader => Vec::new(),
            Self::Listener => notes.texts("promise_to"),
            Self::Felt => notes.names("feelings"),
            Self::Exit => notes.texts("exits"),
            Self::Lying => notes.names("lying"),
            Self::Held => notes.names("items"),
            Self::Readable => {
                let items = notes.list("items").chain(notes.list("lying"));
                let readable = items.filter(|item| item.flag("readable"));
                readable.map(Notes::name).collect()
            }
            Self::Usable => parts("uses", "item"),
            Self::UsedWith => parts("uses", "with"),
            Self::Promisee => parts("promises", "to"),
            Self::PromiseNumber | Self::Facts | Self::Step => return None,
            Self::Speech | Self::Vow | Self::Deed | Self::Search | Self::Motive | Self::Reason => {
                return None;
            }
        })
    }
}

fn check_present(target: &str, present: &[String]) -> Option<Violation> {
    let is_here = present.iter().any(|name| name == target);
    (!is_here).then(|| {
        Violation::unclear(target, present, || {
            let rule = format!(
                "'{target}' is not here; choose one of: {}",
                present.join(", ")
            );
            Violation::new("", rule).with_template(&NOT_HERE, &NotHere { target, present })
        })
    })
}

fn check_exit(to: &str, exits: &[String]) -> Option<Violation> {
    let is_exit = exits.iter().any(|exit| exit == to);
    (!is_exit).then(|| {
        Violation::unclear(to, exits, || {
            let rule = format!(
                "no way leads to '{to}'; choose one of: {}",
                exits.join(", ")
            );
            Violation::new("", rule).with_template(&NO_WAY, &NoWay { to, exits })
        })
    })
}

fn check_facts(path: &str, facts: &[String], legal: &PlanConstraints) -> Vec<Violation> {
    let facts = facts.iter().enumerate();
    let offered = facts.filter(|(_, fact)| !legal.untold.contains(fact));
    let found = offered.filter_map(|(number, fact)| {
        Violation::unless_offered(format!("{path}[{number}]"), fact, &legal.tells)
    });
    found.collect()
}

fn check_text(text: &str, legal: &PlanConstraints) -> Option<Violation> {
    if text.trim().is_empty() {
        return Some(Violation::empty(""));
    }
    Violation::too_long("", text, legal.speech_chars)
}

/// These names, each once.
pub(super) fn distinct<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = names.into_iter().filter(|name| seen.insert(*name));
    names.cloned().collect()
}

/// The schema of one of these names.
pub(crate) fn one_of(names: &[String]) -> Value {
    json!({"type": "string", "enum": names})
}
