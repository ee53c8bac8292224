//! What a row of the table of actions says, and what the program makes of it.

use playhouse_engine::exchange::Violation;
use playhouse_engine::locale::UiText;
use playhouse_engine::memory::Words;
use serde_json::{Map, Value, json};

use super::member::{Given, Member, Source};
use super::rules::{Acting, Rules};
use super::{ACTIONS, PlanConstraints};
use crate::talk::TurnTaken;

/// Where an action stands in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Slot {
    /// One thing is said in a turn.
    Said,
    /// It may stand beside what is said and what is done.
    Beside,
    /// One thing is done in a turn.
    Done,
    /// It is no action, only a feeling.
    Felt,
}

/// How much an action attracts the improviser; to say something attracts it by 30 to 90.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Appeal {
    Never,
    Always(u32),
    /// Unless it was done in the turn before.
    NotTwice(u32),
    /// Unless it was done in one of the last turns.
    Rarely(u32),
    /// The improviser knows more about it.
    Special,
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct ActionSpec {
    /// As answers name it.
    pub(crate) name: &'static str,
    pub(crate) slot: Slot,
    pub(crate) members: &'static [Member],
    pub(crate) appeal: Appeal,
}

/// What follows when an actor does it.
pub(super) trait Action {
    const APPEAL: Appeal = Appeal::Never;

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken);

    /// What it breaks beyond the rules of each member.
    fn check(&self, _constraints: &PlanConstraints) -> Option<Violation> {
        None
    }
}

impl ActionSpec {
    /// All that can be said or done.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> + Clone {
        ACTIONS.iter().filter(|action| action.slot != Slot::Felt)
    }

    /// What it is called at a seat and in what is told of it; the name itself if it is unknown.
    pub(crate) fn label(name: &str) -> UiText {
        UiText::find(&format!("rpg_seat_{name}")).unwrap_or_else(|| UiText::verbatim(name))
    }

    /// Whether each member has a legal value.
    pub(super) fn is_possible(&self, legal: &PlanConstraints) -> bool {
        let mut members = self.members.iter();
        members.all(|member| member.source.is_open(legal))
    }

    /// The schema of what is legal now, or of all that may ever be.
    pub(super) fn schema(&self, legal: Option<&PlanConstraints>) -> Value {
        let is_closed = |source: Source| {
            source.is_optional() && legal.is_some_and(|legal| source.is_empty(legal))
        };
        let members = self
            .members
            .iter()
            .filter(|member| !is_closed(member.source));
        let properties = members.map(|member| {
            let schema = member.source.schema(legal);
            (member.name.to_owned(), schema)
        });
        let required = self
            .members
            .iter()
            .filter(|member| !member.source.is_optional() && member.source != Source::Addressee);
        let mut schema = json!({
            "type": "object",
            "properties": properties.collect::<Map<_, _>>(),
            "required": required.map(|member| member.name).collect::<Vec<_>>(),
        });
        // What is told stands beside the words. Elsewhere another member does no harm, and to
        // forbid it costs tokens each time.
        if self.slot == Slot::Said {
            schema["additionalProperties"] = false.into();
        }
        schema
    }

    /// Checks each member.
    pub(super) fn check(
        &self,
        given: &[Given<'_>],
        constraints: &PlanConstraints,
    ) -> impl Iterator<Item = Violation> {
        let members = self.members.iter().zip(given);
        members.filter_map(move |(member, given)| {
            let found = member.source.check(*given, constraints)?;
            Some(found.at(format!("{}.{}", self.name, member.name)))
        })
    }
}

/// The words that these members hold, and how many of the members do.
pub(super) const fn words<const N: usize>(
    members: [(&'static str, Source); N],
) -> ([Words; N], usize) {
    let mut words = [Words::Thought(""); N];
    let (mut index, mut count) = (0, 0);
    while index < N {
        let (path, source) = members[index];
        if let Some(held) = source.words(path) {
            assert!(!matches!(path.as_bytes(), [b'/', b'r', b'#', ..]));
            words[count] = held;
            count += 1;
        }
        index += 1;
    }
    (words, count)
}

/// A name without the mark of a raw identifier.
pub(crate) const fn plain(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

macro_rules! pointer {
    ($field:ident/$member:ident) => {
        concat!("/", stringify!($field), "/", stringify!($member))
    };
}

/// Defines a type for each row, and `Plan`, which may hold one of each. Members after a semicolon
/// may be left out.
macro_rules! actions {
    ($(
        $field:ident: $Action:ident, $slot:ident {
            $( $(#[$attribute:meta])* $member:ident: $type:ty = $source:ident ),*
            $(; $( $(#[$mark:meta])* $optional:ident: $kind:ty = $origin:ident ),+ )?
        }
    )+) => {
        $(
            #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
            pub(crate) struct $Action {
                $( $(#[$attribute])* pub(crate) $member: $type, )*
                $($( $(#[$mark])* #[serde(default)] pub(crate) $optional: $kind, )+)?
            }
        )+

        /// All rows, in the order in which they are carried out.
        pub(crate) static ACTIONS: &[ActionSpec] = &[$( ActionSpec {
            name: plain(stringify!($field)),
            slot: Slot::$slot,
            members: &[
                $( Member { name: stringify!($member), source: Source::$source }, )*
                $($( Member { name: stringify!($optional), source: Source::$origin }, )+)?
            ],
            appeal: <$Action as Action>::APPEAL,
        } ),+];

        /// What an actor answers: a private thought, at most one thing said and at most one thing
        /// done, at least one of them.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub(crate) struct Plan {
            /// What the answer would do besides, and is not possible now.
            #[serde(default, skip_serializing)]
            pub(super) left_out: Vec<String>,
            #[serde(default)]
            pub(crate) mind: String,
            /// The ids of the facts that the words give away.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub(crate) tells: Vec<String>,
            $(
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub(crate) $field: Option<$Action>,
            )+
        }

        impl Plan {
            /// The paths of what need not be said.
            const OPTIONAL: &[&str] = &["mind" $($($(
                , plain(concat!(stringify!($field), ".", stringify!($optional)))
            )+)?)+];

            /// The words that it holds.
            const HELD_WORDS: &[Words] = {
                let (words, count) = const {
                    &words([
                        ("/mind", Source::Thought),
                        $(
                            $( (pointer!($field/$member), Source::$source), )*
                            $($( (pointer!($field/$optional), Source::$origin), )+)?
                        )+
                    ])
                };
                words.split_at(*count).0
            };

            /// The rows of what it holds.
            fn held(&self) -> impl Iterator<Item = &'static ActionSpec> + Clone {
                let is_held = [$( self.$field.is_some() ),+];
                let rows = ACTIONS.iter().zip(is_held);
                rows.filter_map(|(row, is_held)| is_held.then_some(row))
            }

            /// Checks all that it holds.
            fn check_actions(&self, constraints: &PlanConstraints, found: &mut Vec<Violation>) {
                let mut rows = ACTIONS.iter();
                $(
                    let row = rows.next();
                    if let Some((action, row)) = self.$field.as_ref().zip(row) {
                        let given = [
                            $( Given::from(&action.$member), )*
                            $($( Given::from(&action.$optional), )+)?
                        ];
                        found.extend(row.check(&given, constraints));
                        found.extend(action.check(constraints));
                    }
                )+
            }

            /// Carries out all that it holds, in the order of the table.
            pub(super) fn carry_out(
                self,
                rules: &mut Rules<'_, '_>,
                acting: &Acting<'_>,
                taken: &mut TurnTaken,
            ) {
                $( if let Some(action) = self.$field {
                    action.carry_out(rules, acting, taken);
                } )+
            }
        }
    };
}
