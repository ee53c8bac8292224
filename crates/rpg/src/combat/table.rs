//! What a turn of a fight can be, and what is said with it: one table.
//!
//! The schema of an answer, its check, what an ask lists, the menu at a seat and what the
//! improviser may choose follow from the table; `choice.rs` reads an answer, `turn.rs` carries it
//! out.

use playhouse_engine::exchange::Violation;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::choice::{ChoiceConstraints, CombatChoice, NAME_CHARS, SEEN_CHARS};
use super::turn::Turn;
use crate::actions::member::one_of;
use crate::actions::plain;

pub(crate) struct TurnSpec {
    /// As answers name it.
    pub(crate) name: &'static str,
    pub(crate) members: &'static [Member],
    /// What it takes besides a legal value of each member.
    is_allowed: fn(&ChoiceConstraints) -> bool,
    pub(super) carry_out: fn(&mut Turn<'_, '_, '_>, &CombatChoice),
}

pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) source: Source,
}

/// Where the legal values of a member come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The cards in hand, and on whom each can be used.
    Hand,
    /// The items that one carries and may show.
    Carried,
    /// What others see, in a sentence.
    Look,
    /// Words that are said aloud.
    Speech,
    /// The ids of the facts that one may tell.
    Facts,
}

/// Defines the rows, and `Action`, which names one of them.
macro_rules! turns {
    (@allowed) => { |_| true };
    (@allowed $is_allowed:ident) => { |legal| legal.$is_allowed };
    ($(
        $field:ident: $Action:ident { $($member:ident = $source:ident),+ }
        $(if $is_allowed:ident)? => $carry_out:ident
    )+) => {
        /// The ways to spend a turn.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub(crate) enum Action { $( $Action ),+ }

        /// All rows, in the order in which a menu lists them.
        pub(crate) static TURNS: &[TurnSpec] = &[$( TurnSpec {
            name: plain(stringify!($field)),
            members: &[$( Member { name: stringify!($member), source: Source::$source } ),+],
            is_allowed: turns!(@allowed $($is_allowed)?),
            carry_out: |turn, choice| turn.$carry_out(choice),
        } ),+];
    };
}

turns! {
    play: Play { cards = Hand } => play
    show: Show { item = Carried, seen = Look } => show
    hold: Hold { seen = Look } => hold
    flee: Flee { seen = Look } => flee
    r#yield: Yield { seen = Look } if may_yield => give_up
}

/// What may stand beside each of them.
static BESIDE: &[Member] = &[
    Member {
        name: "say",
        source: Source::Speech,
    },
    Member {
        name: "tells",
        source: Source::Facts,
    },
];

impl TurnSpec {
    pub(super) fn of(action: Action) -> &'static Self {
        // Rows and actions are in one order.
        &TURNS[action as usize]
    }

    /// The rows of what can be done now.
    pub(super) fn possible(legal: &ChoiceConstraints) -> impl Iterator<Item = &'static Self> {
        TURNS.iter().filter(|row| row.is_possible(legal))
    }

    fn is_possible(&self, legal: &ChoiceConstraints) -> bool {
        let mut members = self.members.iter();
        (self.is_allowed)(legal) && members.all(|member| member.source.is_open(legal))
    }

    /// What is wrong with a choice of this.
    pub(super) fn check(&self, choice: &CombatChoice, legal: &ChoiceConstraints) -> Vec<Violation> {
        let members = BESIDE.iter().chain(self.members);
        let mut found: Vec<_> = members
            .flat_map(|member| member.source.check(choice, legal))
            .collect();
        if !(self.is_allowed)(legal) {
            let possible: Vec<_> = Self::possible(legal).map(|row| row.name).collect();
            found.extend(Violation::unless_offered("action", self.name, &possible));
        }
        found
    }

    /// Whether cards are played.
    pub(super) fn plays(&self) -> bool {
        let mut members = self.members.iter();
        members.any(|member| member.source == Source::Hand)
    }
}

impl Source {
    fn is_open(self, legal: &ChoiceConstraints) -> bool {
        match self {
            Self::Hand => !legal.hand.is_empty(),
            Self::Carried => !legal.items.is_empty(),
            Self::Facts => !legal.facts.is_empty(),
            Self::Look | Self::Speech => true,
        }
    }

    /// The schema of the values that are legal now, or of all that may ever be.
    fn schema(self, legal: Option<&ChoiceConstraints>) -> Value {
        match (self, legal) {
            (Self::Hand, legal) => cards(legal),
            (Self::Carried, Some(legal)) => one_of(&legal.items),
            (Self::Facts, Some(legal)) => json!({"type": "array", "items": one_of(&legal.facts)}),
            (Self::Facts, None) => json!({"type": "array", "items": {"type": "string"}}),
            (Self::Speech, Some(legal)) => text(legal.say_chars),
            (Self::Look, Some(_)) => text(SEEN_CHARS),
            (Self::Carried | Self::Look | Self::Speech, None) => json!({"type": "string"}),
        }
    }

    fn check(self, choice: &CombatChoice, legal: &ChoiceConstraints) -> Vec<Violation> {
        let too_long = |path, words: &Option<String>, most| {
            Violation::too_long(path, words.as_deref().unwrap_or_default(), most)
        };
        let found = match self {
            Self::Hand => return choice.check_cards(legal),
            Self::Facts => return choice.check_facts(legal),
            Self::Carried => {
                let item = choice.item.as_deref().unwrap_or_default();
                Violation::unless_offered("item", item, &legal.items)
            }
            Self::Look => too_long("seen", &choice.seen, SEEN_CHARS),
            Self::Speech => too_long("say", &choice.say, legal.say_chars),
        };
        found.into_iter().collect()
    }
}

/// The schema of what is legal now, or of all that may ever be.
pub(super) fn schema(legal: Option<&ChoiceConstraints>) -> Value {
    let rows = TURNS
        .iter()
        .filter(|row| legal.is_none_or(|legal| row.is_possible(legal)));
    let actions: Vec<_> = rows.clone().map(|row| row.name).collect();
    let members = rows.flat_map(|row| row.members).chain(BESIDE);
    let open = members
        .filter(|member| legal.is_none_or(|legal| member.source.is_open(legal)))
        .map(|member| (member.name.to_owned(), member.source.schema(legal)));
    let mut properties: Map<_, _> = open.collect();
    properties.insert("action".to_owned(), one_of(&actions));
    json!({
        "type": "object",
        "properties": properties,
        "required": ["action"],
        "additionalProperties": false,
    })
}

fn text(most: usize) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": most})
}

fn cards(legal: Option<&ChoiceConstraints>) -> Value {
    let any = || json!({"type": "string"});
    let is_worded = legal.is_none_or(ChoiceConstraints::is_worded);
    let required: &[&str] = match is_worded {
        true => &["skill", "targets"],
        false => &["skill", "name", "description", "targets"],
    };
    let target = legal.map_or_else(any, |legal| one_of(&legal.targets()));
    let card = json!({
        "type": "object",
        "properties": {
            "skill": legal.map_or_else(any, |legal| one_of(&legal.skills())),
            "name": text(NAME_CHARS),
            "description": text(SEEN_CHARS),
            "targets": {"type": "array", "items": target, "minItems": 1},
        },
        "required": required,
        "additionalProperties": false,
    });
    match legal {
        None => json!({"type": "array", "items": card}),
        Some(legal) => json!({"type": "array", "items": card, "maxItems": legal.hand.len()}),
    }
}
