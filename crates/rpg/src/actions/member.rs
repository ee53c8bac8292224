//! The members of actions: where their legal values come from, and how they are checked.

use std::collections::BTreeSet;

use playhouse_engine::exchange::Violation;
use playhouse_engine::memory::Words;
use playhouse_engine::mind::Notes;
use playhouse_engine::reading::letters;
use serde::Serialize;
use serde_json::{Value, json};

use super::PlanConstraints;
use super::plan::PlanRule;

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
    Number,
}

impl<'a> From<&'a String> for Given<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
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
    /// An actor here, or nobody in particular.
    Addressee,
    /// An actor here in whose ear one can whisper.
    Confidant,
    /// An actor here.
    Person,
    /// An actor here who can leave.
    Leader,
    /// An actor here to whom one may promise something.
    Listener,
    /// An actor here for whom one's feelings may change.
    Felt,
    /// The places that one can walk to.
    Exit,
    /// The items that lie here for everybody to see and take.
    Lying,
    /// The items that one has, and those of them that one can part with.
    Held,
    Spare,
    /// The items here that one can read.
    Readable,
    /// The items here that one can use, and with what.
    Usable,
    UsedWith,
    /// The items that one has and can destroy.
    Destructible,
    /// What one promises to give, and where one promises to go.
    Pledged,
    Meeting,
    /// Those here who have promised one something, and the numbers of what is not kept yet.
    Promiser,
    PromiseNumber,
    /// A step up or down.
    Step,
    /// What one thinks.
    Thought,
    /// Words that are said, and in which language if not in the one that all share.
    Speech,
    Tongue,
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
    /// How the words are remembered that stand at this path; `None` if these are not.
    pub(super) const fn words(self, path: &'static str) -> Option<Words> {
        match self {
            Self::Thought => Some(Words::Thought(path)),
            Self::Speech => Some(Words::Spoken(path)),
            Self::Vow => Some(Words::Given(path)),
            Self::Deed => Some(Words::Tried(path)),
            _ => None,
        }
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
            Self::Spare => legal.spare.clone(),
            Self::Readable => legal.readable.clone(),
            Self::Usable => distinct(uses.map(|open| &open.item)),
            Self::UsedWith => distinct(uses.map(|open| &open.with)),
            Self::Promiser => distinct(&legal.owed_by),
            Self::Destructible => legal.destructible.clone(),
            Self::Pledged => legal.held.clone(),
            Self::Meeting => legal.ways.clone(),
            Self::Tongue => legal.languages.clone(),
            _ => return None,
        })
    }

    /// Whether it may be left out.
    pub(super) fn is_optional(self) -> bool {
        matches!(
            self,
            Self::Motive | Self::Tongue | Self::Pledged | Self::Meeting
        )
    }

    /// Whether there is nothing to choose from.
    pub(super) fn is_empty(self, legal: &PlanConstraints) -> bool {
        self.options(legal)
            .is_some_and(|options| options.is_empty())
    }

    /// Whether there is a legal value.
    pub(super) fn is_open(self, legal: &PlanConstraints) -> bool {
        let is_free = match self {
            Self::Deed => legal.attempt,
            Self::Search => !legal.searched,
            _ => true,
        };
        is_free && (self.is_optional() || !self.is_empty(legal))
    }

    /// The schema of the values that are legal now, or of all that may ever be.
    pub(super) fn schema(self, legal: Option<&PlanConstraints>) -> Value {
        if let Some(options) = legal.and_then(|legal| self.options(legal)) {
            return one_of(&options);
        }
        match (self, legal) {
            (Self::PromiseNumber, Some(legal)) => {
                let numbers: Vec<_> = (1..=legal.owed_by.len()).collect();
                json!({"enum": numbers})
            }
            (Self::PromiseNumber, None) => json!({"type": "integer"}),
            (Self::Step, _) => json!({"enum": [-1, 1]}),
            _ => json!({"type": "string"}),
        }
    }

    /// What is wrong with what was given. What belongs together is checked by its action.
    pub(super) fn check(self, given: Given<'_>, legal: &PlanConstraints) -> Option<Violation> {
        let Given::Text(text) = given else {
            return None;
        };
        match self {
            Self::Addressee if text.is_empty() => None,
            optional if optional.is_optional() && text.is_empty() => None,
            Self::Addressee | Self::Confidant | Self::Person | Self::Leader => {
                check_present(text, &legal.present)
            }
            Self::Exit => check_exit(text, &legal.exits),
            Self::Lying
            | Self::Held
            | Self::Spare
            | Self::Readable
            | Self::Destructible
            | Self::Listener
            | Self::Tongue
            | Self::Pledged
            | Self::Meeting => Violation::unless_offered("", text, &self.options(legal)?),
            Self::Speech | Self::Search => check_text(text, legal),
            // What is said may be a silence; what is done is something.
            Self::Vow | Self::Deed => check_text(if letters(text) > 0 { text } else { "" }, legal),
            // Nobody need think of anything.
            Self::Thought | Self::Motive => Violation::too_long("", text, legal.speech_chars),
            _ => None,
        }
    }

    /// The names to choose from that the notes of an ask offer; `None` if there is nothing to
    /// choose from.
    pub(crate) fn noted(self, notes: Notes<'_>) -> Option<Vec<&str>> {
        let parts = |list, part| notes.list(list).map(|each| each.text(part)).collect();
        let reserved = notes.texts("reserved");
        let free = |list, is_it: &dyn Fn(&Notes<'_>) -> bool| {
            let names = notes.list(list).filter(is_it).map(Notes::name);
            names.filter(|name| !reserved.contains(name)).collect()
        };
        Some(match self {
            Self::Addressee | Self::Confidant | Self::Person | Self::Leader => {
                notes.names("present")
            }
            Self::Listener => notes.texts("promise_to"),
            Self::Felt => notes.names("feelings"),
            Self::Exit => notes.texts("exits"),
            Self::Lying => free("lying", &|_| true),
            Self::Held => notes.names("items"),
            Self::Spare => free("items", &|_| true),
            Self::Readable => {
                let items = notes.list("items").chain(notes.list("lying"));
                let readable = items.filter(|item| item.flag("readable"));
                readable.map(Notes::name).collect()
            }
            Self::Usable => parts("uses", "item"),
            Self::UsedWith => parts("uses", "with"),
            Self::Promiser => parts("owed", "by"),
            Self::Destructible => free("items", &|item| item.flag("destructible")),
            Self::Tongue => Some(notes.texts("languages")).filter(|own| !own.is_empty())?,
            _ => return None,
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
            Violation::new("", rule).with_prompt(&PlanRule::NotHere { target, present })
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
            Violation::new("", rule).with_prompt(&PlanRule::NoWay { to, exits })
        })
    })
}

/// What is wrong with the facts that one's words are meant to tell.
pub(super) fn check_facts(
    facts: &[String],
    legal: &PlanConstraints,
) -> impl Iterator<Item = Violation> {
    let facts = facts.iter().enumerate();
    let unknown = facts.filter(|(_, fact)| !legal.known.contains(fact));
    unknown.filter_map(|(number, fact)| {
        Violation::unless_offered(format!("tells[{number}]"), fact, &legal.tells)
    })
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
pub(crate) fn one_of<T: Serialize>(names: &[T]) -> Value {
    json!({"enum": names})
}
