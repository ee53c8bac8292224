//! What not everybody may know: roles, words, and what players confide in their votes.
//!
//! Fields are private to this file. Whoever builds a prompt can take nothing from a [`Card`]; beside it stands
//! a [`Taboo`], which answers whether a text says the word and never what the word is. Rules that need
//! more ask the [`Moderator`], who builds no prompts.
//!
//! ```compile_fail,E0616
//! fn peek(card: &playhouse::undercover::Card) -> Option<String> {
//!     card.word.clone()
//! }
//! ```

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::system::{SystemParam, SystemState};
use bevy_ecs::world::DeferredWorld;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ballot::{Ballot, Guess};
use super::belief::Belief;
use super::events::{Deal, Unmasked};
use super::table::{PlayerId, Seat, Table};
use super::taboo::Taboo;
use crate::cast::{CastList, Dead, EntityName, OnStage};
use crate::event::write_events_at_meeting;
use crate::world_data::Word;

/// What a player is. Nobody is told its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Holds the common word.
    Civilian,
    /// Holds its neighbour.
    Undercover,
    /// Holds no word; on nobody's side.
    Blank,
}

/// On a player: its role and its word.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(immutable, on_insert = forbid_its_word)]
#[serde(deny_unknown_fields)]
pub struct Card {
    role: Role,
    /// Nothing for a blank player.
    word: Option<String>,
    /// Other languages and spellings of the word, which must not be said either.
    also: Vec<String>,
}

impl Card {
    /// A card with a word; a blank one has none.
    pub fn new(role: Role, word: &Word) -> Self {
        match role {
            Role::Blank => Self {
                role,
                word: None,
                also: Vec::new(),
            },
            _ => Self {
                role,
                word: Some(word.word.clone()),
                also: word.also.clone(),
            },
        }
    }

    /// What its holder must not say.
    fn taboo(&self) -> Taboo {
        Taboo::new(self.word.as_deref().unwrap_or_default(), &self.also)
    }
}

/// Whoever gets a card gets its [`Taboo`] too, at the deal and from a save.
fn forbid_its_word(mut world: DeferredWorld, context: HookContext) {
    if let Some(taboo) = world.get::<Card>(context.entity).map(Card::taboo) {
        world.commands().entity(context.entity).insert(taboo);
    }
}

/// On a player: what it confided to nobody but the moderator, oldest first.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confidences {
    ballots: Vec<Confided<Ballot>>,
    beliefs: Vec<Confided<Belief>>,
}

/// Something confided, and in which round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Confided<T> {
    round: u32,
    what: T,
}

impl Confidences {
    /// Keeps a ballot with its reason.
    pub fn keep_ballot(&mut self, round: u32, ballot: Ballot) {
        let what = ballot;
        self.ballots.push(Confided { round, what });
    }

    /// Keeps a belief.
    pub fn keep_belief(&mut self, round: u32, belief: Belief) {
        let what = belief;
        self.beliefs.push(Confided { round, what });
    }
}

/// How many of each side are still in the game. Blank players count for neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// Civilians.
    pub civilians: usize,
    /// Those undercover.
    pub undercover: usize,
}

/// The one who knows all cards.
#[derive(SystemParam)]
pub struct Moderator<'w, 's> {
    players: Query<
        'w,
        's,
        (
            &'static Seat,
            &'static EntityName,
            &'static OnStage,
            &'static Card,
            &'static Confidences,
            Has<Dead>,
        ),
    >,
}

impl Moderator<'_, '_> {
    /// The role of a player.
    pub fn role_of(&self, player: Entity) -> Option<Role> {
        self.players
            .get(player)
            .ok()
            .map(|(.., card, _, _)| card.role)
    }

    /// How many of each side are still in the game at a table, without those who are about to leave it.
    pub fn sides(&self, stage: Entity, without: &[PlayerId]) -> Sides {
        let here = self
            .players
            .iter()
            .filter(|(seat, _, on, .., dead)| on.0 == stage && !dead && !without.contains(&seat.0));
        here.fold(Sides::default(), |mut sides, (.., card, _, _)| {
            match card.role {
                Role::Civilian => sides.civilians += 1,
                Role::Undercover => sides.undercover += 1,
                Role::Blank => {}
            }
            sides
        })
    }

    /// All cards of a table, by rising number; for its end.
    pub fn unmask(&self, stage: Entity) -> Vec<Unmasked> {
        let here = self.players.iter().filter(|(_, _, on, ..)| on.0 == stage);
        let mut all: Vec<_> = here
            .map(|(seat, name, _, card, ..)| Unmasked {
                player_id: seat.0,
                player: name.to_string(),
                role: card.role,
                word: card.word.clone(),
            })
            .collect();
        all.sort_by_key(|unmasked| unmasked.player_id);
        all
    }

    /// In which round a player first put down of itself that it is undercover.
    pub fn found_itself(&self, player: Entity) -> Option<u32> {
        let (.., confidences, _) = self.players.get(player).ok()?;
        let ballots = confidences.ballots.iter();
        let ballots = ballots.map(|kept| (kept.round, kept.what.i_am));
        let beliefs = confidences.beliefs.iter();
        let beliefs = beliefs.map(|kept| (kept.round, kept.what.i_am));
        let found = ballots
            .chain(beliefs)
            .filter(|(_, i_am)| *i_am == Guess::Undercover);
        found.map(|(round, _)| round).min()
    }

    /// The whole state of a table with everything that is secret, for looking into a game. It is in the
    /// documented form, where descriptions carry their speaker's `role`.
    pub fn view(&self, stage: Entity, table: &Table) -> Value {
        let cards = self.unmask(stage);
        let role = |id: PlayerId| {
            let card = cards.iter().find(|card| card.player_id == id);
            json!(card.map(|card| card.role))
        };
        let mut state = json!(table);
        let with_role = |entry: &mut Value| {
            let id = entry["player_id"].as_u64().or(entry["id"].as_u64());
            entry["role"] = role(PlayerId(id.unwrap_or_default() as u32));
        };
        let lists = ["players", "current_descriptions", "eliminations"];
        for entry in lists
            .iter()
            .flat_map(|list| list_of(&state, list))
            .collect::<Vec<_>>()
        {
            if let Some(entry) = state.pointer_mut(&entry) {
                with_role(entry);
            }
        }
        let confided = self.players.iter().filter(|(_, _, on, ..)| on.0 == stage);
        let mut confided: Vec<_> = confided.collect();
        confided.sort_by_key(|(seat, ..)| seat.0);
        let players = state["players"].as_array_mut().into_iter().flatten();
        for (player, (_, _, _, card, confidences, _)) in players.zip(confided) {
            player["word"] = json!(card.word);
            player["confidences"] = json!(confidences);
        }
        state
    }
}

/// Every player of a table is told its word, each for itself alone. Call it at a meeting.
pub(super) fn deal_cards(world: &mut World, stage: Entity) {
    let cards = moderated(world, |moderator| moderator.unmask(stage));
    for card in cards.into_iter().flatten() {
        let list = world.resource::<CastList>();
        let Some(player) = list.by_name(&card.player) else {
            continue;
        };
        let deal = Deal {
            player: card.player,
            word: card.word.unwrap_or_default(),
        };
        write_events_at_meeting(world, |tell| tell.notify_entities(&[player], deal));
    }
}

/// The JSON pointers of the elements of a list.
fn list_of(state: &Value, name: &str) -> Vec<String> {
    let count = state[name].as_array().map_or(0, Vec::len);
    (0..count).map(|at| format!("/{name}/{at}")).collect()
}

/// Asks the moderator from outside of a system.
pub fn moderated<T>(world: &mut World, ask: impl FnOnce(&Moderator<'_, '_>) -> T) -> Option<T> {
    let mut state = SystemState::<Moderator<'_, '_>>::new(world);
    let moderator = state.get(world).ok()?;
    Some(ask(&moderator))
}
