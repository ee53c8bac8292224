//! What is not public: roles, words, and the reasons and beliefs that players give in private.
//!
//! All fields are private to this file, so code that builds prompts learns nothing from a [`Card`].
//! It uses the [`Taboo`] next to the card, which answers whether a text says the word and never
//! what the word is. Rules that need more ask the [`Moderator`], who builds no prompts.
//!
//! ```compile_fail,E0616
//! fn peek(card: &playhouse_undercover::Card) -> Option<String> {
//!     card.word.clone()
//! }
//! ```

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::system::{SystemParam, SystemState};
use bevy_ecs::world::DeferredWorld;
use playhouse_engine::cast::{CastList, Dead, EntityName, OnStage};
use playhouse_engine::event::write_events_at_meeting;
use playhouse_engine::world_data::Word;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ballot::{Ballot, Guess};
use super::belief::Belief;
use super::events::{CardDealt, RevealedCard};
use super::ids::{PlayerId, PlayerRole};
use super::table::{Seat, Table};
use super::taboo::Taboo;

/// On a player: its role and its word.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(immutable, on_insert = insert_taboo)]
#[serde(deny_unknown_fields)]
pub struct Card {
    role: PlayerRole,
    /// `None` for a blank player.
    word: Option<String>,
    /// Translations and other spellings of the word, which must not be said either.
    also: Vec<String>,
}

impl Card {
    /// A card with a word; a blank player's card has none.
    pub(super) fn new(role: PlayerRole, word: &Word) -> Self {
        match role {
            PlayerRole::Blank => Self {
                role,
                word: None,
                also: Vec::new(),
            },
            PlayerRole::Civilian | PlayerRole::Undercover => Self {
                role,
                word: Some(word.word.clone()),
                also: word.also.clone(),
            },
        }
    }

    /// The word on it; `None` for a blank player.
    pub fn word(&self) -> Option<&str> {
        self.word.as_deref()
    }

    /// What its holder must not say.
    fn taboo(&self) -> Taboo {
        Taboo::new(self.word.as_deref().unwrap_or_default(), &self.also)
    }
}

/// Adds the [`Taboo`] of a card, whether it is dealt or loaded.
fn insert_taboo(mut world: DeferredWorld, context: HookContext) {
    if let Some(taboo) = world.get::<Card>(context.entity).map(Card::taboo) {
        world.commands().entity(context.entity).insert(taboo);
    }
}

/// On a player: what only the moderator knows of its thoughts, oldest first.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PrivateRecord {
    ballots: Vec<InRound<Ballot>>,
    beliefs: Vec<InRound<Belief>>,
}

/// An answer, and the round in which it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InRound<T> {
    round: u32,
    answer: T,
}

impl PrivateRecord {
    /// Keeps a ballot with its reason.
    pub(super) fn add_ballot(&mut self, round: u32, answer: Ballot) {
        self.ballots.push(InRound { round, answer });
    }

    pub(super) fn add_belief(&mut self, round: u32, answer: Belief) {
        self.beliefs.push(InRound { round, answer });
    }
}

/// The number of players of each side who are still in the game. Blank players count for neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SideCounts {
    pub(super) civilians: usize,
    pub(super) undercover: usize,
}

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
            &'static PrivateRecord,
            Has<Dead>,
        ),
    >,
}

impl Moderator<'_, '_> {
    pub fn role_of(&self, player: Entity) -> Option<PlayerRole> {
        let (.., card, _, _) = self.players.get(player).ok()?;
        Some(card.role)
    }

    /// The players of each side who are still in the game at a table, without those who are about
    /// to leave it.
    pub(super) fn side_counts(&self, stage: Entity, without: &[PlayerId]) -> SideCounts {
        let mut counts = SideCounts::default();
        for (seat, _, on_stage, card, _, dead) in &self.players {
            if on_stage.0 != stage || dead || without.contains(&seat.0) {
                continue;
            }
            match card.role {
                PlayerRole::Civilian => counts.civilians += 1,
                PlayerRole::Undercover => counts.undercover += 1,
                PlayerRole::Blank => {}
            }
        }
        counts
    }

    /// All cards of a table, sorted by number; for the end of the game.
    pub fn reveal(&self, stage: Entity) -> Vec<RevealedCard> {
        let players = self.players.iter();
        let at_table = players.filter(|(_, _, on_stage, ..)| on_stage.0 == stage);
        let mut cards: Vec<_> = at_table
            .map(|(seat, name, _, card, ..)| RevealedCard {
                player_id: seat.0,
                player: name.to_string(),
                role: card.role,
                word: card.word.clone(),
            })
            .collect();
        cards.sort_by_key(|card| card.player_id);
        cards
    }

    /// The first round in which a player wrote that it takes itself for undercover.
    pub(super) fn guessed_own_role(&self, player: Entity) -> Option<u32> {
        let (.., record, _) = self.players.get(player).ok()?;
        let ballots = record
            .ballots
            .iter()
            .map(|given| (given.round, given.answer.i_am));
        let beliefs = record
            .beliefs
            .iter()
            .map(|given| (given.round, given.answer.i_am));
        let guesses = ballots.chain(beliefs);
        let right = guesses.filter(|(_, i_am)| *i_am == Guess::Undercover);
        right.map(|(round, _)| round).min()
    }

    /// The whole state of a table with everything that is secret, for inspection. It has the
    /// documented form, in which descriptions carry their speaker's `role`.
    pub fn view(&self, stage: Entity, table: &Table) -> Value {
        let mut players: Vec<_> = self
            .players
            .iter()
            .filter(|(_, _, on_stage, ..)| on_stage.0 == stage)
            .map(|(seat, _, _, card, record, _)| (seat.0, card, record))
            .collect();
        players.sort_by_key(|(id, ..)| *id);
        let role_of = |id: &Value| {
            let id = PlayerId(id.as_u64().unwrap_or_default() as u32);
            let found = players.iter().find(|(known, ..)| *known == id);
            json!(found.map(|(_, card, _)| card.role))
        };
        let mut state = json!(table);
        for (list, id) in [
            ("players", "id"),
            ("current_descriptions", "player_id"),
            ("eliminations", "player_id"),
        ] {
            for entry in state[list].as_array_mut().into_iter().flatten() {
                entry["role"] = role_of(&entry[id]);
            }
        }
        let entries = state["players"].as_array_mut().into_iter().flatten();
        for (entry, (_, card, record)) in entries.zip(&players) {
            entry["word"] = json!(card.word);
            entry["confidences"] = json!(record);
        }
        state
    }
}

/// Tells every player of a table its word, in private, at a meeting.
pub(super) fn deal_cards(world: &mut World, stage: Entity) {
    let cards = with_moderator(world, |moderator| moderator.reveal(stage));
    for card in cards.into_iter().flatten() {
        let list = world.resource::<CastList>();
        let Some(player) = list.by_name(&card.player) else {
            continue;
        };
        let event = CardDealt {
            player: card.player,
            word: card.word.unwrap_or_default(),
        };
        write_events_at_meeting(world, |events| events.notify_entities(&[player], event));
    }
}

/// Asks the moderator outside of a system.
pub fn with_moderator<T>(
    world: &mut World,
    ask: impl FnOnce(&Moderator<'_, '_>) -> T,
) -> Option<T> {
    let mut state = SystemState::<Moderator<'_, '_>>::new(world);
    let moderator = state.get(world).ok()?;
    Some(ask(&moderator))
}
