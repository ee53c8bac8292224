//! Votes: all players vote at the same time, without knowing the others' votes.

use bevy_ecs::prelude::*;
use playhouse_engine::event::{EventWriter, Prompt};
use playhouse_engine::exchange::{Answers, Question};
use serde::Serialize;

use super::ballot::{Ballot, Candidates};
use super::current_table::{CurrentTable, LivingPlayer, NextStep, others};
use super::events::{VoteCast, VoteCount, VotesCast};
use super::prompt_data::{NumberedName, PlayerData};
use super::rules::Ties;
use super::secret::PrivateRecord;
use super::table::{Table, Vote};

/// What a player is asked for its vote with. All of it is public.
#[derive(Serialize, Prompt)]
#[prompt(
    "undercover/asks/vote",
    purpose = "undercover.vote",
    short = "undercover/asks/vote_short"
)]
pub(super) struct VoteData<'a> {
    #[serde(flatten)]
    player: PlayerData<'a>,
    run_off: bool,
    legal: Vec<NumberedName<'a>>,
}

/// Everybody still in the game is asked for its vote.
pub(super) fn ask_votes(
    mut current: CurrentTable,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let stage = current.begin(NextStep::Vote);
    let Some(table) = stage.and_then(|stage| current.table(stage)) else {
        return;
    };
    let (rules, living) = (current.rules(), current.living());
    for voter in &living {
        let candidates = candidates(table, voter, &living);
        let data = VoteData {
            player: PlayerData::new(rules, table, voter, &living),
            run_off: !table.tied_votes.is_empty(),
            legal: NumberedName::all(&candidates),
        };
        let ask = data.ask(events.phrases(), candidates.clone(), Ballot::abstention());
        let ask = ask.map(|ask| ask.max_tokens(rules.reply_tokens));
        events.insert_or_fault(&mut commands, voter.entity, ask);
    }
}

/// The votes are recorded, sorted by voter, and shown to all at once; the reasons stay private.
pub(super) fn take_votes(
    mut current: CurrentTable,
    mut answers: Answers<Ballot>,
    mut records: Query<&mut PrivateRecord>,
    mut events: EventWriter,
) {
    if answers.is_empty() {
        return;
    }
    let Some(stage) = current.stage() else { return };
    let Some(table) = current.table(stage) else {
        return;
    };
    let (round, living) = (table.round, current.living());
    let mut votes = Vec::new();
    for (player, ballot, _by) in answers.take() {
        let Some(voter) = living.iter().find(|voter| voter.entity == player) else {
            continue;
        };
        votes.push(Vote {
            voter_id: voter.id,
            target_id: ballot.vote_number,
        });
        if let Ok(mut record) = records.get_mut(player) {
            record.add_ballot(round, ballot);
        }
    }
    votes.sort_by_key(|vote| vote.voter_id);
    let was_run_off = !table.tied_votes.is_empty();
    current.update(stage, |table| table.current_votes = votes);
    let Some(table) = current.table(stage) else {
        return;
    };
    events.broadcast_to_stage(stage, votes_cast(table, was_run_off), &[]);
    let is_tied = table.leading().len() > 1;
    if is_tied && !was_run_off && current.rules().ties == Ties::RunOff {
        current.update(stage, |table| {
            table.tied_votes = std::mem::take(&mut table.current_votes);
        });
        current.set_next(stage, NextStep::Vote);
    }
}

/// The players a voter may vote for: everybody else, or in a run-off only those who are tied.
fn candidates(table: &Table, voter: &LivingPlayer, living: &[LivingPlayer]) -> Candidates {
    let tied = table.tied();
    let Candidates(mut candidates) = others(living, voter.id);
    candidates.retain(|(id, _)| tied.is_empty() || tied.contains(id));
    Candidates(candidates)
}

/// The votes with names, as everybody learns of them.
fn votes_cast(table: &Table, run_off: bool) -> VotesCast {
    let votes = table.current_votes.iter().map(|vote| VoteCast {
        voter_id: vote.voter_id,
        voter: table.name(vote.voter_id),
        target_id: vote.target_id,
        target: vote.target_id.map(|id| table.name(id)).unwrap_or_default(),
    });
    let tally = table.tally().into_iter().map(|(id, votes)| VoteCount {
        player_id: id,
        player: table.name(id),
        votes,
    });
    VotesCast {
        round: table.round,
        run_off,
        votes: votes.collect(),
        tally: tally.collect(),
    }
}
