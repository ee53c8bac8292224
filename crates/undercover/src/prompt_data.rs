//! What the questions of the game have in common.

use playhouse_engine::event::Prompt;
use serde::Serialize;

use super::ballot::Candidates;
use super::current_table::LivingPlayer;
use super::rules::Rules;
use super::table::Table;

/// What every question says about the player who is asked.
#[derive(Serialize, Prompt)]
pub(super) struct PlayerData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    number: u32,
    round: u32,
    /// The number of players whose card is blank.
    blank: usize,
    companions: Vec<&'a str>,
}

impl<'a> PlayerData<'a> {
    /// A player, among those who are still in the game.
    pub(super) fn new(
        rules: &'a Rules,
        table: &Table,
        player: &'a LivingPlayer,
        living: &'a [LivingPlayer],
    ) -> Self {
        let others = living.iter().filter(|other| other.id != player.id);
        Self {
            me: &player.name,
            kind: "actor",
            place: &rules.table,
            number: player.id.0,
            round: table.round,
            blank: rules.blank,
            companions: others.map(|other| other.name.as_str()).collect(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct NumberedName<'a> {
    pub(super) id: u32,
    pub(super) name: &'a str,
}

impl<'a> NumberedName<'a> {
    pub(super) fn all(Candidates(players): &'a Candidates) -> Vec<Self> {
        let players = players.iter();
        players.map(|(id, name)| Self { id: id.0, name }).collect()
    }
}
